"""A daemon of which one system call fails, once, in the middle of an operation.

The answer must be honest, the old account or the new one be served as the answer says, by this
daemon and by the next one; the next login must work, and nothing stay behind.
"""

import errno
import os
import pathlib
import shutil
import tempfile
import time

import calls
import errors
import judge
import stores
import wire
from calls import LOOP, WORKER
from cases import Room, needs_program, needs_root
from stores import ANSWER, LEFT, Shut, Wrong

MEMORY = "/dev/shm"
CLOSE_SECONDS = 5
# What the loop does for the connection itself: whoever asked may lose it, as by a network.
OF_THE_CONNECTION = {"accept4", "recvfrom", "sendto", "getsockopt", "epoll_ctl", "close", "read",
                     "write", "epoll_wait"}


class Bench:
    """The template of one operation, and every call that it makes."""

    def __init__(self, room, operation):
        needs_root()
        needs_program("strace")
        self.operation = operation
        self.template = operation.template(room)
        with Room() as own:
            daemon, _ = self._daemon(own)
            self.points = [(point, error)
                           for point in calls.of_operation(own, daemon, operation)
                           for error in errors.of(point)]
            daemon.kill()

    def _daemon(self, room, **others):
        place = in_memory(room) / "place"
        shutil.copytree(self.template, place, symlinks=True)
        return room.daemon(state=place / "state", key=place / "key", **others), place

    def try_point(self, point, error):
        """Throws Wrong where an answer is not true, or something is lost or left."""
        with Room() as room:
            daemon, place = self._daemon(room)
            self.operation.prepare(daemon)
            opened = _descriptors(daemon)
            with calls.injected(daemon, point, f"error={error}"):
                reply = calls.ask(daemon, self.operation)
                _passes_on(daemon)
            if not daemon.is_alive():
                raise Wrong(ANSWER, f"the daemon has ended: {daemon.errors()}")
            if reply is None and (point.thread == WORKER
                                  or point.call not in OF_THE_CONNECTION):
                raise Wrong(ANSWER, "there was no answer")
            answer, message = judge.answer_of(reply)
            _is_honest(reply, error)
            found = _serves_what_it_says(daemon, self.operation, answer, message)
            copy = in_memory(room) / "place"
            shutil.copytree(place, copy, symlinks=True)
            self._next_daemon_agrees(room, copy, answer, message, found)
            daemon.call("Login", judge.NEXT_LOGIN.login(replace=True))
            if stores.observe(daemon) != judge.NEXT_LOGIN:
                raise Wrong(ANSWER, "the next login is not what is served")
            strays = stores.strays(place)
            if strays:
                raise Wrong(LEFT, ", ".join(strays))
            # strace keeps the call from being made: what was not closed stays open.
            if point.call != "close":
                _closes_all_but(daemon, opened)
            daemon.end()

    def _next_daemon_agrees(self, room, copy, answer, message, found):
        # A change of the slots leaves the account as it is: what is served says nothing of it.
        if answer == judge.UNKNOWN and self.operation.before != self.operation.after:
            answer, message = judge.REFUSED if found == self.operation.before else judge.DONE, ""
            if isinstance(found, Shut):
                answer = judge.UNKNOWN
        judge.judge(room, copy, self.operation, self.template, answer, message)


def in_memory(room):
    """A directory where writing takes no time."""
    if not os.path.isdir(MEMORY):
        return room.place()
    place = tempfile.mkdtemp(prefix="accountd-", dir=MEMORY)
    room.callback(shutil.rmtree, place, ignore_errors=True)
    return type(room.path)(place)


def _passes_on(daemon):
    """A call whose tracer leaves in the middle of it gives ENOSYS: let it come to its end before."""
    try:
        daemon.status()
    except (wire.Closed, OSError):
        # What was to fail has failed for this connection.
        pass


def _descriptors(daemon):
    """What the loop and the worker, who has a table of its own, have open."""
    tables = [pathlib.Path(f"/proc/{daemon.pid}/task/{calls.thread_id(daemon, thread)}/fd")
              for thread in (LOOP, WORKER)]
    return [f"{table.parent.name} {entry.name}" for table in tables for entry in table.iterdir()]


def _closes_all_but(daemon, opened):
    """A connection that was just left is closed a moment later."""
    end = time.monotonic() + CLOSE_SECONDS
    while len(now := _descriptors(daemon)) > len(opened):
        if time.monotonic() > end:
            raise Wrong(LEFT, f"descriptors: {sorted(set(now) - set(opened))}")
        time.sleep(0.005)


def _is_honest(reply, error):
    if reply is None or "error" not in reply:
        return
    name = reply["error"].rsplit(".", 1)[-1]
    told = reply["parameters"].get("errno")
    # What could not be read may be said to be damaged, by what was found in its place.
    if name not in ("StoreFailed", "StoreDamaged", "Locked"):
        raise Wrong(ANSWER, f"{error} became {reply}")
    if name == "StoreFailed" and told != getattr(errno, error):
        raise Wrong(ANSWER, f"{error} became {reply}")


def _serves_what_it_says(daemon, operation, answer, message):
    found = stores.observe(daemon)
    allowed = judge.may_be_found(operation, answer, message, False)
    if any(stores.same(found, one) for one in allowed):
        return found
    if isinstance(operation.before, Shut) and found == operation.before.account:
        return found
    raise Wrong(ANSWER, f"it serves {found} after {answer}: {message}")


