"""Starts the real daemon in a directory of its own and talks to it: what the benchmarks and the
residue scan share. Python's standard library only; every process is ended by its id."""

import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import string
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
INTERFACE = "org.accountd.Account"
START_SECONDS = 30
CALL_SECONDS = 30


class Refused(Exception):
    """A Varlink error; `name` is its full name."""

    def __init__(self, name, parameters):
        super().__init__(f"{name} {json.dumps(parameters)}")
        self.name = name
        self.parameters = parameters


def made_up_token(length=32):
    """Of the shape of Weibo's tokens, and random, so that a scan cannot meet it by chance."""
    letters = string.ascii_letters + string.digits
    return "2.00" + "".join(secrets.choice(letters) for _ in range(length - 4))


def login_parameters(token, **more):
    parameters = {"access_token": token, "uid": "1234567890", "expires_in": 604800,
                  "screen_name": "benchmark"}
    parameters.update(more)
    return parameters


def message(method, parameters=None):
    """One call as it goes over the wire, its NUL included."""
    name = method if "." in method else f"{INTERFACE}.{method}"
    call = {"method": name, "parameters": parameters or {}}
    return json.dumps(call, separators=(",", ":")).encode() + b"\0"


def raw_exchange(path, request):
    """Sends the bytes, gives back those of one reply without the NUL; b"" if the peer closed."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(CALL_SECONDS)
        peer.connect(str(path))
        try:
            peer.sendall(request)
            reply = b""
            while not reply.endswith(b"\0"):
                part = peer.recv(65536)
                if not part:
                    return b""
                reply += part
        except (BrokenPipeError, ConnectionResetError):
            return b""
    return reply[:-1]


def call(path, method, parameters=None):
    reply = raw_exchange(path, message(method, parameters))
    if not reply:
        raise ConnectionError("the daemon closed the connection")
    answer = json.loads(reply)
    if "error" in answer:
        raise Refused(answer["error"], answer.get("parameters", {}))
    return answer.get("parameters", {})


def binary(name):
    """The program under test: ACCOUNTD_BIN names its directory, else the release build."""
    directory = pathlib.Path(os.environ.get("ACCOUNTD_BIN") or ROOT / ".build" / "release")
    path = directory / name
    if not path.is_file():
        sys.exit(f"{path} is missing: build it first (scripts/build), or set ACCOUNTD_BIN")
    return path


def working_directory(prefix):
    directory = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
    # A second user has to reach what lies below; what is secret there has modes of its own.
    directory.chmod(0o755)
    return directory


def copy_of(path, directory, strip=False):
    """A copy to measure: freshly linked files start slower and count as private dirty memory."""
    copy = directory / (path.name + (".stripped" if strip else ""))
    shutil.copyfile(path, copy)
    copy.chmod(0o755)
    if strip:
        subprocess.run(["strip", "-g", copy], check=True)
    with open(copy, "rb") as file:
        os.fsync(file.fileno())
    return copy


def end(process, seconds=10):
    """Ends a process that was started here, and waits for it. Gives back its status."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


class Daemon:
    """An accountd with its own state directory, socket and configuration directory."""

    def __init__(self, program, directory, *options, user=None, wrapper=(), verbose=False,
                 same_process=False):
        self.directory = pathlib.Path(directory)
        self.state = self.directory / "state"
        self.socket = self.directory / "socket"
        self.log = self.directory / "log"
        self.configuration = self.directory / "config"
        self.directory.mkdir(mode=0o700, exist_ok=True)
        if user is not None:
            os.chown(self.directory, user, user)
        self.environment = {
            "HOME": str(self.directory), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
            "XDG_CONFIG_HOME": str(self.configuration), "SWIFT_BACKTRACE": "enable=no"}
        command = [*map(str, wrapper), str(program), "--socket", str(self.socket),
                   "--state", str(self.state), *options]
        if verbose:
            command.append("--verbose")
        identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                env=self.environment, **identity)
        try:
            self._wait_until_it_answers()
        except BaseException:
            end(self.process)
            raise
        self.pid = self.process.pid if same_process or not wrapper else self._daemon_pid()

    def _wait_until_it_answers(self):
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                if raw_exchange(self.socket, message("org.varlink.service.GetInfo")):
                    return
            except OSError:
                pass
            if self.process.poll() is not None or time.monotonic() > deadline:
                log = self.log.read_text(errors="replace")[-2000:]
                raise RuntimeError(f"the daemon does not answer; its log:\n{log}")
            time.sleep(0.02)

    def _daemon_pid(self):
        """Under a tracer the daemon is the tracer's only child."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return int(children.read_text().split()[0])

    def call(self, method, parameters=None):
        return call(self.socket, method, parameters)

    def login(self, token, **more):
        return self.call("Login", login_parameters(token, **more))

    def end(self):
        if self.pid != self.process.pid:
            # A tracer passes no signal on.
            try:
                os.kill(self.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            try:
                return self.process.wait(10)
            except subprocess.TimeoutExpired:
                pass
        return end(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def memory(pid):
    """Bytes by kind, from smaps_rollup."""
    kinds = {}
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in list(file)[1:]:
            name, amount, _ = line.split()
            kinds[name.rstrip(":")] = int(amount) * 1024
    # Anonymous pages are private and nearly always dirty; private dirty ones may be of files.
    kinds["own"] = max(kinds["Anonymous"], kinds["Private_Dirty"])
    return kinds
