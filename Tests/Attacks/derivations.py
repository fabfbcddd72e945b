"""Whoever makes the daemon derive keys: how many at a time, who waits for it, and for how long."""

import contextlib
import os
import pathlib
import re
import time

from cases import alone, case, needs_root
from users import READER, as_user, crowd
from wire import Refused, ask, error, message, replies

KEYS = "org.accountd.Keys"
PASSPHRASE = "made-up passphrase"
WRONG = message("Unlock", {"passphrase": "another passphrase"})
AT_ONCE = 100
# Of one derivation, and the daemon beside it.
MOST_MEMORY = 300 << 20
# Seconds at the most for a query meanwhile, on a machine that has other work.
SLOWEST = 0.25
# Argon2id alone takes longer than this with nobody else on the machine.
SHORTEST = 0.1
# How long a wrong one is held back, in milliseconds: twice as long each time, and 10 s.
DELAYS = [1000, 2000, 4000, 8000, 10_000, 10_000]


def _locked(room, **others):
    daemon = room.daemon(**others)
    daemon.login()
    daemon.call(f"{KEYS}.AddSlot", {"kind": "passphrase", "passphrase": PASSPHRASE})
    daemon.call("Lock")
    return daemon


def _peak(daemon):
    text = pathlib.Path(f"/proc/{daemon.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) << 10


def _guess(peer):
    """A wrong passphrase: when it was answered, and how long the next would be held back."""
    reply = ask(peer, "Unlock", {"passphrase": "another passphrase"})
    assert error(reply) == "WrongKey", reply
    return reply["parameters"]["retry_after_ms"]


@case
@alone
def two_hundred_unlocks_at_once_are_derived_one_at_a_time_and_hold_nobody_up(room):
    needs_root()
    daemon = _locked(room, user=READER)
    with contextlib.ExitStack() as held:
        # Of the daemon's own user, and of root.
        held.enter_context(crowd(daemon, READER, AT_ONCE, WRONG))
        own = [held.enter_context(daemon.connect()) for _ in range(AT_ONCE)]
        for peer in own:
            peer.sendall(WRONG)
        asking = held.enter_context(daemon.connect())
        times = []
        end = time.monotonic() + 5
        while time.monotonic() < end:
            start = time.monotonic()
            assert ask(asking, "GetStatus")["parameters"]["status"]["state"] == "locked"
            times.append(time.monotonic() - start)
            time.sleep(0.002)
        answered = as_user(READER, lambda: error(daemon.ask("GetToken")))
        assert answered == "Locked", answered
        times.sort()
        print(f"  {len(times)} queries meanwhile, p99 {times[len(times) * 99 // 100] * 1e3:.1f} ms; "
              f"at most {_peak(daemon) / 1e6:.0f} MB")
        assert times[len(times) * 9 // 10] < SLOWEST
        assert (256 << 20) < _peak(daemon) < MOST_MEMORY, "not one at a time"
    # Those who left are not waited for by whoever has the right one, but for what was begun.
    assert error(daemon.ask("Unlock", passphrase=PASSPHRASE)) == ""
    daemon.end()


@case
@alone
def wrong_passphrases_are_held_back_up_to_10_s_for_their_user_alone(room):
    needs_root()
    daemon = _locked(room, user=READER)

    def guess_all():
        found, start = [], time.monotonic()
        with daemon.connect(60) as peer:
            for _ in DELAYS[:-1]:
                found.append((_guess(peer), time.monotonic() - start))
        return found

    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(tell, repr(as_user(READER, guess_all)).encode())
        finally:
            os._exit(0)
    os.close(tell)
    with os.fdopen(told) as pipe:
        time.sleep(4)
        # By now the daemon's user waits for seconds; root does not.
        start = time.monotonic()
        with daemon.connect() as peer:
            assert _guess(peer) == DELAYS[0]
        took = time.monotonic() - start
        print(f"  another's first wrong one takes {took:.1f} s")
        found = eval(pipe.read(), {"__builtins__": {}})  # Numbers of our own child.
    os.waitpid(child, 0)
    assert [delay for delay, _ in found] == DELAYS[:-1], found
    waits = [after - before for (_, before), (_, after) in zip([(0, 0), *found], found)]
    print("  held back for", " ".join(f"{wait:.1f}" for wait in waits), "s")
    # The delay that was told is that of the next.
    for told, wait in zip([500, *DELAYS], waits):
        assert told / 1000 <= wait, (told, wait)
    assert took < DELAYS[1] / 1000 + 3
    # Whoever has the right one has to wait as long as any who guesses.
    start = time.monotonic()
    assert as_user(READER, lambda: error(daemon.ask("Unlock", passphrase=PASSPHRASE))) == ""
    assert time.monotonic() - start < 12
    daemon.end()
