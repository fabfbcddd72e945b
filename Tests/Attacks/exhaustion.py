"""Too few descriptors, too little secret memory, and what many calls leave behind."""

import resource
import subprocess
import time

from cases import case, needs_root
from users import READER, crowd
from wire import LOGIN, Closed, ask


@case
def few_descriptors_leave_room_for_the_owner_and_the_disk(room):
    needs_root()

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))

    daemon = room.daemon("--readers", str(READER), prepare=few)
    with crowd(daemon, READER, 200):
        assert "account" in daemon.ask("Login", **LOGIN)["parameters"]
    peers = [daemon.connect() for _ in range(250)]
    time.sleep(0.2)
    daemon.must_rest(1)
    assert "account" in ask(peers[0], "Login", LOGIN)["parameters"]
    for peer in peers:
        peer.close()
    daemon.status()
    daemon.end()


@case
def no_descriptor_at_all_is_no_reason_to_spin(room):
    needs_root()
    daemon = room.daemon()
    before = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (5, before[1]))
    peers = [daemon.connect() for _ in range(3)]
    daemon.must_rest(1)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, before)
    for peer in peers[1:]:
        try:
            ask(peer, "GetStatus")
        except (Closed, OSError):
            pass  # Refused by means of the spare descriptor.
    daemon.status()
    daemon.end()


@case
def full_secret_memory_leaves_the_account_usable(room):
    daemon = room.daemon("--readers", str(READER))
    daemon.ask("Login", **LOGIN)
    with crowd(daemon, 65_510, 100, b"x" * 4000), crowd(daemon, 65_511, 100, b"x" * 4000):
        peers = []
        for size in (60_000, 30_000, 15_000, 7000, 3000, 1500, 700, 300, 100, 50):
            for _ in range(60):
                peers.append(daemon.connect())
                peers[-1].sendall(b"{" + b" " * size)
        for method, parameters in (("GetToken", {}), ("Login", LOGIN), ("Export", {}),
                                   ("Verify", {}), ("GetAccount", {})):
            reply = daemon.ask(method, **parameters)
            assert "error" not in reply, reply
    daemon.end()


@case
def a_storm_of_calls_leaves_no_memory_behind(room):
    daemon = room.daemon(verbose=True, stderr=subprocess.DEVNULL)
    daemon.ask("Login", **LOGIN)

    def storm(count):
        for number in range(count):
            with daemon.connect() as peer:
                ask(peer, ("GetToken", "GetAccount", "Verify", "Export", "Nothing")[number % 5])

    storm(300)
    before = daemon.anonymous()
    storm(1500)
    time.sleep(1.2)
    more = daemon.anonymous() - before
    assert more < 512 << 10, f"{more >> 10} KiB more"
    daemon.must_rest()
    daemon.end()
