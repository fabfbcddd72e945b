"""Files that are made, damage that is met late, and what is shown meanwhile."""

import json
import os
import pty
import stat
import subprocess
import time

from cases import case, needs_program, needs_root
from shelf import CHUNK, DAMAGED, HEADER, OVERHEAD, REFUSED, Shelf, flip, made_up_bytes


def left_in(place):
    """Names of what is in a directory."""
    return sorted(os.listdir(place))


@case
def a_file_is_made_for_its_user_alone_whatever_the_umask(room):
    user = 65_510 if os.geteuid() == 0 else None
    shelf = Shelf(room, user=user)
    shelf.put("x", b"content")
    shelf.archive("put", "json", input="[1]").must_be(0)
    for mask in (0o000, 0o022, 0o077, 0o777):
        for words, content in ((["--raw", "x"], b"content"), (["json"], b"[1]")):
            path = shelf.path / f"file-{mask:o}-{words[-1]}"
            shelf.archive("get", *words, "--output", str(path),
                          prepare=lambda: os.umask(mask)).must_be(0, "")
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, oct(path.stat().st_mode)
            assert path.read_bytes() == content


@case
def a_store_that_is_used_under_any_umask_goes_on_working(room):
    user = 65_510 if os.geteuid() == 0 else None
    for mask in (0o777, 0o277, 0o000):
        shelf = Shelf(room, user=user)
        for number in range(2):
            for name in ("x", "y"):
                shelf.put(name, b"%d" % number, prepare=lambda: os.umask(mask))
            shelf.draft("add", "--title", "T", prepare=lambda: os.umask(mask)).must_be(0)
        shelf.put("x", b"2")
        assert shelf.get("x") == b"2" and len(shelf.drafts()) == 2
        shelf.account("key", "rotate", prepare=lambda: os.umask(mask)).must_be(0)
        assert shelf.slots()["retired"] == [], shelf.slots()
        shelf.must_be_tidy()
        assert (shelf.state / "archives.lock").stat().st_mode & 0o777 == 0o600
        shelf.end_daemon()


@case
def what_is_there_is_replaced_only_where_that_is_asked_for(room):
    shelf = Shelf(room)
    shelf.put("x", b"content")
    place = room.place()
    target = place / "target"
    target.write_text("precious")
    link = place / "link"
    link.symlink_to(target)
    for path in (target, link):
        run = shelf.archive("get", "--raw", "x", "--output", str(path)).must_be(REFUSED, "")
        assert "--force" in run.err and target.read_text() == "precious", run.err
    shelf.archive("get", "--raw", "x", "--output", str(link), "--force").must_be(0, "")
    assert not link.is_symlink() and link.read_bytes() == b"content"
    assert target.read_text() == "precious"
    run = shelf.archive("get", "--raw", "x", "--output", "-", cwd=place).must_be(0, "content")
    for path in ("/", str(place), str(place / "nope" / "x"), "/proc/x", "/dev/full/x"):
        shelf.archive("get", "--raw", "x", "--output", path).must_be(REFUSED, "")
        shelf.archive("get", "--raw", "x", "--output", path, "--force").must_be(REFUSED, "")
    assert left_in(place) == ["link", "target"]


@case
def damage_that_is_met_late_leaves_no_file_and_the_beginning_on_stdout(room):
    shelf = Shelf(room)
    content = made_up_bytes(5 * CHUNK + 1000)
    chunks = 6
    for chunk in range(chunks):
        shelf.put("x", content)
        flip(shelf.file("x"), HEADER + chunk * (CHUNK + OVERHEAD) + 100)
        run = shelf.archive("get", "--raw", "x").must_be(DAMAGED)
        assert os.fsencode(run.out) == content[:max(0, chunk * CHUNK - 3)], (chunk, len(run.out))
        place = room.place()
        shelf.archive("get", "--raw", "x", "--output", str(place / "f")).must_be(DAMAGED, "")
        (place / "g").write_text("precious")
        shelf.archive("get", "--raw", "x", "--output", str(place / "g"),
                      "--force").must_be(DAMAGED, "")
        assert left_in(place) == ["g"] and (place / "g").read_text() == "precious"
    shelf.put("x", content)
    for size in (0, 1, HEADER - 1, HEADER, HEADER + 1, HEADER + CHUNK + OVERHEAD,
                 shelf.file("x").stat().st_size - 1):
        os.truncate(shelf.file("x"), size)
        shelf.archive("get", "--raw", "x").must_be(DAMAGED)
        shelf.put("x", content)
    with open(shelf.file("x"), "ab") as file:
        file.write(b"x")
    shelf.archive("get", "--raw", "x").must_be(DAMAGED)


@case
def a_get_that_is_killed_leaves_no_file(room):
    needs_root()
    needs_program("strace")
    shelf = Shelf(room)
    shelf.put("x", made_up_bytes(5 * CHUNK))
    place = room.place()
    (place / "there").write_text("precious")
    for call, number in (("write", 1), ("write", 4), ("fsync", 1), ("linkat", 1), ("renameat", 1)):
        for words in (["new"], ["there", "--force"]):
            shelf.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                       f"inject={call}:signal=KILL:when={number}", str(shelf.programs / "account"),
                       "archive", "get", "--raw", "x", "--output", str(place / words[0]),
                       *words[1:]])
        if call == "renameat":
            # A file that takes another one's place has a name for a moment; a new one has none.
            assert (place / "there").read_text() == "precious"
            (place / "new").unlink()
            for left in place.glob(".tmp-*"):
                left.unlink()
        assert left_in(place) == ["there"] and (place / "there").read_text() == "precious", call


@case
def damaged_json_gives_nothing(room):
    shelf = Shelf(room)
    shelf.draft("add", "--title", "T").must_be(0)
    flip(shelf.file("drafts"), -1)
    for words in (["list"], ["list", "--json"], ["show", "1"], ["edit", "1", "--title", "U"],
                  ["remove", "1"], ["add", "--title", "U"],
                  ["export", "1", "--output", str(room.path / "e")]):
        run = shelf.draft(*words).must_be(DAMAGED, "")
        assert "drafts" in run.err and "hint: " in run.err, run.err
    shelf.archive("get", "drafts").must_be(DAMAGED, "")
    assert not (room.path / "e").exists()


@case
def one_archive_in_the_place_of_another_is_damage(room):
    shelf = Shelf(room)
    shelf.put("a", b"a's")
    shelf.put("b", b"b's")
    shelf.file("b").write_bytes(shelf.file("a").read_bytes())
    shelf.archive("get", "--raw", "b").must_be(DAMAGED, "")
    shelf.file("b").write_bytes((shelf.state / "account.plist.sealed").read_bytes())
    shelf.archive("get", "--raw", "b").must_be(DAMAGED, "")
    assert shelf.get("a") == b"a's"


@case
def a_later_version_is_told_as_such(room):
    shelf = Shelf(room)
    shelf.put("x", b"")
    for position, what in ((8, "version"), (10, "suite")):
        shelf.put("x", b"")
        flip(shelf.file("x"), position + 1)
        run = shelf.archive("get", "--raw", "x").must_be(DAMAGED, "")
        assert what in run.err and "later version" in run.err, run.err


def on_a_terminal(shelf, words, seconds_of_input=(), wrapper=()):
    """Runs `account` with a terminal as standard error: what it has shown there, and its status.

    `seconds_of_input`: what it gets by standard input, and how long is waited after each.
    """
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [*wrapper, str(shelf.programs / "account"), *words], env=shelf.environment,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    for part, pause in seconds_of_input:
        process.stdin.write(part)
        process.stdin.flush()
        time.sleep(pause)
    process.stdin.close()
    shown = b""
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(master)
    return shown.decode(), process.wait(20)


@case
def progress_is_shown_on_a_terminal_after_a_second(room):
    shelf = Shelf(room)
    part = b"x" * CHUNK
    quick = [(part, 0.0)] * 3
    slow = [(part, 0.45)] * 5
    words = ["archive", "put", "--raw", "a\x1bb"]
    assert on_a_terminal(shelf, words, quick) == ("", 0)
    shown, status = on_a_terminal(shelf, words, slow)
    assert status == 0 and "MiB" in shown and "\x1b[K" in shown, shown
    assert shown.endswith("\r\x1b[K"), shown
    # What moves the cursor is the program's own, and not the name's.
    assert "a\x1bb" not in shown, shown
    # Without a terminal there is none.
    process = shelf.start(*words, stdin=subprocess.PIPE)
    for part, pause in slow:
        process.stdin.write(part)
        process.stdin.flush()
        time.sleep(pause)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, b"", b"")


@case
def a_terminal_is_nothing_to_store_from(room):
    shelf = Shelf(room)
    master, slave = pty.openpty()
    try:
        for words in (["x"], ["--raw", "x"]):
            run = shelf.archive("put", *words, stdin=slave).must_be(2, "")
            assert "terminal" in run.err, run.err
    finally:
        os.close(master)
        os.close(slave)
    assert json.loads(shelf.archive("list", "--json").out) == {"archives": []}
