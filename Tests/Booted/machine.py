"""The machine that the cases share: accountd installed in a booted container, and its users."""
import contextlib
import functools
import json
import os
import shutil
import subprocess
import time

import cases
import programs
from container import Container
import wire

STATE, KEYS = "/var/lib/accountd", "/var/lib/accountd-key"
SOCKET = "/run/accountd/socket"
SERVICE, LISTENER = "accountd.service", "accountd.socket"
# Where the service manager looks for a sealed credential of that name.
CREDENTIAL = "/etc/credstore.encrypted/accountd.key"
DROP_IN = "etc/systemd/system/accountd.service.d/test.conf"
# Name to uid; each has a group of the same name and number.
USERS = {"alice": 5001, "bob": 5002, "carol": 5003, "dave": 5004}
# What a drop-in of the cases gives to --readers and --observers, and who is in them.
GROUPS = {"weibo": (5010, ["bob"]), "monitoring": (5011, ["carol"])}
LONGEST_REPORT = 4000
SOON = 15.0
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
                              f"--since=@{machine.began:.3f}", "--grep=account")
                  .stdout[-LONGEST_REPORT:])
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
        # Deaths by the list of system calls that a case was after.
        self.provoked_kills = 0
        Machine.shared = self

    def boot(self):
        """Lays the root, installs, adds the users, boots."""
        box = self.container
        box.prepare()
        # What this machine has of the product is not what is tested.
        self.make("uninstall", "V=", "/usr/local")
        for place in ("etc/systemd/system", "etc/systemd/user"):
            shutil.rmtree(box.path(f"{place}/{SERVICE}.d"), ignore_errors=True)
            shutil.rmtree(box.path(f"{place}/{LISTENER}.d"), ignore_errors=True)
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

    def install(self, prefix="/usr"):
        """As README.md has it, into the container."""
        start = time.monotonic()
        self.make("install", f"PROGRAMS={programs.binary('accountd').parent}", prefix)
        self.installed_in = time.monotonic() - start

    def make(self, target, setting, prefix):
        subprocess.run(["make", "--silent", target, f"PREFIX={prefix}", setting,
                        f"DESTDIR={self.container.path('').rstrip('/')}"],
                       cwd=programs.ROOT, check=True)

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

    def call(self, method, parameters=None, user=None):
        """Calls a daemon's method as root: the reply's parameters. Errors are wire.Refused."""
        return wire.call(self.socket(user), method, parameters)

    def socket(self, user=None):
        """Where the socket of the system's daemon, or of a user's unit, is seen from here."""
        path = f"/run/user/{USERS[user]}/account/socket" if user else SOCKET
        return self.container.path(path)

    def protection(self, user=None):
        """What opens the store, the weakest first, and whether it is open."""
        status = self.call("GetStatus", user=user)["status"]
        return status["protection"], status["state"]

    def user_manager(self, name):
        """Has a user's manager run, and what the case does with it be undone."""
        self.room.callback(self.tidy, name)
        if not os.path.exists(self.container.path(f"/run/user/{USERS[name]}/systemd/private")):
            self.must("loginctl", "enable-linger", name)
        self.wait_for_manager(name)

    def wait_for_manager(self, name):
        until(lambda: self.as_user(name, "systemctl", "--user", "is-system-running")
              .stdout.strip() in ("running", "degraded"), what=f"the manager of {name}")

    def tidy(self, name):
        """Has a user's manager forget the daemon, and removes what the user has left."""
        self.as_user(name, "bash", "-c",
                     f"systemctl --user stop {LISTENER} {SERVICE}; rm -rf ~/.[a-z]* ~/*;"
                     f"systemctl --user daemon-reload; systemctl --user reset-failed")
        self.kill_daemons(name)

    def forget(self, name):
        """Ends all that runs as a user, the manager too, and removes what the user has left."""
        uid = USERS[name]
        self.run("bash", "-c", f"loginctl disable-linger {name}; loginctl terminate-user {name};"
                 f"systemctl stop user@{uid}.service user-runtime-dir@{uid}.service;"
                 f"rm -rf /home/{name}/.[a-z]* /home/{name}/*")
        self.kill_daemons(name)
        until(lambda: not os.path.exists(self.container.path(f"/run/user/{uid}")),
              what=f"the end of the sessions of {name}")

    def kill_daemons(self, name):
        for process in self.daemons(name):
            self.run("kill", "-9", str(process["pid"]))
        until(lambda: not self.daemons(name), what=f"the end of the daemons of {name}")

    def daemons(self, name=None):
        """The daemons that run, of all users or of one: their number inside, uid and group."""
        proc = self.container.path("proc")
        found = []
        for entry in os.listdir(proc):
            with contextlib.suppress(OSError):
                if not entry.isdigit() or self.container.read(f"proc/{entry}/comm") != "accountd\n":
                    continue
                status = self.container.read(f"proc/{entry}/status")
                uid = int(status.split("Uid:")[1].split()[0])
                # Seen from outside, the container's groups are below its own.
                groups = self.container.read(f"proc/{entry}/cgroup")
                group = groups.split("0::")[1].strip().split("/payload")[-1]
                if name is None or uid == USERS[name]:
                    found.append({"pid": int(entry), "uid": uid, "group": group})
        return found

    def drop_in(self, text):
        """Settings of the service's [Service] section for this case."""
        self.container.write(DROP_IN, f"[Service]\n{text}\n")
        self.systemctl("daemon-reload")

    def fresh(self):
        """A socket that listens, no daemon, no store, no drop-in, no failure."""
        drop_in = f"/{DROP_IN}"
        # In one go: each command costs as much as entering the container.
        self.must("bash", "-c", f"""
            systemctl stop {LISTENER} {SERVICE}
            if [ -e {drop_in} ]; then rm {drop_in}; systemctl daemon-reload; fi
            systemctl reset-failed {SERVICE} {LISTENER}
            rm -f {CREDENTIAL}
            rm -rf {STATE} {KEYS} /var/lib/private/accountd /var/lib/private/accountd-key
            systemctl start {LISTENER}""")

    def restart(self):
        """Has the system's daemon begin anew, however often."""
        self.run("systemctl", "reset-failed", SERVICE, LISTENER)
        self.systemctl("restart", SERVICE)

    def skip(self, reason):
        raise cases.Skip(reason)

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
