#!/usr/bin/env python3
"""What Python's json makes of JSON texts, strictly read.

    reference.py read FILE          one text a line, in hexadecimal
    reference.py write SEED COUNT   texts of this program's own

Both print a line for each text: the text in hexadecimal, a space, and "refused" or its canonical
form: {name value ...}, [value ...], s and the hexadecimal UTF-8 of a string, n with a number as an
exact 64-bit integer and cut towards zero ("-" where it is none), t, f, z for null. Refused is what
RFC 8259 refuses, and names given twice, U+0000, and halves of surrogate pairs.
"""

import decimal
import json
import random
import re
import sys


class Refused(Exception):
    pass


class Number(str):
    """A number as it is written."""


def pairs(members):
    names = [name for name, _ in members]
    if len(set(names)) != len(names):
        raise Refused
    return members


def constant(_):
    raise Refused


DECODER = json.JSONDecoder(
    object_pairs_hook=lambda members: ("object", pairs(members)),
    parse_int=Number,
    parse_float=Number,
    parse_constant=constant,
)


def within(value):
    return str(value) if -(2**63) <= value < 2**63 else "-"


def truncated(source):
    sign, digits, fraction, exponent = re.fullmatch(
        r"(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?", source
    ).groups()
    digits += fraction or ""
    if not digits.strip("0"):
        return "0"
    # What stands before the point, once the exponent has moved it.
    length = len(digits) - len(fraction or "") + int(exponent or 0)
    if length <= 0:
        return "0"
    if length > len(digits) + 30:
        return "-"
    digits = digits[:length].ljust(length, "0").lstrip("0")
    return within(int(sign + (digits or "0"))) if len(digits) < 30 else "-"


def number(source):
    if "." in source or "e" in source or "E" in source:
        return "n-/" + truncated(source)
    exact = within(int(source)) if len(source) < 30 else "-"
    # Where the module decimal can tell, it must say the same.
    assert within(int(decimal.Decimal(source))) == exact or len(source) >= 30
    return "n" + exact + "/" + truncated(source)


def string(value):
    if "\0" in value:
        raise Refused
    return "s" + value.encode("utf-8").hex()


def canonical(value):
    if value is None:
        return "z"
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, Number):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, tuple):
        return "{" + " ".join(string(n) + " " + canonical(v) for n, v in value[1]) + "}"
    return "[" + " ".join(canonical(element) for element in value) + "]"


def read(text):
    try:
        return canonical(DECODER.decode(text.decode("utf-8")))
    except (Refused, ValueError):
        return "refused"


def anything(depth):
    kind = random.randrange(5 if depth == 0 else 0, 9 if depth < 6 else 6)
    if kind == 0:
        return random.choice([None, True, False])
    if kind == 1:
        return random.randrange(-(2 ** random.randrange(1, 70)), 2 ** random.randrange(1, 70))
    if kind == 2:
        return random.uniform(-1, 1) * 10 ** random.randrange(-30, 30)
    if kind < 6:
        return some_text()
    count = random.randrange(random.choice([3, 6, 12]))
    if kind < 7:
        return [anything(depth + 1) for _ in range(count)]
    return {some_text(): anything(depth + 1) for _ in range(count)}


def some_text():
    bound = random.choice([0x80, 0x800, 0xD800, 0x110000])
    points = (random.randrange(1, bound) for _ in range(random.randrange(12)))
    return "".join(chr(point) for point in points if not 0xD800 <= point < 0xE000)


def write(seed, count):
    random.seed(seed)
    for _ in range(count):
        text = json.dumps(
            anything(0),
            ensure_ascii=random.random() < 0.5,
            indent=random.choice([None, None, 2, "\t"]),
            separators=random.choice([None, (",", ":"), (" , ", " : ")]),
        )
        yield text.encode("utf-8")


def main():
    if sys.argv[1] == "read":
        with open(sys.argv[2], encoding="ascii") as lines:
            texts = [bytes.fromhex(line) for line in lines.read().split("\n")[:-1]]
    else:
        texts = write(int(sys.argv[2]), int(sys.argv[3]))
    for text in texts:
        print(text.hex(), read(text))


if __name__ == "__main__":
    main()
