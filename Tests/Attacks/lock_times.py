"""The times after which a store is locked: odd ones, clocks that are set, and use that is none."""

import signal
import time

from cases import case
from clocks import ShiftedClock
from keys import CODE, LIST, by_code, is_locked
from wire import KEYS, error, message, replies

YEAR = 31_556_952
HUGE = ("9223372036854775807s", "106751991167300d", "153722867280912930m", "2562047788015215h")
BAD = ("0s", "0", "-1s", "-5m", "", "x", "1.5s", "1e3s", "5 s", "9223372036854775808s",
       "99999999999999999999d", "1y", "s", "+1s", "0x10s", "\u0661s", "1s\n")


@case
def times_that_are_none_are_refused_at_the_start(room):
    for option in ("--lock-after", "--lock-after-idle"):
        for text in BAD:
            for words in ([option, text], [f"{option}={text}"]):
                daemon = room.daemon(*words, must_start=False)
                assert daemon.ready != "ready", f"{words} starts it"
                assert daemon.wait() == 2 and option in daemon.errors(), (words, daemon.errors())


@case
def times_of_many_years_do_not_lock_at_once(room):
    for text in HUGE:
        daemon, token = by_code(room, "--lock-after", text, "--lock-after-idle", text)
        time.sleep(0.1)
        assert daemon.token() == token and not is_locked(daemon), text
        daemon.must_rest(0.2)
        daemon.end()


@case
def only_use_keeps_a_store_open_and_no_clock_that_is_set_does(room):
    clock = ShiftedClock(room)
    daemon, token = by_code(room, "--lock-after-idle", "1s", environment=clock.environment)
    # Use.
    end = time.monotonic() + 2.2
    shifts = [10 * YEAR, -10 * YEAR, 1 << 40, 0] * 8
    while time.monotonic() < end:
        clock.set(shifts.pop())
        reply = daemon.ask("GetToken", min_validity=0)
        assert error(reply) in ("", "TokenExpired"), reply
        if error(reply):
            daemon.call("GetAccount")
        time.sleep(0.2)
    clock.set(0)
    assert daemon.token() == token
    # No use.
    start = time.monotonic()
    polls = 0
    while not is_locked(daemon):
        reply = daemon.ask("CheckExpiry")
        assert error(reply) in ("", "Locked"), reply
        daemon.call(LIST)
        daemon.call(f"{KEYS}.NewRecoveryCode")
        daemon.ask("GetToken", nonsense=1)
        daemon.ask("GetToken", min_validity=-1)
        clock.set(-10 * YEAR if polls % 2 else 10 * YEAR)
        polls += 1
        assert time.monotonic() < start + 5, f"{polls} polls keep it open"
        time.sleep(0.02)
    took = time.monotonic() - start
    assert took > 0.8, f"it was locked {took:.2f} s after it was used"
    clock.set(0)
    assert error(daemon.ask("GetToken")) == error(daemon.ask("CheckExpiry")) == "Locked"
    daemon.must_rest()
    daemon.call("Unlock", {"recovery_code": CODE})
    assert daemon.token() == token
    daemon.end()


@case
def use_does_not_put_off_the_time_after_an_unlock(room):
    daemon, token = by_code(room, "--lock-after", "2s", "--lock-after-idle", "10s")
    daemon.ask("Lock")
    daemon.call("Unlock", {"recovery_code": CODE})
    start = time.monotonic()
    while error(reply := daemon.ask("GetToken")) == "":
        assert reply["parameters"]["access_token"] == token
        # An unlock of a store that is open is none.
        daemon.call("Unlock", {"recovery_code": CODE})
        assert time.monotonic() < start + 5, "it stays open"
        time.sleep(0.02)
    took = time.monotonic() - start
    assert error(reply) == "Locked" and 1.9 < took, (reply, took)
    daemon.end()


@case
def what_is_asked_after_the_time_is_not_answered_however_late_the_daemon_wakes_up(room):
    daemon, _ = by_code(room, "--lock-after-idle", "1s")
    with daemon.connect() as peer:
        for words in (message("GetToken"), message("Export"), message("GetAccount")):
            daemon.ask("Unlock", recovery_code=CODE)
            peer.sendall(message("GetToken"))
            assert error(replies(peer, 1)[0]) == ""
            daemon.signal(signal.SIGSTOP)
            time.sleep(1.3)
            peer.sendall(words)
            daemon.signal(signal.SIGCONT)
            assert error(replies(peer, 1)[0]) == "Locked", words
    daemon.end()


@case
def a_store_that_opens_by_itself_is_not_locked_by_a_time(room):
    daemon = room.daemon("--lock-after-idle", "1s", "--lock-after", "1s")
    token = daemon.login()
    time.sleep(1.3)
    assert daemon.token() == token
    daemon.must_rest(1)
    daemon.signal(signal.SIGUSR1)
    assert error(daemon.ask("Lock")) == "OpensByItself" and daemon.token() == token
    # As soon as it can be locked it is, and what opens it by itself does so when it is asked.
    daemon.call(f"{KEYS}.AddSlot", {"kind": "recovery", "recovery_code": CODE})
    end = time.monotonic() + 4
    while not is_locked(daemon):
        assert time.monotonic() < end, "it is not locked"
        time.sleep(0.02)
    assert error(daemon.ask("GetToken")) == "Locked"
    daemon.must_rest()
    daemon.call("Unlock")
    assert daemon.token() == token
    daemon.end()
