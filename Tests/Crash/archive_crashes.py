"""A program that writes archives: killed at a system call, its disk's power cut there or between
any two writes, or one of its system calls failing.

As `kills`, `reordered` and `failures` do it for the daemon.
"""

import concurrent.futures
import contextlib
import os
import random
import shutil
import signal
import subprocess
import time

import archive_stores
import calls
import errors
from archive_stores import DONE, REFUSED
from cases import Room, needs_program, needs_root
from disks import LoopDisk, make_image
from failures import in_memory
from kills import CUT, KILL, KILL_AND_CUT
from recorded_disk import RecordedDisk, states
from stores import ANSWER, Wrong

MEGABYTES = 8
BEGUN, ENDED = "begun", "ended"
FAILING, REORDERED = "failing calls", "reordered writes"
VARIANTS = (KILL, KILL_AND_CUT, CUT, FAILING, REORDERED)
STOP_SECONDS = 10
# How often one that was stopped is told to go on.
CONTINUE_SECONDS = 0.1
# Without these calls it is not the disk that could lose something.
OF_FILES = ("openat", "write", "fsync", "fchmod", "renameat", "renameat2", "linkat", "unlinkat",
            "mkdirat", "flock", "fcntl", "close", "read", "newfstatat", "fstat", "statx",
            "getdents64")


class Bench:
    """One operation, and each call that the program makes for it."""

    def __init__(self, room, operation, mount_options=()):
        needs_root()
        needs_program("strace")
        self.operation = operation
        self.mount_options = mount_options
        self.template = operation.template(room)
        self.image = in_memory(room) / "template"
        make_image(self.image, MEGABYTES, self.template)
        path = room.place("trace-") / "trace"
        with Room() as own:
            place = self._copy(own)
            with _daemon(own, place):
                done = operation.run(place, ["strace", "-f", "-qq", "-y", "-o", path])
                assert done.returncode == 0, done
        with open(path, errors="replace") as lines:
            # With -f each line begins with the number of the process, of which there is one.
            text = [line.partition(" ")[2].lstrip() for line in lines]
        path.write_text("".join(text))
        self.points = [point for point in calls.points_in(path, "program") if point.is_ours]
        assert any(point.call == "fsync" for point in self.points), self.points

    def _copy(self, room):
        place = in_memory(room) / "place"
        shutil.copytree(self.template, place, symlinks=True)
        return place

    # MARK: Kills and cuts

    def try_kill(self, point, variant):
        """Throws Wrong where anything is lost. Gives back False where the point is not reached."""
        with Room() as room:
            if variant == KILL:
                place = self._copy(room)
                daemon = _daemon(room, place)
                done = self.operation.run(place, _injecting(point, "signal=KILL"))
                is_reached = done.returncode != 0
                self._judge(place, daemon, done, is_reached)
                return is_reached
            image = in_memory(room) / "image"
            shutil.copyfile(self.image, image)
            disk = LoopDisk(room, image=image, options=self.mount_options)
            daemon = _daemon(room, disk.place)
            if variant == KILL_AND_CUT:
                done = self.operation.run(disk.place, _injecting(point, "signal=KILL"))
                is_reached = done.returncode != 0
                disk.cut_power()
            else:
                done, is_reached = self._cut_while_it_stands_still(disk, point)
            daemon.kill()
            disk.unmount()
            disk.check()
            disk.mount()
            self._judge(disk.place, _daemon(room, disk.place), done,
                        is_reached and variant != CUT, True)
            return is_reached

    def _judge(self, place, daemon, done, was_killed, power_was_cut=False):
        status = None if was_killed else done.returncode
        if status not in REFUSED | {DONE, None}:
            raise Wrong(ANSWER, f"{done}")
        self.operation.judge(place, daemon, status, done.stderr.decode(errors="replace"),
                             power_was_cut)

    def _cut_while_it_stands_still(self, disk, point):
        process = subprocess.Popen(
            [*_injecting(point, "signal=STOP"), archive_stores.programs.binary("account-archive"),
             *self.operation.words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd="/", env=archive_stores.environment(disk.place))
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            # What it is given is more than a pipe takes at once.
            said = pool.submit(process.communicate, self.operation.content, archive_stores.SECONDS)
            stopped = _stopped_child(process)
            disk.cut_power()
            # One that its tracer holds looks like one that was stopped, which it may be after that.
            while stopped and not said.done():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(stopped, signal.SIGCONT)
                concurrent.futures.wait([said], CONTINUE_SECONDS)
            out, err = said.result()
        return subprocess.CompletedProcess(self.operation.words, process.returncode, out, err), (
            stopped is not None)

    # MARK: Failing calls

    def failing(self):
        """(point, error) for each error of each call.

        Not of close(2): strace keeps it from being made, and so the locks from being given back,
        which the system does whatever it answers.
        """
        return [(point, error) for point in self.points if point.call != "close"
                for error in errors.of(point)]

    def try_failure(self, point, error):
        """Throws Wrong where its status is not true, or something is lost or left."""
        with Room() as room:
            place = self._copy(room)
            daemon = _daemon(room, place)
            done = self.operation.run(place, _injecting(point, f"error={error}"))
            if done.returncode and not done.stderr:
                raise Wrong(ANSWER, f"it fails and says nothing: {done}")
            self._judge(place, daemon, done, False)


class Reordered:
    """The states in which one operation may leave a disk."""

    def __init__(self, room, operation, seed, subsets, options=(), wrapper=()):
        needs_root()
        needs_program("strace")
        self.operation = operation
        self.options = options
        template = operation.template(room)
        path = in_memory(room) / "template"
        make_image(path, MEGABYTES, template)
        with Room() as own:
            disk = RecordedDisk(own, path.read_bytes(), options)
            daemon = _daemon(own, disk.place)
            os.sync()
            disk.mark(BEGUN)
            done = operation.run(disk.place, wrapper)
            assert done.returncode == 0, done
            disk.mark(ENDED)
            daemon.kill()
            disk.unmount()
        begun = disk.events.index(BEGUN)
        image = bytearray(path.read_bytes())
        for event in disk.events[:begun]:
            if isinstance(event, tuple):
                image[event[0]:event[0] + len(event[1])] = event[1]
        events = disk.events[begun + 1:]
        self.ended = events.index(ENDED)
        self.points = list(states(image, events, random.Random(seed), subsets))

    def try_point(self, position, what, state):
        """Throws Wrong where an archive is lost."""
        with Room() as room:
            image = in_memory(room) / "image"
            image.write_bytes(state)
            disk = LoopDisk(room, image=image, options=self.options)
            self.operation.judge(disk.place, _daemon(room, disk.place),
                                 DONE if position > self.ended else None, what, True)


def _injecting(point, what):
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={point.call}", "-e",
            f"inject={point.call}:{what}:when={point.nth}"]


def _stopped_child(tracer):
    """The process that a tracer runs, once it has stopped; None where it ends before."""
    end = time.monotonic() + STOP_SECONDS
    while time.monotonic() < end and tracer.poll() is None:
        try:
            with open(f"/proc/{tracer.pid}/task/{tracer.pid}/children") as file:
                children = file.read().split()
            if children and all(_is_stopped(children[0]) for _ in range(5)):
                return int(children[0])
        except OSError:
            continue
        time.sleep(0.002)
    return None


def _is_stopped(pid):
    with open(f"/proc/{pid}/stat") as file:
        is_stopped = file.read().rpartition(")")[2].split()[0] in "Tt"
    time.sleep(0.004)
    return is_stopped


def _daemon(room, place):
    return room.daemon(state=place / "state", key=place / "key")
