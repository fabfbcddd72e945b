"""Where the peers live: one private directory, one user, one environment."""

import contextlib
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import time

import programs

START_SECONDS = 15
END_SECONDS = 10
RUN_SECONDS = 30
# Started by root, all run as one of these, so that what another process of that user may do can
# be tried. They own nothing, and are known by name, which some of the peers insist on.
SECOND_USERS = ("games", "daemon")


class Place(contextlib.ExitStack):
    """Everything that was started here ends with it, by its process id."""

    def __init__(self):
        super().__init__()
        self.path = programs.working_directory("accountd-peers-")
        self.callback(shutil.rmtree, self.path, ignore_errors=True)
        self.user = _second_user() if os.geteuid() == 0 else None
        self.home = self.directory("home")
        self.environment = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.directory("runtime"))}

    @property
    def identity(self):
        """What makes subprocess run something as that user, in that environment."""
        who = {} if self.user is None else {
            "user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}
        return {"env": self.environment, "cwd": self.path, **who}

    def directory(self, name):
        """A new directory that is that user's alone."""
        path = self.path / name
        path.mkdir(mode=0o700)
        if self.user is not None:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        return path

    def file(self, name, contents):
        """A new file that the user can read."""
        path = self.path / name
        path.write_bytes(contents)
        path.chmod(0o644)
        return path

    def start(self, *command, stdin=b"", log="log"):
        """A process that stays. Its pid; what it says is in the log."""
        with open(self.path / log, "ab") as file:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                       stdout=file, stderr=file, **self.identity)
        self.callback(programs.end, process, END_SECONDS)
        process.stdin.write(stdin)
        process.stdin.close()
        return process.pid

    def run(self, *command, stdin=b""):
        """What a process that must succeed prints."""
        done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True,
                              timeout=RUN_SECONDS, **self.identity)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]} fails with {done.returncode}: "
                               f"{(done.stderr or done.stdout).decode(errors='replace')[-300:]}")
        return done.stdout


def wait_for_socket(path):
    """Until somebody listens there."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with socket.socket(socket.AF_UNIX) as peer, contextlib.suppress(OSError):
            peer.connect(str(path))
            return
        time.sleep(0.02)
    raise RuntimeError(f"nothing listens at {path}")


def children(pid):
    """The processes that it has started and that run."""
    found = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found]


def end_orphans(pids):
    """Ends processes that came from here and are, or will be, nobody's children."""
    for pid in pids:
        for number, seconds in ((signal.SIGTERM, END_SECONDS), (signal.SIGKILL, 1)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
                deadline = time.monotonic() + seconds
                while _is_running(pid) and time.monotonic() < deadline:
                    time.sleep(0.02)


def _is_running(pid):
    """A zombie is not: somebody else's child may stay one."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def _second_user():
    for name in SECOND_USERS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise RuntimeError(f"there is none of these users: {', '.join(SECOND_USERS)}")
