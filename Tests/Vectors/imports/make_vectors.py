#!/usr/bin/env python3
"""Writes the files here, and MANIFEST.json, which says what must come of each.

    make_vectors.py           writes them
    make_vectors.py --check   prints those that are not as they would be written

Every value is made up. `expect` is `accept` or `reject:REASON`, as in ../archives.
"""

import base64
import datetime
import gzip
import json
import pathlib
import plistlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
UID = plistlib.UID
REFERENCE = 978307200
EXPIRES = 1874997015
ISSUED = 1767225600
FILES, CASES = {}, []


def token(number):
    """32 characters, as Weibo's tokens have."""
    state, text = number * 2654435761 % 2**32, ""
    for _ in range(28):
        state = (state * 1103515245 + 12345) % 2**31
        text += "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[state // 7 % 62]
    return "2.00" + text


TOKEN, REFRESH = token(1), token(2)
SECOND = token(3)


def account(**values):
    given = {"access_token": TOKEN, "uid": "9900001001", "screen_name": None,
             "avatar_large": None, "expires_unix": EXPIRES, "refresh_token": None,
             "expires_in": None, "issued_at": None, **values}
    return given


def add(name, content, expect, about, accounts=(), warnings=(), class_name=None):
    assert name not in FILES, name
    FILES[name] = content
    CASES.append({"file": name, "description": about, "expect": expect,
                  "accounts": list(accounts), "warnings": list(warnings),
                  **({"class_name": class_name} if class_name else {})})


def reject(name, content, reason, about):
    add(name, content, "reject:" + reason, about)


def binary(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)


def class_of(*names):
    return {"$classname": names[0], "$classes": [*names, "NSObject"]}


def archive(objects, top=None, **frame):
    return binary({"$version": 100000, "$archiver": "NSKeyedArchiver",
                   "$top": top or {"root": UID(1)}, "$objects": ["$null", *objects], **frame})


def archived(fields, *more, name="UserAccount"):
    """An object of a class, number 1, whose class is number 2; `more` are 3 and on."""
    return archive([{**fields, "$class": UID(2)}, class_of(name), *more])


def date(seconds=EXPIRES - REFERENCE, described=4):
    """An NSDate whose class stands in that place."""
    return {"NS.time": float(seconds), "$class": UID(described)}


GOOD = {"access_token": UID(5), "uid": UID(6), "expires_date": UID(3)}
REST = (date(), class_of("NSDate"), TOKEN, "9900001001")

# Objects as archivers write them, and seldom do.

add("nsurl_avatar.plist",
    archived({**GOOD, "avatar_large": UID(7)}, *REST,
             {"NS.base": UID(0), "NS.relative": UID(8), "$class": UID(9)},
             "https://example.invalid/a.jpg", class_of("NSURL")), "accept",
    "an address that is an NSURL", [account(avatar_large="https://example.invalid/a.jpg")],
    class_name="UserAccount")
add("mutable_string_token.plist",
    archived({**GOOD, "access_token": UID(7)}, *REST,
             {"NS.string": UID(5), "$class": UID(8)}, class_of("NSMutableString", "NSString")),
    "accept", "a token that is an NSMutableString", [account()])
add("mutable_data_field.plist",
    archived({**GOOD, "blob": UID(7)}, *REST,
             {"NS.data": b"\0\1", "$class": UID(8)}, class_of("NSMutableData", "NSData")),
    "accept", "a field that is an NSMutableData", [account()])
add("within_manager.plist",
    archive([{"current": UID(3), "all": UID(8), "$class": UID(2)}, class_of("Manager"),
             {"access_token": UID(4), "uid": UID(5), "expires_date": UID(6), "$class": UID(9)},
             TOKEN, "9900001001", date(described=7), class_of("NSDate"),
             {"NS.objects": [UID(3)], "$class": UID(10)}, class_of("UserAccount"),
             class_of("NSSet")]),
    "accept", "the account twice within another object, of which it is one", [account()],
    class_name="UserAccount")
add("class_without_chain.plist",
    archive([{**GOOD, "$class": UID(2)}, {"$classname": "UserAccount"}, date(),
             {"$classname": "NSDate"}, TOKEN, "9900001001"]),
    "accept", "classes that say their own name alone", [account()])
add("dictionary_without_class.plist",
    archive([GOOD, class_of("Unused"), *REST]), "accept",
    "a dictionary of the file itself among the objects", [account()])
add("expiry_as_digits.plist", archived({**GOOD, "expires_date": UID(7)}, *REST, "1874997015000"),
    "accept", "milliseconds as text", [account()])
add("expiry_as_text.plist",
    archived({**GOOD, "expires_date": UID(7)}, *REST, "2029-06-01T16:30:15+0800"), "accept",
    "a date as text, with a zone", [account()])
add("first_alias_is_a_duration.plist",
    archived({**GOOD, "expires_date": 86399, "expirationDate": UID(3)}, *REST), "accept",
    "one name holds a duration, the next the date", [account()])
add("date_and_life_agree.plist",
    archived({**GOOD, "expires_in": EXPIRES - ISSUED, "issued_at": float(ISSUED)}, *REST),
    "accept", "all three, which add up",
    [account(expires_in=EXPIRES - ISSUED, issued_at=ISSUED)])
add("date_and_life_differ.plist",
    archived({**GOOD, "expires_in": 86399, "issued_at": ISSUED}, *REST), "accept",
    "all three, which do not: the date counts", [account()])
add("life_out_of_range_beside_date.plist",
    archived({**GOOD, "expires_in": 10**12}, *REST), "accept",
    "a life that is none beside a date", [account()])
add("uid_is_real.plist", archived({**GOOD, "uid": 9900001001.0}, *REST), "accept",
    "a uid that was a double", [account()])
add("date_inline.plist", archived(
    {**GOOD, "expires_date": datetime.datetime(2029, 6, 1, 8, 30, 15)}, *REST), "accept",
    "a date of the property list itself", [account()])
add("screen_name_too_long.plist", archived({**GOOD, "screen_name": UID(7)}, *REST, "n" * 300),
    "accept", "a name that nobody could keep", [account()],
    ["screen_name is not usable and was left out"])
add("avatar_is_data.plist", archived({**GOOD, "avatar_large": UID(7)}, *REST, b"\x89PNG"),
    "accept", "an avatar that is the picture itself", [account()],
    ["avatar_large is not usable and was left out"])
add("logged_out_as_number.plist", archived({**GOOD, "isLogin": 0}, *REST), "accept",
    "isLogin is 0", [account()], ["the app had logged this account out, and kept its token"])

# What is refused of an archive.

def doubled(levels):
    """Arrays of which each holds the next one twice."""
    objects = [{"NS.objects": [UID(number + 1)] * 2, "$class": UID(levels + 2)}
               for number in range(1, levels + 1)]
    return archive([*objects, "end", class_of("NSArray")])


reject("exponential_sharing.plist", doubled(40), "too-many-references",
       "40 arrays: two to the 40th ways to the last")
reject("exponential_too_deep.plist", doubled(200), "too-deep", "200 of them")
reject("dangling_in_unknown_field.plist", archived({**GOOD, "other": UID(99)}, *REST),
       "dangling-reference", "a field that nobody asks for leads nowhere")
reject("dictionary_key_twice.plist",
       archive([{"NS.keys": [UID(2), UID(3)], "NS.objects": [UID(4), UID(4)], "$class": UID(5)},
                "access_token", "access_token", TOKEN, class_of("NSDictionary")]),
       "duplicate-key", "an NSDictionary with a key twice")
reject("dictionary_values_missing.plist",
       archive([{"NS.keys": [UID(2)], "NS.objects": [], "$class": UID(3)}, "access_token",
                class_of("NSDictionary")]), "malformed-archive", "a key without a value")
reject("array_without_objects.plist",
       archive([{"$class": UID(2)}, class_of("NSArray")]), "malformed-archive",
       "an NSArray that has none")
reject("class_is_the_object.plist", archive([{"access_token": UID(2), "$class": UID(1)}, TOKEN]),
       "malformed-archive", "an object that is its own class")
reject("class_is_a_string.plist", archive([{"access_token": UID(2), "$class": UID(2)}, TOKEN]),
       "malformed-archive", "a class that is a text")
reject("class_without_name.plist", archive([{"a": UID(0), "$class": UID(2)}, {"b": 1}]),
       "malformed-archive", "a class without a name")
reject("class_name_is_a_number.plist",
       archive([{"a": UID(0), "$class": UID(2)}, {"$classname": 7}]), "malformed-archive",
       "a class whose name is a number")
reject("class_chain_is_a_string.plist",
       archive([{"a": UID(0), "$class": UID(2)}, {"$classname": "A", "$classes": "A"}]),
       "malformed-archive", "a chain of classes that is a text")
reject("class_chain_of_numbers.plist",
       archive([{"a": UID(0), "$class": UID(2)}, {"$classname": "A", "$classes": [1]}]),
       "malformed-archive", "a chain of classes that are numbers")
reject("class_chain_endless.plist",
       archive([{"a": UID(0), "$class": UID(2)}, {"$classname": "A", "$classes": ["A"] * 1000}]),
       "malformed-archive", "a thousand classes above one")
reject("reference_to_reference.plist", archive([UID(2), UID(1)]), "malformed-archive",
       "objects that are references to one another")
reject("date_without_time.plist",
       archived({**GOOD, "expires_date": UID(7)}, *REST, {"$class": UID(4)}), "malformed-archive",
       "an NSDate that has no time")
reject("date_time_is_text.plist",
       archived({**GOOD, "expires_date": UID(7)}, *REST, {"NS.time": "x", "$class": UID(4)}),
       "malformed-archive", "an NSDate whose time is a text")
reject("string_is_a_number.plist",
       archived({**GOOD, "access_token": UID(7)}, *REST, {"NS.string": 1, "$class": UID(8)},
                class_of("NSString")), "malformed-archive", "an NSString that holds a number")
reject("string_without_text.plist",
       archived({**GOOD, "access_token": UID(7)}, *REST, {"$class": UID(8)},
                class_of("NSString")), "malformed-archive", "an NSString that holds nothing")
reject("objects_missing.plist", binary({"$version": 100000, "$archiver": "NSKeyedArchiver"}),
       "malformed-archive", "an archive without objects")
reject("top_is_an_array.plist",
       binary({"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": [], "$objects": []}),
       "malformed-archive", "an archive without a top")
reject("archiver_missing.plist", binary({"$top": {}, "$objects": []}), "unknown-archiver",
       "objects, and nobody says who wrote them")
reject("version_missing.plist",
       binary({"$archiver": "NSKeyedArchiver", "$top": {}, "$objects": []}), "unknown-version",
       "an archive without a version")
reject("no_account.plist", archived({"name": UID(3)}, "somebody"), "no-account",
       "an object without a token")
reject("two_alike.plist",
       archive([{"NS.objects": [UID(2), UID(3)], "$class": UID(4)},
                {"access_token": UID(5), "uid": UID(6), "$class": UID(7)},
                {"access_token": UID(8), "uid": UID(6), "$class": UID(7)}, class_of("NSArray"),
                TOKEN, "9900001001", class_of("UserAccount"), SECOND]), "several-accounts",
       "two accounts of one uid")
reject("cycle_in_objects.plist",
       archive([{"next": UID(2), "$class": UID(3)}, {"next": UID(1), "$class": UID(3)},
                class_of("Node")]), "cycle", "objects of an app's class that hold one another")
reject("sso_cancelled.plist",
       archived({**GOOD, "statusCode": -1}, *REST), "login-refused", "the user had cancelled")

# What is refused of an account.

reject("token_with_line_end.plist", archived({**GOOD, "access_token": UID(7)}, *REST, TOKEN + "\n"),
       "access_token-has-control-characters", "a line end would split the header")
reject("token_with_space.plist", archived({**GOOD, "access_token": UID(7)}, *REST, TOKEN + " "),
       "access_token-has-whitespace", "a space")
reject("token_not_ascii.plist", archived({**GOOD, "access_token": UID(7)}, *REST, "2.00é"),
       "access_token-not-ascii", "a letter outside ASCII")
reject("refresh_token_is_number.plist", archived({**GOOD, "refresh_token": 7}, *REST),
       "refresh_token-not-a-string", "a number for a token")
reject("uid_missing.plist", archived({**GOOD, "uid": UID(0)}, *REST), "uid-missing", "nil")
reject("uid_negative.plist", archived({**GOOD, "uid": -5}, *REST), "bad-uid", "below zero")
reject("uid_is_name.plist", archived({**GOOD, "uid": UID(7)}, *REST, "somebody"), "bad-uid",
       "a name")
reject("uid_is_date.plist", archived({**GOOD, "uid": UID(3)}, *REST), "bad-uid", "a date")
reject("expiry_not_finite.plist",
       archived({**GOOD, "expires_date": UID(7)}, *REST, date(float("nan"))), "bad-expires_date",
       "no number")
reject("expiry_in_distant_past.plist",
       archived({**GOOD, "expires_date": UID(7)}, *REST, date(-63114076800)), "bad-expires_date",
       "Date.distantPast")
reject("expiry_is_data.plist", archived({**GOOD, "expires_date": UID(7)}, *REST, b"x"),
       "bad-expires_date", "data")
reject("expiry_is_words.plist", archived({**GOOD, "expires_date": UID(7)}, *REST, "tomorrow"),
       "bad-expires_date", "words")
reject("created_is_words.plist",
       archived({**GOOD, "created_time": UID(7)}, *REST, "yesterday"), "bad-issued_at", "words")
reject("number_for_date.plist", archived({**GOOD, "expires_date": 86399}, *REST),
       "expiry-unknown", "a duration in the place of the date")
reject("life_is_words.plist",
       archived({**GOOD, "expires_date": UID(0), "expires_in": UID(7), "created_time": UID(3)},
                *REST, "a week"), "bad-expires_in", "a life in words")
reject("life_is_none.plist",
       archived({**GOOD, "expires_date": UID(0), "expires_in": 0, "created_time": UID(3)}, *REST),
       "expires_in-out-of-range", "no time to live")
reject("created_without_life.plist",
       archived({**GOOD, "expires_date": UID(0), "created_time": UID(3)}, *REST),
       "expiry-unknown", "a beginning without a life")

# Property lists that are no archives.

PLAIN = {"access_token": TOKEN, "uid": 9900001001, "refresh_token": REFRESH,
         "expires_date": datetime.datetime(2029, 6, 1, 8, 30, 15)}
add("plain.plist", binary(PLAIN), "accept", "a dictionary", [account(refresh_token=REFRESH)])
add("plain_nested.plist", binary({"version": 2, "users": [{"user": PLAIN}]}), "accept",
    "a dictionary within others", [account(refresh_token=REFRESH)])
add("plain.xml", plistlib.dumps(PLAIN), "accept", "the same in XML",
    [account(refresh_token=REFRESH)])
add("plain_utf16.xml",
    plistlib.dumps(PLAIN).decode().replace("UTF-8", "UTF-16").encode("utf-16"), "accept",
    "the same in UTF-16", [account(refresh_token=REFRESH)])
reject("plain_17_deep.plist", binary(json.loads("[" * 17 + "]" * 17)), "too-deep",
       "arrays of the file itself")
reject("plain_uid.plist", binary({"access_token": UID(1)}), "access_token-not-a-string",
       "a reference outside of an archive")
reject("empty_dictionary.plist", binary({}), "no-account", "nothing in it")


def xml(body, head=""):
    return f'<?xml version="1.0"?>\n{head}<plist version="1.0">{body}</plist>\n'.encode()


def entry(key, value):
    return f"<key>{key}</key>{value}"


TEXTS = (entry("access_token", f"<string>{TOKEN}</string>")
         + entry("uid", "<string>9900001001</string>")
         + entry("expires_date", "<date>2029-06-01T08:30:15Z</date>"))
add("xml_all_kinds.xml", xml(
    "<dict>" + TEXTS + entry("a", "<integer>0x1F</integer>") + entry("b", "<integer>-5</integer>")
    + entry("c", "<real>1.5</real>") + entry("d", "<true/>") + entry("e", "<false></false>")
    + entry("f", f"<data>\n\t{base64.b64encode(bytes(40)).decode()}\n</data>")
    + entry("g", "<array/>") + entry("h", "<date>0001-01-01T00:00:00Z</date>")
    + entry("screen_name", "<string>&lt;&#x4F60;&amp;<![CDATA[<b>]]></string>") + "</dict>",
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://example.invalid/p.dtd">\n'),
    "accept", "every element", [account(screen_name="<你&<b>")])
add("xml_comments.xml", xml(f"<!-- x --><dict><?pi y?>{TEXTS}<!-- z --></dict>"), "accept",
    "comments between", [account()])
reject("xml_billion_laughs.xml", xml(
    "<dict><key>access_token</key><string>&d;</string></dict>",
    '<!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">'
    '<!ENTITY d "&c;&c;&c;">]>'), "malformed-plist", "entities within entities")
reject("xml_unknown_entity.xml", xml(
    "<dict><key>access_token</key><string>&x;</string></dict>",
    '<!DOCTYPE plist SYSTEM "http://example.invalid/p.dtd">'), "malformed-plist",
    "an entity that a document outside would have")
reject("xml_deep.xml", xml("<array>" * 5000 + "</array>" * 5000), "too-deep", "5000 arrays")
reject("xml_cut.xml", xml("<dict>" + TEXTS)[:-12], "malformed-plist", "the end is missing")
reject("xml_key_without_value.xml", xml("<dict><key>a</key></dict>"), "malformed-plist", "")
reject("xml_value_without_key.xml", xml("<dict><string>a</string></dict>"), "malformed-plist", "")
reject("xml_two_keys.xml", xml("<dict><key>a</key><key>b</key></dict>"), "malformed-plist", "")
reject("xml_key_in_array.xml", xml("<array><key>a</key></array>"), "malformed-plist", "")
reject("xml_text_between.xml", xml("<dict>text</dict>"), "malformed-plist", "")
reject("xml_element_in_text.xml", xml("<string>a<b/></string>"), "malformed-plist", "")
reject("xml_unknown_element.xml", xml("<ordered/>"), "malformed-plist", "")
reject("xml_two_roots.xml", xml("<true/><true/>"), "malformed-plist", "")
reject("xml_no_root.xml", xml(""), "malformed-plist", "")
reject("xml_bad_integer.xml", xml("<integer>9x</integer>"), "malformed-plist", "")
reject("xml_huge_integer.xml", xml("<integer>18446744073709551616</integer>"), "malformed-plist",
       "past 64 bits")
reject("xml_bad_real.xml", xml("<real>one</real>"), "malformed-plist", "")
reject("xml_bad_data.xml", xml("<data>*</data>"), "malformed-plist", "")
reject("xml_text_in_true.xml", xml("<true>yes</true>"), "malformed-plist", "")
reject("xml_key_twice.xml",
       xml("<dict>" + entry("a", "<true/>") + entry("a", "<true/>") + "</dict>"),
       "duplicate-key", "")
reject("xml_uid_huge.xml",
       xml("<dict>" + entry("CF$UID", "<integer>4294967296</integer>") + "</dict>"),
       "dangling-reference", "a reference past 32 bits")
add("xml_uid_among_others.xml",
    xml("<dict>" + TEXTS + entry("CF$UID", "<integer>1</integer>") + "</dict>"), "accept",
    "no reference: it has other keys", [account()])
reject("xml_other.xml", b"<?xml version='1.0'?><manifest/>", "not-a-plist:xml", "an app's manifest")
reject("web_page.plist", b"<!DOCTYPE html><html><body>403</body></html>", "not-a-plist:html",
       "an error page")
reject("gzip.plist", gzip.compress(binary(PLAIN), mtime=0), "not-a-plist:gzip", "a packed file")
reject("random.plist", bytes(range(1, 256)), "not-a-plist:binary", "bytes")
reject("blank.plist", b"\xef\xbb\xbf \n\t ", "empty-file", "nothing but space")
reject("form.txt", f"access_token={TOKEN}&uid=1".encode(), "not-a-plist:form", "a form's fields")
reject("words.txt", b"this is my account\n", "not-a-plist", "words")

# The preferences of Android's Weibo SDK.


def preferences(body):
    return f"<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n{body}</map>\n".encode()


def text(name, value):
    return f'    <string name="{name}">{value}</string>\n'


ANDROID = text("uid", "9900001001") + text("access_token", TOKEN) + text("refresh_token", REFRESH)
add("com_weibo_sdk_android.xml",
    preferences(ANDROID + f'    <long name="expires_in" value="{EXPIRES * 1000 + 250}" />\n'),
    "accept", "expires_in is a time, in milliseconds", [account(refresh_token=REFRESH)])
add("android_all_kinds.xml",
    preferences(ANDROID + f'    <long name="expires_in" value="{EXPIRES * 1000}" />\n'
                + text("userName", "安卓")
                + '<int name="a" value="-1" /><boolean name="b" value="true" /><boolean name="c" value="false" />'
                '<float name="d" value="1.5" />'
                '<set name="e"><string>x</string></set><null name="f" />'), "accept",
    "every element", [account(refresh_token=REFRESH, screen_name="安卓")])
reject("android_duration.xml", preferences(
    ANDROID + '    <long name="expires_in" value="157679999" />\n'), "expiry-unknown",
    "expires_in is a duration, as version 13.10.6 of the SDK writes it")
reject("android_logged_out.xml", preferences(text("uid", "9900001001")), "no-account",
       "no token any more")
reject("android_no_name.xml", preferences("<string>a</string>"), "malformed-plist", "")
reject("android_no_value.xml", preferences('<long name="a" />'), "malformed-plist", "")
reject("android_bad_long.xml", preferences('<long name="a" value="x" />'), "malformed-plist", "")
reject("android_bad_boolean.xml", preferences('<boolean name="a" value="x" />'),
       "malformed-plist", "")
reject("android_unknown_element.xml", preferences('<double name="a" value="1" />'),
       "malformed-plist", "")
reject("android_bad_set.xml", preferences('<set name="a"><int/></set>'), "malformed-plist", "")
reject("android_key_twice.xml", preferences(text("uid", "1") + text("uid", "2")),
       "duplicate-key", "")

# JSON of a model.


def model(**more):
    return json.dumps({"access_token": TOKEN, "uid": 9900001001, **more},
                      ensure_ascii=False).encode()


add("yymodel.json", model(expires_in=157679999, expiresDate="2029-06-01T08:30:15+0000",
                          name="模型", isLogin=True, other=None, list=[1, 2.5, {"a": False}]),
    "accept", "as YYModel writes a model", [account(screen_name="模型")])
add("model_with_mark.json", b"\xef\xbb\xbf" + model(expires_time=EXPIRES * 1000), "accept",
    "a byte order mark, milliseconds", [account()])
add("model_created.json", model(expires_in="86399", created_time=ISSUED), "accept",
    "a beginning and a life",
    [account(expires_in=86399, issued_at=ISSUED, expires_unix=ISSUED + 86399)])
reject("two_models.json", b"[" + model() + b"," + model(uid="5") + b"]", "several-accounts",
       "two in an array")
reject("token_response.json", model(expires_in=157679999, remind_in="157679999"), "not-a-plist",
       "what account login takes")
reject("model_cut.json", model(expiresDate=1)[:-1], "malformed-json", "the end is missing")
reject("model_key_twice.json", b'{"access_token":"a","access_token":"b"}', "duplicate-key", "")
reject("model_deep.json", b"[" * 17 + b"]" * 17, "too-deep", "")
reject("model_null.json", b"[null]", "no-account", "")
reject("model_huge_number.json", model(expires_date=0)[:-2] + b"1e999}", "bad-expires_date",
       "a number that no computer holds")
reject("python.json", b"{'access_token': 'a'}", "not-a-plist:python-dictionary", "a print")


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
