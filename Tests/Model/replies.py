"""What the model answers with: whole replies, and what becomes of a call."""

from collections import namedtuple

ACCOUNT_INTERFACE = "org.accountd.Account"
KEYS_INTERFACE = "org.accountd.Keys"
SERVICE_INTERFACE = "org.varlink.service"

# kind: "reply", "silence" or "close"; "held": the reply is held back until `time`; "wait": the call
# is looked at again then. method: the full name, None for what is not served.
Outcome = namedtuple("Outcome", "kind reply method verdict time", defaults=(None,))


class Refused(Exception):
    """An error reply; `time` is when it may be sent, where it is held back."""

    time = None

    def __init__(self, name, verdict, **parameters):
        super().__init__(name)
        self.reply = {"error": name, "parameters": parameters}
        self.verdict = verdict


class Waits(Exception):
    """A call that is not looked at before `time`."""

    def __init__(self, time):
        super().__init__(time)
        self.time = time


def answer(**parameters):
    """A reply."""
    return {"parameters": parameters}


def own(name, verdict, **parameters):
    """An error of org.accountd.Account."""
    return Refused(f"{ACCOUNT_INTERFACE}.{name}", verdict, **parameters)


def of_keys(name, **parameters):
    """An error of org.accountd.Keys."""
    return Refused(f"{KEYS_INTERFACE}.{name}", "refused", **parameters)


def standard(name, verdict, **parameters):
    """An error of org.varlink.service."""
    return Refused(f"{SERVICE_INTERFACE}.{name}", verdict, **parameters)


def invalid_parameter(name):
    """A parameter is missing, unknown or of another type."""
    return standard("InvalidParameter", "invalid", parameter=echo(name))


def invalid_field(field, reason):
    """A value cannot be taken."""
    return own("InvalidField", "invalid", field=field, reason=reason)


def echo(word):
    """The caller's own word, where it is a name by Varlink's grammar of at most 128 bytes."""
    letters = [ord(letter) for letter in word]
    is_name = (0 < len(letters) <= 128 and chr(letters[0]).isalpha() and letters[0] < 128
               and all(code < 128 and (chr(code).isalnum() or chr(code) in "._-")
                       for code in letters))
    return word if is_name else ""
