"""A new master key: each archive is sealed by it, the earlier one forgotten, nothing lost."""

import os
import signal
import subprocess
import threading

from cases import alone, case, needs_program, needs_root
from output_cases import on_a_terminal
from shelf import CHUNK, DAMAGED, Shelf, flip, made_up_bytes
from writer_cases import Hanging
import wire

ROTATIONS = 18


def filled(room, user=None):
    """A shelf of archives of each kind, one with a generation before, and what is in them."""
    shelf = Shelf(room, user=user)
    contents = {"empty": b"", "large": made_up_bytes(2 * CHUNK + 7), "草稿/é": b"name", "x": b"one"}
    for name, content in contents.items():
        shelf.put(name, content)
    shelf.put("x", b"two")
    shelf.archive("put", "json", input="[1]").must_be(0)
    shelf.draft("add", "--title", "T").must_be(0)
    return shelf, {**contents, "x": b"two", "json": b"[1]"}


def must_hold(shelf, contents):
    """Everything is there."""
    for name, content in contents.items():
        assert shelf.get(name) == content, name
    assert shelf.get("x", "--previous") == b"one"
    assert shelf.drafts()[0]["title"] == "T"


def must_be_by_one_key(shelf):
    """No header has another key's id than the present one's, and no other is kept."""
    slots = shelf.slots()
    assert slots["retired"] == [], slots
    for path in shelf.archives.glob("*.sealed*"):
        with open(path, "rb") as file:
            assert file.read(32)[16:].hex() == slots["key_id"], path
    shelf.must_be_tidy()


@case
def rotate_remove_and_a_passphrase_seal_everything_anew(room):
    shelf, contents = filled(room)
    keys = {shelf.slots()["key_id"]}
    run = shelf.account("key", "rotate").must_be(0)
    assert "Sealed 7 files anew." in run.out, run.out
    must_be_by_one_key(shelf)
    must_hold(shelf, contents)
    keys.add(shelf.slots()["key_id"])
    code = room.path / "code"
    shelf.account("key", "add", "recovery", "--code-file", str(code)).must_be(0)
    recovery = next(slot["id"] for slot in shelf.slots()["slots"] if slot["kind"] == "recovery")
    shelf.account("key", "remove", recovery).must_be(0)
    must_be_by_one_key(shelf)
    must_hold(shelf, contents)
    keys.add(shelf.slots()["key_id"])
    shelf.account("key", "add", "passphrase", "--passphrase-fd", "0", "--timeout", "60",
                  input="made up\n", seconds=90).must_be(0)
    must_be_by_one_key(shelf)
    must_hold(shelf, contents)
    keys.add(shelf.slots()["key_id"])
    assert len(keys) == 4, keys
    # A slot that goes without a rotation changes nothing.
    shelf.archive("reseal").must_be(0, "Sealed 0 files anew.\n")


@case
def rotations_in_a_row_leave_no_earlier_key(room):
    shelf, contents = filled(room)
    keys = set()
    for _ in range(ROTATIONS):
        shelf.account("key", "rotate").must_be(0)
        keys.add(shelf.slots()["key_id"])
        assert shelf.slots()["retired"] == []
    assert len(keys) == ROTATIONS
    must_be_by_one_key(shelf)
    must_hold(shelf, contents)


@case
def a_generation_before_alone_is_sealed_anew_too(room):
    shelf = Shelf(room)
    shelf.put("x", b"one")
    shelf.put("x", b"two")
    shelf.file("x").unlink()
    shelf.account("key", "rotate").must_be(0)
    assert shelf.slots()["retired"] == [], shelf.slots()
    assert shelf.get("x", "--previous") == b"one"
    shelf.archive("restore", "x").must_be(0)
    assert shelf.get("x") == b"one"


@case
def a_damaged_archive_is_named_and_the_others_are_done(room):
    shelf, contents = filled(room)
    flip(shelf.file("large"), -1)
    run = shelf.account("key", "rotate").must_be(DAMAGED)
    assert "large" in run.err and "Sealed 6 files anew." in run.out, run
    assert len(shelf.slots()["retired"]) == 1
    del contents["large"]
    must_hold(shelf, contents)
    shelf.archive("reseal").must_be(DAMAGED)
    # As the hint has it.
    shelf.archive("remove", "large").must_be(0)
    shelf.archive("reseal").must_be(0)
    must_be_by_one_key(shelf)
    must_hold(shelf, contents)


@case
def what_is_no_archive_is_named_and_the_others_are_done(room):
    for make, kept in ((lambda path: path.symlink_to("x.sealed"), 1), (os.mkfifo, 0),
                       (lambda path: path.mkdir(), 0), (lambda path: path.write_bytes(b""), 0),
                       (lambda path: path.write_bytes(b"made up"), 0)):
        shelf = Shelf(room)
        shelf.put("x", b"x")
        make(shelf.file("other"))
        run = shelf.account("key", "rotate").must_be(DAMAGED)
        assert "other" in run.err and "Sealed 1 file anew." in run.out, run
        assert shelf.get("x") == b"x"
        # No key is kept for what could not be opened by any; but a link may lead to an archive.
        assert len(shelf.slots()["retired"]) == kept, shelf.slots()
        shelf.end()


@case
def rotations_at_once_leave_no_earlier_key_and_readers_see_none(room):
    shelf, contents = filled(room)
    is_over = threading.Event()

    def read(name):
        while not is_over.is_set():
            assert shelf.get(name) == contents[name], name

    def rotate():
        for _ in range(4):
            shelf.account("key", "rotate", "--timeout", "60").must_be(0)

    def rotate_all():
        try:
            at_once([rotate, rotate, rotate])
        finally:
            is_over.set()

    at_once([rotate_all, lambda: read("x"), lambda: read("large")])
    shelf.archive("reseal").must_be(0)
    must_be_by_one_key(shelf)
    must_hold(shelf, contents)


@case
def when_no_more_earlier_keys_can_be_kept_that_is_said(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    for number in range(16):
        shelf.put(f"a{number}", b"a")
        rotate_alone(shelf)
    assert len(shelf.slots()["retired"]) == 16
    run = shelf.account("key", "rotate")
    assert run.status != 0 and "earlier" in run.err and "archive reseal" in run.err, run
    assert shelf.get("x") == b"x"
    shelf.archive("reseal").must_be(0)
    must_be_by_one_key(shelf)
    shelf.account("key", "rotate").must_be(0)
    must_be_by_one_key(shelf)


@case
def a_place_that_cannot_be_used_is_said_by_a_rotation(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    shelf.archives.chmod(0o770)
    run = shelf.account("key", "rotate")
    assert run.status == DAMAGED and str(shelf.archives) in run.err, run
    assert len(shelf.slots()["retired"]) == 1
    shelf.archives.chmod(0o700)
    shelf.archive("reseal").must_be(0)
    must_be_by_one_key(shelf)


@case
@alone
def a_rotation_while_others_write_loses_nothing(room):
    shelf, contents = filled(room)
    is_over = threading.Event()
    last = {}

    def write(name):
        number = 0
        while not is_over.is_set():
            shelf.put(name, b"%d" % number * 10_000, "--timeout", "60")
            last[name] = number
            number += 1
        return True

    def add():
        number = 0
        while not is_over.is_set():
            shelf.draft("add", "--title", str(number), "--timeout", "60").must_be(0)
            number += 1
        last["drafts"] = number
        return True

    def rotate():
        try:
            for _ in range(5):
                run = shelf.account("key", "rotate", "--timeout", "60")
                assert run.status == 0 and "The master key is now" in run.out, run
        finally:
            is_over.set()
        return True

    assert len(at_once([lambda: write("a"), lambda: write("b"), add, rotate])) == 4
    for name in ("a", "b"):
        assert shelf.get(name) == b"%d" % last[name] * 10_000, name
    titles = [draft["title"] for draft in shelf.drafts()]
    assert titles == [str(number) for number in reversed(range(last["drafts"]))] + ["T"], titles
    shelf.archive("reseal").must_be(0)
    must_be_by_one_key(shelf)
    for name, content in contents.items():
        assert shelf.get(name) == content, name


def at_once(functions):
    """As users.at_once; what fails in a thread fails here."""
    results, faults = [], []

    def run(each):
        try:
            results.append(each())
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=run, args=(each,)) for each in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return results


@case
def sealing_anew_that_is_killed_at_any_call_is_finished_by_another_run(room):
    needs_root()
    needs_program("strace")
    shelf, contents = filled(room)
    program = shelf.programs / "account-archive"
    # All of them are scripts/crash's.
    points = [("openat", 20), ("openat", 45), ("flock", 3), ("fcntl", 4), ("write", 3),
              ("fsync", 2), ("renameat", 1), ("renameat", 3)]
    reached = 0
    for call, number in points:
        # A rotation alone, as before a kill of the first thing that comes after it.
        rotate_alone(shelf)
        done = subprocess.run(
            ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
             f"inject={call}:signal=KILL:when={number}", program, "archive", "reseal"],
            env=shelf.environment, capture_output=True, timeout=30)
        reached += done.returncode in (-signal.SIGKILL, 137)
        must_hold(shelf, contents)
        run = shelf.archive("reseal").must_be(0)
        assert run.out.startswith("Sealed "), run.out
        must_be_by_one_key(shelf)
        must_hold(shelf, contents)
    assert reached > len(points) / 2, f"{reached} of {len(points)}"


def rotate_alone(shelf):
    """Without the archives being sealed anew."""
    wire.call(shelf.socket, "org.accountd.Keys.Rotate")


@case
def what_a_killed_writer_has_left_keeps_no_earlier_key(room):
    shelf = Shelf(room)
    for archive in (False, True):
        if archive:
            shelf.put("x", b"x")
        hanging = Hanging(shelf, "y", b"y")
        hanging.process.kill()
        hanging.end()
        assert len(shelf.temporaries()) == 1
        shelf.account("key", "rotate").must_be(0)
        assert shelf.slots()["retired"] == [] and shelf.temporaries() == []


@case
def how_many_archives_are_sealed_anew_is_shown_when_it_takes_long(room):
    needs_root()
    needs_program("strace")
    shelf = Shelf(room)
    for number in range(3):
        shelf.put(str(number), b"x")
    rotate_alone(shelf)
    slow = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e",
            "inject=fsync:delay_enter=400000"]
    shown, status = on_a_terminal(shelf, ["archive", "reseal"], wrapper=slow)
    assert status == 0 and "archives: 2 of 3" in shown and shown.endswith("\r\x1b[K"), shown
    rotate_alone(shelf)
    assert on_a_terminal(shelf, ["archive", "reseal"]) == ("", 0)
