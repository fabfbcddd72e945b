"""Daemons whose stores stand in every state that there is."""

import shutil
import subprocess
import sys
import time

import programs
import wire

UID, OTHER_UID = "1404376560", "1404376561"
AVATAR = "https://avatar.example/made_up.jpg"
REFUSED_CODE = 21_327
PASSPHRASE = "made up for the tests"
# Codes that were drawn once, and open what they are put into.
CODE = "475V-RXBB-WDVV-GE9W-AZJR-A9PX-9WMP-B444-QK8G"
OTHER_CODE = "YWBQ-DBXH-4K0Y-PZ4Q-0A0J-R0B6-4S72-YTTD-7Y2D"
CREDENTIAL = bytes(range(32))
MAXIMUM_SLOTS = MAXIMUM_RETIRED = 16
STORE = programs.ROOT / "Tests" / "Python" / "independent_store.py"


def present(room, **more):
    """One whose account is good for a week."""
    daemon = room.daemon()
    daemon.login(uid=UID, **more)
    return daemon


def expired(room):
    """One whose account expired a minute ago."""
    daemon = room.daemon()
    parameters = wire.login_parameters(uid=UID, issued_at=int(time.time()) - 120)
    daemon.call("Login", {**parameters, "expires_in": 60})
    return daemon


def locked(room):
    """One whose key is not there."""
    daemon = present(room)
    daemon.end()
    daemon.key.rename(daemon.key.with_name("key.away"))
    return room.daemon(after=daemon)


def put_key_back(daemon):
    """What unlocks it, with Repair."""
    daemon.key.with_name("key.away").rename(daemon.key)


def lockable(room, *options):
    """One that a recovery code alone opens, which costs nothing to try. It is open."""
    daemon = room.daemon(*options)
    daemon.login(uid=UID)
    daemon.call(f"{wire.KEYS}.AddSlot", {"kind": "recovery", "recovery_code": CODE})
    [key] = [slot for slot in slots(daemon) if slot["kind"] == "keyfile"]
    daemon.call(f"{wire.KEYS}.RemoveSlot", {"id": key["id"]})
    daemon.key.unlink()
    return daemon


def slots(daemon):
    """The slots of its store."""
    return daemon.call(f"{wire.KEYS}.ListSlots")["slots"]


def with_credential(room, after=None, logged_in=True):
    """One to which a service manager has passed a credential."""
    place = room.place("credentials-")
    (place / "accountd.key").write_bytes(CREDENTIAL)
    (place / "accountd.key").chmod(0o400)
    daemon = room.daemon(after=after, environment={"CREDENTIALS_DIRECTORY": str(place)})
    if logged_in:
        daemon.login(uid=UID)
    return daemon


def fill_with_retired_keys(daemon):
    """Rotates until as many earlier keys are kept as may be, each for one more file."""
    for number in range(MAXIMUM_RETIRED):
        keep_key(daemon, str(number))
        kept = daemon.call(f"{wire.KEYS}.Rotate")["retired"]
        assert len(kept) == number + 1, kept


def keep_key(daemon, name):
    """Has a file bear the present master key's id, which is kept for it when it is replaced."""
    archives = daemon.state / "archives"
    archives.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(daemon.state / "account.plist.sealed", archives / name)


def damaged(room, mendable=False):
    """One whose account file is damaged; mendable where there is a previous generation."""
    daemon = present(room)
    if mendable:
        daemon.login(uid=UID)
    daemon.end()
    damage(daemon)
    return room.daemon(after=daemon)


def damage(daemon):
    """Turns one bit of the account's file over."""
    file = daemon.state / "account.plist.sealed"
    contents = bytearray(file.read_bytes())
    contents[-1] ^= 1
    file.write_bytes(contents)


def without_store(room, logged_in=True):
    """One whose store has become a file, with which the system refuses every change."""
    daemon = present(room) if logged_in else room.daemon()
    daemon.state.rename(daemon.state.with_name("state.away"))
    daemon.state.write_text("in the way")
    return daemon


def refused_by_weibo(room):
    """One whose token Weibo's server has refused. No method of the daemon's makes such a store."""
    place = room.place("made-")
    made = subprocess.run(
        [sys.executable, STORE, "make", place / "state", place / "key", "--token",
         wire.made_up_token(), "--uid", UID, "--expires-in", "604800", "--refused",
         str(REFUSED_CODE)],
        capture_output=True, text=True, timeout=30)
    assert made.returncode == 0, made.stderr
    return room.daemon(state=place / "state", key=place / "key")
