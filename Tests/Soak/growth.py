"""All that a daemon holds while nobody asks for anything: what must not grow."""

import collections
import os
import pathlib
import re
import select
import struct
import subprocess

import programs
import wire

# Half-sent messages that take all secret memory that the owner may have: what is lost of it is one
# less that fits. Small ones find small losses.
FILL_BYTES = 4000
MAXIMUM_FILL = 1000
ANONYMOUS, DIRTY, HEAP = "anonymous memory, bytes", "private dirty memory, bytes", "heap, bytes"
MEMORY = (ANONYMOUS, DIRTY, HEAP)


class HeapCounts:
    """What the daemon has allocated and not given back, counted by a library of our own."""

    def __init__(self, directory):
        self.library, self.path = directory / "heap.so", directory / "heap-counts"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror",
                        pathlib.Path(__file__).with_name("heap.c"), "-o", self.library], check=True)
        self.path.write_bytes(bytes(16))
        self.environment = {"LD_PRELOAD": str(self.library), "HEAP_COUNTS": str(self.path)}

    def read(self):
        """(bytes, blocks)."""
        return struct.unpack("=qq", self.path.read_bytes())


class Holdings:
    """Taken once; `growth` is what another one has more."""

    def __init__(self, daemon, heap):
        in_use = heap.read()
        memory = programs.memory(daemon.pid)
        mappings = _mappings(daemon.pid)
        descriptors = programs.descriptors(daemon.pid)
        self.counts = {
            "allocated and in use, bytes": in_use[0],
            "allocated and in use, blocks": in_use[1],
            ANONYMOUS: memory["Anonymous"],
            DIRTY: memory["Private_Dirty"],
            HEAP: sum(size for name, size in mappings if name == "[heap]"),
            "writable mappings without a file": sum(not name for name, _ in mappings),
            "their bytes": sum(size for name, size in mappings if not name),
            "mappings in all": len(mappings),
            "descriptors": len(descriptors),
            "threads": len(os.listdir(f"/proc/{daemon.pid}/task")),
            "timers": _timers(daemon.pid, descriptors),
            "connections": daemon.status()["connections"],
            "files in the store": len(os.listdir(daemon.state))}
        # Numbers of sockets and pipes differ from one to the next; there are none but those.
        self.descriptors = collections.Counter(
            re.sub(r":\[\d+\]", "", target) for target in descriptors.values())
        self.files = set(os.listdir(daemon.state))

    def growth(self, later, memory):
        """What is more, or other, in a later one: sentences; none is good.

        `memory`: bytes by which that may have grown.
        """
        found = [f"{name}: {before:,} before, {later.counts[name]:,} after"
                 for name, before in self.counts.items()
                 if later.counts[name] > before + (memory if name in MEMORY else 0)]
        if self.descriptors != later.descriptors:
            found.append(f"descriptors: {dict(self.descriptors)} before, "
                         f"{dict(later.descriptors)} after")
        if self.files != later.files:
            found.append(f"files: {sorted(self.files)} before, {sorted(later.files)} after")
        return found


def _mappings(pid):
    """(name, bytes) of those that may be written to."""
    found = []
    for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
        place, rights, _, _, _, *name = line.split(maxsplit=5)
        start, end = (int(part, 16) for part in place.split("-"))
        if "w" in rights:
            found.append((name[0] if name else "", end - start))
    return found


def _timers(pid, descriptors):
    """Timers of any kind: of descriptors, and the process's own."""
    own = pathlib.Path(f"/proc/{pid}/timers").read_text().count("ID:")
    return own + sum(target == "anon_inode:[timerfd]" for target in descriptors.values())


def room_for_owner(daemon):
    """How many half-sent messages of the owner its secret memory takes before it refuses one."""
    peers, closed = [], 0
    try:
        while not closed and len(peers) < MAXIMUM_FILL:
            peer = daemon.connect()
            peers.append(peer)
            peer.sendall(b" " * FILL_BYTES)
            # An answer to somebody else says that the bytes before it were taken.
            daemon.status()
            closed = sum(_is_closed(each) for each in peers)
        return len(peers) - closed
    finally:
        for peer in peers:
            peer.close()


def _is_closed(peer):
    if not select.select([peer], [], [], 0)[0]:
        return False
    try:
        return peer.recv(1) == b""
    except ConnectionResetError:
        return True


def wait_for_rest(daemon, seconds=10):
    """Until the daemon has seen everybody go."""
    with daemon.connect() as peer:
        for _ in range(int(seconds / 0.01)):
            if wire.ask(peer, "GetStatus")["parameters"]["status"]["connections"] == 1:
                return
            select.select([], [], [], 0.01)
    raise AssertionError("connections that were closed are still counted")
