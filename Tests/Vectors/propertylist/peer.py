#!/usr/bin/env python3
"""Lets Python's plistlib read and write binary property lists for the tests.

    peer.py read BUNDLE              prints a line for each file in the bundle
    peer.py write SEED COUNT BUNDLE  writes a bundle of random files, prints a line for each

A bundle is files one after the other, each behind its length as 4 bytes, big endian. A line is
the value in this notation, or `refused`:

    n f t          null, false, true
    i-12           integer; i* when Int64 cannot hold it, or readers disagree about it
    r3ff8…         real, the bits of a double in hexadecimal; rnan for all that are no number
    d1000000       date, microseconds since 1970; d? when it is not finite
    x0102 s6162    data, string in UTF-8, both in hexadecimal
    u5             UID
    [i1,i2]        array
    (i1,i2)        set, in the order of the file; plistlib knows none
    {6b:i1,6c:t}   dictionary, in the order of its keys' UTF-8
"""

import datetime
import plistlib
import random
import struct
import sys

EPOCH = datetime.datetime(1970, 1, 1)
WIDTHS = (0, 1, 7, 8, 15, 16, 31, 32, 33, 63)
ALPHABET = "aZ 0~\x00\n\u00e9\u0301\u4e2d\u6587\ufeff\uffff\U0001f600\U0010ffff"


def text(value):
    if value is None:
        return "n"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int):
        return "i%d" % value if -2**63 <= value < 2**63 else "i*"
    if isinstance(value, float):
        return "rnan" if value != value else "r" + struct.pack(">d", value).hex()
    if isinstance(value, datetime.datetime):
        return "d%d" % ((value - EPOCH) // datetime.timedelta(microseconds=1))
    if isinstance(value, bytes):
        return "x" + value.hex()
    if isinstance(value, str):
        return "s" + value.encode("utf-8").hex()
    if isinstance(value, plistlib.UID):
        return "u%d" % value.data
    if isinstance(value, list):
        return "[" + ",".join(map(text, value)) + "]"
    members = sorted((key.encode("utf-8"), each) for key, each in value.items())
    return "{" + ",".join(key.hex() + ":" + text(each) for key, each in members) + "}"


def read(path):
    with open(path, "rb") as bundle:
        while head := bundle.read(4):
            content = bundle.read(struct.unpack(">I", head)[0])
            try:
                print(text(plistlib.loads(content, fmt=plistlib.FMT_BINARY)))
            except Exception:  # Whatever it raises, it does not read the file.
                print("refused")


def write(seed, count, path):
    source = random.Random(seed)
    with open(path, "wb") as bundle:
        for _ in range(count):
            value = make(source, 0)
            content = plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)
            bundle.write(struct.pack(">I", len(content)) + content)
            print(text(value))


def make(source, depth):
    kind = source.randrange(8 if depth > 3 else 12)
    if kind == 0:
        return source.choice([None, False, True])
    if kind == 1:
        return source.choice([-1, 1]) * source.getrandbits(source.choice(WIDTHS))
    if kind == 2:
        return source.choice([2**63, 2**64 - 1, -2**63, plistlib.UID(source.getrandbits(31))])
    if kind == 3:
        return struct.unpack(">d", struct.pack(">Q", source.getrandbits(64)))[0]
    if kind == 4:
        return EPOCH + datetime.timedelta(seconds=source.randrange(-2**32, 2**33) / 2)
    if kind == 5:
        return source.randbytes(length(source))
    if kind <= 7:
        return string(source)
    if kind <= 9:
        return [make(source, depth + 1) for _ in range(source.randrange(8))]
    return {string(source): make(source, depth + 1) for _ in range(source.randrange(8))}


def length(source):
    return source.choice([0, 1, 3, 14, 15, 16, source.randrange(300)])


def string(source):
    letters = ALPHABET[:5] if source.random() < 0.5 else ALPHABET
    return "".join(source.choice(letters) for _ in range(length(source)))


if sys.argv[1] == "read":
    read(sys.argv[2])
else:
    write(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
