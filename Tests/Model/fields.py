"""What each field may be. docs/PROTOCOL.md, "What a field may be" """

from replies import invalid_field

MAXIMUM_TOKEN, MAXIMUM_UID, MAXIMUM_NAME, MAXIMUM_AVATAR = 4096, 20, 256, 2048
MAXIMUM_LIFE, LATEST_TIME = 315_360_000, 253_402_300_799


def check(name, value, fault):
    """InvalidField with what `fault` says of the value, if anything."""
    reason = fault(value)
    if reason:
        raise invalid_field(name, reason)


def token_fault(value):
    """Printable ASCII without white space."""
    if not value:
        return "is empty"
    if len(value.encode()) > MAXIMUM_TOKEN:
        return "is too long"
    if any(letter < " " or letter == "\x7f" for letter in value):
        return "has control characters"
    if " " in value:
        return "has white space in it"
    return None if value.isascii() else "has characters beyond ASCII"


def uid_fault(value):
    """Digits."""
    if not value:
        return "is empty"
    if any(letter not in "0123456789" for letter in value):
        return "is not made of digits alone"
    return "is too long" if len(value) > MAXIMUM_UID else None


def name_fault(value):
    """Any text, not too much of it."""
    return "is too long" if len(value.encode()) > MAXIMUM_NAME else None


def avatar_fault(value):
    """An address."""
    if len(value.encode()) > MAXIMUM_AVATAR:
        return "is too long"
    for letter in value:
        if letter < " " or letter == "\x7f":
            return "has control characters"
        if letter == " ":
            return "has white space in it"
    return None


def expiry(times, realtime):
    """The three times of an account from what a login gives of them."""
    expires_in, issued_at, expires_at = (
        times[name] for name in ("expires_in", "issued_at", "expires_at"))
    if expires_in is None and expires_at is None:
        raise invalid_field("expires_in", "is missing, and so is expires_at; give one of them")
    if expires_in is not None and expires_at is not None:
        raise invalid_field("expires_at", "is given beside expires_in; give one of them")
    if expires_at is not None and issued_at is not None:
        raise invalid_field("issued_at", "goes with expires_in, not with expires_at")
    if expires_in is not None:
        issued_at = realtime if issued_at is None else issued_at
        _range("expires_in", 1, expires_in, MAXIMUM_LIFE)
        _range("issued_at", 0, issued_at, LATEST_TIME)
        expires_at = issued_at + expires_in
    _range("expires_at", 0, expires_at, LATEST_TIME)
    return {"expires_in": expires_in, "issued_at": issued_at, "expires_at": expires_at}


def _range(name, least, value, most):
    if not least <= value <= most:
        raise invalid_field(name, "is out of its range")
