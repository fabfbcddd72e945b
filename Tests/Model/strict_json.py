"""The JSON of the wire: RFC 8259 and no more. docs/PROTOCOL.md, "Messages"

Objects become dicts, whole numbers of 64 bits become ints, every other number is OTHER_NUMBER. It
stands on Python's reader, and so shares nothing with the daemon's.
"""

import json

MAXIMUM_DEPTH = 16
OTHER_NUMBER = object()


class NotStrict(Exception):
    """Text that ends a connection."""


def read(text):
    """The value of a message, given as bytes. NotStrict for anything that is no such text."""
    try:
        decoded = text.decode("utf-8")
        value = json.loads(decoded, object_pairs_hook=_object, parse_int=_integer,
                           parse_float=_other, parse_constant=_refuse)
    except (ValueError, RecursionError) as fault:
        raise NotStrict(str(fault)) from None
    if _depth(decoded) > MAXIMUM_DEPTH:
        raise NotStrict("too deep")
    _check_strings(value)
    return value


def _object(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotStrict("a name twice")
    return members


def _integer(text):
    # 64 bits have 19 digits; Python refuses to read numbers of some thousands.
    if len(text) > 20:
        return OTHER_NUMBER
    value = int(text)
    return value if -2**63 <= value < 2**63 else OTHER_NUMBER


def _other(_):
    return OTHER_NUMBER


def _refuse(name):
    raise NotStrict(name)


def _depth(text):
    deepest = depth = 0
    inside = escaped = False
    for letter in text:
        if inside:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                inside = False
        elif letter == '"':
            inside = True
        elif letter in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif letter in "}]":
            depth -= 1
    return deepest


def _check_strings(value):
    if isinstance(value, str):
        if any(letter == "\0" or "\ud800" <= letter <= "\udfff" for letter in value):
            raise NotStrict("U+0000 or half a surrogate pair")
    elif isinstance(value, dict):
        for name, member in value.items():
            _check_strings(name)
            _check_strings(member)
    elif isinstance(value, list):
        for element in value:
            _check_strings(element)
