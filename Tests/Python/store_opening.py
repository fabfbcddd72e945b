"""Opens a store by the secret of any of its slots, and says what keys lead to what it holds.

As sealed_format.py, from docs/FORMAT.md alone; Argon2id comes from `cryptography`. Secrets are
given as bytes: a passphrase, a key file's or credential's 32, the 20 of a recovery code.
"""

import functools
import hashlib
import pathlib
import plistlib
import struct

import sealed_format as form
from slot_secrets import argon2id13, recovery_bytes, recovery_code  # noqa: F401

ACCOUNT_FILE = "account.plist.sealed"
SLOTS_FILE = "keyslots.plist"
ARCHIVES, SUFFIX = "archives", form.ARCHIVE_SUFFIX
# It takes seconds, so that each is made once.
argon2id = functools.cache(argon2id13)


def read_slots(state):
    """The list of slots that stands in a state directory."""
    return form.read_slots((pathlib.Path(state) / SLOTS_FILE).read_bytes())


def private_key(slot, secret):
    """What a secret makes for a slot of its kind, whether it is that slot's or not."""
    if slot["kind"] == "passphrase":
        return argon2id(secret, slot["salt"], slot["opslimit"], slot["memlimit"])
    return form.seed(slot["kind"], secret)


def open_slot(slots, slot, secrets):
    """The master key, by the secret of the slot among those of its kind."""
    for secret in secrets.get(slot["kind"], ()):
        private = private_key(slot, secret)
        if form.public_key(private) == slot["public"]:
            return form.unlock_slot(slots, slot, private)[0]
    raise form.WrongSecret(slot["kind"])


def master_key_of(file, slots, master_key):
    """The master key that a file says that it is sealed by, of those that the list holds."""
    key_id = file[16:32]
    if key_id == slots["current"]:
        return master_key, key_id
    return form.retired_key(slots, key_id, master_key), key_id


def open_account(state, slots, master_key, name=ACCOUNT_FILE):
    """The account, as a dictionary; or the one before it."""
    file = (pathlib.Path(state) / name).read_bytes()
    master_key, key_id = master_key_of(file, slots, master_key)
    plaintext = form.open_sealed(file, form.derived(master_key, b"account"), key_id)
    return plistlib.loads(plaintext, fmt=plistlib.FMT_BINARY)


def open_archive(path, slots, master_key):
    """What an archive holds, after its kind and the name of its type."""
    file = pathlib.Path(path).read_bytes()
    master_key, key_id = master_key_of(file, slots, master_key)
    name = form.archive_name(pathlib.Path(path).name)
    plaintext = form.open_sealed(file, form.derived(master_key, b"archive", name), key_id)
    return form.read_archive_payload(plaintext)[2]


# MARK: What a process may have had in hand


def argon2_beginnings(secret, slot):
    """The first hash of Argon2id, and the two blocks that are made of it. RFC 9106, 3.2"""
    first = hashlib.blake2b(
        struct.pack("<6I", 1, 32, slot["memlimit"] // 1024, slot["opslimit"], 0x13, 2)
        + form.l(secret) + form.l(slot["salt"]) + form.l(b"") + form.l(b"")).digest()
    blocks = [_long_hash(first + struct.pack("<2I", number, 0), 1024) for number in (0, 1)]
    return {"first hash": first, "first block": blocks[0], "second block": blocks[1]}


def _long_hash(data, size):
    """H' of RFC 9106, 3.3."""
    part = hashlib.blake2b(struct.pack("<I", size) + data).digest()
    out = b""
    while size - len(out) > 64:
        out += part[:32]
        part = hashlib.blake2b(part, digest_size=min(64, size - len(out))).digest()
    return out + part


def _clamped(private):
    return bytes([private[0] & 248]) + private[1:31] + bytes([private[31] & 127 | 64])


def keys_of_secret(slot, secret):
    """Name to bytes: what is made of a secret for a slot, be it the right one or not."""
    private = private_key(slot, secret)
    keys = {"seed": private, "seed, clamped": _clamped(private)}
    if slot["kind"] == "passphrase":
        keys.update({f"Argon2's {name}": value
                     for name, value in argon2_beginnings(secret, slot).items()})
    return keys


def keys_of_store(state, secrets):
    """Name to bytes: all that leads from the secrets to the account, by every slot there is.

    `secrets`: kind to those that may open a slot of it.
    """
    slots = read_slots(state)
    keys = {}
    master_key = None
    for slot in slots["slots"]:
        for secret in secrets.get(slot["kind"], ()):
            private = private_key(slot, secret)
            if form.public_key(private) != slot["public"]:
                continue
            name = f"{slot['kind']} slot's"
            keys.update({f"{name} {what}": value
                         for what, value in keys_of_secret(slot, secret).items()})
            keys[f"{name} shared secret"] = form.shared_secret(private, slot["ephemeral"])
            master_key, keys[f"{name} wrapping key"] = form.unlock_slot(slots, slot, private)
    if master_key is None:
        raise form.WrongSecret("no slot opens")
    keys["master key"] = master_key
    for label in (b"account", b"app", b"slots", b"retired"):
        keys[f"{label.decode()} key"] = form.derived(master_key, label)
    for key in slots["retired"]:
        retired = form.retired_key(slots, key["id"], master_key)
        keys["retired master key"] = retired
        keys["retired account key"] = form.derived(retired, b"account")
    path = pathlib.Path(state) / ACCOUNT_FILE
    if path.exists():
        file = path.read_bytes()
        sealing, _ = master_key_of(file, slots, master_key)
        keys["file key"] = form.file_key(form.derived(sealing, b"account"), file[32:64])
        keys["stream key"] = form.SecretStream(keys["file key"], file[64:88]).key
    return keys
