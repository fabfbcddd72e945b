"""`account`, run with a home of its own, and the daemons that it starts there."""

import ctypes
import json
import os
import signal
import subprocess
import time
from typing import NamedTuple

import programs
from cases import Skip, needs_root
from wire import made_up_token

COMMAND_SECONDS = 30
SET_CHILD_SUBREAPER = 36  # prctl(2)


class Run(NamedTuple):
    """What came of a command. Bytes that are no UTF-8 stand in the texts as surrogates."""
    status: int
    out: str
    err: str

    def must_be(self, status, out=None):
        """Holds the exit status, and the output where it is given. Errors are short, with hints."""
        assert self.status == status, f"exit {self.status}, not {status}: {self.out!r} {self.err!r}"
        assert out is None or self.out == out, f"{self.out!r}, not {out!r}"
        lines = self.err.splitlines()
        assert len([line for line in lines if not line.startswith("account: warning")]) <= 2, lines
        return self


def response(token=None, **more):
    """A token response as Weibo gives it, with made-up values."""
    return json.dumps({"access_token": token or made_up_token(), "expires_in": 2_592_000,
                       "uid": "9900001001", **more})


class Home:
    """A home directory, what commands get of an environment, and the daemons of its account.

    The store is named, so that nothing beside the home is looked at. `usual=True`: it is found at
    the usual places, which must be unused. `user`: whose it is; root can make another's.
    """

    def __init__(self, room, user=None, usual=False):
        if user is not None:
            needs_root()
        self.user = user
        self.room = room
        self.programs = room.copied_programs() if user is not None else room.program.parent
        self.path = room.place("home-")
        self.path.chmod(0o700)
        if user is not None:
            os.chown(self.path, user, user)
        self.state = self.path / ".local/state/account"
        self.key = self.path / ".config/account/key"
        self.socket = self.state / "socket"
        self.environment = {
            "HOME": str(self.path), "PATH": f"{self.programs}:/usr/bin:/bin:/usr/sbin:/sbin"}
        if usual:
            uid = os.geteuid() if user is None else user
            for name in ("account", "systemd/private"):
                if os.path.lexists(f"/run/user/{uid}/{name}"):
                    raise Skip(f"/run/user/{uid}/{name} is there")
        else:
            self.environment["ACCOUNT_STATE_DIR"] = str(self.state)
        # Daemons whose starter has ended become children of this process: it sees and ends them.
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        room.callback(self.end)

    # MARK: Commands

    def options(self, environment, prepare=None, cwd="/"):
        """What subprocess is told. A variable that is given as None is left out."""
        variables = {**self.environment, **(environment or {})}
        identity = {} if self.user is None else {
            "user": self.user, "group": self.user, "extra_groups": []}
        return {"env": {name: value for name, value in variables.items() if value is not None},
                "preexec_fn": prepare, "cwd": cwd, **identity}

    def run(self, words, input="", environment=None, seconds=COMMAND_SECONDS, prepare=None,
            cwd="/", **streams):
        """Runs a command to its end. `streams`: stdin, stdout, stderr in place of pipes."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        if "stdin" not in streams:
            pipes["input"] = os.fsencode(input)
        done = subprocess.run(words, timeout=seconds, **{**pipes, **streams},
                              **self.options(environment, prepare, cwd))
        out, err = (os.fsdecode(text or b"") for text in (done.stdout, done.stderr))
        return Run(done.returncode, out, err)

    def account(self, *words, **others):
        """Runs `account`."""
        return self.run([str(self.programs / "account"), *words], **others)

    def shell(self, script, *words, **others):
        """Runs a script of bash; `account` is in its PATH, the words are its arguments."""
        return self.run(["/bin/bash", "-c", script, "bash", *words], **others)

    def start(self, *words, environment=None, prepare=None, **streams):
        """Starts `account` and does not wait for it; it is ended with the room."""
        process = subprocess.Popen(
            [str(self.programs / "account"), *words], **{
                "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                **streams}, **self.options(environment, prepare))
        self.room.callback(programs.end, process)
        return process

    def login(self, token=None, *words, **others):
        """Logs in; the token."""
        token = token or made_up_token()
        self.account("login", *words, input=response(token), **others).must_be(0)
        return token

    # MARK: Daemons

    def daemons(self):
        """The daemons that commands have started and that still run."""
        found = []
        for pid in _children():
            try:
                with open(f"/proc/{pid}/stat") as file:
                    name, rest = file.read().split("(", 1)[1].rsplit(")", 1)
            except OSError:
                continue
            if name == "accountd" and rest.split()[0] not in "ZX":
                found.append(pid)
        own = {daemon.process.pid for daemon in self.room.daemons}
        return [pid for pid in found if pid not in own]

    def daemon(self):
        """The one daemon that runs."""
        found = self.daemons()
        assert len(found) == 1, f"{len(found)} daemons run"
        return found[0]

    def end_daemon(self, number=signal.SIGTERM, within=10):
        """Ends the one daemon that runs: its exit status."""
        pid = self.daemon()
        os.kill(pid, number)
        return exit_status(pid, within)

    def end(self):
        """Ends all of them."""
        for pid in self.daemons():
            os.kill(pid, signal.SIGKILL)
            exit_status(pid)


def exit_status(pid, within=10):
    """Waits for the end of a daemon that has become this process's child."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            ended, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            raise AssertionError(f"process {pid} is no child of ours") from None
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    raise AssertionError(f"process {pid} has not ended within {within} s")


def _children():
    """Process ids of this process's children, those that it was given included."""
    found = []
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            found += map(int, file.read().split())
    return found
