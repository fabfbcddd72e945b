"""Calls of several connections at once: is there an order of them that explains the answers?

Calls that overlap may be done in any order that keeps each connection's own. So the answers are
right if there is such an order in which the model gives exactly these and leaves such a store.
"""

import os
import signal

import unknown
from connection import DENIED
from given import method_of
from replies import ACCOUNT_INTERFACE
from service import CHANGING as CHANGES
from streams import Mismatch, cut, exchange, receive, shown
from unknown import is_same

MAXIMUM_TRIES = 20_000
# Orders that explain the answers are looked for so long when one is found.
ENOUGH_TRIES = 1000
UNLOCK = f"{ACCOUNT_INTERFACE}.Unlock"
CHANGING = tuple(f"{ACCOUNT_INTERFACE}.{name}" for name in CHANGES)


def burst(world, sends, stops):
    """Sends to several connections, while the daemon stands still if `stops`, and compares."""
    sends = [(name, data) for name, data in sends if name in world.peers]
    if any(
            method_of(text) == UNLOCK for name, data in sends
            for text in (world.peers[name].model.half + data).split(b"\0")):
        # Answers that are held back want their order.
        for name, data in sends:
            if name in world.peers:
                world.send(name, data)
        return
    units = {}
    for name, data in sends:
        units[name] = world.peers[name].model.take(data, world.service.boottime)
    if stops:
        os.kill(world.daemon.pid, signal.SIGSTOP)
    received = {}
    for name, data in sends:
        received[name], _ = exchange(world.peers[name].socket, cut(data, 1), 0)
    if stops:
        os.kill(world.daemon.pid, signal.SIGCONT)
    closing = []
    for name in units:
        peer = world.peers[name]
        units[name], replies, closes = _what_comes(world, peer, units[name])
        rest, closed = receive(peer.socket, None if closes else
                               replies - received[name].count(b"\0"))
        received[name] += rest
        if closed != closes:
            raise Mismatch(f"connection {name} is {'' if closed else 'not '}closed")
        if closes:
            closing.append(name)
            peer.model.is_open = False
    world.settle([world.peers[name] for name in units])
    _explain(world, units, received)
    for name in closing:
        world.peers.pop(name).socket.close()
    if closing:
        world.probe()
    world.check_disk()


def _what_comes(world, peer, units):
    """The units up to one that ends the connection, how many are answered, whether one ends it."""
    replies = 0
    for position, unit in enumerate(units):
        outcome = world.answer_one(world.service.copy(), peer, unit)
        replies += outcome.kind == "reply"
        if outcome.kind == "silence":
            # What became of it depends on when it was done, and only its record would tell.
            world.records_are_known = False
        if outcome.kind == "close" or unit is DENIED:
            return units[:position + 1], replies, True
    return units, replies, False


def _explain(world, units, received):
    """Takes over the state that some order leads to, and that the disk and an Export agree with."""
    answers = {}
    for name, data in received.items():
        *answers[name], rest = data.split(b"\0")
        if rest:
            raise Mismatch(f"connection {name} got a part of a reply: {rest[:300]!r}")
    for answer in answers.values():
        world.note_codes(answer)
    search = _Search(world, units, answers)
    start = unknown.mark()
    exported = world.ask_control("Export")
    states = {}
    for service, notes in search.ends(world.service, dict.fromkeys(units, 0),
                                      dict.fromkeys(units, 0), world.count, ()):
        # Files that are sealed do not show which account they hold.
        if world.disk.fault(service.files, {}) is None and is_same(
                exported, world.export(service).reply):
            learned = unknown.undo(start)
            unknown.redo(learned)
            states.setdefault(_accounts(service.files), (service, notes, learned))
            if not search.may_end_otherwise() or search.tries > ENOUGH_TRIES:
                break
    if not states:
        raise Mismatch("no order of these calls explains the answers\n" + "\n".join(
            f"  {name}: {shown(answer)}" for name in units for answer in answers[name])
            + f"\n  at best: {search.best}")
    unknown.undo(start)
    world.service, notes, learned = next(iter(states.values()))
    unknown.redo(learned)
    for peer, method, verdict in notes:
        world.note(peer, method, verdict)
    world.note_control("Export", world.export(world.service))
    if len(states) > 1:
        # Which account is the spare nobody can tell: without one all is known again.
        world.forget_account()


def _accounts(files):
    return tuple(sorted((name, item.blob.meaning) for name, item in files.items.items()
                        if item.kind == "file" and item.blob.role == "account"))


class _Search:
    """Depth first: whichever call comes next, the model must give the answer that came."""

    def __init__(self, world, units, answers):
        self.world, self.units, self.answers = world, units, answers
        self.tries = 0
        self.best = (0, "")
        # Connections whose changes were done in some order.
        self.changing = set()

    def may_end_otherwise(self):
        """Whether several ask for changes, so that another order may leave another account."""
        return sum(name in self.changing for name in self.units) > 1

    def ends(self, service, done, taken, count, notes):
        """Every state after all calls, with what is to be noted of them."""
        left = [name for name in self.units if done[name] < len(self.units[name])]
        if not left:
            yield service, notes
        for name in left:
            self.tries += 1
            if self.tries > MAXIMUM_TRIES:
                return
            after = service.copy()
            peer = self.world.peers[name]
            unit = self.units[name][done[name]]
            outcome = self._answer(after, peer, unit, count)
            if outcome.verdict == "answered" and outcome.method in CHANGING:
                self.changing.add(name)
            replies = outcome.kind == "reply"
            start = unknown.mark()
            if replies and not self._came(name, taken[name], outcome.reply, notes):
                continue
            closes = outcome.kind == "close" or unit is DENIED
            yield from self.ends(
                after, {**done, name: done[name] + 1}, {**taken, name: taken[name] + replies},
                count - closes, (*notes, (peer, outcome.method, outcome.verdict)))
            unknown.undo(start)

    def _answer(self, service, peer, unit, count):
        if isinstance(unit, bytes):
            return service.handle(unit, peer.model.role, count, peer.model.user.uid)
        return self.world.answer_one(service, peer, unit)

    def _came(self, name, position, reply, notes):
        came = self.answers[name]
        if position < len(came) and is_same(came[position], reply):
            return True
        if len(notes) >= self.best[0]:
            real = shown(came[position] if position < len(came) else None)
            self.best = (len(notes), f"{name} was answered {real} and not {shown(reply)}")
        return False
