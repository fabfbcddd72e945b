"""A daemon that is ended in the middle of a change, and what the next one finds."""

import signal
import time

from streams import Mismatch, exchange, receive


def killed(world, name, data, microseconds):
    """SIGKILL after a call: the disk is as it was between two of the change's steps."""
    peer = world.peers[name]
    units = peer.model.take(data, world.service.boottime)
    after = world.service.copy()
    after.files.step()
    outcomes = [after.handle(unit, peer.model.role, world.count, peer.model.user.uid)
                for unit in units if isinstance(unit, bytes)]
    after.files.step()
    exchange(peer.socket, [data], 0)
    time.sleep(microseconds / 1e6)
    world.daemon.signal(signal.SIGKILL)
    received, _ = receive(peer.socket, None)
    states = after.files.trace
    if received:
        # What was answered is durable.
        world.compare(name, received, [outcome.reply for outcome in outcomes])
        states = states[-1:]
    world.end(signal.SIGKILL, check=False)
    world.disk.forget_temporaries(world.service.files)
    faults = []
    for items, key_file in states:
        files = world.service.files.copy()
        files.items, files.key_file = dict(items), key_file
        faults.append(world.disk.fault(files, {}))
        if faults[-1] is None:
            world.service.files = files
            world.check_disk()
            return
    raise Mismatch(f"after the kill the disk is in no state between two steps: {faults}")


def ended(world, name, data):
    """SIGTERM right behind a call: it is answered and done, or neither."""
    peer = world.peers[name]
    units = peer.model.take(data, world.service.boottime)
    after = world.service.copy()
    outcome = after.handle(units[0], peer.model.role, world.count, peer.model.user.uid)
    exchange(peer.socket, [data], 0)
    world.daemon.signal(signal.SIGTERM)
    received, closed = receive(peer.socket, None)
    if not closed:
        raise Mismatch("the connection outlives SIGTERM")
    if received:
        world.compare(name, received, [outcome.reply])
        world.service = after
        world.note(peer, outcome.method, outcome.verdict)
    elif outcome.kind != "reply":
        # Whether a call that nobody answers was heard is not to be seen.
        world.records_are_known = False
    world.end()
