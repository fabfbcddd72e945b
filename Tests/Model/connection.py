"""One connection in the model: how bytes become messages, and which limits end it.

docs/PROTOCOL.md, "Messages" and "Limits"
"""

LONGEST = {"owner": 65_536, "reader": 4096, "observer": 4096, "stranger": 1024}
HALF_SENT_MILLISECONDS = 30_000
STRANGER_MILLISECONDS = 1000

TOO_LONG = object()
DENIED = object()


class Connection:
    """What the daemon has of a peer."""

    def __init__(self, user, boottime):
        self.user = user
        self.role = user.role
        self.is_open = True
        self.half = b""
        # When that must be whole, or a stranger must have spoken: boot clock, milliseconds.
        self.deadline = boottime + STRANGER_MILLISECONDS if self.role == "stranger" else None
        self.heard = 0

    def take(self, data, boottime):
        """The messages that are whole now, and at the end TOO_LONG or DENIED where that ends it."""
        if self.role == "stranger":
            self.heard += len(data)
            spoke = b"\0" in data or self.heard > LONGEST["stranger"]
            return [DENIED] if spoke and data else []
        began = bool(self.half)
        *whole, self.half = (self.half + data).split(b"\0")
        longest = LONGEST[self.role]
        for position, text in enumerate([*whole, self.half]):
            if len(text) > longest:
                return [*whole[:position], TOO_LONG]
        if not self.half:
            self.deadline = None
        elif whole or not began:
            self.deadline = boottime + HALF_SENT_MILLISECONDS
        return whole

    def is_late(self, boottime):
        """Whether its time is up."""
        return self.is_open and self.deadline is not None and self.deadline <= boottime

    def may_begin(self):
        """Whether it can ask for a change now, and for nothing else."""
        return self.role == "owner" and not self.half
