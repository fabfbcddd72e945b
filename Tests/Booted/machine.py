"""The machine that the cases share: accountd installed in a booted container, and its users."""
import contextlib
import functools
import json
import os
import subprocess
import time

import cases
import programs
from container import Container
import wire

STATE, KEYS = "/var/lib/accountd", "/var/lib/accountd-key"
SOCKET = "/run/accountd/socket"
SERVICE, LISTENER = "accountd.service", "accountd.socket"
DROP_IN = "etc/systemd/system/accountd.service.d/test.conf"
# Name to uid; each has a group of the same name and number.
USERS = {"alice": 5001, "bob": 5002, "carol": 5003, "dave": 5004}
# What a drop-in of the cases gives to --readers and --observers, and who is in them.
GROUPS = {"weibo": (5010, ["bob"]), "monitoring": (5011, ["carol"])}
LONGEST_REPORT = 4000
SOON = 5.0
POLL = 0.02


def until(condition, seconds=SOON, what="it"):
    """Waits for a condition; gives what it returned, and fails when it stays false."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not come about within {seconds} s"
        time.sleep(POLL)


def case(function):
    """Adds a case. It is given the machine, as `fresh` leaves it; when it fails, what the journal
    has of it is printed."""

    @cases.case
    @functools.wraps(function)
    def prepared(room):
        machine = Machine.shared
        machine.room = room
        machine.began = time.time()
        machine.fresh()
        try:
            function(machine)
        except cases.Skip:
            raise
        except Exception:
            print(machine.run("journalctl", "--no-pager", "--output=short-precise",
                              f"--since=@{machine.began:.3f}").stdout[-LONGEST_REPORT:])
            raise

    return prepared


class Machine:
    """The container and what the cases do to it over and over.

    `room` is that of the case that runs: what it has to undo goes there.
    """

    shared = None

    def __init__(self):
        self.container = Container()
        # Every token that was ever given to a daemon here: the journal must hold none.
        self.tokens = []
        self.room = None
        self.began = 0.0
        self.installed_in = None
        Machine.shared = self

    def boot(self):
        """Lays the root, installs, adds the users, boots."""
        box = self.container
        box.prepare()
        self.install()
        for name, number in USERS.items():
            self.append("passwd", f"{name}:x:{number}:{number}::/home/{name}:/bin/bash")
            self.append("group", f"{name}:x:{number}:")
            self.append("shadow", f"{name}:*:20000:0:99999:7:::")
            os.makedirs(box.path(f"home/{name}"), mode=0o700)
            os.chown(box.path(f"home/{name}"), number, number)
        for name, (number, members) in GROUPS.items():
            self.append("group", f"{name}:x:{number}:{','.join(members)}")
        # A user manager ends with the last session, at once.
        box.write("etc/systemd/logind.conf.d/test.conf", "[Login]\nUserStopDelaySec=0\n")
        box.boot()

    def install(self):
        """As README.md has it, into the container."""
        start = time.monotonic()
        built = programs.binary("accountd").parent
        subprocess.run(["make", "--silent", "install", "PREFIX=/usr", f"PROGRAMS={built}",
                        f"DESTDIR={self.container.path('')}"], cwd=programs.ROOT, check=True)
        self.installed_in = time.monotonic() - start

    def append(self, name, line):
        path = self.container.path(f"etc/{name}")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{text.rstrip()}\n{line}\n")

    def run(self, *words, **others):
        return self.container.run(*words, **others)

    def must(self, *words, **others):
        """Runs a program that has to succeed; gives its output."""
        result = self.run(*words, **others)
        assert result.returncode == 0, (
            f"{' '.join(words)}: status {result.returncode}: {result.stdout}{result.stderr}")
        return result.stdout

    def systemctl(self, *words, **others):
        return self.must("systemctl", *words, **others)

    def show(self, unit, *names, user=None):
        """Properties of a unit, of a user's manager where a user is named."""
        options = [f"--property={','.join(names)}"]
        text = (self.as_user(user, "systemctl", "--user", "show", unit, *options).stdout if user
                else self.systemctl("show", unit, *options))
        values = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
        return values[names[0]] if len(names) == 1 else [values[name] for name in names]

    def main_pid(self, user=None):
        """The daemon's process as it is numbered inside; 0 where none runs."""
        return int(self.show(SERVICE, "MainPID", user=user) or 0)

    def as_user(self, name, *words, runtime=True, environment=None, **others):
        """Runs a program as a user, with the environment of a login session or of a cron job."""
        names = {"HOME": f"/home/{name}", "USER": name}
        if runtime:
            names["XDG_RUNTIME_DIR"] = f"/run/user/{USERS[name]}"
        return self.run(*words, user=name, environment=names | (environment or {}), **others)

    def account(self, *words, user=None, **others):
        """The client: of the system's daemon for root, of their own for a user."""
        if user:
            return self.as_user(user, "account", *words, **others)
        return self.run("account", "--system", *words, **others)

    def login(self, *options, user=None, token=None, uid="9900000001", life=604_800, **others):
        """Stores an account with a made-up token, which is given back."""
        token = token or wire.made_up_token()
        self.tokens.append(token)
        response = json.dumps({"access_token": token, "uid": uid, "expires_in": life})
        result = self.account("login", *options, user=user, given=response, **others)
        assert result.returncode == 0, f"login: {result.returncode}: {result.stderr}"
        return token

    def must_have(self, token, *options, user=None, **others):
        """The daemon gives out that token."""
        result = self.account("token", *options, user=user, **others)
        assert (result.returncode, result.stdout.strip()) == (0, token), (
            f"token: {result.returncode}: {result.stderr}")

    def drop_in(self, text):
        """Settings of the service's [Service] section for this case."""
        self.container.write(DROP_IN, f"[Service]\n{text}\n")
        self.systemctl("daemon-reload")

    def fresh(self):
        """A socket that listens, no daemon, no store, no drop-in, no failure."""
        box = self.container
        self.run("systemctl", "stop", LISTENER, SERVICE)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(box.path(DROP_IN))
            self.systemctl("daemon-reload")
        self.run("systemctl", "reset-failed", SERVICE, LISTENER)
        self.must("rm", "-rf", STATE, KEYS, "/var/lib/private/accountd",
                  "/var/lib/private/accountd-key")
        self.systemctl("start", LISTENER)

    def signal(self, pid, number):
        """Sends a signal to a process as it is numbered inside."""
        self.must("kill", f"-{int(number)}", str(pid))

    def messages_of(self, unit):
        """What the unit and the manager said of it since the case began, a line each."""
        self.run("journalctl", "--sync")
        return self.must("journalctl", "--no-pager", "--output=cat", f"--since=@{self.began:.3f}",
                         f"--unit={unit}").splitlines()

    def journal(self, *words):
        """The journal's records that match, as dictionaries."""
        self.run("journalctl", "--sync")
        text = self.must("journalctl", "--output=json", "--no-pager", "--all", *words)
        return [json.loads(line) for line in text.splitlines()]


def described(result):
    """A result in a message of a failure."""
    return f"status {result.returncode}, said {result.stdout!r} {result.stderr!r}"
