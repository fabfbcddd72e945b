"""Logins that must be refused, each with a token of its own, whose remains are looked for."""

import json

from wire import login_parameters, message


def _call(parameters):
    return message("Login", parameters)


def _cut(call, count):
    """A message that ends too early, but ends."""
    return call[:-1][:-count] + b"\0"


def refused_logins(token):
    """Name to the bytes of a message, NUL included; none may store anything."""
    good = login_parameters(token)
    call = _call(good)
    quoted = json.dumps(token).encode()
    return {
        "without its last bracket": _cut(call, 1),
        "cut after the token": call[:call.index(quoted) + len(quoted)] + b"\0",
        "a token that is never closed": call[:call.index(quoted) + len(quoted) - 1] + b"\0",
        "a duplicate token": call.replace(
            b'"access_token":', b'"access_token":' + quoted + b',"access_token":', 1),
        "invalid UTF-8 after the token": call.replace(b'"benchmark"', b'"\xff\xfe"'),
        "a lone surrogate after the token": call.replace(b'"benchmark"', b'"\\ud800"'),
        "an escaped NUL in the token": call.replace(quoted, quoted[:-1] + b'\\u0000"'),
        "bytes behind the call": call[:-1] + b" " + quoted + b"\0",
        "nested too deep": call.replace(b'"benchmark"', b"[" * 40 + quoted + b"]" * 40),
        "an array": b"[" + quoted + b"]\0",
        "a string": quoted + b"\0",
        "no JSON at all": token.encode() + b"\0",
        "the token as a key": call.replace(b'"expires_in"', quoted),
        "the token as the method": message(f"org.accountd.Account.{token}"),
        "the token as the interface": message(f"{token}.Login"),
        "the token for a number": _call({**good, "expires_in": token}),
        "the token for a boolean": _call({**good, "replace": token}),
        "the token as the uid": _call({**good, "uid": token}),
        "an empty uid": _call({**good, "uid": ""}),
        "an expiry of zero": _call({**good, "expires_in": 0}),
        "both expiries": _call({**good, "expires_at": 4102444800}),
        "no expiry": _call({key: good[key] for key in ("access_token", "uid")}),
        "an unknown parameter": _call({**good, "x": token}),
        "a control character in the token": _call({**good, "access_token": token + "\n"}),
        "a token of 4,097 bytes": _call({**good, "access_token": token + "x" * (4097 - 32)}),
        "a foreign account": _call({**good, "uid": "99"}),
        "an empty refresh token": _call({**good, "refresh_token": ""}),
        "64 KiB and more": _call({**good, "avatar_large": "x" * 70000}),
        "70,000 bytes without an end": call[:-1] + b" " * 70000,
    }
