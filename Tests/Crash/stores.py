"""Stores as they stand before an operation, the operations, and what must stand after a crash.

A place is a directory that holds `state`, `key`, and sometimes `away`, the key file that somebody
has taken out of its place. Every operation begins with a copy of a template of it.
"""

import dataclasses
import os
import pathlib
import shutil

import wire

ACCOUNT, PREVIOUS = "account.plist.sealed", "account.plist.sealed~"
SLOTS, SLOTS_COPY, NEXT_SLOTS = "keyslots.plist", "keyslots.plist~", "keyslots.plist.next"
LOCK, SOCKET = "lock", "socket"
SEALED = (ACCOUNT, SLOTS, SLOTS_COPY)
# What a store may hold when nobody writes to it; beside these only what was set aside.
LASTING = {ACCOUNT, PREVIOUS, SLOTS, SLOTS_COPY, LOCK, SOCKET, "archives", "archives.lock"}
ASIDE = ".damaged-"
LEFT_OVER = ".tmp-0123456789abcdef"

EXPIRES_AT = 4_000_000_000


@dataclasses.dataclass(frozen=True)
class Account:
    """One account, whole: all that Export gives of it must be this."""
    token: str
    uid: str = "1001"
    name: str = "made up"

    def login(self, **more):
        """Login's parameters."""
        return {"access_token": self.token, "uid": self.uid, "screen_name": self.name,
                "expires_at": EXPIRES_AT, **more}


OLDER, OLD = Account("2.00MadeUpOlder"), Account("2.00MadeUpOld")
NEW, OTHER = Account("2.00MadeUpNew"), Account("2.00MadeUpOther", uid="2002")
RENAMED = Account(OLD.token, name="made up anew")
EMPTY = "empty"


@dataclasses.dataclass(frozen=True)
class Shut:
    """A store that gives no account out: `locked` or `damaged`.

    `opened_by` is what a person would do to have the account before back, `account`.
    """
    state: str
    opened_by: object = None
    account: object = None


class Wrong(AssertionError):
    """An account is lost, a store needs a repair, an answer was not true, or something was left.

    `kind` is one of KINDS.
    """

    def __init__(self, kind, text):
        super().__init__(f"{kind}: {text}")
        self.kind = kind


LOST, REPAIR, ANSWER, LEFT = "lost", "needs repair", "wrong answer", "left behind"
KINDS = (LOST, REPAIR, ANSWER, LEFT)


def observe(daemon):
    """The account that a daemon serves, EMPTY, or how the store is shut."""
    state = daemon.status()["state"]
    if state != "present":
        return state if state == EMPTY else Shut(state)
    reply = daemon.call("Export")
    account = reply["account"]
    assert account["expires_at"] == EXPIRES_AT, account
    assert daemon.token() == reply["access_token"]
    return Account(reply["access_token"], account["uid"], account["screen_name"])


def same(found, wanted):
    """Whether what was observed is what was meant."""
    if isinstance(wanted, Shut):
        return isinstance(found, Shut) and found.state == wanted.state
    return found == wanted


def sealed_bytes(place):
    """What the files hold that an account needs."""
    state = pathlib.Path(place) / "state"
    return {name: (state / name).read_bytes() for name in SEALED if (state / name).exists()}


def strays(place):
    """Names in the state and beside the key that nothing ought to have."""
    state = pathlib.Path(place) / "state"
    names = [name for name in os.listdir(state) if name not in LASTING and ASIDE not in name]
    return names + [name for name in os.listdir(place) if name.startswith(".tmp-")]


# MARK: Templates


def _written(room, *accounts):
    place = room.place("template-")
    daemon = room.daemon(state=place / "state", key=place / "key")
    for account in accounts:
        daemon.call("Login", account.login(replace=True))
    daemon.end()
    for name in (SOCKET, LOCK):
        (place / "state" / name).unlink(missing_ok=True)
    return place


def _spoil(place, *names):
    for name in names:
        (place / "state" / name).write_bytes(b"made-up damage")


def nothing(room):
    """No store at all."""
    return room.place("template-")


def two_generations(room):
    """An account, and the one before it."""
    return _written(room, OLDER, OLD)


def one_generation(room):
    """An account that has none before it."""
    return _written(room, OLD)


def with_key_away(room):
    """A store whose key file is somewhere else."""
    place = two_generations(room)
    (place / "key").rename(place / "away")
    return place


def with_another_key(room):
    """A store that has another one's key file."""
    place = with_key_away(room)
    shutil.copyfile(_written(room, OTHER) / "key", place / "key")
    (place / "key").chmod(0o600)
    return place


def bring_key_back(place):
    """What one does about a key file that is away."""
    os.replace(place / "away", place / "key")


def with_damaged_account(room):
    """Nothing can be had back."""
    place = one_generation(room)
    _spoil(place, ACCOUNT)
    return place


def with_damaged_slots(room):
    """Nothing can be had back, though the account's file is whole."""
    place = two_generations(room)
    _spoil(place, SLOTS, SLOTS_COPY)
    return place


def with_damaged_first_slots(room):
    """The slots can be had back from their copy."""
    place = two_generations(room)
    _spoil(place, SLOTS)
    return place


def with_damaged_generation(room):
    """The account before can be had back."""
    place = two_generations(room)
    _spoil(place, ACCOUNT)
    return place


def left_by_a_killed_daemon(room):
    """Temporary files, and slots of an account that was never written."""
    place = two_generations(room)
    for name in (LEFT_OVER, LEFT_OVER[:-1] + "0"):
        (place / "state" / name).write_bytes(b"")
    shutil.copyfile(_written(room, OTHER) / "state" / SLOTS, place / "state" / NEXT_SLOTS)
    (place / "state" / NEXT_SLOTS).chmod(0o600)
    return place


def cut_off_after_its_account(room):
    """A store that was begun anew over another: its account stands, its slots wait."""
    place, fresh = two_generations(room), _written(room, NEW)
    shutil.copy2(fresh / "state" / SLOTS, place / "state" / NEXT_SLOTS)
    shutil.copy2(fresh / "state" / ACCOUNT, place / "state" / ACCOUNT)
    shutil.copy2(fresh / "key", place / "key")
    return place


# MARK: Operations


@dataclasses.dataclass(frozen=True)
class Operation:
    """A change, the store before it, and what may be found after it was cut off."""
    name: str
    template: object
    before: object
    after: object
    method: str = ""
    parameters: dict = dataclasses.field(default_factory=dict)
    # How long an answer may take.
    answer_seconds = 20
    # How long a key may take that is made of a passphrase meanwhile; none is.
    derivation_seconds = 0

    def prepare(self, daemon):
        """What must be done before it."""

    def begin(self, peer):
        """Asks for it."""
        peer.sendall(wire.message(self.method, self.parameters))


def _login(account, **more):
    return {"method": "Login", "parameters": account.login(**more)}


_LOCKED = Shut("locked", bring_key_back, OLD)
_REPLACE = _login(NEW, replace=True)

OPERATIONS = (
    Operation("first login", nothing, EMPTY, NEW, **_login(NEW)),
    Operation("login again", two_generations, OLD, NEW, **_login(NEW)),
    Operation("login of another user", two_generations, OLD, OTHER, **_login(OTHER, replace=True)),
    Operation("replace, account damaged", with_damaged_account, Shut("damaged"), NEW, **_REPLACE),
    Operation("replace, slots damaged", with_damaged_slots, Shut("damaged"), NEW, **_REPLACE),
    Operation("replace, first slots damaged", with_damaged_first_slots,
              Shut("damaged", account=OLD), NEW, **_REPLACE),
    Operation("replace, key away", with_key_away, _LOCKED, NEW, **_REPLACE),
    Operation("replace, another key", with_another_key, _LOCKED, NEW, **_REPLACE),
    Operation("logout", two_generations, OLD, EMPTY, "Logout"),
    Operation("profile", two_generations, OLD, RENAMED, "UpdateProfile",
              {"screen_name": RENAMED.name}),
    Operation("repair of the account", with_damaged_generation, Shut("damaged", account=OLDER),
              OLDER, "Repair"),
    Operation("repair of the slots", with_damaged_first_slots, Shut("damaged", account=OLD), OLD,
              "Repair"),
    Operation("start after a kill", left_by_a_killed_daemon, OLD, OLD),
    Operation("start in a change", cut_off_after_its_account, NEW, NEW),
)
