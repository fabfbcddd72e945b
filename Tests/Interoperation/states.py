"""Daemons whose stores stand in every state that there is."""

import subprocess
import sys
import time

import programs
import wire

UID, OTHER_UID = "1404376560", "1404376561"
AVATAR = "https://avatar.example/made_up.jpg"
REFUSED_CODE = 21_327
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
