"""As many connections of as many users as there may be, and how those fare who ask meanwhile."""

import contextlib
import statistics
import time

import programs
from cases import alone, case, needs_descriptors, needs_root
from users import READER, crowd
from wire import ask, message

# 4096 connections but for the 64 that are kept for the owner. docs/PROTOCOL.md, "Limits"
USERS, EACH, LAST = 31, 128, 64
OWN = 60
# Of each user's connections: 1000 or so in all.
SLOW = 32
ROUNDS, QUERIES = 7, 300
# Milliseconds at the 99th percentile beyond what the same query takes at an idle daemon, by turns:
# what else the machine does slows both.
BOUND = 5


def percentile(times):
    return sorted(times)[len(times) * 99 // 100] * 1000


@case
@alone
def a_thousand_slow_senders_among_4096_connections_of_many_users_hold_nobody_up(room):
    needs_root()
    needs_descriptors(4300)
    crowded, idle = (room.daemon("--readers", str(READER)) for _ in range(2))
    token = crowded.login()
    idle.login(token)
    with contextlib.ExitStack() as held:
        for number in range(USERS):
            held.enter_context(crowd(crowded, 65_100 + number, EACH, b"{", dripping=SLOW))
        held.enter_context(crowd(crowded, 65_100 + USERS, LAST, b"{"))
        own = [held.enter_context(crowded.connect()) for _ in range(OWN)]
        asking, yardstick = crowded.connect(), idle.connect()
        count = ask(asking, "GetStatus")["parameters"]["status"]["connections"]
        assert count == USERS * EACH + LAST + OWN + 1, count
        # Those who send slowly do send.
        heard = programs.busy_seconds(crowded.pid)
        time.sleep(0.5)
        assert programs.busy_seconds(crowded.pid) > heard
        call = message("GetToken")
        found = []
        for _ in range(ROUNDS):
            times = {asking: [], yardstick: []}
            for _ in range(QUERIES):
                for peer, taken in times.items():
                    start = time.perf_counter()
                    peer.sendall(call)
                    assert token.encode() in peer.recv(65_536)
                    taken.append(time.perf_counter() - start)
            found.append((percentile(times[asking]), percentile(times[yardstick])))
        beyond = statistics.median(mine - other for mine, other in found)
        print("p99 among 4,096 connections: {:.2f} ms; idle: {:.2f} ms".format(
            *(statistics.median(each) for each in zip(*found))))
        assert beyond < BOUND, f"p99 is {beyond:.1f} ms beyond an idle daemon's: {found}"
        # New ones of others come in while there is room, and the crowd is still there.
        crowded.status()
        for peer in own:
            peer.close()
        count = ask(asking, "GetStatus")["parameters"]["status"]["connections"]
        assert count >= USERS * EACH, f"{count}: those that sent in time were closed"
    asking.close()
    yardstick.close()
    crowded.end(within=5)
    idle.end()
