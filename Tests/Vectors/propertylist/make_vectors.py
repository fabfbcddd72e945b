#!/usr/bin/env python3
"""Makes the binary property lists of this folder and MANIFEST.json.

Every file is put together byte by byte from its objects, and what must come of it is written down
beside it by hand: no property list library has a part in either. `make_vectors.py` writes the
files, `make_vectors.py --check` only tells whether they are as it would write them.

The values in the manifest are in the notation of `peer.py`.
"""

import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
REFERENCE_DATE = 978307200


class Layout:
    """A file, and where its parts are."""

    def __init__(self, objects, root=0, offset_size=1, ref_size=1, header=b"bplist00", gap=b"",
                 unused=bytes(6), count=None, offsets=None, table=None, tail=b""):
        body = header
        self.at = []
        for each in objects:
            self.at.append(len(body))
            body += each
        self.table = len(body)
        stated = list(self.at)
        for number, offset in (offsets or {}).items():
            stated[number] = offset
        for offset in stated:
            body += offset.to_bytes(offset_size, "big")
        body += gap
        self.trailer = len(body)
        body += unused + bytes([offset_size, ref_size])
        body += struct.pack(">QQQ", len(objects) if count is None else count, root,
                            self.table if table is None else table)
        self.bytes = body + tail


def ascii_string(text):
    return marker(0x50, len(text)) + text.encode("ascii")


def utf16_string(text):
    return marker(0x60, len(text.encode("utf-16-be")) // 2) + text.encode("utf-16-be")


def data(content):
    return marker(0x40, len(content)) + content


def marker(kind, count):
    return bytes([kind | count]) if count < 15 else bytes([kind | 15, 0x10, count])


def date(seconds_since_1970):
    return b"\x33" + struct.pack(">d", seconds_since_1970 - REFERENCE_DATE)


def dictionary(*members):
    """Members are pairs of numbers of objects."""
    return (marker(0xD0, len(members)) + bytes(key for key, _ in members)
            + bytes(value for _, value in members))


def array(*elements):
    return marker(0xA0, len(elements)) + bytes(elements)


def hexa(text):
    return text.encode("utf-8").hex()


def chain(length, after):
    """Arrays, numbered from `after`, each of which holds the next; the last one is empty."""
    return [array(after + number + 1) for number in range(length - 1)] + [array()]


VECTORS = []


def good(name, about, text, objects, **layout):
    made = Layout(objects, **layout)
    VECTORS.append((name, made.bytes, {"about": about, "result": "value", "value": text}))


def bad(name, about, objects, error="damaged", offset=None, patch=None, **layout):
    made = Layout(objects, **layout)
    content = made.bytes
    for position, replacement in (patch(made) if patch else {}).items():
        content = content[:position] + replacement + content[position + len(replacement):]
    entry = {"about": about, "result": error}
    if error in ("damaged", "duplicateKey"):
        entry["offset"] = offset(made)
    VECTORS.append((name, content, entry))


def raw(name, about, content, error, offset=None):
    entry = {"about": about, "result": error}
    if offset is not None:
        entry["offset"] = offset
    VECTORS.append((name, content, entry))


def start(number):
    return lambda made: made.at[number]


def field(distance):
    return lambda made: made.trailer + distance


# What must be read.

good("account", "an account's keys and kinds",
     "{%s:s%s,%s:d1700604800000000,%s:i604800,%s:d1700000000000000,%s:i1,%s:s%s,%s:s%s}" % (
         hexa("access_token"), hexa("2.00aaBBccDD"), hexa("expires_date"), hexa("expires_in"),
         hexa("issued_at"), hexa("schema"), hexa("screen_name"), hexa("用户名"),
         hexa("uid"), hexa("1234567890")),
     [dictionary((1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 14)),
      ascii_string("access_token"), ascii_string("2.00aaBBccDD"),
      ascii_string("uid"), ascii_string("1234567890"),
      ascii_string("screen_name"), utf16_string("用户名"),
      ascii_string("expires_in"), b"\x12" + struct.pack(">I", 604800),
      ascii_string("issued_at"), date(1700000000),
      ascii_string("expires_date"), date(1700604800),
      ascii_string("schema"), b"\x10\x01"])
good("every_kind", "every kind but sets and UIDs in one array",
     "[n,f,t,i7,r3ff8000000000000,d1000000,x0102,s6162,se5908d,[],{}]",
     [array(*range(1, 12)), b"\x00", b"\x08", b"\x09", b"\x10\x07",
      b"\x23" + struct.pack(">d", 1.5), date(1), data(b"\x01\x02"), ascii_string("ab"),
      utf16_string("名"), array(), dictionary()])
good("set", "a set of two", "(i1,i2)", [b"\xC2\x01\x02", b"\x10\x01", b"\x10\x02"])
good("uids", "UIDs of 1, 2, 4 and 8 bytes", "[u5,u1280,u83886080,u18446744073709551615]",
     [array(1, 2, 3, 4), b"\x80\x05", b"\x81\x05\x00", b"\x83\x05\x00\x00\x00",
      b"\x87" + b"\xFF" * 8])
good("root_string", "a string alone", "s" + hexa("alone"), [ascii_string("alone")])
good("root_null", "null alone, nine bytes before the table", "n", [b"\x00"])
good("root_is_last", "children before their container", "[i1,i2]",
     [b"\x10\x01", b"\x10\x02", array(0, 1)], root=2)
good("integer_sizes", "1, 2 and 4 bytes without a sign, 8 bytes with one",
     "[i255,i65535,i4294967295,i-1,i9223372036854775807,i-9223372036854775808]",
     [array(1, 2, 3, 4, 5, 6), b"\x10\xFF", b"\x11\xFF\xFF", b"\x12\xFF\xFF\xFF\xFF",
      b"\x13" + b"\xFF" * 8, b"\x13\x7F" + b"\xFF" * 7, b"\x13\x80" + bytes(7)])
good("integers_of_16_bytes",
     "2^63 - 1; and those about which readers disagree: -2^63, -1, 2^63, -2^63 - 1, 2^64",
     "[i9223372036854775807,i*,i*,i*,i*,i*]",
     [array(1, 2, 3, 4, 5, 6), b"\x14" + (2**63 - 1).to_bytes(16, "big"),
      b"\x14" + (-2**63).to_bytes(16, "big", signed=True), b"\x14" + b"\xFF" * 16,
      b"\x14" + (2**63).to_bytes(16, "big"),
      b"\x14" + (-2**63 - 1).to_bytes(16, "big", signed=True),
      b"\x14" + (2**64).to_bytes(16, "big")])
good("reals", "4 and 8 bytes, infinite and no number",
     "[r3ff8000000000000,rbff8000000000000,r7ff0000000000000,rnan,r8000000000000000]",
     [array(1, 2, 3, 4, 5), b"\x22" + struct.pack(">f", 1.5), b"\x23" + struct.pack(">d", -1.5),
      b"\x23" + struct.pack(">d", float("inf")), b"\x22\x7F\xC0\x00\x00",
      b"\x23" + struct.pack(">d", -0.0)])
good("dates_not_finite", "dates that are no date: read as a list, refused as dates", "[d?,d?]",
     [array(1, 2), b"\x33\x7F\xF8" + bytes(6), b"\x33\xFF\xF0" + bytes(6)])
good("dates", "before 1970, with a fraction, at the epoch", "[d-86400000000,d500000,d0]",
     [array(1, 2, 3), date(-86400), date(0.5), date(0)])
good("strings", "empty, with NUL, surrogate pair, BOM, ASCII as UTF-16, noncharacter",
     "[s,s,s610062,sf09f9880,sefbbbf78,s6162,sefbfbf]",
     [array(1, 2, 3, 4, 5, 6, 7), b"\x50", b"\x60", ascii_string("a\0b"), utf16_string("😀"),
      utf16_string("\ufeffx"), utf16_string("ab"), utf16_string("\uffff")])
for size in (2, 3, 4, 8):
    good("offsets_of_%d_bytes" % size, "larger offsets than needed", "[i1]",
         [array(1), b"\x10\x01"], offset_size=size)
    good("references_of_%d_bytes" % size, "larger references than needed", "{6b:[i1,i1]}",
         [b"\xD1" + (1).to_bytes(size, "big") + (2).to_bytes(size, "big"), ascii_string("k"),
          b"\xA2" + 2 * (3).to_bytes(size, "big"), b"\x10\x01"], ref_size=size)
for size in (1, 2, 4, 8):
    good("length_of_%d_bytes" % size, "a length that needs fewer bytes or none", "x616263",
         [b"\x4F" + bytes([0x10 | size.bit_length() - 1]) + (3).to_bytes(size, "big") + b"abc"])
good("lengths_around_15", "14 bytes, 15 bytes and 16 code units",
     "[x%s,s%s,s%s]" % ("00" * 14, "61" * 15, "c3a9" * 16),
     [array(1, 2, 3), data(bytes(14)), ascii_string("a" * 15), utf16_string("é" * 16)])
good("shared_object", "two keys for one array", "{61:[i1],62:[i1]}",
     [dictionary((1, 3), (2, 3)), ascii_string("a"), ascii_string("b"), array(4), b"\x10\x01"])
good("shared_key", "one key object in two dictionaries", "[{6b:i1},{6b:i2}]",
     [array(1, 2), dictionary((3, 4)), dictionary((3, 5)), ascii_string("k"), b"\x10\x01",
      b"\x10\x02"])
good("keys_canonically_equivalent", "é and e with an accent are two keys",
     "{65cc81:i2,c3a9:i1}",
     [dictionary((1, 3), (2, 4)), utf16_string("é"), utf16_string("e\u0301"), b"\x10\x01",
      b"\x10\x02"])
good("16_deep", "as deep as the limit", "[" * 16 + "]" * 16, chain(16, 0))
good("16_deep_by_sharing", "deeper on the second way to an object than on the first",
     "[[[]]," + "[" * 15 + "]" * 15 + "]",
     [array(1, 3)] + chain(2, 1) + [array(number) for number in range(4, 15)]
     + [array(15), array(1)])
good("unreachable_object_is_broken", "an object that nothing refers to is not looked at", "[]",
     [array(), b"\x5F"])
good("trailer_unused_bytes_set", "the first six bytes of the trailer say nothing", "[]",
     [array()], unused=b"\x01\x02\x03\x04\x05\x06")

# Header and trailer.

raw("empty", "no byte", b"", "notAPropertyList")
raw("header_alone", "eight bytes", b"bplist00", "damaged", 8)
raw("header_cut", "seven bytes", b"bplist0", "notAPropertyList")
raw("xml", "the other format", b'<?xml version="1.0"?><plist version="1.0"><true/></plist>',
    "notAPropertyList")
raw("no_room_for_an_object", "header, one offset and trailer",
    b"bplist00\x08" + bytes(6) + b"\x01\x01" + struct.pack(">QQQ", 1, 0, 8), "damaged", 41)
bad("header_of_another_version", "bplist01", [b"\x09"], "notAPropertyList", header=b"bplist01")
bad("offsets_of_0_bytes", "no offset at all", [b"\x09"], offset=field(6),
    patch=lambda made: {made.trailer + 6: b"\x00"})
bad("offsets_of_9_bytes", "more than 64 bits", [b"\x09"], offset=field(6),
    patch=lambda made: {made.trailer + 6: b"\x09"})
bad("references_of_0_bytes", "no reference at all", [b"\x09"], offset=field(7), ref_size=0)
bad("references_of_9_bytes", "more than 64 bits", [b"\x09"], offset=field(7), ref_size=9)
bad("no_objects", "a count of 0", [b"\x09"], offset=field(8), count=0)
bad("count_over_63_bits", "a count that is negative as a signed one", [b"\x09"], offset=field(8),
    count=2**63)
bad("count_overflows_table", "2^61 objects of 8 bytes are 0 bytes of table", [b"\x09"],
    offset=field(24), count=2**61, offset_size=8)
bad("count_one_too_many", "the table would reach into the trailer", [b"\x09"], offset=field(24),
    count=2)
bad("root_past_objects", "object 1 of 1", [b"\x09"], offset=field(16), root=1)
bad("root_over_63_bits", "a root that is negative as a signed one", [b"\x09"], offset=field(16),
    root=2**64 - 1)
bad("table_in_header", "offset 7", [b"\x09"], offset=field(24), table=7)
bad("table_at_objects", "offset 8: no room for an object", [b"\x09"], offset=field(24), table=8)
bad("table_past_file", "offset 1000", [b"\x09"], offset=field(24), table=1000)
bad("table_over_63_bits", "negative as a signed one", [b"\x09"], offset=field(24),
    table=2**64 - 1)
bad("table_at_63_bits", "the end of the table overflows", [b"\x09"], offset=field(24),
    table=2**63 - 1)
bad("gap_before_trailer", "a byte between table and trailer", [b"\x09"], offset=field(24),
    gap=b"\x00")
bad("byte_after_trailer", "a byte behind the end moves the trailer", [b"\x09"],
    offset=lambda made: made.trailer + 1 + 7, tail=b"\x00")
bad("4097_objects", "one more than the limit", [b"\x09"] * 4097, "tooManyObjects", offset_size=2)

# Offset table.

bad("offset_in_header", "an object at byte 7", [b"\x09"], offset=lambda made: made.table,
    offsets={0: 7})
bad("offset_in_table", "an object in the table", [array(1), b"\x09"],
    offset=lambda made: made.table + 1, offsets={1: 11})
bad("offset_over_63_bits", "negative as a signed one", [array(1), b"\x09"], offset_size=8,
    offset=lambda made: made.table + 8, offsets={1: 2**64 - 1})
bad("offset_of_unreachable_object", "the table is proved whole", [array(), b"\x09"],
    offset=lambda made: made.table + 1, offsets={1: 0})

# Markers and lengths.

for name, about, content in [
        ("marker_fill", "0F fills gaps and is no object", b"\x0F"),
        ("marker_url", "0C", b"\x0C\x51a"),
        ("marker_uuid", "0E", b"\x0E" + bytes(16)),
        ("integer_of_32_bytes", "15", b"\x15" + bytes(32)),
        ("real_of_2_bytes", "21", b"\x21\x00\x00"),
        ("real_of_16_bytes", "24", b"\x24" + bytes(16)),
        ("date_of_4_bytes", "32", b"\x32" + bytes(4)),
        ("string_of_utf8", "71: in no writer's files", b"\x71a"),
        ("uid_of_3_bytes", "82", b"\x82\x00\x00\x01"),
        ("uid_of_16_bytes", "8F", b"\x8F" + bytes(16)),
        ("marker_90", "in no table", b"\x90"),
        ("ordered_set", "B0: in the table, in no reader", b"\xB0"),
        ("marker_e0", "in no table", b"\xE0"),
        ("marker_f0", "in no table", b"\xF0"),
        ("integer_cut", "the value runs into the table", b"\x13" + bytes(7)),
        ("real_cut", "the value runs into the table", b"\x23" + bytes(7)),
        ("date_cut", "the value runs into the table", b"\x33" + bytes(7)),
        ("uid_cut", "the value runs into the table", b"\x83" + bytes(3)),
        ("string_cut", "one byte short", b"\x53ab"),
        ("utf16_cut", "one byte short", b"\x62\x00a\x00"),
        ("data_cut", "one byte short", b"\x43ab"),
        ("array_cut", "one reference short", b"\xA2\x00"),
        ("dictionary_cut", "one reference short", b"\xD1\x00"),
        ("data_length_at_63_bits", "start and length overflow", b"\x4F\x13\x7F" + b"\xFF" * 7),
        ("utf16_length_overflows", "2^62 code units", b"\x6F\x13\x40" + bytes(7)),
        ("dictionary_length_overflows", "2^62 members", b"\xDF\x13\x40" + bytes(7))]:
    bad(name, about, [content], offset=start(0))
for name, about, content in [
        ("length_is_a_real", "a length must be an integer", b"\x4F\x22" + bytes(4)),
        ("length_of_16_bytes", "a length has 8 bytes at the most", b"\x4F\x14" + bytes(16)),
        ("length_over_63_bits", "negative as a signed one", b"\x4F\x13" + b"\xFF" * 8),
        ("length_missing", "the marker stands at the end", b"\x4F"),
        ("length_cut", "the length runs into the table", b"\x4F\x12" + bytes(3))]:
    bad(name, about, [content], offset=lambda made: made.at[0] + 1)

# Strings.

for name, about, content, distance in [
        ("ascii_with_high_byte", "80 in an ASCII string", b"\x53ab\x80", 3),
        ("utf16_lone_high", "a high surrogate before a letter", b"\x62\xD8\x00\x00a", 1),
        ("utf16_lone_low", "a low surrogate behind a letter", b"\x62\x00a\xDC\x00", 3),
        ("utf16_high_at_end", "a high surrogate at the end", b"\x62\x00a\xDB\xFF", 3),
        ("utf16_pair_reversed", "low before high", b"\x62\xDC\x00\xD8\x00", 1),
        ("utf16_two_highs", "a high surrogate before a pair", b"\x63\xD8\x00\xD8\x00\xDC\x00", 1)]:
    bad(name, about, [content], offset=lambda made, distance=distance: made.at[0] + distance)

# References.

bad("reference_past_objects", "object 2 of 2", [array(2), b"\x09"],
    offset=lambda made: made.at[0] + 1)
bad("reference_over_63_bits", "negative as a signed one", [b"\xA1" + b"\xFF" * 8],
    offset=lambda made: made.at[0] + 1, ref_size=8)
bad("array_in_itself", "a cycle of one", [array(0)], "cyclic")
bad("arrays_in_each_other", "a cycle of two", [array(1), array(0)], "cyclic")
bad("set_in_itself", "a cycle of one", [b"\xC1\x00"], "cyclic")
bad("dictionary_in_itself", "its own value", [dictionary((1, 0)), ascii_string("k")], "cyclic")
bad("dictionary_is_its_key", "its own key", [dictionary((0, 1)), b"\x09"], "cyclic")
bad("17_deep", "one deeper than the limit", chain(17, 0), "tooDeep")
bad("17_deep_by_sharing", "too deep on the second way to an object only",
    [array(1, 3)] + chain(2, 1) + [array(number) for number in range(4, 17)] + [array(1)],
    "tooDeep")
bad("two_objects_at_one_place", "objects that take more bytes than there are",
    [array(1, 2), ascii_string("abcd"), b""], offset=start(1), offsets={2: 11})

# Dictionaries.

bad("key_is_an_integer", "a key must be a string", [dictionary((1, 2)), b"\x10\x01", b"\x09"],
    offset=start(1))
bad("key_is_an_array", "a key must be a string", [dictionary((1, 2)), array(), b"\x09"],
    offset=start(1))
bad("key_twice_one_object", "two references to one key",
    [array(1), dictionary((2, 3), (2, 4)), ascii_string("k"), b"\x09", b"\x08"], "duplicateKey",
    offset=start(1))
bad("key_twice_two_objects", "two strings that are equal",
    [array(1), dictionary((2, 4), (3, 4)), ascii_string("k"), ascii_string("k"), b"\x09"],
    "duplicateKey", offset=start(1))
bad("key_twice_in_two_forms", "ASCII and UTF-16",
    [array(1), dictionary((2, 4), (3, 4)), ascii_string("k"), utf16_string("k"), b"\x09"],
    "duplicateKey", offset=start(1))
bad("key_twice_among_others", "the first and the last of five",
    [dictionary(*[(number, 6) for number in range(1, 6)])]
    + [ascii_string(text) for text in ("kd", "b", "", "kc", "kd")] + [b"\x09"],
    "duplicateKey", offset=start(0))


def main():
    files = {name + ".plist": content for name, content, _ in VECTORS}
    assert len(files) == len(VECTORS), "two vectors have one name"
    manifest = [{"file": name + ".plist", **entry} for name, _, entry in VECTORS]
    files["MANIFEST.json"] = (
        json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
    if "--check" in sys.argv[1:]:
        found = {path.name: path.read_bytes() for path in HERE.iterdir()
                 if path.suffix in (".plist", ".json")}
        for name in sorted(set(files) | set(found)):
            if files.get(name) != found.get(name):
                sys.exit("%s is not as it would be made" % name)
        return
    for path in HERE.glob("*.plist"):
        path.unlink()
    for name, content in files.items():
        (HERE / name).write_bytes(content)


main()
