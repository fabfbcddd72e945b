#!/usr/bin/env python3
"""Makes the archived values of this folder and MANIFEST.json, by Python's plistlib.

What each file must give is written down beside it by hand, after docs/FORMAT.md, "Archived values".
`make_vectors.py` writes the files, `make_vectors.py --check` only tells whether they are as it would
write them. A good value is described in Swift's own words, a bad one by a part of the refusal.
"""

import datetime
import json
import pathlib
import plistlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = []

NULL = "$null"
DATE = datetime.datetime(2001, 1, 1, 0, 0, 5)


def good(name, value, kind, says):
    VECTORS.append((name, value, {"type": kind, "says": says}))


def bad(name, value, refusal):
    VECTORS.append((name, value, {"refusal": refusal}))


def named(kind, value):
    return {"$type": kind, "$value": value}


def account(**properties):
    return {"token": "made up", "expires": NULL, "level": NULL, "friends": named("[Account]", []),
            **properties}


good("boolean", True, "Bool", "true")
good("integer", -5, "Int", "-5")
good("real", 0.5, "Double", "0.5")
good("string", "用户", "String", '"用户"')
good("date", DATE, "Date", "5.0 s")
good("data", b"\x00\xff", "Data", "00ff")
good("string_like_nothing", "$$null", "String", '"$null"')
good("int8", named("Int8", -128), "Int8", "-128")
good("uint64", named("UInt64", 2**64 - 1), "UInt64", "18446744073709551615")
good("float", named("Float", 0.5), "Float", "0.5")
good("array", named("[Int]", [1, 2]), "[Int]", "[1, 2]")
good("array_of_strings", named("[String]", [NULL, "$"]), "[String]", '["$null", "$"]')
good("set", named("Set<String>", ["one"]), "Set<String>", '["one"]')
good("dictionary", named("[String: [Int8?]]", {"$type": [1, NULL]}), "[String: [Int8?]]",
     '["$type": [1, nil]]')
good("dictionary_of_numbers", named("[Int: String]", {"keys": [5], "values": ["five"]}),
     "[Int: String]", '[5: "five"]')
good("optional", named("Int?", 1), "Int?", "1")
good("nothing", named("Int?", NULL), "Int?", "nil")
good("nothing_in_an_optional", named("Int??", "$$null"), "Int??", "nil")
good("optional_string_like_nothing", named("String?", "$$null"), "String?", '"$null"')
good("list", [1, "a", named("Int8", 2), [True]], "ArchivedList", '(1, "a", 2, (true))')
good("map", {"a": 1, "$$type": "Int"}, "ArchivedMap", '("$type": "Int", "a": 1)')
good("enum", named("Colour", "red"), "Colour", "red")
good("enum_that_had_another_name", named("[Hue]", ["red"]), "[Colour]", "[red]")
good("struct", {"$type": "Account", **account(expires=DATE, level=named("Int8", 3))}, "Account",
     '<"made up", 5.0 s, 3, []>')
good("struct_whose_type_comes_last", {**account(), "$type": "Account"}, "Account",
     '<"made up", nil, nil, []>')
good("struct_of_a_later_version", {"$type": "Account", **account(), "later": named("Later", [])},
     "Account", '<"made up", nil, nil, []>')
good("structs", named("[Account]", [account(friends=named("[Account]", [account(token="$$null")]))]),
     "[Account]", '[<"made up", nil, nil, [<"$null", nil, nil, []>]>]')
good("struct_with_its_value_apart", named("Account", account()), "Account",
     '<"made up", nil, nil, []>')
good("optional_struct", {"$type": "Account?", **account()}, "Account?", '<"made up", nil, nil, []>')

bad("nothing_alone", NULL, "it is nothing, not String")
bad("nothing_in_a_list", [NULL], "it is nothing, not String")
bad("nothing_in_an_array", named("[Int]", [NULL]), "it is nothing, not Int")
bad("nothing_for_a_property", {"$type": "Account", **account(token=NULL)},
    "the property token of Account: it is nothing, not String")
bad("property_missing", {"$type": "Account", "token": "a"}, "Account has no property expires")
bad("property_of_another_type", {"$type": "Account", **account(level=3)},
    "the property level of Account: it is Int, not Int8")
bad("property_without_its_type", {"$type": "Account", **account(friends=[])},
    "the property friends of Account: it is a list, not [Account]")
bad("deep_in_a_property",
    {"$type": "Account", **account(friends=named("[Account]", [account(token=1)]))},
    "the property friends of Account: the property token of Account: it is Int, not String")
bad("element_of_another_type", named("[Int]", [1, "2"]), "it is String, not Int")
bad("integer_out_of_bounds", named("Int8", 128), "an integer is out of the bounds of Int8")
bad("integer_below_zero", named("UInt8", -1), "an integer is out of the bounds of UInt8")
bad("integer_of_64_bits", 2**63, "an integer is out of the bounds of Int")
bad("real_that_is_no_float", named("Float", 0.1), "a real is no Float")
bad("integer_for_a_real", named("Double", 1), "it is Int, not Double")
bad("element_twice", named("Set<Int>", [1, 1]), "a set has an element twice")
bad("key_twice", named("[Int: Int]", {"keys": [1, 1], "values": [1, 2]}),
    "a dictionary has a key twice")
bad("key_twice_to_unicode", named("[String: Int]", {"\u00e9": 1, "e\u0301": 1}),
    "a dictionary has a key twice")
bad("name_twice_to_unicode", {"\u00e9": 1, "e\u0301": 1}, "a map has a name twice")
bad("more_keys_than_values", named("[Int: Int]", {"keys": [1, 2], "values": [1]}),
    "is not as many keys as values")
bad("name_of_the_form", {"$later": 1}, "a name of a map begins with one $")
bad("type_that_is_no_text", {"$type": 1}, "the name of a type is no text")
bad("type_with_another_space", named("[String:Int]", {}), "the name of a type is malformed")
bad("type_with_a_module", named("Swift.Array<Int>", []), "the name of a type is malformed")
bad("type_too_deep", named("[" * 17 + "Int" + "]" * 17, []), "the name of a type is malformed")
bad("type_nobody_knows", named("[Later?]", []), "unregistered Later")
bad("set_of_what_is_no_element", named("Set<ArchivedList>", []), "the name of a type is malformed")
bad("raw_value_that_is_none", named("Colour", "blue"),
    "Colour has no value of a raw value that is there")
bad("value_beside_more", {"$type": "Int8", "$value": 1, "more": 1}, "it is Int8, not Int8")


def main():
    files = {f"{name}.plist": plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)
             for name, value, _ in VECTORS}
    assert len(files) == len(VECTORS), "two vectors have one name"
    manifest = [{"file": f"{name}.plist", **entry} for name, _, entry in VECTORS]
    files["MANIFEST.json"] = (
        json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
    if "--check" in sys.argv[1:]:
        found = {path.name: path.read_bytes() for path in HERE.iterdir()
                 if path.suffix in (".plist", ".json")}
        for name in sorted(set(files) | set(found)):
            if files.get(name) != found.get(name):
                sys.exit(f"{name} is not as it would be made")
        return
    for path in HERE.glob("*.plist"):
        path.unlink()
    for name, content in files.items():
        (HERE / name).write_bytes(content)


main()
