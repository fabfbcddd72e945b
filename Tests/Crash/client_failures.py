"""A client, `account`, of which one system call fails, once.

Its exit status is one of those that are documented, and says what is true: nothing but the whole
token is ever printed, and only with status 0.
"""

import os
import re
import shutil
import subprocess

import calls
import errors
import programs
import stores
from cases import Room, needs_program, needs_root
from failures import in_memory
from stores import ANSWER, LOST, NEW, OLD, Wrong

DOCUMENTED = range(11)
SECONDS = 60

# The command, and all that it prints where it succeeds, but for what changes with time.
COMMANDS = {
    "token": (["token"], re.escape(OLD.token) + "\n"),
    "check": (["check", "--min-validity", "1h"], r"valid: expires \S+, in \d+ s\n"),
    "show": (["show"], r"uid: +1001\nscreen name: +made up\navatar: +-\ngranted: .*\n"
             r"expires: .*\nprotection: +keyfile\n"),
    "login": (["login", "--from", "response"],
              r"Logged in as made up \(uid 1001\); the token expires on \S+ \(in .* days.*\)\.\n"),
}
RESPONSE = (f'{{"access_token":"{NEW.token}","uid":"{NEW.uid}","screen_name":"{NEW.name}",'
            f'"expires_in":"2592000"}}')


class Bench:
    """One command, and every call that it makes."""

    def __init__(self, room, name):
        needs_root()
        needs_program("strace")
        self.name = name
        self.words, self.output = COMMANDS[name]
        self.client = programs.binary("account")
        self.template = stores.two_generations(room)
        path = room.place("trace-") / "trace"
        with Room() as own:
            daemon, place = self._daemon(own)
            done = self._run(daemon, place, ["strace", "-qq", "-y", "-o", path])
            assert done.returncode == 0 and re.fullmatch(self.output, done.stdout), done
        self.points = [(point, error) for point in calls.points_in(path, "client")
                       for error in errors.of(point)]

    def _daemon(self, room):
        place = in_memory(room) / "place"
        shutil.copytree(self.template, place, symlinks=True)
        (place / "response").write_text(RESPONSE)
        return room.daemon(state=place / "state", key=place / "key"), place

    def _run(self, daemon, place, wrapper):
        command = [*wrapper, self.client, "--socket", daemon.socket, *self.words]
        return subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=SECONDS,
                              stdin=subprocess.DEVNULL,
                              env={"HOME": str(place), "PATH": os.environ["PATH"]})

    def try_point(self, point, error):
        """Throws Wrong where its status or what it prints is not true."""
        with Room() as room:
            daemon, place = self._daemon(room)
            done = self._run(daemon, place, [
                "strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={point.call}", "-e",
                f"inject={point.call}:error={error}:when={point.nth}"])
            if not point.is_ours and done.returncode and not done.stdout:
                return
            self._is_true(done)
            self._store_is_whole(daemon, done)

    def _is_true(self, done):
        said = f"status {done.returncode}, {done.stdout!r}, {done.stderr!r}"
        if done.returncode not in DOCUMENTED:
            raise Wrong(ANSWER, said)
        if done.returncode and not done.stderr:
            raise Wrong(ANSWER, f"it fails and says nothing: {said}")
        wanted = self.output if done.returncode == 0 else ""
        if not re.fullmatch(wanted, done.stdout):
            raise Wrong(ANSWER, said)

    def _store_is_whole(self, daemon, done):
        if self.name != "login":
            found, allowed = stores.observe(daemon), [OLD]
        else:
            reply = daemon.call("Export")
            found = reply["access_token"]
            allowed = [NEW.token] if done.returncode == 0 else [OLD.token, NEW.token]
        if found not in allowed:
            raise Wrong(LOST if found != OLD else ANSWER, f"{found} after {done.returncode}")
