"""A power cut between any two writes to the disk, which may have lost and reordered what was not
flushed yet.

An operation is done once, on a disk that notes every write. Then each state is tried in which a
power cut may have left that disk.
"""

import random

import calls
import faults
import judge
from cases import Room, needs_program
from disks import LoopDisk, make_image
from failures import in_memory
from recorded_disk import RecordedDisk, states

MEGABYTES = 4
BEGUN, ANSWERED = "begun", "answered"


class Bench:
    """The states in which one operation may leave a disk.

    `injection`: something that happens to the worker meanwhile, for a control.
    """

    def __init__(self, room, operation, seed, subsets, options=(), injection=""):
        needs_program("strace")
        self.operation = operation
        self.options = options
        self.template = operation.template(room)
        path = in_memory(room) / "template"
        make_image(path, MEGABYTES, self.template)
        with Room() as own:
            disk = RecordedDisk(own, path.read_bytes(), options)
            self._record(own, disk, injection)
        begun = disk.events.index(BEGUN)
        image = bytearray(path.read_bytes())
        for event in disk.events[:begun]:
            if isinstance(event, tuple):
                image[event[0]:event[0] + len(event[1])] = event[1]
        events = disk.events[begun + 1:]
        self.answered = events.index(ANSWERED) if ANSWERED in events else len(events)
        self.points = list(states(image, events, random.Random(seed), subsets))

    def _record(self, room, disk, injection):
        where = {"state": disk.place / "state", "key": disk.place / "key"}
        if not self.operation.method:
            disk.mark(BEGUN)
            daemon = room.daemon(**where)
        else:
            daemon = room.daemon(**where)
            self.operation.prepare(daemon)
            tracer = injection and faults.attach(
                daemon.pid, injection.partition(":")[0], injection,
                thread=calls.thread_id(daemon, calls.WORKER))
            disk.mark(BEGUN)
            reply = calls.ask(daemon, self.operation)
            assert reply and "error" not in reply, reply
            disk.mark(ANSWERED)
        daemon.kill()
        if injection:
            tracer.wait()
        disk.unmount()

    def try_point(self, position, what, state):
        """Throws Wrong where an account is lost, or a repair needed."""
        with Room() as room:
            image = in_memory(room) / "image"
            image.write_bytes(state)
            disk = LoopDisk(room, image=image, options=self.options)
            answer = judge.DONE if position > self.answered else judge.UNKNOWN
            judge.judge(room, disk.place, self.operation, self.template, answer,
                        power_was_cut=True)


