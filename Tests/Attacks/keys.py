"""Passphrases and recovery codes: odd ones, many at once, of other users, cut off in the middle."""

import contextlib
import select
import socket
import time

from client import Home
from cases import case
from users import OBSERVER, READER, as_user
from wire import KEYS, error, is_closed, message, raw_exchange, replies

ADD, LIST, REMOVE, ROTATE = (f"{KEYS}.{name}" for name in (
    "AddSlot", "ListSlots", "RemoveSlot", "Rotate"))
PASSPHRASE = "made up for the attacks"
# Drawn once; the second one opens nothing.
CODE = "475V-RXBB-WDVV-GE9W-AZJR-A9PX-9WMP-B444-QK8G"
WRONG_CODE = "YWBQ-DBXH-4K0Y-PZ4Q-0A0J-R0B6-4S72-YTTD-7Y2D"
# The daemon's own user, beside root.
USER = 65_505
# What a derivation takes, and a daemon does not.
DERIVATION_BYTES = 256 << 20
FIRST_DELAY = 0.5


def by_passphrase(room, passphrase=PASSPHRASE, *options, **others):
    """A daemon whose store a passphrase alone opens, open, and its token."""
    daemon = room.daemon(*options, **others)
    token = daemon.login()
    daemon.call(ADD, {"kind": "passphrase", "passphrase": passphrase})
    return daemon, token


def by_code(room, *options, **others):
    """The same with a recovery code, which costs nothing to try."""
    daemon = room.daemon(*options, **others)
    token = daemon.login()
    daemon.call(ADD, {"kind": "recovery", "recovery_code": CODE})
    [key] = [slot for slot in daemon.call(LIST)["slots"] if slot["kind"] == "keyfile"]
    daemon.call(REMOVE, {"id": key["id"]})
    return daemon, token


def derives(daemon, seconds=20):
    """Waits until a derivation is under way."""
    end = time.monotonic() + seconds
    while daemon.anonymous() < DERIVATION_BYTES // 4:
        assert time.monotonic() < end, "nothing is derived"
        time.sleep(0.002)


def has_derived(daemon, seconds=30):
    """Waits until it is over."""
    derives(daemon)
    end = time.monotonic() + seconds
    while daemon.anonymous() > DERIVATION_BYTES // 4:
        assert time.monotonic() < end, "it goes on and on"
        time.sleep(0.01)


def is_locked(daemon):
    return daemon.status()["state"] == "locked"


@contextlib.contextmanager
def timed(least, most):
    """Holds how long something takes."""
    start = time.monotonic()
    yield
    took = time.monotonic() - start
    assert least <= took <= most, f"it took {took:.2f} s, not {least} to {most}"


@case
def passphrases_are_bytes_and_not_what_they_look_like(room):
    # One looks as the other; the latter has 1024 bytes, as many as there may be.
    composed, decomposed = "x" * 1019 + "Zo\u00eb", "x" * 1019 + "Zoe\u0308"
    assert len(decomposed.encode()) == 1024
    daemon, token = by_passphrase(room, composed)
    for method, more in ((ADD, {"kind": "passphrase"}), ("Unlock", {})):
        for wrong in ("", "x" * 1025, decomposed + "x", "x" * 65_000):
            reply = daemon.ask(method, passphrase=wrong, **more)
            assert error(reply) == "InvalidField", (method, len(wrong), reply)
            assert reply["parameters"]["field"] == "passphrase", reply
        daemon.ask("Lock")
    # No such text is JSON, or it is no message: the connection ends, and nothing is counted.
    text = b'{"method":"org.accountd.Account.Unlock","parameters":{"passphrase":"%s"}}\0'
    for raw in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"a\\u0000b", b"\\ud800", b"x" * 65_536):
        assert raw_exchange(daemon.socket, text % raw) == b"", raw[:8]
    reply = daemon.ask("Unlock", passphrase=decomposed)
    assert error(reply) == "WrongKey" and is_locked(daemon), reply
    assert reply["parameters"] == {"retry_after_ms": 1000}, reply
    # However it is written in JSON.
    raw = composed.replace("Z", "\\u005a").replace("\u00eb", "\\u00EB").encode()
    assert raw_exchange(daemon.socket, text % raw) == b'{"parameters":{}}'
    assert daemon.token() == token
    daemon.end()


@case
def half_sent_unlocks_hold_nobody_up_and_count_for_nothing(room):
    daemon, token = by_code(room)
    daemon.ask("Lock")
    data = message("Unlock", {"recovery_code": CODE})
    peers = [daemon.connect() for _ in range(60)]
    for number, peer in enumerate(peers):
        peer.sendall(data[:len(data) - 1 - number])
    daemon.must_rest()
    assert is_locked(daemon)
    for number, peer in enumerate(peers[:30]):
        # The half of one, and the whole of another behind it, are no message.
        peer.sendall(data if number else data[-1:])
    assert replies(peers[0], 1) == [{"parameters": {}}]
    assert all(is_closed(peer, 5) for peer in peers[1:30])
    for peer in peers:
        peer.close()
    assert daemon.token() == token
    daemon.end()


@case
def two_hundred_right_passphrases_at_once_are_one_derivation(room):
    daemon, token = by_passphrase(room)
    before = daemon.anonymous()
    daemon.ask("Lock")
    with contextlib.ExitStack() as open_ones:
        peers = [open_ones.enter_context(daemon.connect()) for _ in range(200)]
        for peer in peers:
            peer.sendall(message("Unlock", {"passphrase": PASSPHRASE}) + message("GetToken"))
        start = time.monotonic()
        for peer in peers:
            unlocked, answer = replies(peer, 2)
            assert unlocked == {"parameters": {}}, unlocked
            assert answer["parameters"]["access_token"] == token
        assert time.monotonic() - start < 10, "each of them was derived"
    assert daemon.anonymous() < before + (16 << 20), "its memory was not given back"
    daemon.end()


@case
def two_hundred_wrong_passphrases_at_once_are_tried_one_by_one_and_later_and_later(room):
    daemon, token = by_passphrase(room)
    daemon.ask("Lock")
    with contextlib.ExitStack() as open_ones:
        peers = [open_ones.enter_context(daemon.connect()) for _ in range(200)]
        for peer in peers:
            peer.sendall(message("Unlock", {"passphrase": "wrong"}))
        begin = time.monotonic()
        most = slowest = answered = 0
        while answered < 2:
            start = time.monotonic()
            assert is_locked(daemon)
            slowest = max(slowest, time.monotonic() - start)
            most = max(most, daemon.anonymous())
            for peer in select.select(peers, [], [], 0.01)[0]:
                assert error(replies(peer, 1)[0]) == "WrongKey"
                answered += 1
        # Half a second, and one more.
        assert time.monotonic() - begin >= 3 * FIRST_DELAY and answered == 2, answered
    assert most < 1.5 * DERIVATION_BYTES, f"{most >> 20} MiB: several derivations at a time"
    assert slowest < 2, f"somebody waited for {slowest:.2f} s"
    # Those who have left wait no more, and do not have others wait.
    with timed(0, 30):
        daemon.call("Unlock", {"passphrase": PASSPHRASE})
    assert daemon.token() == token
    daemon.must_rest()
    daemon.end()


@case
def other_users_can_neither_unlock_nor_lock_nor_have_the_owner_wait(room):
    daemon, token = by_code(room, "--readers", str(READER), "--observers", str(OBSERVER))
    calls = [("Lock", {}), ("Unlock", {"recovery_code": WRONG_CODE}), ("Unlock", {}),
             ("Unlock", {"recovery_code": CODE}), (LIST, {}), (ROTATE, {}), (REMOVE, {"id": "0"}),
             (ADD, {"kind": "recovery", "recovery_code": CODE}), (f"{KEYS}.NewRecoveryCode", {}),
             (f"{KEYS}.DeriveArchiveKey", {"name": "a"}), (f"{KEYS}.FinishRotation", {})]

    def foreigner():
        return [error(daemon.ask(method, **parameters)) for method, parameters in calls * 5]

    for is_open in (True, False):
        if not is_open:
            daemon.ask("Lock")
        for uid in (READER, OBSERVER):
            with timed(0, 2):
                assert set(as_user(uid, foreigner)) == {"PermissionDenied"}, uid
        assert is_locked(daemon) != is_open and len(daemon.call(LIST)["slots"]) == 1
    with timed(FIRST_DELAY, 2):
        reply = daemon.ask("Unlock", recovery_code=WRONG_CODE)
    assert reply["parameters"] == {"retry_after_ms": 1000}, reply
    daemon.call("Unlock", {"recovery_code": CODE})
    assert daemon.token() == token
    daemon.end()


@case
def root_and_the_daemons_user_do_not_wait_for_each_others_mistakes(room):
    daemon, token = by_code(room, user=USER)
    daemon.ask("Lock")

    def wrong():
        start = time.monotonic()
        reply = daemon.ask("Unlock", recovery_code=WRONG_CODE)
        return [reply["parameters"]["retry_after_ms"], time.monotonic() - start]

    with daemon.connect() as root:
        root.sendall(message("Unlock", {"recovery_code": WRONG_CODE}) * 2)
        assert len(replies(root, 1)) == 1
        # Root's next is held back for a second now.
        retry, took = as_user(USER, wrong)
        assert retry == 1000 and FIRST_DELAY <= took < 2 * FIRST_DELAY, (retry, took)
    retry, took = as_user(USER, wrong)
    assert retry == 2000 and took >= 2 * FIRST_DELAY, (retry, took)
    # Root's mistakes are counted on whatever connection, and those of the other are not.
    retry, took = wrong()
    assert retry == 4000 and took >= 4 * FIRST_DELAY, (retry, took)
    # An answer that is held back outlives an unlock and a lock by the other, and opens nothing.
    with daemon.connect() as root:
        root.sendall(message("Unlock", {"recovery_code": WRONG_CODE}))
        time.sleep(0.05)
        with timed(0, 2):
            assert as_user(USER, lambda: error(daemon.ask("Unlock", recovery_code=CODE))) == ""
            assert daemon.token() == token
            assert as_user(USER, lambda: error(daemon.ask("Lock"))) == ""
        assert error(replies(root, 1)[0]) == "WrongKey" and is_locked(daemon)
    daemon.end()


@case
def a_peer_that_has_no_more_to_say_is_answered_late_all_the_same(room):
    daemon, _ = by_code(room)
    daemon.ask("Lock")
    wrong = message("Unlock", {"recovery_code": WRONG_CODE})
    with daemon.connect() as peer:
        start = time.monotonic()
        peer.sendall(wrong)
        peer.shutdown(socket.SHUT_WR)
        assert error(replies(peer, 1)[0]) == "WrongKey"
        assert time.monotonic() - start >= FIRST_DELAY
        assert is_closed(peer, 5)
    daemon.end()


@case
def mistakes_that_are_sent_together_are_answered_each_at_its_time(room):
    daemon, token = by_code(room)
    daemon.ask("Lock")
    wrong = message("Unlock", {"recovery_code": WRONG_CODE})
    with daemon.connect() as peer:
        start = time.monotonic()
        peer.sendall(wrong * 2 + message("GetStatus") + wrong[:-1])
        data = b""
        # Nothing behind a mistake is looked at before that is answered, the status neither.
        for count, sum_of_delays in ((1, 1), (2, 3), (4, 7)):
            while data.count(b"\0") < count:
                data += peer.recv(1 << 16)
            assert time.monotonic() - start >= sum_of_delays * FIRST_DELAY, count
            assert data.count(b"WrongKey") == min(count, 3), data
            if count == 2:
                peer.sendall(b"\0")
    daemon.call("Unlock", {"recovery_code": CODE})
    assert daemon.token() == token
    daemon.end()


@case
def doctor_finds_nothing_wrong_with_a_store_that_waits_for_a_passphrase(room):
    home = Home(room)
    home.login()
    passphrase = home.path / "passphrase"
    passphrase.write_text(PASSPHRASE + "\n")
    home.account("key", "add", "passphrase", "--passphrase-file", str(passphrase)).must_be(0)
    home.account("lock").must_be(0)
    done = home.account("doctor", "--no-input").must_be(0)
    assert "note   store: it is locked: account unlock opens it" in done.out, done.out
    assert "wrong" not in done.out, done.out
