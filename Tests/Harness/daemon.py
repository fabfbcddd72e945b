"""A real accountd in a directory of its own."""

import os
import pathlib
import select
import signal
import subprocess
import time

import programs
import wire

START_SECONDS = 30
END_SECONDS = 10


class StartFailed(Exception):
    """The daemon did not come to serve; the text is what it said."""


class Daemon:
    """Started, and waited for until it serves; ended by its process id.

    `after` is a daemon whose directory, state and socket it takes over.
    `wrapper` is a program that runs it, a tracer; its one child is the daemon.
    `must_start=False`: what it says instead of "ready" is in `ready`.
    """

    def __init__(self, program, directory, *options, after=None, state=None, socket=None, key=None,
                 user=None, wrapper=(), same_process=False, environment=None, prepare=None,
                 stderr=None, verbose=False, must_start=True):
        self.program = program
        self.directory = pathlib.Path(directory)
        self.state = pathlib.Path(state or (after.state if after else self.directory / "state"))
        self.socket = pathlib.Path(socket or (after.socket if after else self.directory / "socket"))
        self.key = pathlib.Path(key or (after.key if after else self.directory / "key"))
        # As it was given: pathlib takes "./" away.
        socket_as_told = str(socket or self.socket)
        self.log = self.directory / "log"
        self.directory.mkdir(mode=0o700, exist_ok=True)
        if user is not None:
            os.chown(self.directory, user, user)
        self.environment = {
            "HOME": str(self.directory), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
            "SWIFT_BACKTRACE": "enable=no", **(environment or {})}
        ready, tell = os.pipe()
        command = [*map(str, wrapper), str(program), "--state", str(self.state), "--key-file",
                   str(self.key), "--socket", socket_as_told, "--ready-fd", str(tell),
                   *map(str, options), *(["--verbose"] if verbose else [])]
        identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        try:
            with open(self.log, "ab") as log:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, cwd="/",
                    stderr=log if stderr is None else stderr, env=self.environment,
                    pass_fds=(tell,), preexec_fn=prepare, **identity)
        finally:
            os.close(tell)
        with os.fdopen(ready) as pipe:
            readable, _, _ = select.select([pipe], [], [], START_SECONDS)
            self.ready = pipe.readline().strip() if readable else "nothing"
        self.pid = self.process.pid
        if must_start and self.ready != "ready":
            programs.end(self.process)
            raise StartFailed(f"{self.ready or 'nothing'}\n{self.errors()}")
        if wrapper and not same_process and self.ready == "ready":
            self.pid = programs.only_child(self.pid)

    # MARK: Asking

    def connect(self, seconds=wire.CALL_SECONDS):
        """A connection to it."""
        return wire.connect(self.socket, seconds)

    def ask(self, method, seconds=wire.CALL_SECONDS, **parameters):
        """The whole reply, an error too, on a connection of its own."""
        with self.connect(seconds) as peer:
            return wire.ask(peer, method, parameters or None)

    def call(self, method, parameters=None):
        """The reply's parameters. Errors are thrown: wire.Refused."""
        return wire.call(self.socket, method, parameters)

    def login(self, token=None, **more):
        """Logs in with made-up values. The token, so that it can be asked for."""
        parameters = wire.login_parameters(token, **more)
        self.call("Login", parameters)
        return parameters["access_token"]

    def token(self):
        """The token that it gives out."""
        return self.call("GetToken")["access_token"]

    def status(self):
        """What GetStatus says."""
        return self.call("GetStatus")["status"]

    # MARK: Looking into it

    def memory(self):
        """Bytes by kind."""
        return programs.memory(self.pid)

    def anonymous(self):
        """Bytes of anonymous memory; unlike what `memory` gives, everybody may see it."""
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith("RssAnon"))

    def descriptors(self):
        """How many it has open. Needs root."""
        return len(programs.descriptors(self.pid))

    def must_rest(self, seconds=0.5):
        """It has nothing to do, and does nothing."""
        used = programs.busy_seconds(self.pid)
        time.sleep(seconds)
        used = programs.busy_seconds(self.pid) - used
        assert used <= seconds / 4, f"busy for {used:.2f} s of {seconds} s of rest"

    def errors(self):
        """The end of what it has said."""
        return self.log.read_text(errors="replace")[-2000:]

    def is_alive(self):
        """Whether it still runs."""
        return self.process.poll() is None

    # MARK: Ending it

    def signal(self, number):
        """Sends a signal to the daemon, not to a tracer."""
        os.kill(self.pid, number)

    def wait(self, seconds=END_SECONDS):
        """Waits for its end: the exit status."""
        return self.process.wait(seconds)

    def kill(self):
        """As the kernel would when memory runs out. A tracer ends with it."""
        if self.is_alive():
            for pid in {self.pid, self.process.pid}:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        self.process.wait()

    def end(self, expected=0, within=END_SECONDS):
        """Ends it by SIGTERM, and holds its exit status."""
        if self.is_alive():
            try:
                self.signal(signal.SIGCONT)
                self.signal(signal.SIGTERM)
            except ProcessLookupError:
                pass
        try:
            status = self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"SIGTERM did not end it within {within} s") from None
        assert status == expected, f"exit status {status}: {self.errors()}"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.end()
        else:
            self.kill()
