"""Runs cases: functions whose name is the sentence that must hold.

    @case
    def a_socket_that_was_taken_away_ends_it(room):
        daemon = room.daemon()
        ...

    sys.exit(cases.run(sys.argv[1:]))

Each gets a room: a directory of its own, what was started in it, and what is to be undone. A
case fails by any exception. What cannot be tried here raises Skip with the reason.
"""

import contextlib
import os
import pathlib
import shutil
import tempfile
import time
import traceback

import programs
from daemon import Daemon

_CASES = []


class Skip(Exception):
    """What a case needs is not here."""


def case(function):
    """Adds a case to those that are run, in the order in which they stand."""
    _CASES.append(function)
    return function


def needs_root():
    """Skips the case for ordinary users."""
    if os.geteuid() != 0:
        raise Skip("needs root")


def needs_program(*names):
    """Skips the case where one of these programs is missing."""
    for name in names:
        if not shutil.which(name):
            raise Skip(f"needs {name}")


class Room(contextlib.ExitStack):
    """A temporary directory, the daemons in it, and, last in first out, what must be undone."""

    def __init__(self, prefix="accountd-"):
        super().__init__()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
        # Other users must be able to reach what lies below; what is secret has modes of its own.
        self.path.chmod(0o755)
        self.callback(shutil.rmtree, self.path, ignore_errors=True)
        self.program = programs.binary("accountd")

    def place(self, name=""):
        """A directory that nothing else uses."""
        place = pathlib.Path(tempfile.mkdtemp(prefix=name or "place-", dir=self.path))
        place.chmod(0o755)
        return place

    def daemon(self, *options, after=None, **others):
        """A daemon in a directory of its own, or in that of the daemon before it."""
        directory = after.directory if after else self.place("daemon-")
        daemon = Daemon(self.program, directory, *options, after=after, **others)
        self.callback(daemon.kill)
        return daemon

    def must_have_kept(self, daemon, token):
        """Ends the daemon, and has the next one find that token in the store."""
        daemon.end()
        following = self.daemon(after=daemon)
        assert following.token() == token
        following.end()


def run(words=(), cases=None):
    """Runs the cases whose name holds one of the words, or all. The exit status."""
    passed = failed = skipped = 0
    for function in _CASES if cases is None else cases:
        if words and not any(word in function.__name__ for word in words):
            continue
        start = time.monotonic()
        try:
            with Room() as room:
                function(room)
            outcome, passed = "ok", passed + 1
        except Skip as reason:
            outcome, skipped = f"skipped: {reason}", skipped + 1
        except Exception as fault:
            where = traceback.extract_tb(fault.__traceback__)[-1]
            outcome = (f"FAILED: {type(fault).__name__}: {fault} "
                       f"({os.path.basename(where.filename)}:{where.lineno})")
            failed += 1
        name = function.__name__.replace("_", " ")
        print(f"{name}: {outcome} ({time.monotonic() - start:.1f} s)", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    if passed + failed == 0:
        return 77 if skipped else 1
    return 1 if failed else 0
