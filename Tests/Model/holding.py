"""Answers that the daemon holds back, and calls that it looks at later: the model's side of them.

Whoever gives a wrong passphrase or code is answered after a while, by the boot clock, and so is the
next attempt of the same user looked at. docs/PROTOCOL.md, "Limits"
"""

import itertools
from collections import namedtuple

from connection import DENIED, HALF_SENT_MILLISECONDS
from streams import Mismatch, exchange

# `reply` is None where a call waits. Those whose time has come are served in the order of `serial`.
Held = namedtuple("Held", "time reply serial")
_serial = itertools.count()


class Holding:
    """What a world does with them."""

    def work(self, peer):
        """What the model answers at once to what the peer has asked, up to what is held back."""
        replies = []
        while peer.queue and not peer.held and peer.model.is_open:
            unit = peer.queue.pop(0)
            outcome = self.answer_one(self.service, peer, unit)
            if outcome.kind == "wait":
                peer.queue.insert(0, unit)
                self._hold(peer, outcome)
                break
            self.note(peer, outcome.method, outcome.verdict)
            if outcome.kind == "held":
                self._hold(peer, outcome)
            elif outcome.kind == "reply":
                replies.append(outcome.reply)
            if outcome.kind == "close" or unit is DENIED:
                peer.model.is_open = False
                peer.queue.clear()
        return replies

    @staticmethod
    def _hold(peer, outcome):
        peer.held = Held(outcome.time, outcome.reply, next(_serial))
        peer.model.deadline = None

    @staticmethod
    def must_close(peer):
        """Whether the connection ends once what was answered is sent."""
        return not peer.held and (peer.ends or not peer.model.is_open)

    def finish(self, name, received, closed, expected):
        """Compares what has come, and forgets a connection that ends."""
        peer = self.peers[name]
        self.compare(name, received, expected)
        if closed != self.must_close(peer):
            raise Mismatch(f"connection {name} is {'' if closed else 'not '}closed")
        if closed:
            self.peers.pop(name).socket.close()

    def let_go(self):
        """Sends what the clock has released, and looks at the calls that waited for it."""
        due = sorted((peer.held.serial, name) for name, peer in self.peers.items()
                     if peer.held and peer.held.time <= self.service.boottime)
        released = []
        for _, name in due:
            peer = self.peers[name]
            expected = [peer.held.reply] if peer.held.reply else []
            peer.held = None
            expected += self.work(peer)
            if not peer.held and peer.model.half:
                peer.model.deadline = self.service.boottime + HALF_SENT_MILLISECONDS
            closes = self.must_close(peer)
            peer.model.is_open = not closes
            peer.is_gone = closes
            released.append((name, peer, expected, closes))
        self.barrier()
        for name, peer, expected, closes in released:
            self.finish(name, *exchange(peer.socket, (), None if closes else len(expected)),
                        expected)
        if released:
            self.settle([peer for _, peer, _, _ in released])
            self.check_disk()

    def make_way(self, data):
        """Lets go of everybody, if that and what is sent now could come to be done in turns.

        What several have sent behind a change is done one after another, in an order of which the
        model knows nothing.
        """
        held = [peer for peer in self.peers.values() if peer.held]
        if data.count(b"\0") > 1 and held or any(
                len(peer.queue) > (peer.held.reply is None) for peer in held):
            for name in [*self.peers]:
                self.release(name)

    def release(self, name):
        """Steps the boot clock until nothing of a connection is held back; not a moment too early.

        Whether the connection is there still.
        """
        while name in self.peers and (held := self.peers[name].held):
            left = held.time - self.service.boottime
            if left > 1:
                self.step_clock(0, left - 1)
                self.settle([])
            self.step_clock(0, max(0, held.time - self.service.boottime))
        return name in self.peers
