"""The files of docs/FORMAT.md, written from the document alone and without libsodium.

ChaCha20, Poly1305 and X25519 come from `cryptography`, XChaCha20-Poly1305 from `pycryptodome`,
BLAKE2b from the standard library. Nothing here is meant for real secrets: nothing is wiped.
"""

import base64
import datetime
import hashlib
import plistlib
import re
import struct

from Crypto.Cipher import ChaCha20_Poly1305
from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.poly1305 import Poly1305

MAGIC = bytes.fromhex("93 53 45 41 4C 0D 0A 1A")
VERSION = 1
SUITE = 1
HEADER_SIZE = 88
PADDING_BLOCK = 256
CHUNK_SIZE = 65536
OVERHEAD = 17
TAG_MESSAGE = 0
TAG_PUSH = 1
TAG_REKEY = 2
TAG_FINAL = 3

KINDS = ("passphrase", "credential", "keyfile", "recovery")
MAXIMUM_SLOTS_FILE = 32768
OPSLIMITS = range(3, 16 + 1)
MEMLIMITS = range(268435456, 1073741824 + 1)
ARCHIVE_SUFFIX = ".sealed"
MAXIMUM_NAME = 180
PLAIN_NAME = re.compile(rb"[a-z0-9_-][a-z0-9._-]*")
EPOCH = datetime.datetime(1970, 1, 1)
LAST_SECOND = 253402300799


class CannotOpen(Exception):
    """A fault of a sealed file's content."""


class Unsupported(Exception):
    """A version or a suite that is not known here."""


class UnknownKey(Exception):
    """A master key that is not held."""


class Damaged(Exception):
    """The slots are not as they were written."""


class WrongSecret(Exception):
    """No slot of the secret's kind opens with it."""


# Primitives


def blake2b(data, key=b""):
    return hashlib.blake2b(data, digest_size=32, key=key).digest()


def chacha20(key, counter, nonce, data):
    """ChaCha20 of RFC 8439: a counter of 32 bits and a nonce of 12 bytes."""
    iv = struct.pack("<I", counter) + nonce
    return Cipher(algorithms.ChaCha20(key, iv), mode=None).encryptor().update(data)


def hchacha20(key, nonce):
    """HChaCha20 of draft-irtf-cfrg-xchacha, from one block of ChaCha20.

    A block is the state after the rounds plus the state before; HChaCha20 gives words of the
    former, so the latter is taken away again.
    """
    block = Cipher(algorithms.ChaCha20(key, nonce), mode=None).encryptor().update(bytes(64))
    before = b"expand 32-byte k" + key + nonce
    words = [
        (a - b) & 0xFFFFFFFF
        for a, b in zip(struct.unpack("<16I", block), struct.unpack("<16I", before))
    ]
    return struct.pack("<8I", *words[0:4], *words[12:16])


class SecretStream:
    """secretstream_xchacha20poly1305 of libsodium."""

    def __init__(self, key, header):
        self.key = hchacha20(key, header[:16])
        self.counter = 1
        self.inonce = header[16:24]

    @property
    def nonce(self):
        return struct.pack("<I", self.counter) + self.inonce

    def _code(self, tag_block, ciphertext, data):
        mac = Poly1305(chacha20(self.key, 0, self.nonce, bytes(64))[:32])
        mac.update(data + bytes(-len(data) % 16))
        mac.update(tag_block + ciphertext)
        # Not the padding to 16 that one would expect, but what libsodium has always done.
        mac.update(bytes(len(ciphertext) % 16))
        mac.update(struct.pack("<QQ", len(data), 64 + len(ciphertext)))
        return mac.finalize()

    def _advance(self, code, tag):
        self.inonce = bytes(a ^ b for a, b in zip(self.inonce, code))
        self.counter += 1
        if tag & TAG_REKEY or self.counter > 0xFFFFFFFF:
            fresh = chacha20(self.key, 0, self.nonce, self.key + self.inonce)
            self.key, self.inonce, self.counter = fresh[:32], fresh[32:40], 1

    def push(self, message, data, tag):
        tag_block = chacha20(self.key, 1, self.nonce, bytes([tag]) + bytes(63))
        ciphertext = chacha20(self.key, 2, self.nonce, message)
        code = self._code(tag_block, ciphertext, data)
        self._advance(code, tag)
        return tag_block[:1] + ciphertext + code

    def pull(self, sealed, data):
        if len(sealed) < OVERHEAD:
            raise CannotOpen("a chunk shorter than its tag and code")
        # The keystream of the first byte gives the tag, and with it the whole block again.
        tag = chacha20(self.key, 1, self.nonce, sealed[:1])[0]
        tag_block = sealed[:1] + chacha20(self.key, 1, self.nonce, bytes(64))[1:]
        ciphertext, code = sealed[1:-16], sealed[-16:]
        if self._code(tag_block, ciphertext, data) != code:
            raise CannotOpen("a chunk's code")
        message = chacha20(self.key, 2, self.nonce, ciphertext)
        self._advance(code, tag)
        return message, tag


# Sealed file


def derived(master_key, label, name=None):
    """The account, app, archive, slot list and retired key key of a master key."""
    suffix = b"" if name is None else b"\0" + name.encode()
    return blake2b(b"accountd " + label + b" v1" + suffix, master_key)


def file_key(key, salt):
    return blake2b(b"accountd seal v1\0" + salt, key)


def pad(plaintext):
    return plaintext + b"\x80" + bytes(-(len(plaintext) + 1) % PADDING_BLOCK)


def unpad(padded):
    kept = padded.rstrip(b"\0")
    if not kept.endswith(b"\x80") or len(padded) - len(kept) >= PADDING_BLOCK:
        raise CannotOpen("the padding")
    return kept[:-1]


def clear_header(key_id, salt, version=VERSION, suite=SUITE, reserved=0):
    return MAGIC + struct.pack("<HHI", version, suite, reserved) + key_id + salt


def seal_chunks(key, clear, stream_header, chunks):
    """A file of the chunks given, each a pair of its bytes and its tag."""
    stream = SecretStream(file_key(key, clear[32:64]), stream_header)
    body = b"".join(stream.push(chunk, clear, tag) for chunk, tag in chunks)
    return clear + stream_header + body


def cut(padded):
    pieces = [padded[at : at + CHUNK_SIZE] for at in range(0, len(padded), CHUNK_SIZE)]
    return [(piece, TAG_MESSAGE) for piece in pieces[:-1]] + [(pieces[-1], TAG_FINAL)]


def seal(plaintext, key, key_id, random):
    clear = clear_header(key_id, random(32))
    return seal_chunks(key, clear, random(24), cut(pad(plaintext)))


def open_sealed(file, key, key_id):
    if len(file) < 12 or file[:8] != MAGIC:
        raise CannotOpen("the magic")
    version, suite = struct.unpack("<HH", file[8:12])
    if version != VERSION or suite != SUITE:
        raise Unsupported(f"version {version}, suite {suite}")
    if len(file) < HEADER_SIZE or file[12:16] != bytes(4):
        raise CannotOpen("the header")
    if file[16:32] != key_id:
        raise UnknownKey(file[16:32].hex())
    clear = file[:64]
    stream = SecretStream(file_key(key, file[32:64]), file[64:88])
    plaintext, at, tag = b"", HEADER_SIZE, None
    while at < len(file):
        sealed = file[at : at + CHUNK_SIZE + OVERHEAD]
        at += len(sealed)
        message, tag = stream.pull(sealed, clear)
        if tag != (TAG_FINAL if at == len(file) else TAG_MESSAGE):
            raise CannotOpen("a chunk's tag")
        if not message or len(message) % PADDING_BLOCK:
            raise CannotOpen("a chunk's size")
        plaintext += message
    if tag != TAG_FINAL:
        raise CannotOpen("no final chunk")
    return unpad(plaintext)


# Archives


def archive_file(name):
    """What the file of an archive is called: plain names as they are, all others encoded."""
    data = name.encode()
    if not 1 <= len(data) <= MAXIMUM_NAME:
        raise ValueError("a name has 1 to 180 bytes")
    plain = PLAIN_NAME.fullmatch(data)
    encoded = base64.urlsafe_b64encode(data).rstrip(b"=")
    return (data if plain else b"=" + encoded).decode() + ARCHIVE_SUFFIX


def archive_name(file_name):
    """The name of the archive that a file is, or the one before it."""
    stem = file_name.removesuffix("~").removesuffix(ARCHIVE_SUFFIX)
    if stem.startswith("="):
        stem = base64.urlsafe_b64decode(stem[1:] + "=" * (-len(stem[1:]) % 4)).decode()
    if archive_file(stem) != file_name.removesuffix("~"):
        raise ValueError(f"no archive is called {file_name}")
    return stem


# Of those who give files in the directory of archives their names, and of who tidies up.
NAMES_PLACE = 1 << 62


def archive_place(name):
    """The byte of `archives/lock` that stands for an archive: a quarter of FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value >> 2


def archive_payload(kind, type_name, content):
    """The plaintext of an archive."""
    data = type_name.encode()
    return struct.pack("<BH", kind, len(data)) + data + content


def read_archive_payload(plaintext):
    """Kind, name of the type, content."""
    if len(plaintext) < 3:
        raise CannotOpen("an archive's kind")
    kind, length = struct.unpack("<BH", plaintext[:3])
    if len(plaintext) < 3 + length:
        raise CannotOpen("the name of a type")
    return kind, plaintext[3 : 3 + length].decode(), plaintext[3 + length :]


# Key slots


def l(value):
    return struct.pack("<I", len(value)) + value


def l64(value):
    return l(b"" if value is None else struct.pack("<q", value))


def seconds(date):
    return int((date - EPOCH).total_seconds())


def date(since_1970):
    return EPOCH + datetime.timedelta(seconds=since_1970)


def slot_data(slot, current):
    return (
        l(slot["id"])
        + l(slot["kind"].encode())
        + l64(seconds(slot["created"]))
        + l(slot.get("salt", b""))
        + l64(slot.get("opslimit"))
        + l64(slot.get("memlimit"))
        + l(slot["public"])
        + l(current)
    )


def canonical(slots):
    current = slots["current"]
    row = l(current)
    for slot in slots["slots"]:
        row += slot_data(slot, current)
        row += l(slot["ephemeral"]) + l(slot["nonce"]) + l(slot["wrapped"])
    for key in slots["retired"]:
        row += l(key["id"]) + l(key["nonce"]) + l(key["wrapped"])
    return row


def seed(kind, secret):
    """The private key of a slot; for a passphrase the seed itself is given."""
    if kind == "passphrase":
        return secret
    return blake2b(f"accountd {kind} v1".encode() + b"\0" + secret)


def public_key(private):
    return x25519.X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def shared_secret(private, point):
    try:
        return x25519.X25519PrivateKey.from_private_bytes(private).exchange(
            x25519.X25519PublicKey.from_public_bytes(point)
        )
    except ValueError:
        raise Damaged("a point of low order") from None


def wrapping_key(private, point, ephemeral, slot_public):
    return blake2b(shared_secret(private, point) + ephemeral + slot_public)


def aead_wrap(key, nonce, data, plaintext):
    cipher = ChaCha20_Poly1305.new(key=key, nonce=nonce)
    cipher.update(data)
    ciphertext, code = cipher.encrypt_and_digest(plaintext)
    return ciphertext + code


def aead_unwrap(key, nonce, data, wrapped):
    cipher = ChaCha20_Poly1305.new(key=key, nonce=nonce)
    cipher.update(data)
    try:
        return cipher.decrypt_and_verify(wrapped[:-16], wrapped[-16:])
    except ValueError:
        raise Damaged("a wrapped key") from None


def wrap_in_slot(slot, current, master_key, random):
    private = random(32)
    slot["ephemeral"] = public_key(private)
    slot["nonce"] = random(24)
    key = wrapping_key(private, slot["public"], slot["ephemeral"], slot["public"])
    slot["wrapped"] = aead_wrap(key, slot["nonce"], slot_data(slot, current), master_key)


def make_slot(kind, secret, current, master_key, created, random, **passphrase):
    slot = {"id": random(8), "kind": kind, "created": date(created), **passphrase}
    slot["public"] = public_key(seed(kind, secret))
    wrap_in_slot(slot, current, master_key, random)
    return slot


def make_retired(key_id, key, master_key, random):
    nonce = random(24)
    under = derived(master_key, b"retired")
    return {"id": key_id, "nonce": nonce, "wrapped": aead_wrap(under, nonce, l(key_id), key)}


def with_codes(slots, master_key):
    """Adds both codes; without a master key, the checksum alone."""
    if master_key is not None:
        slots["mac"] = blake2b(canonical(slots), derived(master_key, b"slots"))
    slots["checksum"] = blake2b(canonical(slots) + slots["mac"])
    return slots


def make_slots(current, master_key, slots, retired=()):
    ordered = sorted(slots, key=lambda slot: slot["id"])
    result = {"format": 1, "current": current, "slots": ordered, "retired": list(retired)}
    return with_codes(result, master_key)


def write_slots(slots):
    return plistlib.dumps(slots, fmt=plistlib.FMT_BINARY)


def _require(condition, what):
    if not condition:
        raise Damaged(what)


def _is_bytes(value, size):
    return isinstance(value, bytes) and len(value) == size


def _check_slot(slot):
    names = {"id", "kind", "created", "public", "ephemeral", "nonce", "wrapped"}
    _require(isinstance(slot, dict) and slot.get("kind") in KINDS, "a slot's kind")
    if slot["kind"] == "passphrase":
        names |= {"salt", "opslimit", "memlimit"}
        _require(_is_bytes(slot.get("salt"), 16), "a salt")
        _require(slot.get("opslimit") in OPSLIMITS, "opslimit")
        _require(slot.get("memlimit") in MEMLIMITS, "memlimit")
    _require(set(slot) == names, "a slot's fields")
    created = slot["created"]
    _require(isinstance(created, datetime.datetime), "created")
    _require(created.microsecond == 0 and 0 <= seconds(created) <= LAST_SECOND, "created")
    sizes = {"id": 8, "public": 32, "ephemeral": 32, "nonce": 24, "wrapped": 48}
    for name, size in sizes.items():
        _require(_is_bytes(slot[name], size), name)


def read_slots(file):
    _require(len(file) <= MAXIMUM_SLOTS_FILE and file.startswith(b"bplist00"), "the file")
    try:
        slots = plistlib.loads(file, fmt=plistlib.FMT_BINARY)
    except Exception:
        raise Damaged("the property list") from None
    names = {"format", "current", "slots", "retired", "mac", "checksum"}
    _require(isinstance(slots, dict) and type(slots.get("format")) is int, "format")
    if slots["format"] > 1:
        raise Unsupported(f"format {slots['format']}")
    _require(slots["format"] == 1 and set(slots) == names, "the fields")
    for name, size in {"current": 16, "mac": 32, "checksum": 32}.items():
        _require(_is_bytes(slots[name], size), name)
    _require(isinstance(slots["slots"], list) and 1 <= len(slots["slots"]) <= 16, "slots")
    for slot in slots["slots"]:
        _check_slot(slot)
    ids = [slot["id"] for slot in slots["slots"]]
    _require(all(a < b for a, b in zip(ids, ids[1:])), "the order of slots")
    _require(isinstance(slots["retired"], list) and len(slots["retired"]) <= 16, "retired")
    for key in slots["retired"]:
        _require(isinstance(key, dict) and set(key) == {"id", "nonce", "wrapped"}, "retired")
        for name, size in {"id": 16, "nonce": 24, "wrapped": 48}.items():
            _require(_is_bytes(key[name], size), name)
    retired = {key["id"] for key in slots["retired"]}
    _require(len(retired) == len(slots["retired"]), "the ids of retired keys")
    _require(slots["current"] not in retired, "the ids of retired keys")
    _require(slots["checksum"] == blake2b(canonical(slots) + slots["mac"]), "the checksum")
    return slots


def unlock_slot(slots, slot, private):
    """The master key out of one slot by its private key, and the wrapping key."""
    under = wrapping_key(private, slot["ephemeral"], slot["ephemeral"], slot["public"])
    data = slot_data(slot, slots["current"])
    master_key = aead_unwrap(under, slot["nonce"], data, slot["wrapped"])
    if slots["mac"] != blake2b(canonical(slots), derived(master_key, b"slots")):
        raise Damaged("the list's code")
    return master_key, under


def unlock(slots, kind, secret):
    """The master key, and what led to it: the slot's private key and its wrapping key."""
    private = seed(kind, secret)
    own = public_key(private)
    for slot in slots["slots"]:
        if slot["kind"] == kind and slot["public"] == own:
            master_key, under = unlock_slot(slots, slot, private)
            return master_key, private, under
    raise WrongSecret(kind)


def retired_key(slots, key_id, master_key):
    for key in slots["retired"]:
        if key["id"] == key_id:
            under = derived(master_key, b"retired")
            return aead_unwrap(under, key["nonce"], l(key_id), key["wrapped"])
    raise UnknownKey(key_id.hex())
