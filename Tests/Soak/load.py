"""Calls in great numbers, of every kind, each of whose answers is known beforehand.

The calls come from the generator of the model, and so do the answers: whether there is one, and
which error it is.
"""

import random
import select
import time

import wire
from calls import CHANGES, KEYS, LOCKS, Calls
from connection import LONGEST
from service import Service

BLOCK_BYTES = 64 << 10
BLOCKS = 12
CHANGES_AT_ONCE, CHANGE_BLOCKS = 20, 100
# What no block of queries has: what changes the store, and what is answered by chance, as ids are.
NO_QUERIES = {**CHANGES, **LOCKS, **KEYS}
CLOSINGS = 60
# Those that need the most memory to be read and are no calls after all: many values, many names.
COSTLY = (
    b"[" + b",".join([b"0"] * 32_767) + b"]\0",
    b"{" + b",".join(b'"%x":0' % number for number in range(6500)) + b"}\0")
SAMPLED = 40
# Errors are counted by their name's quotes, which no value of these calls has.
ERROR = b'{"error":"'
LOGIN = "org.accountd.Account.Login"


class Wrong(Exception):
    """An answer that should have been another."""


class Block:
    """Calls that are sent at once, and what comes back: so many replies, which of them errors."""

    def __init__(self):
        self.text, self.errors, self.calls, self.logins = b"", [], 0, 0

    def add(self, message, outcome):
        """One more call."""
        self.text += message
        if outcome.kind == "reply":
            self.errors.append(outcome.reply.get("error"))
        self.calls += 1
        self.logins += outcome.method == LOGIN

    def check(self, received, closely):
        """What was received is as many replies, as many errors; closely: each the right one."""
        wanted = sum(error is not None for error in self.errors)
        found = received.count(b"\0"), received.count(ERROR)
        if found != (len(self.errors), wanted):
            raise Wrong(f"{found[0]} replies with {found[1]} errors, and not {len(self.errors)} "
                        f"with {wanted}")
        if closely:
            for reply, error in zip(received.split(b"\0"), self.errors):
                head = ERROR + error.encode() if error else b'{"parameters":{'
                if not reply.startswith(head):
                    raise Wrong(f"{reply[:300]!r} begins not with {head!r}")


class Mix:
    """Makes blocks for each role from a model that holds the account that the daemon holds."""

    def __init__(self, seed, descriptions, now):
        self.random = random.Random(seed)
        # Tokens live around a time that does not come while this runs.
        self.calls = Calls(self.random, now + 10**6)
        self.service = Service("/store", "/key", 0, descriptions)
        self.service.memory = ("memfd_secret", 2 << 20)
        self.service.realtime = now

    def outcome(self, message, role):
        """What the model answers; changes take effect in it."""
        return self.service.handle(message[:-1], role, 1)

    def queries(self, role):
        """A block that changes nothing and closes nothing."""
        block = Block()
        while len(block.text) < BLOCK_BYTES:
            message = self.calls.message(longest=LONGEST[role])
            if len(message) > LONGEST[role] or len(message) > 8192:
                continue
            outcome = self.outcome_of_query(message, role)
            if outcome:
                block.add(message, outcome)
        return block

    def outcome_of_query(self, message, role):
        """None for what closes the connection or changes the store."""
        outcome = self.service.copy().handle(message[:-1], role, 1)
        name = (outcome.method or "").rpartition(".")[2]
        begins = name in NO_QUERIES and outcome.verdict != "denied"
        return None if outcome.kind == "close" or begins else outcome

    def changes(self, count):
        """A block of changes alone; it begins with a login that leaves nothing of before."""
        block = self.login()
        while block.calls < count:
            method = self.random.choices(list(CHANGES), (10, 3, 3, 1, 1))[0]
            message = wire.message(method, self.calls.parameters(method))
            if self.service.copy().handle(message[:-1], "owner", 1).kind == "reply":
                block.add(message, self.outcome(message, "owner"))
        return block

    def login(self):
        """A block that leaves an account whatever was there before."""
        block = Block()
        message = wire.message("Login", {
            "access_token": "2.00soak", "uid": "20", "expires_in": 10**7, "replace": True,
            # What the same user has from before would stay.
            "screen_name": "", "avatar_large": ""})
        block.add(message, self.outcome(message, "owner"))
        return block

    def closing(self):
        """Bytes that end a connection of the owner's."""
        while True:
            message = self.calls.message()
            if len(message) > LONGEST["owner"] + 1 or (
                    self.service.copy().handle(message[:-1], "owner", 1).kind == "close"):
                return message

    def prepare(self):
        """All blocks that the rounds take, again and again."""
        self.login()
        self.blocks = {role: [self.queries(role) for _ in range(BLOCKS)]
                       for role in ("owner", "reader", "observer")}
        self.change_blocks = [self.changes(CHANGES_AT_ONCE) for _ in range(CHANGE_BLOCKS)]
        self.closings = [*COSTLY, *(self.closing() for _ in range(CLOSINGS - len(COSTLY)))]


def exchange(peer, text, replies, seconds=60):
    """Sends and receives at the same time. What was received."""
    peer.setblocking(False)
    received, sent, deadline = [], 0, time.monotonic() + seconds
    count = 0
    while sent < len(text) or count < replies:
        writes = [peer] if sent < len(text) else []
        readable, writable, _ = select.select([peer], writes, [], deadline - time.monotonic())
        if not readable and not writable:
            raise Wrong(f"{count} of {replies} replies in {seconds} s")
        if readable:
            part = peer.recv(1 << 20)
            if not part:
                raise Wrong(f"closed after {count} of {replies} replies")
            received.append(part)
            count += part.count(b"\0")
        if writable:
            sent += peer.send(memoryview(text)[sent:])
    return b"".join(received)
