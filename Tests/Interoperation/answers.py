"""The answers that each method can give, from docs/PROTOCOL.md. None stands for success.

StoreFailed of a daemon whose secret memory is full, which any may give, is for the unit tests.
"""

import declared_types
from python_client import Handler

_ALWAYS = {None, "InvalidParameter", "PermissionDenied"}
_NEEDS_ACCOUNT = _ALWAYS | {"NoAccount", "Locked", "StoreDamaged"}
_CHANGES = {"StoreFailed"}
_NEEDS_KEY = {"Locked", "StoreDamaged"}

ANSWERS = {
    "GetStatus": _ALWAYS,
    "GetAccount": _NEEDS_ACCOUNT,
    "GetToken": _NEEDS_ACCOUNT | {"TokenExpired", "InvalidField"},
    "CheckExpiry": _NEEDS_ACCOUNT | {"InvalidField"},
    "Export": _NEEDS_ACCOUNT,
    "Login": _ALWAYS | _CHANGES | {"AccountExists", "InvalidField", "Locked", "StoreDamaged"},
    "UpdateProfile": _NEEDS_ACCOUNT | _CHANGES | {"InvalidField"},
    "Logout": _NEEDS_ACCOUNT | _CHANGES | {"AccountExists"},
    "Verify": _ALWAYS | _CHANGES,
    "Repair": _ALWAYS | _CHANGES | _NEEDS_KEY,
    "Lock": _ALWAYS | {"OpensByItself"},
    "Unlock": _ALWAYS | _CHANGES | _NEEDS_KEY | {"WrongKey", "InvalidField"},
    "ListSlots": _ALWAYS | {"StoreDamaged"},
    "AddSlot": _ALWAYS | _CHANGES | _NEEDS_KEY | {
        "TooManySlots", "TooManyRetiredKeys", "InvalidField"},
    "RemoveSlot": _ALWAYS | _CHANGES | _NEEDS_KEY | {
        "NoSuchSlot", "LastSlot", "TooManyRetiredKeys"},
    "Rotate": _NEEDS_ACCOUNT | _CHANGES | {"TooManyRetiredKeys"},
    "FinishRotation": _NEEDS_ACCOUNT | _CHANGES,
    "DeriveArchiveKey": _NEEDS_ACCOUNT | {"NoSuchKey", "InvalidField"},
    "NewRecoveryCode": _ALWAYS,
    "GetInfo": _ALWAYS,
    "GetInterfaceDescription": _ALWAYS | {"InterfaceNotFound"},
}


def missing_answers(methods):
    """What was not given once, of the answers that these methods can give."""
    return sorted(f"{method}: {error or 'an answer'}" for method in methods
                  for error in ANSWERS[method] if (method, error) not in Handler.seen.answers)


def unexpected_answers(methods):
    """What was given and is not among them. Methods that are not served are left out."""
    return sorted(f"{method}: {error}" for method, error in Handler.seen.answers
                  if method in methods and error not in ANSWERS[method])


def unseen_fields(interface, prefixes):
    """Fields of replies that were never there, and optional ones that were never left out."""
    unseen = []
    for prefix, declared in prefixes:
        for path, is_optional in declared_types.fields(declared, interface, prefix):
            if path not in Handler.seen.present:
                unseen.append(f"{path} was never there")
            if is_optional and path not in Handler.seen.absent:
                unseen.append(f"{path} was never left out")
    for path, word in declared_types.enumerations(interface):
        if (path, word) not in Handler.seen.enumerated:
            unseen.append(f"{path} was never {word}")
    return sorted(set(unseen))


def hand_over():
    """What a child process has seen, as JSON takes it."""
    seen = Handler.seen
    return [list(map(list, seen.answers)), list(seen.present), list(seen.absent),
            list(map(list, seen.enumerated))]


def take_over(handed):
    """Adds what a child process has seen."""
    seen = Handler.seen
    answers, present, absent, enumerated = handed
    seen.answers |= set(map(tuple, answers))
    seen.present |= set(present)
    seen.absent |= set(absent)
    seen.enumerated |= set(map(tuple, enumerated))
