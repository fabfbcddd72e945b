"""Bytes over sockets, and replies held against those of the model."""

import collections
import fcntl
import json
import select
import socket
import struct
import time

PATIENCE = 20
SIOCOUTQ = 0x5411


class Mismatch(Exception):
    """The daemon and the model differ."""


def exchange(peer, parts, replies, ends=False):
    """Sends the parts while it receives. None: until the peer closes. (bytes, whether it closed)

    `ends`: the sending side is shut down then.
    """
    received, pending = b"", collections.deque(parts)
    deadline = time.monotonic() + PATIENCE
    if ends and not pending:
        peer.shutdown(socket.SHUT_WR)
    while pending or replies is None or received.count(b"\0") < replies:
        left = deadline - time.monotonic()
        readable, writable, _ = select.select([peer], [peer] if pending else [], [], max(0, left))
        if not readable and not writable:
            if left > 0:
                continue
            return received, False
        if readable:
            try:
                part = peer.recv(1 << 18)
            except (ConnectionResetError, BrokenPipeError):
                part = b""
            if not part:
                return received, True
            received += part
        elif writable:
            try:
                sent = peer.send(pending[0])
                pending[0] = pending[0][sent:]
            except (ConnectionResetError, BrokenPipeError):
                pending.clear()
                continue
            if not pending[0]:
                pending.popleft()
                if ends and not pending:
                    peer.shutdown(socket.SHUT_WR)
    return received, False


def receive(peer, replies):
    """What comes without asking."""
    return exchange(peer, (), replies)


def cut(data, parts):
    """The bytes in so many parts of nearly the same length."""
    size = max(1, -(-len(data) // parts))
    return [data[start:start + size] for start in range(0, len(data), size)]


def unread_bytes(peer):
    """Bytes that were sent and that the other side has not taken yet."""
    return struct.unpack("i", fcntl.ioctl(peer, SIOCOUTQ, bytes(4)))[0]


def wait_until(condition, complaint):
    """Polls; what does not come is a mismatch."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            raise Mismatch(complaint)
        time.sleep(0.0005)


def shown(reply):
    """A reply, as it came or as the model gives it, for a person."""
    if reply is None:
        return "nothing"
    if not isinstance(reply, bytes):
        reply = json.dumps(reply, default=repr).encode()
    return reply[:600].decode(errors="replace")
