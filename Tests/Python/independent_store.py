#!/usr/bin/env python3
"""Opens and makes an account store as docs/FORMAT.md describes it, without libsodium.

For tests alone, with made-up accounts: secrets are printed and stay in ordinary memory.
Exit status: 0; 6 for a wrong secret; 7 for damage; 2 for anything else.
"""

import argparse
import contextlib
import datetime
import fcntl
import json
import os
import plistlib
import struct
import sys
import time

sys.dont_write_bytecode = True

try:
    import sealed_format as form
    import slot_secrets
except ImportError as missing:
    sys.exit(f"independent_store.py: {missing}: pip install pycryptodome cryptography")

ACCOUNT_FILE = "account.plist.sealed"
SLOTS_FILE = "keyslots.plist"
ARCHIVES = "archives"


def read(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def write(path, contents):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with open(descriptor, "wb") as file:
        file.write(contents)
        file.flush()
        os.fsync(file.fileno())


def unlock(options):
    slots = form.read_slots(read(options.state_dir, SLOTS_FILE))
    secret = slot_secrets.secret_of(options.kind, read(options.secret))
    return (slots, *slot_secrets.unlock(slots, options.kind, secret))


def master_key_of(file, slots, master_key):
    """The master key that a file is sealed under and its id: the current one or a retired one."""
    key_id = file[16:32]
    if key_id == slots["current"] or len(file) < form.HEADER_SIZE:
        return master_key, slots["current"]
    return form.retired_key(slots, key_id, master_key), key_id


def open_store(options):
    slots, master_key, _, _ = unlock(options)
    file = read(options.state_dir, options.file)
    master_key, key_id = master_key_of(file, slots, master_key)
    label = b"app" if options.file.startswith("app.") else b"account"
    plaintext = form.open_sealed(file, form.derived(master_key, label), key_id)
    account = plistlib.loads(plaintext, fmt=plistlib.FMT_BINARY)

    def plain(value):
        if isinstance(value, datetime.datetime):
            return value.isoformat(timespec="seconds") + "Z"
        return value.hex() if isinstance(value, bytes) else str(value)

    print(json.dumps(account, default=plain, ensure_ascii=False, sort_keys=True))


def make_store(options):
    os.makedirs(options.state_dir, mode=0o700, exist_ok=True)
    os.makedirs(os.path.dirname(os.path.abspath(options.secret)), mode=0o700, exist_ok=True)
    if not os.path.exists(options.secret):
        write(options.secret, slot_secrets.made_up(options.kind, os.urandom))
    current, master_key = os.urandom(16), os.urandom(32)
    created = int(time.time())
    secret = slot_secrets.secret_of(options.kind, read(options.secret))
    slot = slot_secrets.make_slot(
        options.kind, secret, current, master_key, created, os.urandom)
    slots = form.write_slots(form.make_slots(current, master_key, [slot]))

    issued_at = created if options.issued_at is None else options.issued_at
    account = {
        "schema": 1,
        "access_token": options.token,
        "uid": options.uid,
        "expires_in": options.expires_in,
        "issued_at": form.date(issued_at),
        "expires_date": form.date(issued_at + options.expires_in),
    }
    optional = {
        "screen_name": options.screen_name,
        "avatar_large": options.avatar_large,
        "refresh_token": options.refresh_token,
        "refused": options.refused,
    }
    account.update({name: value for name, value in optional.items() if value is not None})
    plaintext = plistlib.dumps(account, fmt=plistlib.FMT_BINARY)
    key = form.derived(master_key, b"account")
    sealed = form.seal(plaintext, key, current, os.urandom)

    write(os.path.join(options.state_dir, SLOTS_FILE), slots)
    write(os.path.join(options.state_dir, SLOTS_FILE + "~"), slots)
    write(os.path.join(options.state_dir, ACCOUNT_FILE), sealed)


def derive(options):
    """Prints every key that a process may have held while it opened the account."""
    slots, master_key, private, wrapping = unlock(options)
    keys = {"slot": private, "wrapping": wrapping, "master": master_key}
    for label in (b"account", b"app", b"slots", b"retired"):
        keys[label.decode()] = form.derived(master_key, label)
    for key in slots["retired"]:
        retired = form.retired_key(slots, key["id"], master_key)
        keys["retired." + key["id"].hex()] = retired
        keys["retired." + key["id"].hex() + ".account"] = form.derived(retired, b"account")
    for name in options.archive:
        keys["archive." + name] = form.derived(master_key, b"archive", name)
    if os.path.exists(os.path.join(options.state_dir, ACCOUNT_FILE)):
        file = read(options.state_dir, ACCOUNT_FILE)
        sealing, _ = master_key_of(file, slots, master_key)
        keys["file"] = form.file_key(form.derived(sealing, b"account"), file[32:64])
        keys["stream"] = form.SecretStream(keys["file"], file[64:88]).key
    for name, key in keys.items():
        print(name, key.hex())


def archive_key_of(options, key_id=None):
    """The key of the archive, and the id of the master key that it is derived from."""
    slots, master_key, _, _ = unlock(options)
    if key_id not in (None, slots["current"]):
        master_key = form.retired_key(slots, key_id, master_key)
    return form.derived(master_key, b"archive", options.name), key_id or slots["current"]


def archive_key(options):
    """Prints what DeriveArchiveKey answers."""
    key, key_id = archive_key_of(options, options.key_id and bytes.fromhex(options.key_id))
    print(json.dumps({"key": key.hex(), "key_id": key_id.hex()}))


def open_archive(options):
    name = form.archive_file(options.name) + ("~" if options.previous else "")
    file = read(options.state_dir, ARCHIVES, name)
    key, key_id = archive_key_of(options, file[16:32] if len(file) >= form.HEADER_SIZE else None)
    kind, type_name, content = form.read_archive_payload(form.open_sealed(file, key, key_id))
    print(json.dumps({"kind": kind, "type": type_name, "content": content.hex()}))


def lock_place(file, kind, place):
    """Locks one byte of a file until it is closed. Open file description locks, fcntl(2)"""
    request = struct.pack("hhqqi4x", kind, os.SEEK_SET, place, 1, 0)
    fcntl.fcntl(file, fcntl.F_OFD_SETLKW, request)


def open_lock(path):
    return open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600), "rb+")


def temporary_in(archives):
    return os.path.join(archives, f".tmp-{os.urandom(8).hex()}")


def make_temporary(archives):
    """A file that is locked: one that is not was left by a writer that is gone, and is removed."""
    while True:
        path = temporary_in(archives)
        file = open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return path, file
        file.close()


def make_archive(options):
    archives = os.path.join(options.state_dir, ARCHIVES)
    os.makedirs(archives, mode=0o700, exist_ok=True)
    place, locks = os.path.join(archives, form.archive_file(options.name)), os.path.join(
        archives, "lock")
    with contextlib.ExitStack() as held:
        # No other writer of this archive; and no key is forgotten, until the file has its name.
        lock_place(held.enter_context(open_lock(locks)), fcntl.F_WRLCK,
                   form.archive_place(options.name))
        lock = held.enter_context(open_lock(os.path.join(options.state_dir, "archives.lock")))
        fcntl.flock(lock, fcntl.LOCK_SH)
        key, key_id = archive_key_of(options)
        content = sys.stdin.buffer.read() if options.content is None else options.content.encode()
        plaintext = form.archive_payload(options.payload, options.type, content)
        temporary, file = make_temporary(archives)
        with file:
            file.write(form.seal(plaintext, key, key_id, os.urandom))
            file.flush()
            os.fsync(file.fileno())
            lock_place(held.enter_context(open_lock(locks)), fcntl.F_RDLCK, form.NAMES_PLACE)
            if os.path.lexists(place):
                link = temporary_in(archives)
                os.link(place, link, follow_symlinks=False)
                os.rename(link, place + "~")
            os.rename(temporary, place)


def vectors(options):
    import sealed_vectors

    sealed_vectors.write(options.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, action, text):
        sub = commands.add_parser(name, help=text)
        sub.set_defaults(action=action)
        if action is vectors:
            sub.add_argument("out")
            return sub
        sub.add_argument("state_dir")
        sub.add_argument("secret", help="the file with the key, the passphrase or the code")
        sub.add_argument("--kind", choices=form.KINDS, default="keyfile")
        return sub

    sub = command("open", open_store, "print the account as JSON")
    sub.add_argument("--file", default=ACCOUNT_FILE)
    sub = command("make", make_store, "make a store; makes the secret if there is none")
    sub.add_argument("--token", required=True)
    sub.add_argument("--uid", required=True)
    sub.add_argument("--expires-in", type=int, required=True)
    sub.add_argument("--issued-at", type=int, help="seconds since 1970; now, if not given")
    sub.add_argument("--screen-name")
    sub.add_argument("--avatar-large")
    sub.add_argument("--refresh-token")
    sub.add_argument("--refused", type=int, help="Weibo's error code")
    sub = command("derive", derive, "print the keys in hexadecimal, for a search of memory")
    sub.add_argument("--archive", action="append", default=[], metavar="NAME")
    of_archives = [
        command("archive-key", archive_key, "print the key of an archive as JSON"),
        command("open-archive", open_archive, "print what an archive holds as JSON"),
        command("make-archive", make_archive, "seal an archive, in another's place if it is there"),
    ]
    for sub in of_archives:
        sub.add_argument("name")
    of_archives[0].add_argument("--key-id", metavar="HEX", help="of an earlier master key")
    of_archives[1].add_argument("--previous", action="store_true", help="the generation before")
    of_archives[2].add_argument("--payload", type=int, default=2, help="the kind; 2 is bytes")
    of_archives[2].add_argument("--type", default="", help="the name of the type")
    of_archives[2].add_argument("--content", help="what it holds; standard input, if not given")
    command("vectors", vectors, "write the test vectors")

    options = parser.parse_args()
    try:
        options.action(options)
    except (form.WrongSecret, slot_secrets.Mistyped) as error:
        print(f"wrong secret: {error}", file=sys.stderr)
        return 6
    except (form.Damaged, form.CannotOpen) as error:
        print(f"damaged: {error}", file=sys.stderr)
        return 7
    except (form.Unsupported, form.UnknownKey, OSError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
