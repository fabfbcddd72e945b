"""A real daemon beside the model of one: whatever is done to both must come out the same."""

import collections
import itertools
import json
import mmap
import os
import pathlib
import re
import select
import signal
import socket
import struct
import subprocess
import time

import disk
import peers
import wire
from connection import DENIED, TOO_LONG, Connection
from daemon import Daemon
from files import Registry
from holding import Holding
from replies import ACCOUNT_INTERFACE, Outcome
from service import Service
from streams import PATIENCE, Mismatch, cut, exchange, receive, shown, unread_bytes, wait_until
from unknown import is_same

DENIAL = {"error": "org.varlink.service.PermissionDenied", "parameters": {}}
# The test's own uid.
OWNER = 0
BARRIER = wire.message("Verify", {"x": 1})
RECORD = re.compile(r"access: uid=(\d+) pid=(\d+) exe=\S* method=(\S+) verdict=(\S+) count=(\d+)$")


def build_clock(directory):
    """The library that stops the daemon's clocks."""
    library = pathlib.Path(directory) / "clock.so"
    source = pathlib.Path(__file__).with_name("clock.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", source, "-o",
                    library], check=True)
    return library


class Peer:
    """A connection: the real one, and what the model knows of it."""

    def __init__(self, real, model):
        self.socket, self.model = real, model
        # Messages that were sent and wait for an answer that is held back, and that answer.
        self.queue, self.held = [], None
        # Whether the peer sends no more, and whether the daemon has closed the connection.
        self.ends = self.is_gone = False
        real.setblocking(False)


class World(Holding):
    """One daemon, its users and its store, from the first start to the end of a sequence.

    `kind`: the daemon's owner, whether it is verbose, when it locks the store by time, idle and in
    any case, and whether passphrases are cheap.
    """

    def __init__(self, programs, library, brokers, place, kind, base, service=Service):
        owner, verbose, lock_times, is_cheap = kind
        self.programs, self.brokers = programs, brokers
        self.place = pathlib.Path(place)
        self.owner, self.verbose = owner, verbose
        self.directory = self.place / "daemon"
        self.socket_path = self.place / "run" / "socket"
        self.socket_path.parent.mkdir()
        os.chown(self.socket_path.parent, owner, owner)
        self.registry = Registry()
        state = self.directory / "state"
        self.service = service(str(state), str(self.directory / "key"), owner,
                               programs.descriptions, lock_times)
        self.options = ["--readers", peers.READERS, "--observers", peers.OBSERVERS]
        for option, seconds in zip(("--lock-after-idle", "--lock-after"), lock_times):
            self.options += [] if seconds is None else [option, seconds]
        self.environment = {"LD_PRELOAD": str(library), "MODEL_CLOCK": str(self.place / "clock"),
                            **({"MODEL_CHEAP": "1"} if is_cheap else {})}
        self.service.realtime, self.service.boottime = base, 1_000_000
        self.disk = disk.Disk(state, self.directory / "key", owner, self.registry)
        self.clock_file = open(self.place / "clock", "w+b")
        self.clock_file.truncate(16)
        self.clock = mmap.mmap(self.clock_file.fileno(), 16)
        self.peers = {}
        # Recovery codes that the daemon has drawn.
        self.codes = set()
        self.control = self.daemon = None
        self.tally = collections.Counter()
        self.start()

    # MARK: The daemon's life

    def start(self):
        """Starts the daemon; the model reads its store."""
        self._set_clock()
        self.daemon = Daemon(
            self.programs.accountd, self.directory, *self.options, socket=self.socket_path,
            verbose=self.verbose, user=self.owner or None, environment=self.environment)
        self.service = self.service.copy()
        self.service.restart()
        self.tally.clear()
        self.records_are_known = True
        self.log_start = self.daemon.log.stat().st_size
        self.control = Peer(wire.connect(self.socket_path, PATIENCE),
                            Connection(peers.USERS["root"], 0))
        status = self._status()["parameters"]["status"]
        self.service.memory = status["memory"], status["locked_bytes"]
        if self.service.memory not in (("memfd_secret", 2 << 20), ("locked", 2 << 20)):
            raise Mismatch(f"memory is {self.service.memory}")
        self.probe()
        self.check_disk()

    def end(self, number=signal.SIGTERM, check=True, expected=0):
        """Ends the daemon, or waits for its end; its connections go with it."""
        if number is not None:
            self.daemon.signal(signal.SIGCONT)
            self.daemon.signal(number)
        status = self.daemon.wait(PATIENCE)
        expected = -signal.SIGKILL if number == signal.SIGKILL else expected
        if status != expected:
            raise Mismatch(f"exit status {status}: {self.daemon.errors()}")
        for name, peer in [*self.peers.items()]:
            self._must_be_closed(name, peer)
        self._must_be_closed("control", self.control)
        self.peers.clear()
        if check:
            self.check_disk()
        if number != signal.SIGKILL:
            if os.path.lexists(self.socket_path):
                raise Mismatch("the socket is there still after the end")
            self._check_log()

    def restart(self, how):
        """Ends the daemon and starts another one on the same store."""
        self.end(getattr(signal, how))
        self.start()

    def signal(self, name):
        """A signal that changes no file; SIGSTOP is followed by SIGCONT."""
        self.daemon.signal(getattr(signal, name))
        if name == "SIGUSR1":
            self.service.lock_store()
        self.daemon.signal(signal.SIGCONT)
        self.barrier()
        self.probe()

    def _check_log(self):
        with open(self.daemon.log, "rb") as log:
            log.seek(self.log_start)
            lines = log.read().decode(errors="replace").splitlines()
        if any("Fatal" in line or "crash" in line.lower() for line in lines):
            raise Mismatch(f"the daemon says: {lines[-1]}")
        found = collections.Counter()
        for line in lines:
            record = RECORD.search(line)
            if record and int(record[2]) in self._known_pids():
                found[int(record[1]), record[3], record[4]] += int(record[5])
        expected = self.tally if self.verbose else collections.Counter()
        if found != expected and self.records_are_known:
            raise Mismatch(f"access records differ: only the daemon has {found - expected}, "
                           f"only the model {expected - found}")

    def _known_pids(self):
        return {os.getpid(), *self.brokers.pids.values()}

    def discard(self):
        """Leaves nothing behind, whatever happened."""
        if self.daemon:
            self.daemon.kill()
        for peer in [*self.peers.values(), self.control]:
            if peer:
                peer.socket.close()
        self.clock.close()
        self.clock_file.close()

    # MARK: Time

    def _set_clock(self):
        self.clock[:] = struct.pack("=qq", self.service.realtime, self.service.boottime)

    def step_clock(self, seconds, milliseconds):
        """Sets the clock forth or back by seconds, while the boot clock goes on."""
        self.service.realtime += seconds
        self.service.boottime += milliseconds
        self._set_clock()
        self.service.lock_if_due()
        # The first wakes the loop, whose deadlines are met before it takes the second.
        self.barrier()
        for name, peer in [*self.peers.items()]:
            if peer.model.is_late(self.service.boottime):
                self.note(peer, None, "denied" if peer.model.role == "stranger" else "timed-out")
                peer.model.is_open = False
                self._must_be_closed(name, peer)
                del self.peers[name]
        self.let_go()

    # MARK: Connections

    @property
    def count(self):
        """Open connections, ours included."""
        return 1 + sum(not peer.is_gone for peer in self.peers.values())

    def connect(self, name, user):
        """A connection of that user."""
        who = peers.user(user, self.owner)
        real = self.brokers.connect(user, self.socket_path)
        self.peers[name] = Peer(real, Connection(who, self.service.boottime))
        self.probe()

    def close(self, name):
        """The peer goes."""
        self.peers.pop(name).socket.close()
        self.probe()

    def half_close(self, name):
        """The peer sends no more."""
        peer = self.peers.pop(name)
        peer.socket.shutdown(socket.SHUT_WR)
        self._must_be_closed(name, peer)
        self.probe()

    def _must_be_closed(self, name, peer):
        received, closed = receive(peer.socket, None)
        peer.socket.close()
        if not closed:
            raise Mismatch(f"connection {name} is not closed")
        if received:
            raise Mismatch(f"connection {name} got {received[:200]!r} before its end")

    # MARK: Calls

    def send(self, name, data, parts=1, ends=False):
        """Sends bytes, in parts; what comes back must be what the model says.

        `ends`: nothing more is sent then; what was asked is answered still.
        """
        self.make_way(data)
        if name not in self.peers or not self.release(name):
            return
        peer = self.peers[name]
        peer.queue += peer.model.take(data, self.service.boottime)
        peer.ends = ends
        expected = self.work(peer)
        closes = self.must_close(peer)
        peer.model.is_open = not closes
        received, closed = exchange(peer.socket, cut(data, parts),
                                    None if closes else len(expected), ends)
        self.finish(name, received, closed, expected)
        self.settle([peer])
        if closes:
            self.probe()
        elif ends:
            self.release(name)
        self.check_disk()

    def last_words(self, name, data, parts):
        """Sends, and shuts the sending side down."""
        self.send(name, data, parts, ends=True)

    def hit_and_run(self, name, data):
        """Asks for a change and goes: it is done, and recorded, all the same."""
        peer = self.peers[name]
        self.answer(peer, peer.model.take(data, self.service.boottime))
        exchange(peer.socket, [data], 0)
        self.peers.pop(name).socket.close()
        # The first may be heard before the change: a poller reports who was heard before first.
        self.barrier()
        self.barrier()
        self.probe()
        self.check_disk()

    def second_daemon(self):
        """Another daemon for the same store says who holds it, and ends."""
        if not self.service.files.is_followed:
            # It would hold the directory that has come into the place of the first one's.
            return
        other = Daemon(self.programs.accountd, self.directory, state=self.directory / "state",
                       socket=self.socket_path.with_name("other"), must_start=False,
                       user=self.owner or None)
        expected = f"process {self.daemon.pid} holds the store {self.directory}/state already"
        other.kill()
        if other.ready != expected:
            raise Mismatch(f"a second daemon says {other.ready!r} and not {expected!r}")
        self.check_disk()

    def socket_gone(self):
        """A daemon whose socket is taken away ends, so that another can be made."""
        os.unlink(self.socket_path)
        self.end(None, expected=1)
        self.start()

    def answer(self, peer, units):
        """What the model answers to messages of a peer, up to the one that ends the connection."""
        outcomes = []
        for unit in units:
            outcome = self.answer_one(self.service, peer, unit)
            if outcome.kind == "wait":
                break
            self.note(peer, outcome.method, outcome.verdict)
            outcomes.append(outcome)
            if outcome.kind == "close" or unit is DENIED:
                peer.model.is_open = False
                break
        return outcomes

    def answer_one(self, service, peer, unit):
        """What a model answers to one message."""
        if unit is DENIED:
            return Outcome("reply", DENIAL, None, "denied")
        if unit is TOO_LONG:
            return Outcome("close", None, None, "too-large")
        return service.handle(unit, peer.model.role, self.count, peer.model.user.uid)

    def note(self, peer, method, verdict):
        """Counts what must stand in the access records."""
        self.tally[peer.model.user.uid, method or "unknown", verdict] += 1

    def note_codes(self, replies):
        """Recovery codes come once each."""
        for reply in replies:
            if reply.startswith(b'{"parameters":{"recovery_code":'):
                if reply in self.codes:
                    raise Mismatch("a recovery code was drawn twice")
                self.codes.add(reply)

    def compare(self, name, received, expected):
        """Replies as they came against those of the model: names, values and their order."""
        *whole, rest = received.split(b"\0")
        if rest:
            raise Mismatch(f"connection {name} got a part of a reply: {rest[:300]!r}")
        for real, model in itertools.zip_longest(whole, expected):
            if real is None or model is None or not is_same(real, model):
                raise Mismatch(f"connection {name} was answered\n  {shown(real)}\nand not\n"
                               f"  {shown(model)}")
        self.note_codes(whole)

    # MARK: Settling

    def settle(self, written):
        """Waits until all that was sent is done, and sees that nobody was told anything else."""
        for peer in written:
            if peer.held:
                # It takes no more for now. The first may be heard before what was sent.
                self.barrier()
            elif peer.model.is_open:
                wait_until(lambda peer=peer: unread_bytes(peer.socket) == 0,
                           "the daemon does not take what was sent")
        self.barrier()
        for name, peer in self.peers.items():
            if peer.model.is_open and select.select([peer.socket], [], [], 0)[0]:
                received, closed = receive(peer.socket, 1)
                raise Mismatch(f"connection {name} unasked: {received[:300]!r}"
                               f"{', and was closed' if closed else ''}")

    def barrier(self):
        """A change that is refused, once those before it are done."""
        reply = self.ask_control("Verify", BARRIER)
        self.tally[OWNER, f"{ACCOUNT_INTERFACE}.Verify", "invalid"] += 1
        if json.loads(reply)["parameters"] != {"parameter": "x"}:
            raise Mismatch(f"the barrier was answered with {reply!r}")

    def ask_control(self, method, message=None):
        """Asks on the connection of the test's own: the reply's text."""
        received, closed = exchange(self.control.socket, [message or wire.message(method)], 1)
        if closed or not received:
            raise Mismatch(f"the daemon does not answer: {self.daemon.errors()}")
        return received[:-1]

    def note_control(self, method, outcome):
        """Counts what was asked there."""
        self.note(self.control, f"{ACCOUNT_INTERFACE}.{method}", outcome.verdict)

    def export(self, service):
        """What a model answers to an Export."""
        return service.handle(wire.message("Export")[:-1], "owner", self.count)

    def forget_account(self):
        """Logs out, as the model does, whoever is logged in."""
        outcome = self.service.handle(wire.message("Logout")[:-1], "owner", self.count)
        found = self.ask_control("Logout")
        self.note_control("Logout", outcome)
        self.compare("control", found + b"\0", [outcome.reply])

    def _status(self):
        self.tally[OWNER, f"{ACCOUNT_INTERFACE}.GetStatus", "answered"] += 1
        return json.loads(self.ask_control("GetStatus"))

    def probe(self):
        """The whole status, once the daemon has seen who came and who went."""
        expected = {"parameters": {"status": self.service.status("owner", self.count)}}
        deadline = time.monotonic() + PATIENCE
        while (found := self._status()) != expected:
            differs = found.get("parameters", {}).get("status", {})
            if time.monotonic() > deadline or (
                    {**differs, "connections": self.count} != expected["parameters"]["status"]):
                raise Mismatch(f"the status is\n  {found}\nand not\n  {expected}")
            time.sleep(0.001)

    def check_disk(self):
        """The files are those of the model, byte for byte, and those that are new are bound."""
        fault = self.disk.adopt(self.service.files)
        if fault:
            raise Mismatch(f"on the disk: {fault}")
