"""Does the steps of a sequence to the daemon and to the model."""

import re

import commands
import floods
import interruptions
import orders
from calls import CAPITAL_KEY, KEY, SLOT
from slots import Key
from world import World

MAXIMUM_CONNECTIONS = 9


def perform(world, step):
    """Does one step to the daemon and to the model."""
    kind, *words = (_with_ids(part, world, step[0] != "burst") for part in step)
    names = [name for name, _ in words[0]] if kind == "burst" else words[:1]
    if kind in OF_CONNECTIONS:
        for name in names:
            if name not in world.peers and len(world.peers) < MAXIMUM_CONNECTIONS:
                world.connect(name, name.partition("-")[0])
        if kind not in ("connect", "close"):
            for name in names:
                world.release(name)
        if any(name not in world.peers for name in names):
            return
    if kind in BY_OWNERS and not world.peers[words[0]].model.may_begin():
        return
    if kind != "connect":
        STEPS[kind](world, *words)
    if kind in INTERRUPTED:
        world.start()


def _with_ids(part, world, is_alone):
    """Puts the ids of slots and of master keys that there are into what is sent.

    Some digits alone where nothing comes with it: a slot that is made meanwhile may begin with them
    too, and what its id is the model does not know.
    """
    if isinstance(part, tuple):
        return tuple(_with_ids(each, world, is_alone) for each in part)
    if not isinstance(part, bytes) or b"@" not in part:
        return part
    return _with_keys(_with_slots(part, world.service.slots, is_alone), world.registry.named)


def _with_keys(part, named):
    # Those that were forgotten, too.
    ids = [identity.hex() for identity, thing in named.items() if isinstance(thing, Key)]
    ids = ids[::-1] or ["0f" * 16]

    def name(found, change=str):
        return change(ids[int(found[1]) % len(ids)]).encode()

    part = re.sub(KEY.format(r"(\d+)").encode(), name, part)
    return re.sub(CAPITAL_KEY.format(r"(\d+)").encode(), lambda found: name(found, str.upper), part)


def _with_slots(part, slots, is_alone):
    # In the order of their making, which is the same in each run.
    ids = [slot.id.hex() for slot in slots.meaning.slots if slot.id] if slots else []
    ids = ids or ["0123456789abcdef"]
    cuts = is_alone and part.count(b"\0") < 2

    def name(found):
        whole = ids[int(found[1]) % len(ids)].encode()
        return whole[:int(found[2])] if cuts else whole

    return re.sub(SLOT.format(r"(\d+)", r"(\d+)").encode(), name, part)


INTERRUPTED = ("killed", "ended")
BY_OWNERS = (*INTERRUPTED, "hit-and-run")
OF_CONNECTIONS = (*BY_OWNERS, "connect", "send", "burst", "close", "half-close", "flood",
                  "last-words")
STEPS = {
    "send": World.send, "close": World.close,
    "half-close": World.half_close, "clock": World.step_clock, "restart": World.restart,
    "signal": World.signal, "burst": orders.burst, "flood": floods.flood, "command": commands.run,
    "killed": interruptions.killed, "ended": interruptions.ended,
    "last-words": World.last_words, "hit-and-run": World.hit_and_run, "second": World.second_daemon,
    "socket-gone": World.socket_gone,
    "damage": lambda world, *words: world.disk.damage(world.service.files, *words),
    "directory": lambda world, how: world.disk.replace_directory(world.service.files, how)}
