"""What no model can know: ids and codes that the daemon draws.

They are taken over from its replies, once their form is right; what came once must come again.
"""

import hashlib
import json

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
SLOT_SIZE, KEY_SIZE, CODE_SIZE, DERIVED_SIZE = 8, 16, 20, 32
# Slots and keys whose ids were learned from replies, so that a search can take that back.
_trail = []
# Those ids: nobody else has the same.
_taken = set()


class Id:
    """The id of a slot or a key in the model's reply."""

    def __init__(self, thing):
        self.thing = thing

    def __repr__(self):
        return f"<id {self.thing.id.hex() if self.thing.id else 'that is not known yet'}>"


class Code:
    """A recovery code that was just drawn."""


class Listing:
    """A list of slots in the order of the members that `order` names."""

    def __init__(self, slots, order, describe):
        self.slots, self.order, self.describe = list(slots), order, describe

    def __repr__(self):
        return f"<in some order {[self.describe(slot) for slot in self.slots]}>"


class _Pairs(list):
    """An object's members as they came."""


def is_same(real, model):
    """Whether a reply's text is this value, the order of members included; learns ids if it is."""
    try:
        value = json.loads(real, object_pairs_hook=_Pairs)
    except ValueError:
        return False
    found = {}
    if not _matches(value, model, found):
        return False
    redo(found.items())
    return True


def _matches(real, model, found):
    if isinstance(model, dict):
        return (isinstance(real, _Pairs) and [name for name, _ in real] == list(model)
                and all(_matches(value, model[name], found) for name, value in real))
    if isinstance(model, list):
        return (type(real) is list and len(real) == len(model)
                and all(_matches(one, other, found) for one, other in zip(real, model)))
    if isinstance(model, Id):
        return _is_id(real, model.thing, found)
    if isinstance(model, Code):
        return isinstance(real, str) and is_code(real)
    if isinstance(model, Listing):
        return _lists(real, model, found)
    return type(real) is type(model) and real == model


def _is_id(real, thing, found):
    if not isinstance(real, str) or len(real) != 2 * thing.size or real.lower() != real:
        return False
    try:
        identity = bytes.fromhex(real)
    except ValueError:
        return False
    known = thing.id or found.get(thing)
    if known is None and identity not in found.values() and identity not in _taken:
        found[thing] = known = identity
    return known == identity


def _lists(real, model, found):
    if type(real) is not list or len(real) != len(model.slots):
        return False
    left = list(model.slots)
    for each in real:
        # Those that are known first, so that one that is not takes nobody's place.
        slot = next((slot for slot in sorted(left, key=lambda slot: slot.id is None)
                     if _matches(each, model.describe(slot), found)), None)
        if slot is None:
            return False
        left.remove(slot)
    keys = [tuple(dict(each)[name] for name in model.order) for each in real]
    return keys == sorted(keys)


# MARK: Going back


def mark():
    """A point to go back to."""
    return len(_trail)


def undo(point):
    """Forgets the ids that were learned since, and gives them."""
    learned = [(thing, thing.id) for thing in _trail[point:]]
    for thing, identity in learned:
        thing.id = None
        _taken.discard(identity)
    del _trail[point:]
    return learned


def redo(learned):
    """Knows them again."""
    for thing, identity in learned:
        thing.id = identity
        _trail.append(thing)
        _taken.add(identity)


# MARK: Recovery codes. docs/FORMAT.md, "Recovery code"


class NoCode(Exception):
    """Why a text is no code."""


def code_of(data):
    """20 bytes as they are shown."""
    number = int.from_bytes(data, "big") << 20 | _check(data)
    letters = "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(36)))
    return "-".join(letters[start:start + 4] for start in range(0, 36, 4))


def is_code(text):
    """Whether a text is a code as it is shown."""
    try:
        return code_of(bytes_of(text)) == text
    except NoCode:
        return False


def bytes_of(text):
    """What somebody typed as 20 bytes."""
    typed = text.encode()
    if len(typed) > 256:
        raise NoCode(f"has {len(typed)} letters and digits; a code has 36")
    number = count = 0
    for byte in typed:
        if byte in b"- ":
            continue
        count += 1
        letter = chr(byte).upper().translate(str.maketrans("OIL", "011"))
        if byte > 127 or letter not in ALPHABET:
            raise NoCode(f"has a character that no code has, at place {count}")
        number = number << 5 | ALPHABET.index(letter)
    if count != 36:
        raise NoCode(f"has {count} letters and digits; a code has 36")
    data = (number >> 20).to_bytes(CODE_SIZE, "big")
    if number & 0xFFFFF != _check(data):
        raise NoCode("was mistyped somewhere: its checksum is wrong")
    return data


def _check(data):
    return int.from_bytes(hashlib.blake2b(data, digest_size=32).digest()[:3], "big") >> 4
