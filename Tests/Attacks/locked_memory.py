"""No memory may be locked, or too little of it."""

import os
import resource

from cases import case
from client import Home
from users import STRANGER, as_user


def locking(amount):
    """Sets the limit in the child, which must not be root: that is above it."""
    return lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (amount, amount))


def somebody():
    """A user whom the limit binds."""
    return STRANGER if os.geteuid() == 0 else None


@case
def a_daemon_that_cannot_lock_memory_says_so_and_serves(room):
    for amount in (0, 4096, 65_536):
        home = Home(room, user=somebody())
        token = home.login(prepare=locking(amount))
        assert "not locked: secrets may reach the swap" in home.account("status").must_be(0).out
        finding = [line for line in home.account("doctor", prepare=locking(amount)).out.splitlines()
                   if line[7:].startswith("memory:")]
        assert len(finding) == 1 and not finding[0].startswith("ok"), finding
        assert "could not lock its memory" in finding[0], finding
        home.account("token", prepare=locking(amount)).must_be(0, token + "\n")
        home.end_daemon()
        # The next daemon, under the usual limit, reads what that one stored.
        home.account("token").must_be(0, token + "\n")
        if resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] >= 2 << 20:
            assert "not locked" not in home.account("status").must_be(0).out
        home.end()


@case
def a_daemon_that_must_lock_memory_does_not_start_without(room):
    for kind in ("auto", "locked", "memfd"):
        daemon = room.daemon("--require-locked-memory", "--secret-memory", kind, user=somebody(),
                             prepare=locking(0), must_start=False)
        assert daemon.ready != "ready" and daemon.wait() == 1
        assert kind == "memfd" or "memory cannot be locked (the limit is 0 bytes" in daemon.ready
    # With enough it does: half a mebibyte is the least.
    for amount in (1 << 20, 2 << 20):
        daemon = room.daemon("--require-locked-memory", user=somebody(), prepare=locking(amount))
        status = daemon.status() if somebody() is None else as_user(STRANGER, daemon.status)
        assert status["memory"] != "unlocked" and status["locked_bytes"] <= amount, status
        daemon.login()
        daemon.end()


@case
def a_command_that_cannot_lock_memory_works_all_the_same(room):
    home = Home(room, user=somebody())
    token = home.login()
    for words in (["show"], ["check"], ["expires"], ["status"], ["doctor"], ["logout"]):
        home.account(*words, prepare=locking(0)).must_be(0)
    token = home.login("2.00" + "x" * 4092, prepare=locking(0))
    home.account("token", prepare=locking(0)).must_be(0, token + "\n")
    home.account("header", prepare=locking(0)).must_be(0, f"Authorization: OAuth2 {token}\n")
