"""Key slots in the model, and their file as it is read. docs/FORMAT.md, "Key slots" """

import datetime
import plistlib
from collections import namedtuple

from unknown import DERIVED_SIZE, KEY_SIZE, SLOT_SIZE

PROTECTION = ("keyfile", "credential", "recovery", "passphrase")
ASKING = ("recovery", "passphrase")
MAXIMUM_SLOTS = MAXIMUM_RETIRED = 16
LATEST_TIME = 253_402_300_799
EPOCH = datetime.datetime(1970, 1, 1)


class Key:
    """A master key. Its id is learned from a reply, or from the first file that names it."""

    size = KEY_SIZE

    def __init__(self):
        self.id = None
        self._derived = {}

    def archive_key(self, name):
        """The key of the archive of that name."""
        return self._derived.setdefault(name, Derived())


class Derived:
    """A key that is derived from a master key. Which it is, is learned from a reply; that it is the
    same each time, and nobody else's, is known before."""

    size = DERIVED_SIZE

    def __init__(self):
        self.id = None


class Slot:
    """What opens the store: the blob of a key file, a passphrase, or the bytes of a code."""

    size = SLOT_SIZE

    def __init__(self, kind, secret, realtime):
        self.kind, self.secret = kind, secret
        self.created = min(max(0, realtime), LATEST_TIME)
        self.id = None


class SlotList(namedtuple("SlotList", "key slots retired")):
    """The meaning of a slots file: the master key, its slots, earlier keys, the oldest first."""

    @property
    def keys(self):
        """All that files may be sealed by."""
        return (self.key, *self.retired)

    @property
    def protection(self):
        """The kinds, weakest first."""
        return [kind for kind in PROTECTION if self.of(kind)]

    def of(self, kind):
        """The slots of a kind."""
        return [slot for slot in self.slots if slot.kind == kind]

    @property
    def asks(self):
        """Whether some slot wants somebody to be asked."""
        return any(slot.kind in ASKING for slot in self.slots)

    def opens(self, kind, secret):
        """Whether a slot of that kind is opened by it."""
        return any(slot.secret == secret for slot in self.of(kind))


def fault(meaning, content, learned):
    """Why a file's bytes are not these slots, or None; `learned` gets ids that were not known."""
    try:
        found = plistlib.loads(content)
        slots = [(slot["id"], slot["kind"],
                  int((slot["created"] - EPOCH).total_seconds())) for slot in found["slots"]]
        ids = [found["current"], *(key["id"] for key in found["retired"])]
    except (ValueError, KeyError, TypeError, plistlib.InvalidFileException) as reason:
        return f"is no list of key slots: {reason!r}"
    if len(ids) != len(meaning.keys):
        return f"has {len(ids) - 1} retired keys and not {len(meaning.retired)}"
    for key, identity in zip(meaning.keys, ids):
        if key.id not in (None, identity):
            return "names another master key"
        learned[key] = identity
    if slots != sorted(slots):
        return "has its slots in another order than that of their ids"
    return _fault_of_slots(list(meaning.slots), slots, learned)


def _fault_of_slots(left, slots, learned):
    for identity, kind, created in slots:
        # Those that are known first.
        slot = next((slot for slot in sorted(left, key=lambda slot: slot.id is None)
                     if slot.id in (None, identity)
                     and (slot.kind, slot.created) == (kind, created)), None)
        if slot is None:
            return f"has a {kind} slot {identity.hex()} of {created} that should not be there"
        left.remove(slot)
        learned[slot] = identity
    return f"lacks {len(left)} slots" if left else None
