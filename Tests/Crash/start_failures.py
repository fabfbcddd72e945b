"""A daemon of which one system call fails, once, while it starts.

It serves what is stored, or says why it does not and ends; and the next one serves.
"""

import shutil
import subprocess

import calls
import errors
import judge
import stores
from cases import Room, needs_program, needs_root
from failures import in_memory
from stores import ANSWER, Wrong

END_SECONDS = 20


class Bench:
    """The template of one store, and every call of a start on it."""

    def __init__(self, room, operation):
        needs_root()
        needs_program("strace")
        self.operation = operation
        self.template = operation.template(room)
        with Room() as own:
            place = self._place(own)
            found = calls.of_start(own, lambda wrapper: _daemon(own, place, wrapper=wrapper))
        self.points = [(point, error) for point in found for error in errors.of(point)]

    def _place(self, room):
        place = in_memory(room) / "place"
        shutil.copytree(self.template, place, symlinks=True)
        return place

    def try_point(self, point, error):
        """Throws Wrong where it says nothing, serves something else, or spoils the store."""
        with Room() as room:
            place = self._place(room)
            wrapper = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={point.call}",
                       "-e", f"inject={point.call}:error={error}:when={point.nth}"]
            daemon = _daemon(room, place, wrapper=wrapper, same_process=True, must_start=False)
            if daemon.ready == "ready":
                found = stores.observe(daemon)
                if not stores.same(found, self.operation.after):
                    raise Wrong(ANSWER, f"it serves {found}: {daemon.errors()}")
                daemon.end()
            else:
                _ends_with_a_message(daemon, point.is_ours)
            judge.judge(room, place, self.operation, self.template, judge.UNKNOWN)


def _daemon(room, place, **others):
    return room.daemon(state=place / "state", key=place / "key", **others)


def _ends_with_a_message(daemon, is_ours):
    try:
        status = daemon.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        raise Wrong(ANSWER, "it neither serves nor ends") from None
    said = daemon.errors()
    if is_ours and (status < 0 or not said.strip()):
        raise Wrong(ANSWER, f"it ends with {status} and says {said!r}")
