"""Varlink as accountd speaks it: messages, replies, errors. docs/PROTOCOL.md"""

import json
import secrets
import socket
import string

INTERFACE = "org.accountd.Account"
KEYS = "org.accountd.Keys"
CALL_SECONDS = 30

# What Login takes, where it does not matter what.
LOGIN = {"access_token": "2.00TokenOfTheTests", "uid": "123456", "expires_in": 100_000}


class Refused(Exception):
    """A Varlink error; `name` is its full name."""

    def __init__(self, name, parameters):
        super().__init__(f"{name} {json.dumps(parameters)}")
        self.name = name
        self.parameters = parameters


class Closed(Exception):
    """The daemon has closed the connection."""


def made_up_token(length=32):
    """Of the shape of Weibo's tokens, and random, so that a scan cannot meet it by chance."""
    letters = string.ascii_letters + string.digits
    return "2.00" + "".join(secrets.choice(letters) for _ in range(length - 4))


def login_parameters(token=None, **more):
    """What Login wants at least, and a screen name."""
    parameters = {"access_token": token or made_up_token(), "uid": "1234567890",
                  "expires_in": 604_800, "screen_name": "benchmark"}
    parameters.update(more)
    return parameters


def message(method, parameters=None, **members):
    """One call as it goes over the wire, its NUL included.

    Members are those beside method and parameters: more, oneway, upgrade. Parameters may be left
    out.
    """
    name = method if "." in method else f"{INTERFACE}.{method}"
    call = {"method": name, **members}
    if parameters is not None:
        call["parameters"] = parameters
    return json.dumps(call, separators=(",", ":")).encode() + b"\0"


def connect(path, seconds=CALL_SECONDS):
    """A connection whose every operation ends within that time."""
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(seconds)
    try:
        peer.connect(str(path))
    except BaseException:
        peer.close()
        raise
    return peer


def raw_exchange(path, request):
    """Sends the bytes, gives back those of one reply without the NUL; b"" if the peer closed."""
    with connect(path) as peer:
        try:
            peer.sendall(request)
            reply = b""
            while not reply.endswith(b"\0"):
                part = peer.recv(65_536)
                if not part:
                    return b""
                reply += part
        except (BrokenPipeError, ConnectionResetError):
            return b""
    return reply[:-1]


def replies(peer, count):
    """So many replies; what comes beyond them is a fault."""
    data = b""
    while data.count(b"\0") < count:
        try:
            part = peer.recv(65_536)
        except ConnectionResetError:
            part = b""
        if not part:
            raise Closed(f"after {data.count(0)} of {count} replies")
        data += part
    parts = data.split(b"\0")
    assert parts.pop() == b"" and len(parts) == count, "more replies than calls"
    return [json.loads(part) for part in parts]


def ask(peer, method, parameters=None, **members):
    """One call and its reply, an error reply too, on a connection that is open."""
    peer.sendall(message(method, parameters, **members))
    return replies(peer, 1)[0]


def call(path, method, parameters=None):
    """One call on a connection of its own: the reply's parameters. Errors are thrown: Refused."""
    reply = raw_exchange(path, message(method, parameters))
    if not reply:
        raise Closed("the daemon closed the connection")
    answer = json.loads(reply)
    if "error" in answer:
        raise Refused(answer["error"], answer.get("parameters", {}))
    return answer.get("parameters", {})


def error(reply):
    """The last part of a reply's error; empty for an answer."""
    return reply.get("error", "").rsplit(".", 1)[-1]


def is_closed(peer, within):
    """Whether the daemon closes the connection in that time, whatever it says before."""
    peer.settimeout(within)
    try:
        while peer.recv(65_536):
            pass
        return True
    except (ConnectionResetError, BrokenPipeError):
        return True
    except TimeoutError:
        return False
