"""Calls with a secret of a slot's that must be refused, whose remains are looked for."""

import json

from wire import message

KEYS = "org.accountd.Keys"


def _cut(call, count):
    """A message that ends too early, but ends."""
    return call[:-1][:-count] + b"\0"


def refused_unlocks(secret):
    """Name to the bytes of a message, NUL included; none is looked at by Argon2id."""
    good = {"passphrase": secret}
    call = message("Unlock", good)
    quoted = json.dumps(secret).encode()
    return {
        "without its last bracket": _cut(call, 1),
        "cut after the passphrase": call[:call.index(quoted) + len(quoted)] + b"\0",
        "a passphrase that is never closed": call[:call.index(quoted) + len(quoted) - 1] + b"\0",
        "a duplicate passphrase": call.replace(
            b'"passphrase":', b'"passphrase":' + quoted + b',"passphrase":', 1),
        "invalid UTF-8 in the passphrase": call.replace(quoted, quoted[:-1] + b'\xff\xfe"'),
        "a lone surrogate in the passphrase": call.replace(quoted, quoted[:-1] + b'\\ud800"'),
        "bytes behind the call": call[:-1] + b" " + quoted + b"\0",
        "nested too deep": call.replace(quoted, b"[" * 40 + quoted + b"]" * 40),
        "an array of passphrases": call.replace(quoted, b"[" + quoted + b"]"),
        "no JSON at all": secret.encode() + b"\0",
        "the passphrase as a key": message("Unlock", {secret: "x"}),
        "the passphrase as the method": message("org.accountd.Account.")[:-3]
        + quoted[1:] + b"}\0",
        "a passphrase of 1,025 bytes": message("Unlock", {"passphrase": secret + "x" * 1025}),
        "both secrets": message("Unlock", {**good, "recovery_code": secret}),
        "an unknown parameter": message("Unlock", {**good, "x": secret}),
        "the passphrase as a code": message("Unlock", {"recovery_code": secret}),
        "a new slot in a locked store": message(
            f"{KEYS}.AddSlot", {"kind": "passphrase", "passphrase": secret}),
        "a new slot of no kind": message(f"{KEYS}.AddSlot", {"kind": secret, "passphrase": secret}),
        "a new slot of another kind": message(
            f"{KEYS}.AddSlot", {"kind": "recovery", "passphrase": secret}),
        "the passphrase as an id": message(f"{KEYS}.RemoveSlot", {"id": secret}),
        "64 KiB and more": call[:-1] + b" " * 70_000 + b"\0",
        "70,000 bytes without an end": call[:-1] + b" " * 70_000,
    }
