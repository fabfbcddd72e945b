"""Reads archives over and over with plistlib and a walk through their dictionaries.

    archive_peer.py ROUNDS FILE...

Prints how many it has read in a second. It does what `archive-speed` does and no more: finds the
object with a token, and reads its fields by the names that apps have for them.
"""

import plistlib
import sys
import time

TOKENS = ("access_token", "accessToken")
NAMES = (
    ("refresh_token", "refreshToken"), ("uid", "userID"), ("screen_name", "name", "userName"),
    ("avatar_large", "avatar_hd", "profile_image_url", "avater_large"),
    ("expires_date", "expires_Date", "expiresDate", "expireDate", "expires_time", "expiresTime",
     "date", "expirationDate"),
    ("created_time", "createAccessTokenDate", "issued_at"), ("expires_in",))


def resolve(objects, value):
    return objects[value.data] if isinstance(value, plistlib.UID) else value


def read(content):
    archive = plistlib.loads(content)
    if archive["$archiver"] != "NSKeyedArchiver" or archive["$version"] != 100000:
        raise ValueError("no archive")
    objects = archive["$objects"]
    pending = list(archive["$top"].values())
    while pending:
        found = resolve(objects, pending.pop())
        if isinstance(found, dict):
            if any(name in found for name in TOKENS):
                break
            if "NS.keys" in found:
                found = {resolve(objects, key): value
                         for key, value in zip(found["NS.keys"], found["NS.objects"])}
                if any(name in found for name in TOKENS):
                    break
            pending += found.values()
        elif isinstance(found, list):
            pending += found
    fields = []
    for names in (TOKENS, *NAMES):
        value = next((resolve(objects, found[name]) for name in names if name in found), None)
        if isinstance(value, dict):
            value = value.get("NS.time")
        fields.append(value)
    if not fields[0]:
        raise ValueError("no account")
    return fields


def main():
    rounds = int(sys.argv[1])
    contents = []
    for path in sys.argv[2:]:
        with open(path, "rb") as file:
            contents.append(file.read())
    start = time.perf_counter()
    for _ in range(rounds):
        for content in contents:
            read(content)
    print(rounds * len(contents) / (time.perf_counter() - start))


if __name__ == "__main__":
    main()
