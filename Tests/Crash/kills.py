"""A daemon that is killed at a system call, and a disk whose power is cut there.

Three variants of each point:

kill            the daemon is killed on entry to the call; the file system lives on
kill, cut       then the power of the file system is cut without a flush of its journal
cut             the power is cut after the call, and the daemon, which lives on, must say so
"""

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

import calls
import faults
import judge
import stores
import wire
from calls import START
from cases import Room, needs_program, needs_root
from disks import LoopDisk, make_image
from stores import ANSWER, Shut, Wrong

KILL, KILL_AND_CUT, CUT = "kill", "kill, cut", "cut"
VARIANTS = (KILL, KILL_AND_CUT, CUT)
MEGABYTES = 8
STOP_SECONDS = 5
# How often one that was stopped is told to go on.
CONTINUE_SECONDS = 1
# How long a point may take that comes after the answer, before it counts as one that never comes.
END_SECONDS = 0.2
# Where images are: writing to a real disk takes time and shows nothing more.
MEMORY = "/dev/shm"


class Bench:
    """The template of one operation as an image, and the points of the operation."""

    def __init__(self, room, operation, mount_options=()):
        needs_root()
        needs_program("strace")
        self.operation = operation
        self.mount_options = mount_options
        self.template = operation.template(room)
        self.image = _in_memory(room) / "template"
        make_image(self.image, MEGABYTES, self.template)
        with Room() as own:
            disk = self._disk(own)
            if operation.method:
                daemon = _daemon(own, disk)
                self.points = calls.of_operation(own, daemon, operation)
                daemon.kill()
            else:
                self.points = calls.of_start(own, lambda wrapper: _daemon(
                    own, disk, wrapper=wrapper))

    def _disk(self, room):
        image = _in_memory(room) / "image"
        shutil.copyfile(self.image, image)
        return LoopDisk(room, image=image, options=self.mount_options)

    def try_point(self, point, variant, *more):
        """Throws Wrong where anything is lost. `more`: further injections, for a control.

        Gives back False where the point was not reached.
        """
        with Room() as room:
            disk = self._disk(room)
            attempt = _at_start if point.thread == START else _in_operation
            answer, message, is_reached = attempt(room, disk, self.operation, point, variant, more)
            disk.unmount()
            if variant != KILL:
                disk.check()
            disk.mount()
            judge.judge(room, disk.place, self.operation, self.template, answer, message,
                        variant != KILL)
            return is_reached


def _in_memory(room):
    if not os.path.isdir(MEMORY):
        return room.place("image-")
    place = tempfile.mkdtemp(prefix="accountd-", dir=MEMORY)
    room.callback(shutil.rmtree, place, ignore_errors=True)
    return type(room.path)(place)


def _daemon(room, disk, **others):
    return room.daemon(state=disk.place / "state", key=disk.place / "key", **others)


def _in_operation(room, disk, operation, point, variant, more):
    daemon = _daemon(room, disk)
    operation.prepare(daemon)
    number = "KILL" if variant != CUT else "STOP"
    thread = calls.thread_id(daemon, point.thread)
    watched = ",".join({point.call, *(each.partition(":")[0] for each in more)})
    injection = f"{point.call}:signal={number}:when={point.nth}"
    try:
        tracer = faults.attach(daemon.pid, watched, injection, *more, thread=thread)
    except (RuntimeError, OSError):
        # A call that it waits in is begun anew when a tracer comes.
        if not _ends_soon(daemon):
            raise
        return judge.UNKNOWN, "", True
    if variant == CUT:
        reply, is_reached = _cut_while_it_stands_still(disk, daemon, operation)
    else:
        reply = calls.ask(daemon, operation)
        is_reached = True
        if reply is not None and daemon.is_alive():
            is_reached = _ends_soon(daemon)
        daemon.kill()
        if variant == KILL_AND_CUT:
            disk.cut_power()
    answer, message = judge.answer_of(reply)
    if variant == CUT:
        _must_live_on(daemon, operation, answer, message)
        daemon.kill()
    tracer.wait()
    return answer, message, is_reached


def _cut_while_it_stands_still(disk, daemon, operation):
    with daemon.connect(operation.answer_seconds) as peer:
        operation.begin(peer)
        is_reached = calls.wait_until_stopped(
            daemon, max(STOP_SECONDS, operation.derivation_seconds))
        disk.cut_power()
        # A thread that the tracer holds looks like one that was stopped, which it may be after that.
        end = time.monotonic() + operation.answer_seconds
        daemon.signal(signal.SIGCONT)
        while not select.select([peer], [], [], CONTINUE_SECONDS)[0] and time.monotonic() < end:
            daemon.signal(signal.SIGCONT)
        try:
            return wire.replies(peer, 1)[0], is_reached
        except wire.Closed:
            raise Wrong(ANSWER, f"no answer; {daemon.errors()}") from None


def _must_live_on(daemon, operation, answer, message):
    """Without a disk it serves what it has said that it has."""
    found = stores.observe(daemon)
    allowed = judge.may_be_found(operation, answer, message, False)
    if isinstance(found, Shut) and isinstance(operation.before, Shut):
        # Files that it could not read any more are damaged to it, not locked.
        return
    if not any(stores.same(found, one) for one in allowed):
        raise Wrong(ANSWER, f"it serves {found} after {answer}: {message}")


def _ends_soon(daemon):
    try:
        daemon.wait(END_SECONDS)
        return True
    except subprocess.TimeoutExpired:
        return False


def _at_start(room, disk, operation, point, variant, more):
    # The tracer is not the parent, so that the process that is waited for is the daemon.
    wrapper = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={point.call}", "-e",
               f"inject={point.call}:signal=KILL:when={point.nth}"]
    daemon = _daemon(room, disk, wrapper=wrapper, same_process=True, must_start=False)
    is_reached = daemon.ready != "ready" or _ends_soon(daemon)
    daemon.kill()
    if variant == KILL_AND_CUT:
        disk.cut_power()
    return judge.UNKNOWN, "", is_reached
