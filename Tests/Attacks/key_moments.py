"""Unlocks that are cut off, signalled or starved in the middle, and what is left of them."""

import os
import resource
import signal
import socket
import time

from cases import alone, case, needs_root
from keys import (ADD, CODE, DERIVATION_BYTES, LIST, PASSPHRASE, REMOVE, ROTATE, WRONG_CODE,
                  by_code, by_passphrase, derives, is_locked, timed)
from wire import INTERFACE, KEYS, ask, error, is_closed, login_parameters, message, replies


@case
def whoever_hangs_up_leaves_nothing_behind(room):
    daemon, token = by_passphrase(room)
    needs_root()
    daemon.must_rest()
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
        # It hangs up before its turn, which comes half a second after the wrong answer at the
        # earliest.
        peer.sendall(message("Unlock", {"passphrase": PASSPHRASE}))
        time.sleep(0.3)
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
    assert daemon.ask("Unlock", passphrase="wrong")["parameters"] == {"retry_after_ms": 1000}
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
        # One in 32 by the passphrase, which costs half a second.
        daemon.call("Unlock", {"recovery_code": CODE} if number % 32 else
                    {"passphrase": PASSPHRASE})
        if number == 65:
            before = daemon.anonymous()
    grown = daemon.anonymous() - before
    assert grown < 256 << 10, f"{grown >> 10} KiB more after 254 unlocks"
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
