"""What docs/PROTOCOL.md and the interface file promise, as a program: calls in, answers out.

A model of the daemon without its sockets, threads and ciphers. It is copied to try what would come
of a call, and to look for an order of calls that explains what was answered.
"""

from collections import Counter

import strict_json
from changes import Changes
from files import Files
from given import Call, Given
from keys import Keys
from locking import NOTHING, Locking
from replies import (
    ACCOUNT_INTERFACE, KEYS_INTERFACE, SERVICE_INTERFACE, Outcome, Refused, Waits, answer,
    invalid_field, invalid_parameter, own, standard)
from watch import date

ROLES = ("stranger", "observer", "reader", "owner")
READING = ("GetStatus", "CheckExpiry", "GetAccount", "GetToken", "Export")
CHANGING = ("Login", "UpdateProfile", "Logout", "Verify", "Repair", "Unlock")
OF_KEYS = ("ListSlots", "AddSlot", "RemoveSlot", "Rotate", "NewRecoveryCode", "DeriveArchiveKey",
           "FinishRotation")
# What is the daemon's own user's, and not root's where that is another.
OWN_USERS = ("DeriveArchiveKey",)
REQUIRED = {
    **dict.fromkeys((*READING[2:], *CHANGING, "Lock", *OF_KEYS), "owner"),
    **dict.fromkeys(("GetStatus", "CheckExpiry"), "observer"),
    **dict.fromkeys(("GetAccount", "GetToken"), "reader")}
SERVED = {ACCOUNT_INTERFACE: (*READING, *CHANGING, "Lock"), KEYS_INTERFACE: OF_KEYS,
          SERVICE_INTERFACE: ("GetInfo", "GetInterfaceDescription")}
# What counts as a use of the store, when it is answered with what was asked for.
USES = ("GetToken", "GetAccount", "Export", "DeriveArchiveKey")
VERSION = "0.1.0"


class Service(Changes, Locking, Keys):
    """The daemon's state. `about` is what it may say of itself that no model can know."""

    def __init__(self, path, key_path, owner, description, lock_times=(None, None)):
        self.files = Files(path, key_path, owner)
        self.descriptions = description
        self.memory = None
        self.realtime = self.boottime = 0
        self.standing = ("empty",)
        self.held = self.watch = self.key = self.slots = None
        self.slots_in_place = False
        # Another directory has come to the path since the store was read.
        self.is_replaced = False
        # Seconds without a use, and since the store was opened; when both were, by the boot clock.
        self.lock_times = lock_times
        self.opened_at = self.used_at = 0
        self.locked_on_purpose, self.locked_watch = False, None
        # By uid: how many wrong secrets, and until when the next one waits.
        self.penalties, self.caller = {}, 0
        # Blobs of key slots by their meaning.
        self.lists = {}
        # What a run has tried.
        self.done = Counter()

    def copy(self):
        """The same state, to go on from by itself."""
        other = Service.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.files = self.files.copy()
        other.watch = self.watch and self.watch.copy()
        other.locked_watch = self.locked_watch and self.locked_watch.copy()
        other.done = self.done.copy()
        return other

    # MARK: Calls

    def handle(self, text, role, connections, uid=0):
        """What becomes of one message, given without its NUL."""
        self.caller = uid
        outcome = self._handle(text, role, connections)
        # A time that has passed already may count from now on.
        self.lock_if_due()
        return outcome

    def _handle(self, text, role, connections):
        try:
            call = Call(text)
        except strict_json.NotStrict:
            return Outcome("close", None, None, "malformed")
        verdict, method = "answered", None
        try:
            method = self._find(call.method)
            if ROLES.index(role) < ROLES.index(self._required(method)) or not self._may(method):
                raise standard("PermissionDenied", "denied")
            if call.upgrade:
                raise invalid_parameter("upgrade")
            reply = self._answer(method, call, role, connections)
            if reply is NOTHING:
                reply = answer()
            elif method.rpartition(".")[2] in USES:
                self.use()
        except Waits as waits:
            return Outcome("wait", None, method, verdict, waits.time)
        except Refused as refusal:
            reply, verdict, time = refusal.reply, refusal.verdict, refusal.time
            if time is not None and not call.oneway:
                return Outcome("held", reply, method, verdict, time)
            if role == "observer" and verdict == "damaged":
                reply["parameters"]["what"] = (
                    "the store needs repair, of which its owner is told more")
        if call.oneway:
            return Outcome("silence", None, method, verdict)
        return Outcome("reply", reply, method, verdict)

    @staticmethod
    def _find(name):
        interface, _, method = name.rpartition(".")
        if interface not in SERVED:
            refusal = invalid_parameter(interface)
            raise standard("InterfaceNotFound", "unknown-method",
                           interface=refusal.reply["parameters"]["parameter"])
        if method not in SERVED[interface]:
            refusal = invalid_parameter(name)
            raise standard("MethodNotFound", "unknown-method",
                           method=refusal.reply["parameters"]["parameter"])
        return name

    @staticmethod
    def _required(name):
        return REQUIRED.get(name.rpartition(".")[2], "observer")

    def _may(self, name):
        return name.rpartition(".")[2] not in OWN_USERS or self.caller == self.files.owner

    def _answer(self, method, call, role, connections):
        interface, _, name = method.rpartition(".")
        given = Given(call.parameters)
        if interface == SERVICE_INTERFACE:
            return self._describe(name, given)
        if name == "GetStatus":
            given.refuse_others()
            return answer(status=self.status(role, connections))
        if name == "GetToken":
            return self._token(given)
        if name == "CheckExpiry":
            minimum = _minimum(given)
            left = self.remaining()
            return answer(valid=0 < left >= minimum, expires_at=self.held.meaning.expires_at,
                          remaining=left)
        if name == "GetAccount":
            given.refuse_others()
            return self.with_account()
        if name == "Export":
            given.refuse_others()
            left = self.remaining()
            account = self.held.meaning
            tokens = {"access_token": account.token}
            if account.refresh_token is not None:
                tokens["refresh_token"] = account.refresh_token
            return answer(**tokens, account=describe(account, left))
        return getattr(self, name.lower())(given)

    def _describe(self, name, given):
        if name == "GetInfo":
            given.refuse_others()
            return answer(vendor="accountd", product="accountd", version=VERSION, url="",
                          interfaces=[SERVICE_INTERFACE, ACCOUNT_INTERFACE, KEYS_INTERFACE])
        # Here an unknown parameter is said before a missing one.
        Given(given.members).refuse_others("interface")
        wanted = given.text("interface")
        if wanted is None:
            raise invalid_parameter("interface")
        if wanted not in self.descriptions:
            refusal = invalid_parameter(wanted)
            raise standard("InterfaceNotFound", "invalid",
                           interface=refusal.reply["parameters"]["parameter"])
        return answer(description=self.descriptions[wanted])

    def _token(self, given):
        minimum = _minimum(given)
        left = self.remaining()
        account = self.held.meaning
        if not 0 < left >= minimum:
            raise own("TokenExpired", "expired", expires_at=account.expires_at, remaining=left)
        return answer(access_token=account.token, uid=account.uid, expires_at=account.expires_at)

    def status(self, role, connections):
        """`Status`. Whoever asks how the clock stands looks at it, too."""
        self.look()
        times = {name: seconds for name, seconds in zip(
            ("lock_after_idle", "lock_after"), self.lock_times) if seconds is not None}
        return {"state": self.standing[0], "version": VERSION, "protection": self.protection(),
                "memory": self.memory[0], "locked_bytes": self.memory[1],
                "clock": self.watch.clock(self.realtime) if self.watch else "steady",
                "connections": connections, **times, "role": role}

    def look(self):
        """Sees how much is left; None where there is no account."""
        return self.watch.remaining(self.realtime, self.boottime) if self.watch else None

    def remaining(self):
        """Seconds that are left, or why there is nothing to speak of."""
        if self.watch is None:
            self.refuse_standing()
        return self.look()

    def refuse_standing(self):
        """Says why no account is there."""
        if self.standing[0] == "locked":
            raise own("Locked", "locked")
        if self.standing[0] == "damaged":
            raise own("StoreDamaged", "damaged", what=self.standing[1])
        raise own("NoAccount", "no-account")

    def with_account(self):
        """The reply of every method that gives back the account."""
        left = self.remaining()
        return answer(account=describe(self.held.meaning, left))


def _minimum(given):
    minimum = given.integer("min_validity") or 0
    given.refuse_others()
    if minimum < 0:
        raise invalid_field("min_validity", "must not be negative; it is a number of seconds")
    return minimum


def describe(account, left):
    """`Account`."""
    members = {"uid": account.uid, "screen_name": account.screen_name,
               "avatar_large": account.avatar_large, "expires_in": account.expires_in,
               "issued_at": account.issued_at, "expires_at": account.expires_at,
               "expires_date": date(account.expires_at), "expired": left <= 0, "remaining": left}
    return {name: value for name, value in members.items() if value is not None}
