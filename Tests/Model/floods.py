"""Somebody who asks and does not listen. docs/PROTOCOL.md, "Limits": a reply that nobody takes"""

import wire
from streams import Mismatch, exchange, receive

# Together far more than a socket takes.
CALLS = 150
CALL = wire.message("org.varlink.service.GetInterfaceDescription",
                    {"interface": "org.accountd.Account"})
PATIENCE = 30_000


def flood(world, name, how):
    """Many calls at once: read after all, not read until the daemon has had enough, or left."""
    peer = world.peers[name]
    if peer.model.role == "stranger" or peer.model.half:
        return
    # What is told of others must not be the clock's doing.
    for other in [*world.peers]:
        world.release(other)
    if name not in world.peers:
        return
    outcomes = world.answer(peer, peer.model.take(CALL * CALLS, world.service.boottime))
    exchange(peer.socket, [CALL * CALLS], 0)
    world.barrier()
    # Nobody else is held up.
    world.probe()
    if how == "read":
        received, closed = receive(peer.socket, CALLS)
        if closed:
            raise Mismatch(f"connection {name} is closed")
        world.compare(name, received, [outcome.reply for outcome in outcomes])
        world.settle([peer])
        return
    # How many were answered before the socket was full nobody can know.
    world.records_are_known = False
    if how == "leave":
        world.close(name)
        return
    world.step_clock(PATIENCE - 1, PATIENCE - 1)
    world.probe()
    del world.peers[name]
    world.step_clock(1, 1)
    world.probe()
    received, closed = receive(peer.socket, None)
    peer.socket.close()
    if not closed:
        raise Mismatch(f"connection {name} is not closed")
    *whole, _ = received.split(b"\0")
    world.compare(name, b"".join(each + b"\0" for each in whole),
                  [outcome.reply for outcome in outcomes[:len(whole)]])
