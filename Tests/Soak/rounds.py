"""What one round of the soak does: a piece of everything, so that a few rounds are a warm-up."""

import socket
import time

import wire
from load import (
    BLOCK_BYTES, BLOCKS, CHANGE_BLOCKS, CHANGES_AT_ONCE, CLOSINGS, SAMPLED, Wrong, exchange)

PLAIN = wire.message("GetToken")
DENIED = b'{"error":"org.varlink.service.PermissionDenied","parameters":{}}\0'
HALF_SENT_SECONDS, STRANGER_SECONDS = 30, 1
# What a round has of each kind, for each thousand of its calls.
BLOCKS_OF = {"owner": 1.4, "reader": 0.5, "observer": 0.3}
PLAIN_QUERIES, CONNECTIONS, ABANDONED, CLOSED, STRANGERS = 40, 30, 5, 3, 2
UNREAD = 0.2
# At any time, of all kinds.
LASTING = 40
USERS = {"owner": "root", "reader": "reader", "observer": "observer"}


class Rounds:
    """Does rounds to one daemon, and counts what it did."""

    def __init__(self, daemon, brokers, mix):
        self.daemon, self.brokers, self.mix = daemon, brokers, mix
        self.counts = dict.fromkeys((
            "calls", "pipelined", "errors", "unanswered by wish", "connect, call, close",
            "half-sent and abandoned", "closed by the daemon", "strangers", "unread", "logins",
            "other changes", "expired tokens", "timed out"), 0)
        self.lasting = []
        self.turn = 0
        mix.prepare()

    def connect(self, user):
        """A connection of that user."""
        peer = self.brokers.connect(user, self.daemon.socket)
        peer.settimeout(60)
        return peer

    def round(self, thousands, changes):
        """So many thousand calls, and so many changes."""
        self.turn += 1
        with self.connect("root") as owner:
            self.change(owner, self.mix.login())
            self.pipelined(thousands)
            self.plain(owner, int(PLAIN_QUERIES * thousands))
            self.connections(int(CONNECTIONS * thousands))
            self.abandoned(int(ABANDONED * thousands))
            self.closed(int(CLOSED * thousands))
            self.strangers(max(1, int(STRANGERS * thousands)))
            self.unread(max(1, int(UNREAD * thousands)))
            self.last()
            for number in range(changes // CHANGES_AT_ONCE):
                self.change(owner, self.mix.change_blocks[
                    (number + self.turn * 7) % CHANGE_BLOCKS])
            self.expire(owner)
            self.change(owner, self.mix.login())
        self.look_at_lasting()

    def count(self, block):
        """Counts a block's calls."""
        self.counts["calls"] += block.calls
        self.counts["errors"] += sum(error is not None for error in block.errors)
        self.counts["unanswered by wish"] += block.calls - len(block.errors)

    def change(self, peer, block):
        """Sends changes at once, each of which is answered."""
        block.check(exchange(peer, block.text, len(block.errors)), True)
        self.count(block)
        self.counts["logins"] += block.logins
        self.counts["other changes"] += block.calls - block.logins

    def pipelined(self, thousands):
        """Blocks of 64 KiB, on connections that are kept for the round."""
        for role, share in BLOCKS_OF.items():
            with self.connect(USERS[role]) as peer:
                for number in range(max(1, int(share * thousands))):
                    block = self.mix.blocks[role][(number + self.turn) % BLOCKS]
                    block.check(exchange(peer, block.text, len(block.errors)),
                                number % SAMPLED == 0)
                    self.count(block)
                    self.counts["pipelined"] += block.calls

    def plain(self, peer, count):
        """The query that nearly every one is, one after the other."""
        wanted = None
        for _ in range(count):
            reply = exchange(peer, PLAIN, 1)
            if wanted not in (None, reply):
                raise Wrong(f"{reply!r} and not {wanted!r}")
            wanted = reply
        self.counts["calls"] += count

    def connections(self, count):
        """Connect, ask, close, by users in turn."""
        for number in range(count):
            role = ("owner", "owner", "reader", "observer")[number % 4]
            with self.connect(USERS[role]) as peer:
                reply = exchange(peer, wire.message("CheckExpiry"), 1)
                if not reply.startswith(b'{"parameters":{"valid":true,'):
                    raise Wrong(f"CheckExpiry was answered {reply!r}")
        self.counts["connect, call, close"] += count
        self.counts["calls"] += count

    def abandoned(self, count):
        """A part of a message, then nothing more."""
        for number in range(count):
            with self.connect(USERS[("owner", "reader")[number % 2]]) as peer:
                peer.sendall(PLAIN[:-1] + b" " * (number * 37 % 4000))
        self.counts["half-sent and abandoned"] += count

    def closed(self, count):
        """What is no call ends the connection."""
        for number in range(count):
            with self.connect("root") as peer:
                try:
                    peer.sendall(self.mix.closings[number % CLOSINGS])
                    if peer.recv(1):
                        raise Wrong("what is no call was answered")
                except (ConnectionResetError, BrokenPipeError):
                    pass
        self.counts["closed by the daemon"] += count

    def strangers(self, count):
        """Each is told once, or says nothing and is closed after a second."""
        for _ in range(count):
            with self.connect("stranger") as peer:
                peer.sendall(PLAIN)
                if (reply := peer.recv(4096)) != DENIED:
                    raise Wrong(f"a stranger was answered {reply!r}")
        self.lasting.append((self.connect("stranger"), time.monotonic() + STRANGER_SECONDS))
        self.counts["strangers"] += count + 1
        self.counts["calls"] += count

    def unread(self, count):
        """Replies that nobody takes."""
        for _ in range(count):
            with self.connect("root") as peer:
                peer.setblocking(False)
                try:
                    for block in self.mix.blocks["owner"]:
                        peer.send(block.text[:BLOCK_BYTES])
                except BlockingIOError:
                    pass
        self.counts["unread"] += count

    def last(self):
        """Half-sent messages that are left until the daemon has had enough of them."""
        while len(self.lasting) < LASTING:
            peer = self.connect("reader")
            peer.sendall(PLAIN[:20])
            self.lasting.append((peer, time.monotonic() + HALF_SENT_SECONDS))

    def look_at_lasting(self, wait=False):
        """Those whose time is up must be closed."""
        for peer, end in self.lasting[:]:
            left = end + 1 - time.monotonic()
            if left > 0 and not wait:
                continue
            time.sleep(max(0, left))
            peer.settimeout(10)
            try:
                if peer.recv(1):
                    raise Wrong("somebody who sent no call was answered")
            except ConnectionResetError:
                pass
            except socket.timeout:
                raise Wrong("a connection outlives its time") from None
            peer.close()
            self.lasting.remove((peer, end))
            self.counts["timed out"] += 1

    def drop_lasting(self):
        """Closes those whose time is not up."""
        for peer, _ in self.lasting:
            peer.close()
        self.lasting.clear()

    def expire(self, peer):
        """A token is good, and a second later it is not."""
        login = wire.message("Login", {
            "access_token": "2.00brief", "uid": "20", "expires_in": 1, "replace": True})
        exchange(peer, login, 1)
        deadline = time.monotonic() + 5
        while b"TokenExpired" not in exchange(peer, PLAIN, 1):
            if time.monotonic() > deadline:
                raise Wrong("a token of one second does not expire")
            time.sleep(0.05)
        self.counts["logins"] += 1
        self.counts["expired tokens"] += 1
        self.counts["calls"] += 2
