"""The command `account` as a process: its exit status and what it prints, from the model."""

import json
import subprocess

import peers
import wire
from watch import date
from streams import Mismatch

PATIENCE = 30
# The part of the error's name, and the exit status of README.md, "In scripts".
STATUSES = {"NoAccount": 3, "TokenExpired": 1, "Locked": 4, "AccountExists": 8, "InvalidField": 8,
            "StoreDamaged": 7, "StoreFailed": 9, "PermissionDenied": 6}
HEADER = "Authorization: OAuth2 "


def run(world, user, words, response=None):
    """Runs the command as that user, and compares."""
    who = peers.user(user, world.owner)
    status, printed = Expected(
        world.service, who, world.count + 1, str(world.socket_path)).of(words, response)
    done = subprocess.run(
        [world.programs.account, *words, "--no-input", "--socket", str(world.socket_path)],
        cwd="/", text=True,
        input=response or "", capture_output=True, timeout=PATIENCE, user=who.uid, group=who.gid,
        extra_groups=who.groups, env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"})
    if (done.returncode, done.stdout if printed is not None else None) != (status, printed):
        raise Mismatch(f"account {' '.join(words)} by {user}: exit status {done.returncode}, "
                       f"{done.stdout!r} {done.stderr!r}; expected {status}, {printed!r}")
    if status and not done.stderr and "--quiet" not in words and words[0] != "check":
        raise Mismatch(f"account {' '.join(words)} fails and does not say why")
    world.probe()
    world.check_disk()


class Expected:
    """What a command comes to: (exit status, stdout); None: whatever it prints."""

    def __init__(self, service, who, count, socket):
        self.service, self.role, self.count, self.uid = service, who.role, count, who.uid
        # A token is sent to one's own daemon and to root's, whichever socket is named.
        self.is_trusted = service.files.owner in (who.uid, 0)
        self.socket = socket

    def _ask(self, method, **parameters):
        reply = self.service.handle(
            wire.message(method, parameters)[:-1], self.role, self.count, self.uid).reply
        if self.role == "stranger":
            reply = {"error": "org.varlink.service.PermissionDenied", "parameters": {}}
        return STATUSES.get(wire.error(reply)), reply["parameters"]

    def of(self, words, response):
        """By the command's name."""
        status, printed = getattr(self, words[0])(words, response)
        if status == STATUSES["Locked"] and words[0] != "status":
            # It tries to open the store, with what needs nobody, and then once more.
            status = self._open()
            if status is None:
                status, printed = getattr(self, words[0])(words, response)
        return status or 0, "" if status and words[0] != "check" else printed

    def _open(self):
        if not self.is_trusted:
            return STATUSES["PermissionDenied"]
        if self.role == "owner" and "keyfile" in self.service.protection():
            status, _ = self._ask("Unlock")
            if status not in (None, STATUSES["Locked"]):
                return status
        return STATUSES["Locked"] if self.service.standing[0] == "locked" else None

    def token(self, words, _):
        """The token alone."""
        status, found = self._ask("GetToken", min_validity=_minimum(words))
        if "--json" in words:
            return status, json.dumps(found, separators=(",", ":")) + "\n"
        return status, found.get("access_token", "") + "\n"

    def header(self, words, _):
        """The token as a header."""
        status, printed = self.token(words, _)
        return status, HEADER + printed

    def check(self, words, _):
        """Whether it is good for long enough."""
        minimum = _minimum(words)
        status, found = self._ask("CheckExpiry", min_validity=minimum)
        if status:
            return status, ""
        printed = "" if "--quiet" in words else json.dumps({
            "valid": found["valid"], "expires_at": found["expires_at"],
            "expires_date": date(found["expires_at"]), "remaining": found["remaining"],
            "min_validity": minimum}, separators=(",", ":")) + "\n"
        return 0 if found["valid"] else 1, printed

    def show(self, words, _):
        """The account."""
        status, found = self._ask("GetAccount")
        if status:
            return status, ""
        account = found["account"]
        names = ("uid", "screen_name", "avatar_large", "expires_in", "issued_at", "issued_date",
                 "expires_at", "expires_date", "expired", "remaining", "refused", "protection")
        members = {name: account.get(name) for name in names}
        if members["issued_at"] is not None:
            members["issued_date"] = date(members["issued_at"])
        _, found = self._ask("GetStatus")
        members["protection"] = found["status"]["protection"]
        return 0, json.dumps(members, separators=(",", ":"), ensure_ascii=False).replace(
            "\x7f", "\\u007f") + "\n"

    def status(self, _, __):
        """What the daemon is and does."""
        status, found = self._ask("GetStatus")
        if status:
            return status, ""
        found = found["status"]
        role, idle, after = (
            found.pop(name, None) for name in ("role", "lock_after_idle", "lock_after"))
        return 0, json.dumps({
            "running": True, "socket": self.socket, "version": found.pop("version"), **found,
            "lock_after_idle": idle, "lock_after": after, "role": role},
            separators=(",", ":")) + "\n"

    def expires(self, _, __):
        """When the token expires, in seconds since 1970."""
        status, found = self._ask("CheckExpiry", min_validity=0)
        return status, "" if status else f"{found['expires_at']}\n"

    def logout(self, words, _):
        """Forgets the account."""
        status, _ = self._ask("GetStatus")
        if status:
            return status, ""
        given = {"if_uid": words[-1]} if "--if-uid" in words else {}
        status, found = self._ask("Logout", **given)
        if status:
            return status, ""
        return 0, (f"Logged out uid {found['uid']}.\n" if "uid" in found else
                   "Logged out. The store could not be opened, so whose account it was is not "
                   "known.\n")

    def login(self, words, response):
        """Stores an account from a response, which is given with --issued-at."""
        if not self.is_trusted:
            return STATUSES["PermissionDenied"], None
        status, _ = self._ask("GetStatus")
        if status:
            return status, None
        given = {**json.loads(response), "issued_at": int(words[words.index("--issued-at") + 1])}
        if "--replace" in words:
            given["replace"] = True
        status, _ = self._ask("Login", **given)
        return status, None


def _minimum(words):
    return int(words[words.index("--min-validity") + 1]) if "--min-validity" in words else 0
