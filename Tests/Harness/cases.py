"""Runs cases: functions whose name is the sentence that must hold.

    @case
    def a_socket_that_was_taken_away_ends_it(room):
        daemon = room.daemon()
        ...

    sys.exit(cases.run(sys.argv[1:]))

Each gets a room: a directory of its own, what was started in it, and what is to be undone. A
case fails by any exception. What cannot be tried here raises Skip with the reason.

With several workers each case is run in a process of its own; those that are `alone` come last,
one after another.
"""

import contextlib
import json
import os
import pathlib
import resource
import select
import shutil
import signal
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


def alone(function):
    """Marks a case that measures: no other is run beside it."""
    function.is_alone = True
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


def needs_descriptors(count):
    """Allows this process, and what it starts, so many descriptors, or skips the case."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count:
        raise Skip(f"needs {count} descriptors, may have {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


class Room(contextlib.ExitStack):
    """A temporary directory, the daemons in it, and, last in first out, what must be undone."""

    def __init__(self, prefix="accountd-"):
        super().__init__()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
        # Other users must be able to reach what lies below; what is secret has modes of its own.
        self.path.chmod(0o755)
        self.callback(shutil.rmtree, self.path, ignore_errors=True)
        self.program = programs.binary("accountd")
        self.daemons = []

    def place(self, name=""):
        """A directory that nothing else uses."""
        place = pathlib.Path(tempfile.mkdtemp(prefix=name or "place-", dir=self.path))
        place.chmod(0o755)
        return place

    def copied_programs(self):
        """A directory with copies of the programs that every user can run."""
        place = self.path / "bin"
        if not place.exists():
            place.mkdir()
            place.chmod(0o755)
            for name in ("account", "accountd", "account-import", "account-archive"):
                programs.copy_of(programs.binary(name), place)
        return place

    def daemon(self, *options, after=None, **others):
        """A daemon in a directory of its own, or in that of the daemon before it."""
        directory = after.directory if after else self.place("daemon-")
        program = self.program
        if others.get("user") is not None:
            program = self.copied_programs() / "accountd"
        daemon = Daemon(program, directory, *options, after=after, **others)
        self.daemons.append(daemon)
        self.callback(daemon.kill)
        return daemon

    def must_have_kept(self, daemon, token):
        """Ends the daemon, and has the next one find that token in the store."""
        daemon.end()
        following = self.daemon(after=daemon)
        assert following.token() == token
        following.end()


def run(words=(), cases=None, workers=1, seconds=None):
    """Runs the cases whose name holds one of the words, or all. The exit status.

    `workers`: how many at a time. `seconds`: what a case may take.
    """
    count = counts(words, cases, workers, seconds)
    print("{ok} passed, {FAILED} failed, {skipped} skipped".format(**count), flush=True)
    if count["ok"] + count["FAILED"] == 0:
        return 77 if count["skipped"] else 1
    return 1 if count["FAILED"] else 0


def counts(words=(), cases=None, workers=1, seconds=None):
    """Runs them: how many were "ok", "FAILED" and "skipped"."""
    chosen = [function for function in (_CASES if cases is None else cases)
              if not words or any(word in function.__name__ for word in words)]
    count = {"ok": 0, "FAILED": 0, "skipped": 0}
    outcomes = (_each(chosen, seconds) if workers == 1 else _at_once(chosen, workers, seconds))
    for name, outcome, reason, took in outcomes:
        count[outcome] += 1
        why = f": {reason}" if reason else ""
        print(f"{name.replace('_', ' ')}: {outcome}{why} ({took:.1f} s)", flush=True)
    return count


def _outcome(function, seconds):
    """Runs one: its name, what came of it, why, and how long it took."""
    def too_long(*_):
        raise TimeoutError(f"it takes more than {seconds} s")

    start = time.monotonic()
    outcome, reason = "ok", ""
    if seconds:
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(seconds)
    try:
        with Room() as room:
            function(room)
            signal.alarm(0)
    except Skip as skipped:
        outcome, reason = "skipped", str(skipped)
    except Exception as fault:
        where = traceback.extract_tb(fault.__traceback__)[-1]
        outcome = "FAILED"
        reason = (f"{type(fault).__name__}: {fault} "
                  f"({os.path.basename(where.filename)}:{where.lineno})")
    finally:
        signal.alarm(0)
    return function.__name__, outcome, reason, time.monotonic() - start


def _each(functions, seconds):
    for function in functions:
        yield _outcome(function, seconds)


def _at_once(functions, workers, seconds):
    """Runs so many at a time, each in a child of this process; gives what comes as it comes."""
    together = [one for one in functions if not hasattr(one, "is_alone")]
    by_themselves = [one for one in functions if hasattr(one, "is_alone")]
    for group, places in ((together, workers), (by_themselves, 1)):
        running = {}
        while group or running:
            while group and len(running) < places:
                function = group.pop(0)
                out, into = os.pipe()
                child = os.fork()
                if child == 0:
                    try:
                        name, outcome, reason, took = _outcome(function, seconds)
                        # So short that a pipe takes it at once, and one read gets it all.
                        os.write(into, json.dumps((name, outcome, reason[:600], took)).encode())
                    finally:
                        os._exit(0)
                os.close(into)
                running[out] = child, function.__name__
            for out in select.select(running, [], [])[0]:
                child, name = running.pop(out)
                text = os.read(out, select.PIPE_BUF)
                os.close(out)
                _, status = os.waitpid(child, 0)
                yield json.loads(text) if text else (
                    name, "FAILED", f"its process ended with {status}", 0)
