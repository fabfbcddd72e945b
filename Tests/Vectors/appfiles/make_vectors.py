#!/usr/bin/env python3
"""Writes the files here, and MANIFEST.json, which says what must come of each.

    make_vectors.py           writes them
    make_vectors.py --check   prints those that are not as they would be written

Every value is made up. `expect` is `reject:REASON`, or what a report of the file says, as in ../drafts;
`key` is what is given with --key.
"""

import base64
import datetime
import gzip
import json
import pathlib
import plistlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
UID = plistlib.UID
REFERENCE = 978307200
TOKEN = "2.00made-up-token-of-nobody-00"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(24))
JPEG = b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(range(20))
FILES, CASES = {}, []


def add(name, content, expect, about, key=None):
    """One file may stand for several cases, each with a key of its own."""
    assert FILES.setdefault(name, content) == content, name
    CASES.append({"file": name, **({"key": key} if key else {}), "description": about,
                  "expect": expect})


def reject(name, content, reason, about, key=None):
    add(name, content, "reject:" + reason, about, key)


def binary(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)


class Archive:
    """Objects as NSKeyedArchiver numbers them, each class once."""

    def __init__(self):
        self.objects, self.classes = ["$null"], {}

    def add(self, value):
        self.objects.append(value)
        return UID(len(self.objects) - 1)

    def class_of(self, *names):
        if names not in self.classes:
            self.classes[names] = self.add(
                {"$classname": names[0], "$classes": [*names, "NSObject"]})
        return self.classes[names]

    def of(self, name, fields, *above):
        """An object of a class; fields are references or values of the archive itself."""
        return self.add({**fields, "$class": self.class_of(name, *above)})

    def array(self, *elements, name="NSArray"):
        return self.of(name, {"NS.objects": list(elements)},
                       *(["NSArray"] if name != "NSArray" else []))

    def set(self, *elements):
        return self.of("NSSet", {"NS.objects": list(elements)})

    def dictionary(self, pairs):
        return self.of("NSDictionary", {"NS.keys": [key for key, _ in pairs],
                                        "NS.objects": [value for _, value in pairs]})

    def date(self, seconds):
        return self.of("NSDate", {"NS.time": float(seconds - REFERENCE)})

    def url(self, text, base=UID(0)):
        return self.of("NSURL", {"NS.base": base, "NS.relative": self.add(text)})

    def image(self, **fields):
        return self.of("UIImage", {**fields, "UIScale": 2.0, "UIImageOrientation": 0})

    def bytes(self, root=None, **top):
        return binary({"$version": 100000, "$archiver": "NSKeyedArchiver",
                       "$top": top or {"root": root}, "$objects": self.objects})


def draft(archive, title="题", time="2016-12-13 21:05:09", name="LMDraftModel", **fields):
    """A draft; a field that is None is left out."""
    given = {"_articleTitle": archive.add(title) if isinstance(title, str) else title,
             "_time": archive.add(time) if isinstance(time, str) else time,
             "_pictureArrays": UID(0), "_assetArrays": UID(0), "_OriginalPhoto": False, **fields}
    return archive.of(name, {key: value for key, value in given.items() if value is not None})


def drafts(*expected, warnings=()):
    return {"kind": "drafts", "drafts": list(expected), "warnings": list(warnings)}


def expected(title="题", time="2016-12-13 21:05:09", pictures=0, original_photo=False, assets=None,
             **more):
    return {"title": title, "time": time, "pictures": pictures, "original_photo": original_photo,
            "assets": assets, **more}


def objects(name, *models):
    return {"kind": "objects", "class": name, "objects": list(models)}


def value(what):
    return {"kind": "value", "value": what}


def chosen(key, what):
    return {**what, "kind": "defaults" if "drafts" not in what else "drafts", "key": key}


def data(content):
    return {"$data": base64.b64encode(content).decode()}


# Drafts that the cases of the apps do not show.

a = Archive()
add("draft_without_time.cache", a.bytes(a.array(draft(a, time=None), draft(a, time=UID(0)))),
    drafts(expected(time=""), expected(time="")), "no time, and one that is nil")
a = Archive()
add("draft_without_nil_fields.cache", a.bytes(a.array(draft(
    a, _pictureArrays=None, _assetArrays=None))), drafts(expected()),
    "YYModel leaves out what is nil")
a = Archive()
add("draft_without_title.cache", a.bytes(a.array(draft(
    a, title=None, time=None, _pictureArrays=a.array(a.image(UIImageData=a.add(PNG)))))),
    drafts(expected(title="", time="", pictures=1)), "pictures alone")
a = Archive()
add("draft_alone.cache", a.bytes(draft(a)), drafts(expected()), "a single draft in no array")
a = Archive()
add("draft_with_text.cache", a.bytes(a.array(draft(a, _articleContent=a.add("正文\n二")))),
    drafts(expected(text="正文\n二")), "a text beside the title")
a = Archive()
add("draft_original_as_number.cache", a.bytes(a.array(
    draft(a, _OriginalPhoto=1), draft(a, _OriginalPhoto=0, _assetArrays=a.array()),
    draft(a, _OriginalPhoto=a.add("YES")))),
    drafts(expected(original_photo=True), expected(), expected(), warnings=[
        "draft 3: whether its pictures are originals is neither true nor false"]),
    "BOOL as a number, and as a text")
a = Archive()
add("draft_time_as_number_and_date.cache", a.bytes(a.array(
    draft(a, time=1481634309), draft(a, time=a.date(1481634309)), draft(a, time=a.add(b"x")))),
    drafts(expected(time="1481634309"), expected(time="2016-12-13T13:05:09Z"), expected(time=""),
           warnings=["draft 2: its time is a point in time, and is written down as one",
                     "draft 3: its time is no text, and was left out"]), "times of other kinds")
a = Archive()
add("draft_mutable_strings.cache", a.bytes(a.array(draft(
    a, title=a.of("NSMutableString", {"NS.string": "可变"}, "NSString")), name="NSMutableArray")),
    drafts(expected(title="可变")), "a title that is an NSMutableString")
a = Archive()
add("draft_attributed_strings.cache", a.bytes(a.array(draft(
    a, title=a.of("NSMutableAttributedString", {"NSString": a.add("富文本"), "NSAttributes": UID(0)},
                  "NSAttributedString"),
    _text=a.of("NSAttributedString", {"NSString": UID(0)})))),
    drafts(expected(title="富文本"), warnings=["draft 1: its text is no text, and was left out"]),
    "an NSAttributedString, and one that has no text")
a = Archive()
add("draft_pictures_of_all_kinds.cache", a.bytes(a.array(draft(a, _pictureArrays=a.array(
    a.image(UIImageData=a.add(PNG)), a.image(UIPNGImageData=a.add(PNG)),
    a.image(SomeCategory=PNG), a.add(JPEG),
    a.of("NSMutableData", {"NS.data": JPEG}, "NSData"), a.of("NSNull", {}),
    a.of("MyImage", {"UIImageData": a.add(PNG)}, "UIImage"))))),
    drafts(expected(pictures=6)), "images by several names, data, NSNull, a class below UIImage")
a = Archive()
add("draft_pictures_without_data.cache", a.bytes(a.array(draft(a, _pictureArrays=a.array(
    a.image(UIResourceName=a.add("icon")), a.add(b""), a.add(7), a.add(""))))),
    drafts(expected(), warnings=[
        f"draft 1: its picture {number} holds no image, and was left out"
        for number in range(1, 5)]), "images of the app itself, and what is none")
a = Archive()
add("draft_picture_not_in_array.cache", a.bytes(a.array(draft(
    a, _pictureArrays=a.image(UIImageData=a.add(PNG)), _assetArrays=a.add("assets-library://a")))),
    drafts(expected(pictures=1, assets=["assets-library://a"])), "one picture, one asset")
a = Archive()
add("draft_assets_of_all_kinds.cache", a.bytes(a.array(draft(a, _assetArrays=a.array(
    a.add("assets-library://a"), a.url("assets-library://b"), a.of("NSNull", {}),
    a.url("c", base=a.url("file:///d/")), a.add(7))))),
    drafts(expected(assets=["assets-library://a", "assets-library://b"]), warnings=[
        "draft 1: its asset 3 is no address, and was left out",
        "draft 1: its asset 4 is no address, and was left out"]), "NSURL, NSNull, others")
a = Archive()
add("draft_picture_is_url.cache", a.bytes(a.array(draft(
    a, _pictureArrays=a.array(a.url("file:///a.jpg"))))),
    drafts(expected(assets=["file:///a.jpg"]), warnings=[
        "draft 1: its picture 1 is a path, not an image, and is kept as an asset"]),
    "a picture that is an address")
a = Archive()
image = a.image(UIImageData=a.add(PNG))
add("draft_shared_picture.cache", a.bytes(a.array(*[
    draft(a, _pictureArrays=a.array(image, image)) for _ in range(2)])),
    drafts(expected(pictures=2), expected(pictures=2)), "one image in two drafts, twice in each")
a = Archive()
image = a.image(UIImageData=a.add(PNG), UIImageAsset=UID(len(a.objects) + 1))
add("draft_cycle_within_image.cache", a.bytes(a.array(draft(a, _pictureArrays=a.array(image)))),
    drafts(expected(pictures=1)), "an image that refers to itself; nobody looks")
a = Archive()
add("draft_unknown_field.cache", a.bytes(a.array(draft(
    a, _location=a.add("北京"), _topic=UID(0)), draft(a, _location=a.add("上海")))),
    drafts(expected(), expected(), warnings=[
        "the field _location is none that a draft has here, and was left out"]),
    "a field of another version")
a = Archive()
add("drafts_as_dictionaries.cache", a.bytes(a.array(a.dictionary([
    (a.add("articleTitle"), a.add("字典")), (a.add("time"), a.add("2016-01-01 00:00:00"))]))),
    drafts(expected(title="字典", time="2016-01-01 00:00:00")), "NSDictionary in the place of a class")
a = Archive()
add("drafts_archived_twice.cache", a.bytes(a.add((lambda b: b.bytes(b.array(draft(b))))(Archive()))),
    drafts(expected()), "the data of an archive, archived")
a = Archive()
add("drafts_in_defaults.plist", binary({"drafts": a.bytes(a.array(draft(a))), "n": 1}),
    chosen("drafts", drafts(expected())), "a draft box in user defaults", key="drafts")
a = Archive()
add("drafts_and_others.cache", a.bytes(a.array(draft(a), a.of("Note", {"text": a.add("x")}))),
    objects(None, {"$class": "LMDraftModel", "_articleTitle": "题", "_time": "2016-12-13 21:05:09",
                   "_pictureArrays": None, "_assetArrays": None, "_OriginalPhoto": False},
            {"$class": "Note", "text": "x"}), "drafts among other models are models")

# Models, and other values.

a = Archive()
add("model_of_all_kinds.bin", a.bytes(a.array(a.of("Model", {
    "inline_int": -5, "inline_real": 1e300, "inline_bool": True, "inline_data": b"\1\2",
    "int": a.add(2**63 - 1), "real": a.add(3.0), "nil": UID(0), "null": a.of("NSNull", {}),
    "date": a.date(-86400), "half": a.date(0.5), "data": a.add(JPEG),
    "set": a.set(a.add("a")), "ordered": a.of("NSOrderedSet", {"NS.objects": [a.add("b")]}),
    "url": a.url("https://example.invalid/a"),
    "relative": a.url("b", base=a.url("https://example.invalid/")),
    "image": a.image(UIImageData=a.add(PNG)), "mutable": a.of(
        "NSMutableDictionary", {"NS.keys": [a.add("k")], "NS.objects": [a.add(False)]},
        "NSDictionary"), "empty": a.add(""), "_underscore": a.add("kept")}))),
    objects("Model", {
        "inline_int": -5, "inline_real": 1e300, "inline_bool": True, "inline_data": data(b"\1\2"),
        "int": 2**63 - 1, "real": 3.0, "nil": None, "null": None, "date": "1969-12-31T00:00:00Z",
        "half": "1970-01-01T00:00:00.5Z", "data": data(JPEG), "set": ["a"], "ordered": ["b"],
        "url": "https://example.invalid/a", "relative": {
            "$class": "NSURL", "NS.base": "https://example.invalid/", "NS.relative": "b"},
        "image": data(PNG), "mutable": {"k": False}, "empty": "", "_underscore": "kept"}),
    "every kind of value")
a = Archive()
add("nested_models.bin", a.bytes(a.array(a.of("Status", {
    "user": a.of("User", {"name": a.add("n")}),
    "pics": a.array(a.of("Pic", {"w": 1}), a.of("Pic", {"w": 2}))}))),
    objects("Status", {"user": {"$class": "User", "name": "n"},
                       "pics": [{"$class": "Pic", "w": 1}, {"$class": "Pic", "w": 2}]}),
    "models within models have their class")
a = Archive()
add("dictionary_of_models.bin", a.bytes(a.dictionary([
    (a.add("一"), a.of("User", {"name": a.add("n")})), (a.add(2), a.of("User", {"name": UID(0)}))])),
    value({"一": {"$class": "User", "name": "n"}, "2": {"$class": "User", "name": None}}),
    "an NSDictionary, one of whose keys is a number")
add("dictionary_of_models.bin", FILES["dictionary_of_models.bin"],
    chosen("一", value({"$class": "User", "name": "n"})), "one of them", key="一")
reject("dictionary_of_models.bin", FILES["dictionary_of_models.bin"], "no-such-key", "none of them",
       key="三")
a = Archive()
add("model_alone.bin", a.bytes(a.of("User", {"name": a.add("n")})),
    value({"$class": "User", "name": "n"}), "a single model")
reject("model_alone.bin", FILES["model_alone.bin"], "no-such-key", "its fields are no keys",
       key="name")
a = Archive()
add("models_in_set.bin", a.bytes(a.set(a.of("User", {"name": a.add("n")}))),
    objects("User", {"name": "n"}), "a set of models")
a = Archive()
add("models_and_texts.bin", a.bytes(a.array(a.of("User", {"n": 1}), a.add("x"), UID(0))),
    value([{"$class": "User", "n": 1}, "x", None]), "not all are models")
a = Archive()
add("texts.bin", a.bytes(a.array(a.add("x"), a.add("y"))), value(["x", "y"]), "an array of texts")
a = Archive()
add("empty_set.bin", a.bytes(a.set()), value([]), "an empty set is no draft box")
a = Archive()
add("several_names.bin", a.bytes(users=a.array(a.of("User", {"n": 1})), version=a.add(3)),
    chosen("users", objects("User", {"n": 1})), "encodeObject:forKey: twice", key="users")
add("several_names.bin", FILES["several_names.bin"], chosen("version", value(3)), "the other",
    key="version")
reject("several_names.bin", FILES["several_names.bin"], "key-needed", "neither is named")
a = Archive()
add("one_other_name.bin", a.bytes(list=a.array(a.of("User", {"n": 1}))),
    objects("User", {"n": 1}), "one object, which is not called root")
add("one_other_name.bin", FILES["one_other_name.bin"], chosen("list", objects("User", {"n": 1})),
    "by its name", key="list")
reject("one_other_name.bin", FILES["one_other_name.bin"], "no-such-key", "by another", key="root")
a = Archive()
add("class_without_chain.bin", a.bytes(a.array(a.add(
    {"n": 1, "$class": a.add({"$classname": "User"})}))), objects("User", {"n": 1}),
    "a class that says its own name alone")
b = Archive()
inner = b.bytes(b.array(b.of("Pic", {"w": 1})))
a = Archive()
add("archive_in_field.bin", a.bytes(a.array(a.of("Status", {
    "pics": a.add(inner), "cut": a.add(inner[:-1]), "plain": a.add(binary({"a": 1}))}))),
    objects("Status", {"pics": [{"$class": "Pic", "w": 1}], "cut": data(inner[:-1]),
                       "plain": data(binary({"a": 1}))}),
    "an archive in a field is read, what is no archive or damaged stays data")
b = Archive()
inner = b.bytes(x=b.add("1"), y=b.add("2"))
a = Archive()
add("several_names_in_field.bin", a.bytes(a.array(a.of("Box", {"all": a.add(inner)}))),
    objects("Box", {"all": {"x": "1", "y": "2"}}), "the same with several names")
names = inner
nested = "end"
for _ in range(4):
    a = Archive()
    nested = a.bytes(a.of("Box", {"inner": a.add(nested)}))
deepest = nested
a = Archive()
add("archives_within_archives.bin", a.bytes(a.of("Box", {"inner": a.add(nested)})),
    value({"$class": "Box", "inner": {"$class": "Box", "inner": {"$class": "Box", "inner": {
        "$class": "Box", "inner": data((lambda c: c.bytes(c.of("Box", {"inner": c.add("end")})))(
            Archive()))}}}}), "the fifth stays data")
nested = binary("end")
for _ in range(4):
    nested = binary(nested)
reject("data_within_data.plist", nested, "too-deep", "data of data of data of data of data")

# User defaults, and other plain property lists.

a = Archive()
frames = a.bytes(a.array(a.of("Frame", {"title": a.add("头条")})))
DEFAULTS = {"FRAMES": frames, "first": True, "count": 7, "ratio": 2.0, "name": "名",
            "when": datetime.datetime(2016, 11, 5, 0, 53, 20), "blob": b"\0\1",
            "list": [1, "a"], "empty": [], "nested": {"FRAMES": frames},
            "xml": plistlib.dumps({"a": [1]}), "plain": binary({"a": 1.5}),
            "svg": b"<svg xmlns='x'><g/></svg>", "names": names, "cut": frames[:-1],
            "struct": b"\3Int\7" + bytes(7), "text": b"words alone\n"}
for key, what in {
        "FRAMES": objects("Frame", {"title": "头条"}), "first": value(True), "count": value(7),
        "ratio": value(2.0), "name": value("名"), "when": value("2016-11-05T00:53:20Z"),
        "blob": value(data(b"\0\1")), "list": value([1, "a"]), "empty": value([]),
        "nested": value({"FRAMES": [{"$class": "Frame", "title": "头条"}]}),
        "xml": value({"a": [1]}), "names": value({"x": "1", "y": "2"}), "plain": value({"a": 1.5}),
        "svg": value(data(DEFAULTS["svg"])), "struct": value(7),
        "text": value(data(b"words alone\n"))}.items():
    add("defaults.plist", binary(DEFAULTS), chosen(key, what), f"the value under {key}", key=key)
reject("defaults.plist", FILES["defaults.plist"], "key-needed", "no key")
reject("defaults.plist", FILES["defaults.plist"], "no-such-key", "another key", key="Frames")
reject("defaults.plist", FILES["defaults.plist"], "malformed-plist", "a damaged archive", key="cut")
add("defaults.xml", plistlib.dumps({"FRAMES": frames, "born": datetime.datetime(1965, 2, 3)}),
    chosen("FRAMES", objects("Frame", {"title": "头条"})), "the same as XML", key="FRAMES")
add("defaults.xml", FILES["defaults.xml"], chosen("born", value("1965-02-03T00:00:00Z")),
    "a date before 1970", key="born")
add("plain_dictionary.plist", binary({"a": 1, "b": [True, "x"]}),
    value({"a": 1, "b": [True, "x"]}), "a dictionary that holds no archive is a value")
add("plain_array.plist", binary([1, 2.0]), value([1, 2.0]), "an array")
reject("plain_array.plist", FILES["plain_array.plist"], "no-such-key", "it has no keys", key="a")
add("plain_empty_array.plist", binary([]), value([]), "an empty array that no archiver wrote")
reject("plain_uid.plist", binary([UID(1)]), "malformed-archive", "a reference outside of an archive")

# Accounts are for another command.

a = Archive()
reject("account_model.plist", a.bytes(a.of("UserAccount", {"access_token": a.add(TOKEN)})),
       "account", "an account")
a = Archive()
reject("account_in_list.plist", a.bytes(a.array(a.of("Box", {"user": a.of(
    "UserAccount", {"accessToken": a.add(TOKEN)})}))), "account", "an account within others")
reject("account_in_dictionary.plist", binary({"users": [{"access_token": TOKEN}], "n": 1}),
       "account", "a dictionary that holds one")
add("account_in_dictionary.plist", FILES["account_in_dictionary.plist"], chosen("n", value(1)),
    "what stands beside it", key="n")
b = Archive()
inner = b.bytes(b.of("UserAccount", {"access_token": b.add(TOKEN)}))
a = Archive()
reject("account_in_data.plist", a.bytes(a.of("Box", {"user": a.add(inner)})), "account",
       "an account in an archive in a field")
add("no_token.plist", binary({"access_token": "", "n": 1}), value({"access_token": "", "n": 1}),
    "nobody is logged in")
reject("token_response.json", json.dumps({"access_token": TOKEN, "uid": "1"}).encode(),
       "not-a-plist", "a token response")
reject("other.json", b'{"a":1}', "not-a-plist:json", "JSON")
reject("android.xml", b"<?xml version='1.0'?><map><int name='a' value='1'/></map>",
       "not-a-plist:androidPreferences", "preferences of Android")

# What is refused.

a = Archive()
cyclic = a.of("Node", {"next": UID(2)})
reject("cycle.bin", a.bytes(a.array(cyclic)), "cycle", "a model that holds itself")


def doubled(levels):
    archive = Archive()
    last = archive.add("end")
    for _ in range(levels):
        last = archive.array(last, last)
    return archive.bytes(last)


reject("exponential_sharing.bin", doubled(40), "too-many-references", "two to the 40th ways")
reject("exponential_too_deep.bin", doubled(100), "too-deep", "100 arrays")
a = Archive()
shared = a.add("x" * 65536)
for _ in range(4):
    shared = a.array(*[shared] * 9)
reject("shared_text.bin", a.bytes(shared), "too-large", "one text of 64 KiB, 6561 times")
a = Archive()
reject("integer_of_16_bytes.bin", a.bytes(a.array(a.of("M", {"n": 2**64 - 1}))),
       "integer-out-of-range", "past 64 bits with a sign")
a = Archive()
reject("key_is_a_date.bin", a.bytes(a.dictionary([(a.date(0), a.add("x"))])), "bad-key",
       "an NSDictionary by dates")
a = Archive()
reject("keys_alike.bin", a.bytes(a.dictionary([(a.add("1"), a.add("x")), (a.add(1), a.add("y"))])),
       "duplicate-key", "a text and a number that are one key here")
a = Archive()
reject("keys_equivalent.bin", a.bytes(a.dictionary([
    (a.add("\u00e9"), a.add("x")), (a.add("e\u0301"), a.add("y"))])), "duplicate-key",
    "two keys that are one text to Swift")
a = Archive()
reject("date_not_finite.bin", a.bytes(a.array(a.date(float("nan")))), "bad-date", "no number")
a = Archive()
reject("archived_nil.bin", a.bytes(UID(0)), "empty-archive", "nil")
reject("no_names.bin", binary({"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {},
                               "$objects": ["$null"]}), "empty-archive", "nothing was archived")
reject("dangling.bin", Archive().bytes(UID(9)), "dangling-reference", "a root that is not there")
reject("unknown_archiver.bin", binary({"$version": 100000, "$archiver": "NRKeyedArchiver",
                                       "$top": {}, "$objects": []}), "unknown-archiver", "another")
reject("truncated.plist", binary({"a": 1})[:-1], "malformed-plist", "the end is missing")
reject("deep.xml", b"<plist>" + b"<array>" * 65 + b"</array>" * 65 + b"</plist>", "too-deep",
       "65 arrays")
reject("other.xml", b"<manifest/>", "not-a-plist:xml", "XML of another kind")
reject("web_page.html", b"<!DOCTYPE html><html></html>", "not-a-plist:html", "a web page")
reject("archive.sealed", b"\x93SEALED" + bytes(64), "not-a-plist:sealed-file", "a sealed file")
reject("packed.gz", gzip.compress(b"x", mtime=0), "not-a-plist:gzip", "a packed file")
reject("words.txt", b"\thello, this is no archive\n", "not-a-plist", "words after a tab")
reject("picture.png", PNG, "bad-identifier", "a picture")
reject("form.txt", b"access_token=a&uid=1", "not-a-plist:form", "a form")

# StructArchiver's.


def named(name, body=b""):
    return bytes([len(name)]) + name.encode() + body


def integer(number):
    return named("Int", struct.pack("<q", number))


def string(text):
    content = text.encode()
    return named("String", integer(len(content)) + content)


def array(*elements, name="Array<Archivable>"):
    return named(name, integer(len(elements)) + b"".join(integer(len(e)) for e in elements)
                 + b"".join(elements))


def dictionary(members, name="Dictionary<String, Archivable>"):
    keys = [string(key) for key in members]
    parts = [*keys, *members.values()]
    return named(name, integer(len(keys)) + b"".join(integer(len(p)) for p in parts)
                 + b"".join(parts))


def double(number):
    return named("Double", struct.pack("<d", number))


POINT = dictionary({"x": double(1.5), "y": double(-2.0)}, "Point")
add("struct_uint.bin", named("UInt", struct.pack("<Q", 2**63 - 1)), value(2**63 - 1), "UInt")
reject("struct_uint_too_large.bin", named("UInt", struct.pack("<Q", 2**63)),
       "integer-out-of-range", "past 64 bits with a sign")
add("struct_array.bin", array(POINT, POINT, name="Array<Point>"),
    value([{"$type": "Point", "x": 1.5, "y": -2.0}] * 2), "structs")
add("struct_nested.bin", dictionary({"origin": POINT, "tags": array(string("一"), name="Array<String>"),
                                     "none": array(), "empty": dictionary({})}, "Shape"),
    value({"$type": "Shape", "origin": {"$type": "Point", "x": 1.5, "y": -2.0}, "tags": ["一"],
           "none": [], "empty": {}}), "structs within structs")
add("struct_nested.bin", FILES["struct_nested.bin"], chosen("tags", value(["一"])), "a property",
    key="tags")
reject("struct_nested.bin", FILES["struct_nested.bin"], "no-such-key", "none", key="other")
reject("struct_array.bin", FILES["struct_array.bin"], "no-such-key", "no keys", key="x")
add("struct_text_of_braces.bin", string("{ a = b; }"), value("{ a = b; }"),
    "a text that looks like another file")
add("struct_long_name.bin", dictionary({}, "A" * 120), value({"$type": "A" * 120}), "a long name")
reject("struct_left_over.bin", integer(1) + b"\0", "trailing-bytes", "one byte more")
reject("struct_name_cut.bin", b"\6Str", "truncated", "a name that ends early")
reject("struct_name_empty.bin", b"\0" + bytes(8), "bad-identifier", "no name")
reject("struct_name_of_digits.bin", named("1nt", bytes(8)), "bad-identifier", "no name either")
reject("struct_negative_length.bin", named("String", integer(-1)), "bad-length", "below nothing")
reject("struct_length_is_no_int.bin", named("String", named("UInt", bytes(8))),
       "bad-identifier", "a length of another type, as no file of StructArchiver's begins")
reject("struct_count_is_no_int.bin",
       array(named("Array<Int>", named("UInt", bytes(8)))), "bad-length", "a count of another type")
reject("struct_element_length.bin",
       named("Array<Int>", integer(1) + integer(13) + integer(5) + b"\0"), "bad-length",
       "a longer length than the element")
reject("struct_element_too_short.bin",
       named("Array<Int>", integer(2) + integer(11) + integer(12) + integer(5) + integer(6)[:-1]),
       "bad-length", "a shorter one")
reject("struct_element_past_end.bin", named("Array<Int>", integer(1) + integer(99) + integer(5)),
       "truncated", "a length past the file's end")
reject("struct_count_past_end.bin", named("Array<Int>", integer(1000)), "truncated",
       "a thousand elements and none there")
reject("struct_key_is_no_text.bin", named("Dictionary<Int, Int>", integer(1) + integer(12)
                                          + integer(12) + integer(1) + integer(2)), "bad-key",
       "a key that is a number")
reject("struct_key_twice.bin", named("Point", integer(2) + (integer(len(string("x"))) * 2)
                                     + integer(12) * 2 + string("x") * 2 + integer(1) * 2),
       "duplicate-key", "a key that stands twice")
reject("struct_property_called_type.bin", dictionary({"$type": string("Other")}, "Point"),
       "duplicate-key", "no property can be called that")
add("dictionary_with_type.bin", dictionary({"$type": string("Point")}), value({"$type": "Point"}),
    "a key may")
reject("struct_not_utf8.bin", named("String", integer(1) + b"\xff"), "bad-text", "no text")
deep = integer(1)
for _ in range(64):
    deep = array(deep)
reject("struct_deep.bin", deep, "too-deep", "64 arrays around a number")


def main():
    manifest = {"all_values_made_up": True, "cases": CASES}
    files = dict(FILES)
    files["MANIFEST.json"] = (
        json.dumps(manifest, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
    if "--check" in sys.argv[1:]:
        found = {path.name: path.read_bytes() for path in HERE.iterdir()
                 if path.suffix != ".py" and path.is_file()}
        for name in sorted(files.keys() | found.keys()):
            if files.get(name) != found.get(name):
                print(name)
        return
    for path in HERE.iterdir():
        if path.suffix != ".py" and path.is_file():
            path.unlink()
    for name, content in files.items():
        (HERE / name).write_bytes(content)


main()
