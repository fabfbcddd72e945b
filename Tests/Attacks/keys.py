"""Passphrases and recovery codes: odd ones, many at once, of other users, cut off in the middle."""

import contextlib
import os
import resource
import signal
import socket
import time

from cases import alone, case, needs_root
from users import OBSERVER, READER, as_user
from wire import (INTERFACE, KEYS, ask, error, is_closed, login_parameters, message, raw_exchange,
                  replies)

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
    composed, decomposed = "Zo\u00eb", "Zoe\u0308"
    daemon, token = by_passphrase(room, composed)
    longest = "\u00e9" * 512
    daemon.call(ADD, {"kind": "passphrase", "passphrase": longest})
    for method, more in ((ADD, {"kind": "passphrase"}), ("Unlock", {})):
        for wrong in ("", "x" * 1025, longest + "x", "x" * 65_000):
            reply = daemon.ask(method, passphrase=wrong, **more)
            assert error(reply) == "InvalidField", (method, len(wrong), reply)
            assert reply["parameters"]["field"] == "passphrase", reply
        daemon.ask("Lock")
    # No such text is JSON, or it is no message: the connection ends, and nothing is counted.
    text = b'{"method":"org.accountd.Account.Unlock","parameters":{"passphrase":"%s"}}\0'
    for raw in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"a\\u0000b", b"\\ud800", b"x" * 65_536):
        assert raw_exchange(daemon.socket, text % raw) == b"", raw[:8]
    for raw in ("Zo\\u00eb".encode(), "\\u005ao\u00eb".encode()):
        assert raw_exchange(daemon.socket, text % raw) == b'{"parameters":{}}', raw
        daemon.ask("Lock")
    reply = daemon.ask("Unlock", passphrase=decomposed)
    assert error(reply) == "WrongKey" and is_locked(daemon), reply
    daemon.call("Unlock", {"passphrase": longest})
    assert daemon.token() == token and len(daemon.call(LIST)["slots"]) == 2
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
        end = time.monotonic() + 4
        most = slowest = 0
        while time.monotonic() < end:
            start = time.monotonic()
            assert is_locked(daemon)
            slowest = max(slowest, time.monotonic() - start)
            most = max(most, daemon.anonymous())
            time.sleep(0.01)
        answered = 0
        for peer in peers:
            peer.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                [reply] = replies(peer, 1)
                assert error(reply) == "WrongKey", reply
                answered += 1
    assert 1 <= answered <= 3, f"{answered} were answered in 4 s"
    assert most < 1.5 * DERIVATION_BYTES, f"{most >> 20} MiB: several derivations at a time"
    assert slowest < 1, f"somebody waited for {slowest:.2f} s"
    # Those who have left wait no more, and do not have others wait.
    with timed(0, 14):
        daemon.call("Unlock", {"passphrase": PASSPHRASE})
    assert daemon.token() == token
    daemon.must_rest()
    daemon.end()


@case
def other_users_can_neither_unlock_nor_lock_nor_have_the_owner_wait(room):
    daemon, token = by_code(room, "--readers", str(READER), "--observers", str(OBSERVER))
    calls = [("Lock", {}), ("Unlock", {"recovery_code": WRONG_CODE}), ("Unlock", {}),
             ("Unlock", {"recovery_code": CODE}), (LIST, {}), (ROTATE, {}), (REMOVE, {"id": "0"}),
             (ADD, {"kind": "recovery", "recovery_code": CODE}), (f"{KEYS}.NewRecoveryCode", {})]

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

    root = daemon.connect()
    root.sendall(message("Unlock", {"recovery_code": WRONG_CODE}) * 3)
    assert len(replies(root, 1)) == 1
    # Root's next is held back by a second more.
    retry, took = as_user(USER, wrong)
    assert retry == 1000 and FIRST_DELAY <= took < FIRST_DELAY + 0.4, (retry, took)
    others = [(USER, lambda: daemon.ask("Unlock", recovery_code=WRONG_CODE)) for _ in range(2)]
    start = time.monotonic()
    assert as_user(*others[0])["parameters"]["retry_after_ms"] == 2000
    root.close()
    del start
    # Root's account of mistakes is its own, though the connection is another.
    retry, took = wrong()
    assert retry == 4000 and took >= 1.5, (retry, took)
    # An answer that is held back outlives an unlock and a lock by somebody else, and opens nothing.
    with daemon.connect() as peer:
        peer.sendall(message("Unlock", {"recovery_code": WRONG_CODE}))
        time.sleep(0.05)
        as_user(USER, lambda: daemon.ask("Unlock", recovery_code=CODE))
        assert daemon.token() == token, "the daemon's user waits for root"
        assert as_user(USER, lambda: error(daemon.ask("Lock"))) == ""
        assert is_locked(daemon)
        reply = replies(peer, 1)[0]
        assert error(reply) in ("WrongKey", ""), reply
        # It was not looked at before its time: then the store was open, or it is wrong.
        assert is_locked(daemon)
    daemon.end()


@case
def whoever_hangs_up_leaves_nothing_behind(room):
    daemon, token = by_passphrase(room)
    needs_root()
    before = daemon.descriptors()
    daemon.ask("Lock")
    with daemon.connect() as peer:
        peer.sendall(message("Unlock", {"passphrase": PASSPHRASE}))
        derives(daemon)
    end = time.monotonic() + 10
    while is_locked(daemon):
        assert time.monotonic() < end, "what was begun is not finished"
        time.sleep(0.01)
    assert daemon.token() == token
    daemon.ask("Lock")
    with daemon.connect() as peer:
        peer.sendall(message("Unlock", {"passphrase": "wrong"}))
        derives(daemon)
    with daemon.connect() as peer, daemon.connect() as half:
        # Its turn has not come yet when it hangs up.
        peer.sendall(message("Unlock", {"passphrase": PASSPHRASE}))
        time.sleep(1)
        peer.close()
        half.sendall(message("Unlock", {"passphrase": "wrong"}))
        half.shutdown(socket.SHUT_WR)
        reply = replies(half, 1)[0]
        # The mistakes of those who hung up count.
        assert reply["parameters"]["retry_after_ms"] >= 2000 and is_locked(daemon), reply
        assert is_closed(half, 5)
    daemon.must_rest()
    assert daemon.descriptors() == before
    daemon.call("Unlock", {"passphrase": PASSPHRASE})
    daemon.end()


@case
def a_peer_that_has_no_more_to_say_is_answered_late_all_the_same(room):
    daemon, _ = by_code(room)
    daemon.ask("Lock")
    for delay in (FIRST_DELAY, 2 * FIRST_DELAY):
        # The penalty of the one before has passed.
        with daemon.connect() as peer, timed(delay, delay + 1):
            peer.sendall(message("Unlock", {"recovery_code": WRONG_CODE}) + message("GetStatus"))
            peer.shutdown(socket.SHUT_WR)
            wrong, status = replies(peer, 2)
            assert error(wrong) == "WrongKey" and status["parameters"]["status"]
    daemon.end()


@case
def signals_in_the_middle_of_a_derivation_come_after_it(room):
    daemon, token = by_passphrase(room)
    unlock = message("Unlock", {"passphrase": PASSPHRASE})
    daemon.ask("Lock")
    with daemon.connect() as peer:
        peer.sendall(unlock)
        derives(daemon)
        daemon.signal(signal.SIGSTOP)
        time.sleep(0.3)
        daemon.signal(signal.SIGCONT)
        assert replies(peer, 1) == [{"parameters": {}}]
        assert daemon.token() == token
        daemon.ask("Lock")
        peer.sendall(unlock)
        derives(daemon)
        daemon.signal(signal.SIGUSR1)
        daemon.signal(signal.SIGHUP)
        assert is_locked(daemon), "nobody waits for it"
        assert replies(peer, 1) == [{"parameters": {}}]
        assert is_locked(daemon), "it was told to lock"
        with daemon.connect() as other:
            peer.sendall(unlock + unlock)
            derives(daemon)
            other.sendall(unlock)
            daemon.signal(signal.SIGTERM)
            assert replies(peer, 1) == [{"parameters": {}}]
            assert is_closed(peer, 5) and is_closed(other, 5)
    assert daemon.wait() == 0


@case
def an_end_does_not_wait_for_answers_that_are_held_back(room):
    daemon, _ = by_code(room)
    daemon.ask("Lock")
    with daemon.connect() as peer, daemon.connect() as next_one:
        peer.sendall(message("Unlock", {"recovery_code": WRONG_CODE}))
        next_one.sendall(message("Unlock", {"recovery_code": CODE}))
        time.sleep(0.1)
        with timed(0, 0.4):
            daemon.end()
        assert is_closed(peer, 1) and is_closed(next_one, 1)
    daemon = room.daemon(after=daemon)
    assert is_locked(daemon)
    daemon.end()


@case
def memory_that_cannot_be_had_is_said_and_counts_for_nothing(room):
    needs_root()
    daemon, token = by_passphrase(room)
    daemon.ask("Lock")
    with open(f"/proc/{daemon.pid}/statm") as file:
        size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    few = size + DERIVATION_BYTES // 2
    resource.prlimit(daemon.pid, resource.RLIMIT_AS, (few, resource.RLIM_INFINITY))
    for passphrase in (PASSPHRASE, "wrong") * 2:
        reply = daemon.ask("Unlock", passphrase=passphrase)
        assert error(reply) == "StoreFailed" and reply["parameters"]["errno"] == 12, reply
    assert is_locked(daemon)
    resource.prlimit(daemon.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    with timed(0, 5):
        daemon.call("Unlock", {"passphrase": PASSPHRASE})
    assert daemon.token() == token
    daemon.end()


@case
@alone
def hundreds_of_unlocks_do_not_make_it_grow(room):
    daemon, token = by_passphrase(room)
    daemon.call(ADD, {"kind": "recovery", "recovery_code": CODE})
    before = 0
    for number in range(320):
        daemon.ask("Lock")
        # One in sixteen by the passphrase, which costs half a second.
        daemon.call("Unlock", {"recovery_code": CODE} if number % 16 else
                    {"passphrase": PASSPHRASE})
        if number == 33:
            before = daemon.anonymous()
    grown = daemon.anonymous() - before
    assert grown < 256 << 10, f"{grown >> 10} KiB more after 286 unlocks"
    assert daemon.token() == token
    daemon.end()


@case
def records_of_keys_and_locks_hold_no_secret(room):
    log = room.path / "access"
    with open(log, "ab") as stream:
        daemon = room.daemon(verbose=True, stderr=stream)
    daemon.login()
    secrets = [PASSPHRASE, CODE, WRONG_CODE]
    code = daemon.call(f"{KEYS}.NewRecoveryCode")["recovery_code"]
    secrets.append(code)
    daemon.call(ADD, {"kind": "recovery", "recovery_code": code})
    daemon.call(ADD, {"kind": "passphrase", "passphrase": PASSPHRASE})
    for method, parameters in (
            (ADD, {"kind": PASSPHRASE}), (REMOVE, {"id": PASSPHRASE}), (REMOVE, {"id": CODE}),
            (ADD, {"kind": "recovery", "recovery_code": PASSPHRASE}), ("Lock", {PASSPHRASE: 1}),
            ("Lock", {}), (ROTATE, {}), ("Unlock", {}), ("Unlock", {PASSPHRASE: PASSPHRASE}),
            ("Unlock", {"passphrase": PASSPHRASE, "recovery_code": CODE}),
            ("Unlock", {"recovery_code": PASSPHRASE}), ("Unlock", {"recovery_code": WRONG_CODE}),
            (f"{INTERFACE}.{PASSPHRASE}", {}), ("Unlock", {"passphrase": PASSPHRASE}),
            ("Login", login_parameters(uid=PASSPHRASE)), (LIST, {}), (ROTATE, {})):
        reply = str(daemon.ask(method, **parameters))
        assert not any(secret in reply for secret in secrets), (method, parameters, reply)
    daemon.signal(signal.SIGUSR1)
    time.sleep(1.2)  # A record is written a second after its call at the latest.
    with daemon.connect() as peer:
        assert ask(peer, "GetStatus")["parameters"]["status"]["state"] == "locked"
    daemon.end()
    text = log.read_text(encoding="ascii")
    for secret in secrets:
        assert secret not in text and secret.replace("-", "") not in text, text
    for word in ("Account.Unlock verdict=wrong-key", "Account.Unlock verdict=answered",
                 "Account.Unlock verdict=locked", "Account.Unlock verdict=invalid",
                 "Keys.RemoveSlot verdict=refused", "Keys.Rotate verdict=locked",
                 "Keys.NewRecoveryCode verdict=answered", "Keys.AddSlot verdict=answered",
                 "told to lock the store: it is locked"):
        assert word in text, (word, text)
