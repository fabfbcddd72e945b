"""The keys of archives: who gets one, what is asked for by odd names and ids, and how often."""

import contextlib
import fcntl
import json
import os
import threading
import time

import independent
from cases import case, needs_root
from keys import CODE, USER, by_code, is_locked
from users import NOBODY, OBSERVER, READER, STRANGER, as_user
from wire import KEYS, Closed, ask, error, is_closed, message, raw_exchange, replies

DERIVE, FINISH, LIST, ROTATE = (f"{KEYS}.{name}" for name in (
    "DeriveArchiveKey", "FinishRotation", "ListSlots", "Rotate"))
NAMES = ("drafts", "a", "草稿/é", "草稿/e\u0301", '"\\\n\x7f', "../../keyslots", "x" * 180,
         "\U0001F600" * 45)
# For a program that takes half a second to start.
FEW = (NAMES[0], NAMES[2], NAMES[5])
CALLS = 10_000
PATIENCE = 30


def derived(daemon, name, **more):
    """The reply's parameters."""
    return daemon.call(DERIVE, {"name": name, **more})


def made_elsewhere(daemon, name, content):
    """Has the independent program seal an archive."""
    made = independent.run("make-archive", daemon.state, daemon.key, name, "--content", content,
                           "--type", "made up", "--payload", "3")
    assert made.returncode == 0, made.stderr


def opened_elsewhere(daemon, name):
    """What the independent program finds in one."""
    found = independent.run("open-archive", daemon.state, daemon.key, name)
    assert found.returncode == 0, found.stderr
    found = json.loads(found.stdout)
    assert (found["kind"], found["type"]) == (3, "made up"), found
    return bytes.fromhex(found["content"]).decode()


@case
def another_program_derives_the_same_keys_and_each_opens_what_the_other_sealed(room):
    form, _ = independent.modules()
    daemon = room.daemon()
    daemon.login()
    archives = daemon.state / "archives"
    for name in FEW:
        found = independent.run("archive-key", daemon.state, daemon.key, name)
        assert json.loads(found.stdout) == derived(daemon, name), name
        made_elsewhere(daemon, name, f"{name}, sealed elsewhere")
        file = archives / form.archive_file(name)
        assert form.archive_name(file.name) == name
        given = derived(daemon, name, key_id=file.read_bytes()[16:32].hex())
        plaintext = form.open_sealed(file.read_bytes(), bytes.fromhex(given["key"]),
                                     bytes.fromhex(given["key_id"]))
        assert form.read_archive_payload(plaintext) == (
            3, "made up", f"{name}, sealed elsewhere".encode())
    [first] = daemon.call(ROTATE)["retired"]
    for name in FEW:
        # The key before is kept for them; what is sealed by the new one opens as well.
        found = independent.run("archive-key", daemon.state, daemon.key, name, "--key-id", first)
        assert json.loads(found.stdout) == derived(daemon, name, key_id=first), name
        assert opened_elsewhere(daemon, name) == f"{name}, sealed elsewhere"
        given = derived(daemon, name)
        assert given["key_id"] != first
        sealed = form.seal(form.archive_payload(3, "made up", b"sealed by the daemon's key"),
                           bytes.fromhex(given["key"]), bytes.fromhex(given["key_id"]), os.urandom)
        independent.write(archives / form.archive_file(name), sealed)
        assert opened_elsewhere(daemon, name) == "sealed by the daemon's key"
    assert daemon.call(FINISH)["retired"] == []
    assert error(daemon.ask(DERIVE, name="a", key_id=first)) == "NoSuchKey"
    daemon.end()


@case
def nobody_but_the_daemons_user_gets_a_key_and_root_does_not_either(room):
    needs_root()
    daemon = room.daemon("--readers", str(READER), "--observers", str(OBSERVER), user=USER)
    daemon.login()
    daemon.directory.chmod(0o755)

    def tries():
        found = []
        for parameters in ({"name": "drafts"}, {}, {"name": 7}, {"name": "x" * 181},
                           {"name": "drafts", "key_id": "0f" * 16}):
            try:
                found.append(error(daemon.ask(DERIVE, **parameters)))
            except (Closed, OSError):
                found.append("closed")
        return found

    # They do not hear what is wrong with the call either.
    for uid in (READER, OBSERVER, STRANGER, NOBODY, 65_506):
        assert set(as_user(uid, tries)) <= {"PermissionDenied"}, uid
    assert set(as_user(STRANGER, tries, groups=[READER, OBSERVER, USER])) == {"PermissionDenied"}
    assert set(tries()) == {"PermissionDenied"}, "root"
    assert as_user(USER, tries) == ["", "InvalidParameter", "InvalidParameter", "InvalidField",
                                    "NoSuchKey"]
    # Root is an owner in all else, and ends what a rotation has left.
    assert error(daemon.ask("Export")) == "" and error(daemon.ask(ROTATE)) == ""
    assert error(daemon.ask(FINISH)) == ""
    # What belongs to root is root's: then it is the daemon's user.
    own = room.daemon()
    own.login()
    assert tries_as_owner(own) == ""
    own.end()
    daemon.end()


def tries_as_owner(daemon):
    return error(daemon.ask(DERIVE, name="drafts"))


@case
def hostile_names_of_archives_are_refused_or_are_but_names(room):
    daemon, token = by_code(room)
    text = b'{"method":"%s","parameters":{"name":"%%s"}}\0' % DERIVE.encode()
    # No such text is JSON, or it is no message: the connection ends.
    for raw in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"a\\u0000b", b"\\ud800", b"x" * 65_536):
        assert raw_exchange(daemon.socket, text % raw) == b"", raw[:8]
    for name, field in (("", "name"), ("x" * 181, "name"), ("é" * 91, "name"),
                        ("x" * 65_000, "name"), ("\U0001F600" * 46, "name")):
        reply = daemon.ask(DERIVE, name=name)
        assert error(reply) == "InvalidField" and reply["parameters"]["field"] == field, reply
        assert name[:8] not in reply["parameters"]["reason"] or not name
    for key_id in ("", token, "0f" * 15, "0f" * 17, "0f" * 15 + "0g", "\uff10" * 32, "../" * 11,
                   "0x" + "0f" * 15, " " * 32, "0f" * 16 + " "):
        reply = daemon.ask(DERIVE, name="a", key_id=key_id)
        assert error(reply) == "InvalidField", (key_id, reply)
        assert reply["parameters"] == {
            "field": "key_id", "reason": "is not 32 hexadecimal digits"}, reply
    reply = daemon.ask(DERIVE, name="a", key_id="0F" * 16)
    assert error(reply) == "NoSuchKey" and reply["parameters"] == {"key_id": "0f" * 16}, reply
    # A name is no path, and makes no file: it is looked for nowhere.
    before = sorted(path.name for path in daemon.state.iterdir())
    keys = {derived(daemon, name)["key"] for name in (
        *NAMES, ".", "..", "/etc/passwd", "~root", "%2e%2e", "a/../b", "\u202egnp.", "-rf",
        "account", "archive v1", "drafts\n", " drafts", "\ufeffdrafts")}
    assert len(keys) == len(NAMES) + 13
    assert sorted(path.name for path in daemon.state.iterdir()) == before
    daemon.call("Lock")
    for parameters in ({"name": "drafts"}, {"name": "drafts", "key_id": "0f" * 16}):
        assert error(daemon.ask(DERIVE, **parameters)) == "Locked"
    assert is_locked(daemon)
    daemon.call("Unlock", {"recovery_code": CODE})
    assert daemon.token() == token
    daemon.end()


@case
def ten_thousand_keys_cost_nothing_that_stays(room):
    daemon, token = by_code(room)
    before = {name: derived(daemon, name) for name in NAMES}
    # Once, for what a first time costs.
    with daemon.connect() as peer:
        _ask_many(peer, range(500))
        size, descriptors = daemon.anonymous(), None
        if os.geteuid() == 0:
            descriptors = daemon.descriptors()
        start = time.monotonic()
        keys = _ask_many(peer, range(CALLS))
        took = time.monotonic() - start
    assert len(keys) == CALLS, "two names have one key"
    assert daemon.anonymous() <= size + (256 << 10), f"it has grown by {daemon.anonymous() - size}"
    assert descriptors is None or daemon.descriptors() <= descriptors
    assert took < PATIENCE, f"{took:.1f} s"
    assert {name: derived(daemon, name) for name in NAMES} == before
    assert daemon.token() == token
    daemon.must_rest()
    daemon.end()
    print(f"{CALLS} keys in {took:.2f} s")


def _ask_many(peer, numbers, at_once=50):
    keys, left = set(), list(numbers)
    while left:
        now, left = left[:at_once], left[at_once:]
        peer.sendall(b"".join(message(DERIVE, {"name": f"archive {number}"}) for number in now))
        keys |= {reply["parameters"]["key"] for reply in replies(peer, len(now))}
    return keys


@case
def keys_that_nobody_takes_hold_nobody_up_and_go_with_their_connection(room):
    daemon, token = by_code(room)
    call = message(DERIVE, {"name": "x" * 180})
    with contextlib.ExitStack() as peers:
        greedy = [peers.enter_context(daemon.connect()) for _ in range(40)]
        for peer in greedy:
            peer.setblocking(False)
            # As much as it takes, the last of them half.
            for _ in range(3000):
                try:
                    sent = peer.send(call)
                except BlockingIOError:
                    break
                if sent < len(call):
                    break
        start = time.monotonic()
        for _ in range(20):
            assert daemon.token() == token and len(derived(daemon, "drafts")["key"]) == 64
        assert time.monotonic() - start < 5, "they hold others up"
        # Half of a reply, and then nothing.
        for peer in greedy[:20]:
            peer.setblocking(True)
            assert len(peer.recv(70)) == 70
        for peer in greedy[20:]:
            peer.close()
        assert daemon.status()["connections"] <= 21
    deadline = time.monotonic() + PATIENCE
    while daemon.status()["connections"] > 1:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    # Whoever hangs up, or says that it sends no more, in the middle of a call.
    for size in range(1, len(call), 17):
        with daemon.connect() as peer:
            peer.sendall(call[:size])
    with daemon.connect() as peer:
        peer.sendall(call + call[:-1])
        assert len(replies(peer, 1)[0]["parameters"]["key"]) == 64
        peer.shutdown(1)
        assert is_closed(peer, 5)
    daemon.must_rest()
    assert daemon.token() == token
    daemon.end()


@case
def archives_that_are_written_while_keys_are_rotated_open_every_one(room):
    form, _ = independent.modules()
    daemon = room.daemon()
    daemon.login()
    archives = daemon.state / "archives"
    archives.mkdir(mode=0o700)
    ends, written, faults = threading.Event(), [], []

    def write():
        number = 0
        with daemon.connect() as peer, open(daemon.state / "archives.lock", "ab") as lock:
            while not ends.is_set():
                name = f"archive {number % 40}"
                # As docs/FORMAT.md has it: from before the key is known until the file has its name.
                fcntl.flock(lock, fcntl.LOCK_SH)
                reply = ask(peer, DERIVE, {"name": name})
                if error(reply):
                    faults.append(reply)
                    return
                given = reply["parameters"]
                sealed = form.seal(form.archive_payload(3, "made up", str(number).encode()),
                                   bytes.fromhex(given["key"]), bytes.fromhex(given["key_id"]),
                                   os.urandom)
                independent.write(archives / form.archive_file(name), sealed)
                fcntl.flock(lock, fcntl.LOCK_UN)
                written.append((name, str(number), given["key_id"]))
                number += 1

    writer = threading.Thread(target=write)
    writer.start()
    rotations = 0
    try:
        end = time.monotonic() + 5
        while time.monotonic() < end and not faults:
            reply = daemon.ask(ROTATE if rotations % 3 else FINISH)
            # Sixteen earlier keys may be kept, and each archive keeps its own.
            assert error(reply) in ("", "TooManyRetiredKeys"), reply
            rotations += 1
    finally:
        ends.set()
        writer.join()
    assert not faults, faults[0]
    last = {name: (number, key_id) for name, number, key_id in written}
    slots = form.read_slots((daemon.state / "keyslots.plist").read_bytes())
    master, _, _ = form.unlock(slots, "keyfile", daemon.key.read_bytes())
    for name, (number, key_id) in last.items():
        file = (archives / form.archive_file(name)).read_bytes()
        key_id = bytes.fromhex(key_id)
        key = master if key_id == slots["current"] else form.retired_key(slots, key_id, master)
        plaintext = form.open_sealed(file, form.derived(key, b"archive", name), key_id)
        assert form.read_archive_payload(plaintext)[2].decode() == number, name
    kept = daemon.call(FINISH)
    borne = {key_id for _, key_id in last.values()} - {kept["key_id"]}
    assert set(kept["retired"]) == borne, (kept, borne)
    assert len({key_id for *_, key_id in written}) > 2, "no rotation came between"
    # Sealed anew, they leave nothing for which an earlier key is kept.
    for name in [*last][1:]:
        (archives / form.archive_file(name)).unlink()
    made_elsewhere(daemon, "archive 0", "sealed anew")
    assert daemon.call(FINISH) == {"key_id": kept["key_id"], "retired": []}
    assert opened_elsewhere(daemon, "archive 0") == "sealed anew"
    daemon.end()
    print(f"{len(written)} archives while keys were rotated {rotations} times")
