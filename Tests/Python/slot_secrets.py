"""What opens key slots, as people and machines hold it, and the seeds that are made of it.

Written from docs/FORMAT.md, "Seeds" and "Recovery code". Argon2id comes from `cryptography`.
"""

import sealed_format as form
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

OPSLIMIT = 3
MEMLIMIT = 268435456
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
CODE_SIZE = 20
CODE_CHARACTERS = 36
# What a file of 32 bytes opens; the others are texts.
FILES = ("keyfile", "credential")


class Mistyped(Exception):
    """A text that is no recovery code."""


def argon2id13(passphrase, salt, opslimit, memlimit):
    return Argon2id(
        salt=salt, length=32, iterations=opslimit, lanes=1, memory_cost=memlimit // 1024
    ).derive(passphrase)


def recovery_code(secret):
    bits = int.from_bytes(secret, "big") << 20
    bits |= int.from_bytes(form.blake2b(secret)[:3], "big") >> 4
    code = "".join(CROCKFORD[bits >> 5 * place & 31] for place in reversed(range(36)))
    return "-".join(code[at : at + 4] for at in range(0, 36, 4))


def recovery_bytes(code):
    """The bytes of a code as somebody has typed it."""
    read = code.upper().translate(str.maketrans("ILO", "110", " -\n"))
    if len(read) != CODE_CHARACTERS:
        raise Mistyped(f"{len(read)} letters and digits")
    bits = 0
    for place, character in enumerate(read, 1):
        if character not in CROCKFORD:
            raise Mistyped(f"place {place}")
        bits = bits << 5 | CROCKFORD.index(character)
    secret = (bits >> 20).to_bytes(CODE_SIZE, "big")
    if recovery_code(secret).replace("-", "") != read:
        raise Mistyped("the checksum")
    return secret


def secret_of(kind, contents):
    """What a slot is opened by, from the contents of the file that has it.

    A passphrase's bytes are taken as they are, but for one line feed at the end.
    """
    if kind in FILES:
        if len(contents) != 32:
            raise form.WrongSecret(f"a {kind} has 32 bytes")
        return contents
    if kind == "recovery":
        return recovery_bytes(contents.decode())
    return contents.removesuffix(b"\n")


def made_up(kind, random):
    """A secret of a kind, as it stands in a file."""
    if kind in FILES:
        return random(32)
    if kind == "recovery":
        return recovery_code(random(CODE_SIZE)).encode() + b"\n"
    return b"made-up words " + random(8).hex().encode() + b"\n"


def make_slot(kind, secret, current, master_key, created, random):
    """A slot for a secret; of a passphrase with the least limits that are allowed."""
    if kind != "passphrase":
        return form.make_slot(kind, secret, current, master_key, created, random)
    salt = random(16)
    seed = argon2id13(secret, salt, OPSLIMIT, MEMLIMIT)
    return form.make_slot(
        kind, seed, current, master_key, created, random,
        salt=salt, opslimit=OPSLIMIT, memlimit=MEMLIMIT)


def unlock(slots, kind, secret):
    """As sealed_format.unlock, with a passphrase in place of its seed."""
    if kind != "passphrase":
        return form.unlock(slots, kind, secret)
    for slot in slots["slots"]:
        if slot["kind"] == kind:
            # The limits were held against their bounds when the list was read.
            seed = argon2id13(secret, slot["salt"], slot["opslimit"], slot["memlimit"])
            try:
                return form.unlock(slots, kind, seed)
            except form.WrongSecret:
                continue
    raise form.WrongSecret(kind)
