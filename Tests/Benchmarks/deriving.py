"""What others notice while the daemon makes a key of a passphrase, and what is left of its memory.

Argon2id takes most of a second of one processor and 256 MiB, on the daemon's one worker. The
queries go to the loop meanwhile: GetToken while a passphrase is added, GetStatus while one that is
wrong is tried on a locked store. Each is compared with the same load at the same daemon at rest.
"""

import contextlib
import re
import statistics
import threading
import time

import programs
import wire
from daemon import Daemon
from figures import median_ratio

KEYS = "org.accountd.Keys"
CONNECTIONS, QUERIES = 16, 20_000
# Argon2id's: 3 passes over as much.
DERIVATION_BYTES = 256 << 20
# By then it is at work.
BEGUN_SECONDS = 0.05
PASSPHRASE = "made-up passphrase"


class Deriving:
    """The figures of one daemon, added to a bench."""

    def __init__(self, bench):
        self.bench = bench
        self.rounds = 5 if bench.options.quick else 15
        self.derivations = 10 if bench.options.quick else 50

    def run(self):
        """In a daemon of its own."""
        with Daemon(self.bench.daemon_program, self.bench.directory / "deriving") as daemon:
            daemon.login(self.bench.token)
            self.queries_of_others(daemon)
            self.memory(daemon)

    # MARK: Queries

    def queries_of_others(self, daemon):
        """By turns with the same daemon at rest."""
        keep = {"kind": "passphrase", "passphrase": PASSPHRASE, "keep_keyfile": True}

        def add():
            slot = daemon.call(f"{KEYS}.AddSlot", keep)["slot"]
            daemon.call(f"{KEYS}.RemoveSlot", {"id": slot["id"], "rotate": False})

        self.compare(daemon, "GetToken", add, ())
        daemon.call(f"{KEYS}.AddSlot", {"kind": "passphrase", "passphrase": PASSPHRASE})
        daemon.call("Lock")
        calls = self.bench.directory / "status.jsonl"
        calls.write_bytes(wire.message("GetStatus").rstrip(b"\0") + b"\n")

        def guess():
            with contextlib.suppress(wire.Refused):
                daemon.call("Unlock", {"passphrase": "another one"})
            # The right one, so that the next wrong one is not held back for long.
            daemon.call("Unlock", {"passphrase": PASSPHRASE})
            daemon.call("Lock")

        self.compare(daemon, "GetStatus", guess, ("--messages", calls, "--any-reply"))

    def compare(self, daemon, method, derive, words):
        """The load alone, and with a derivation at work throughout."""
        def load():
            return self.bench.load(daemon.socket, daemon.pid, CONNECTIONS, QUERIES, *words)

        pairs = []
        for _ in range(self.rounds):
            at_rest = load()
            thread = threading.Thread(target=derive)
            thread.start()
            time.sleep(BEGUN_SECONDS)
            pairs.append((load(), at_rest))
            thread.join()
        both = [[run["p99_us"] for run in side] for side in zip(*pairs)]
        rates = [statistics.median(run["qps"] for run in side) for side in zip(*pairs)]
        self.bench.add(
            f"p99 of {method} while a passphrase is made a key, {CONNECTIONS} connections", "at rest",
            median_ratio(zip(*both)),
            note=f"{statistics.median(both[0]):.0f} µs against {statistics.median(both[1]):.0f} µs, "
                 f"{rates[0]:,.0f} a second against {rates[1]:,.0f}")

    # MARK: Memory

    def memory(self, daemon):
        """Of a daemon that has derived once, and after many times more."""
        def derive():
            daemon.call("Unlock", {"passphrase": PASSPHRASE})
            daemon.call("Lock")

        derive()
        before = programs.memory(daemon.pid)
        largest = largest_mapping(daemon.pid)
        for _ in range(self.derivations):
            derive()
        growth = programs.memory(daemon.pid)["own"] - before["own"]
        peak = peak_bytes(daemon.pid)
        self.bench.add(f"growth after {self.derivations} derivations", "", growth, 0, 64 << 10,
                       unit="bytes", note=f"own memory before: {before['own'] >> 10} KiB")
        self.bench.add("largest anonymous mapping after a derivation", "", largest, None,
                       DERIVATION_BYTES // 2, unit="MB")
        self.bench.add("most memory at any time", "", peak, None, 300 << 20, unit="MB")


def peak_bytes(pid):
    """The most that was resident at any time. proc(5)"""
    with open(f"/proc/{pid}/status", encoding="utf-8") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read())[1]) << 10


def largest_mapping(pid):
    """Bytes that are resident of the anonymous mapping that has the most. proc(5)"""
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as smaps:
        return max(int(found) << 10
                   for found in re.findall(r"^Anonymous:\s+(\d+) kB", smaps.read(), re.MULTILINE))
