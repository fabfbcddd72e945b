"""A message as a call, and what it gives."""

import strict_json
from replies import invalid_parameter


class Call:
    """A message as a call; NotStrict where it is none."""

    def __init__(self, text):
        message = strict_json.read(text)
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            raise strict_json.NotStrict("no call")
        self.method = message["method"]
        self.parameters = message.get("parameters")
        if not isinstance(self.parameters, (dict, type(None))):
            raise strict_json.NotStrict("parameters of another type")
        flags = [message.get(name) for name in ("oneway", "more", "upgrade")]
        if not all(flag is None or isinstance(flag, bool) for flag in flags):
            raise strict_json.NotStrict("a flag of another type")
        self.oneway, _, self.upgrade = map(bool, flags)


def method_of(text):
    """The method that a message names; None where it is no call."""
    try:
        return Call(text).method
    except strict_json.NotStrict:
        return None


class Given:
    """The parameters of one call; null counts as absent, and what nobody reads is refused."""

    def __init__(self, members):
        self.members = members or {}
        self.known = set()

    def _value(self, name, right):
        self.known.add(name)
        value = self.members.get(name)
        if value is not None and not right(value):
            raise invalid_parameter(name)
        return value

    def text(self, name):
        """A string."""
        return self._value(name, lambda value: isinstance(value, str))

    def integer(self, name):
        """A whole number of 64 bits."""
        return self._value(
            name, lambda value: isinstance(value, int) and not isinstance(value, bool))

    def boolean(self, name):
        """True or false."""
        return self._value(name, lambda value: isinstance(value, bool))

    def refuse_others(self, *names):
        """The first that is unknown is refused by its name."""
        for name in self.members:
            if name not in self.known and name not in names:
                raise invalid_parameter(name)
