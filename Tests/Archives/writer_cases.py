"""Several programs at one store."""

import os
import shutil
import signal
import subprocess
import threading
import time

from cases import case
from shelf import CHUNK, NOTHING, TIMED_OUT, Shelf, made_up_bytes
from users import at_once

WRITERS = 8


class Hanging:
    """A put that has begun and waits for what comes through its standard input."""

    def __init__(self, shelf, name, begin=b""):
        there = set(shelf.temporaries()) if shelf.archives.exists() else set()
        self.process = shelf.start("archive", "put", "--raw", name, stdin=subprocess.PIPE)
        self.process.stdin.write(begin)
        self.process.stdin.flush()
        end = time.monotonic() + 10
        while not shelf.archives.exists() or set(shelf.temporaries()) <= there:
            assert time.monotonic() < end, "it does not begin"
            time.sleep(0.005)

    def end(self, rest=b""):
        """Lets it have the rest: its exit status."""
        self.process.communicate(rest, timeout=20)
        return self.process.returncode


@case
def eight_writers_at_once_on_one_draft_box_lose_no_draft(room):
    shelf = Shelf(room)
    shelf.draft("add", "--title", "first").must_be(0)
    rounds = 4

    def add(number):
        for turn in range(rounds):
            shelf.draft("add", "--title", f"{number}-{turn}").must_be(0)
            if turn % 2:
                shelf.draft("edit", "1", "--original-photo").must_be(0)

    done = at_once([lambda number=number: add(number) or True for number in range(WRITERS)])
    assert len(done) == WRITERS
    drafts = shelf.drafts()
    titles = [draft["title"] for draft in drafts]
    wanted = {f"{number}-{turn}" for number in range(WRITERS) for turn in range(rounds)}
    assert len(titles) == len(wanted) + 1 and set(titles) == wanted | {"first"}, titles
    assert len({draft["id"] for draft in drafts}) == len(drafts)
    shelf.must_be_tidy()


@case
def of_puts_of_one_name_one_is_there_whole_and_readers_see_no_half(room):
    shelf = Shelf(room)
    contents = {bytes([65 + number]) * (number * 50_000 + 1) for number in range(4)}
    shelf.put("x", min(contents))
    is_over = threading.Event()
    seen = []

    def look():
        while not is_over.is_set():
            seen.append(shelf.get("x"))
        return True

    def write(content):
        for _ in range(5):
            shelf.put("x", content)
        return True

    def write_all():
        done = at_once([lambda content=content: write(content) for content in contents])
        is_over.set()
        return len(done) == len(contents)

    assert at_once([look, write_all]) == [True, True]
    assert seen and set(seen) <= contents, [len(content) for content in seen]
    assert {shelf.get("x"), shelf.get("x", "--previous")} <= contents
    shelf.must_be_tidy()


@case
def a_writer_that_hangs_makes_those_of_its_archive_wait_and_nobody_else(room):
    shelf = Shelf(room)
    shelf.put("x", b"old")
    hanging = Hanging(shelf, "x", b"new ")
    for words in (["put", "--raw", "x"], ["remove", "x"], ["restore", "x"]):
        start = time.monotonic()
        run = shelf.archive(*words, "--timeout", "1", input="other").must_be(TIMED_OUT, "")
        assert 0.9 < time.monotonic() - start < 10, time.monotonic() - start
        assert "--timeout" in run.err and "x" in run.err, run.err
    assert shelf.get("x") == b"old"
    shelf.put("y", b"y", "--timeout", "10")
    shelf.draft("add", "--title", "T", "--timeout", "10").must_be(0)
    assert shelf.names() == ["drafts", "x", "y"]
    # One that waits long enough comes after it.
    waiting = shelf.start("archive", "put", "--raw", "x", stdin=subprocess.PIPE)
    waiting.stdin.write(b"last")
    waiting.stdin.close()
    time.sleep(0.3)
    assert waiting.poll() is None
    assert hanging.end(b"one") == 0
    assert waiting.wait(20) == 0
    assert (shelf.get("x"), shelf.get("x", "--previous")) == (b"last", b"new one")
    shelf.must_be_tidy()


@case
def a_writer_that_is_killed_or_ended_leaves_the_archive_and_no_lock(room):
    shelf = Shelf(room)
    shelf.put("x", b"old")
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        hanging = Hanging(shelf, "x", b"n" * 3 * CHUNK)
        hanging.process.send_signal(number)
        assert hanging.end() == -number
        assert shelf.get("x") == b"old"
        shelf.put("y", b"", "--timeout", "10")
        shelf.put("x", b"old", "--timeout", "10")
        shelf.must_be_tidy()


@case
def a_put_that_is_killed_at_any_moment_leaves_one_of_the_two_whole(room):
    shelf = Shelf(room)
    old = b"o" * 2_000_000
    shelf.put("x", old)
    times = []
    for _ in range(5):
        start = time.monotonic()
        shelf.put("x", old)
        times.append(time.monotonic() - start)
    usual = min(times)
    killed = 0
    for number in range(40):
        new = bytes([number]) * 2_000_000
        path = room.path / "content"
        path.write_bytes(new)
        with open(path, "rb") as file:
            process = shelf.start("archive", "put", "--raw", "x", stdin=file)
        time.sleep(usual * 1.2 * number / 40)
        process.kill()
        process.wait()
        killed += process.returncode != 0
        found = shelf.get("x")
        assert found in ((old, new) if process.returncode else (new,)), (number, len(found))
        assert len(shelf.get("x", "--previous")) == len(old)
        assert len(shelf.temporaries()) <= 1
        old = found
    assert killed >= 5, f"only {killed} were killed"
    shelf.put("y", b"")
    shelf.must_be_tidy()


@case
def a_writer_that_hangs_keeps_its_key_and_no_rotation_from_its_end(room):
    shelf = Shelf(room)
    for name in ("x", "y"):
        shelf.put(name, b"old")
    hanging = Hanging(shelf, "x", b"new")
    start = time.monotonic()
    run = shelf.account("key", "rotate", "--timeout", "5")
    took = time.monotonic() - start
    assert run.status == TIMED_OUT and "The master key is now" in run.out, run
    assert took < 20, took
    assert "account archive reseal" in run.err and "x" in run.err, run.err
    assert len(shelf.slots()["retired"]) == 1, shelf.slots()
    assert shelf.get("x") == shelf.get("y") == b"old"
    shelf.put("z", b"z")
    assert hanging.end() == 0
    assert shelf.get("x") == b"new" and shelf.get("x", "--previous") == b"old"
    shelf.archive("reseal").must_be(0)
    assert shelf.slots()["retired"] == []
    assert shelf.get("x") == b"new" and shelf.get("x", "--previous") == b"old"
    assert shelf.get("y") == b"old" and shelf.get("z") == b"z"
    shelf.must_be_tidy()


@case
def a_new_archive_that_is_written_during_a_rotation_keeps_its_key(room):
    shelf = Shelf(room)
    shelf.put("y", b"y")
    hanging = Hanging(shelf, "x", b"new")
    shelf.account("key", "rotate", "--timeout", "5").must_be(0)
    assert len(shelf.slots()["retired"]) == 1
    assert hanging.end() == 0 and shelf.get("x") == b"new"
    shelf.archive("reseal").must_be(0)
    assert shelf.slots()["retired"] == [] and shelf.get("x") == b"new"


@case
def a_daemon_that_goes_in_the_middle_of_a_put_takes_nothing_with_it(room):
    shelf = Shelf(room)
    shelf.put("x", b"old")
    hanging = Hanging(shelf, "x", b"new")
    shelf.end_daemon(signal.SIGKILL)
    assert hanging.end() == 0 and shelf.get("x") == b"new"
    # And in the middle of a get.
    content = made_up_bytes(10 * CHUNK)
    shelf.put("x", content)
    process = shelf.start("archive", "get", "--raw", "x")
    begin = process.stdout.read(10)
    shelf.end_daemon(signal.SIGKILL)
    assert begin + process.stdout.read() == content and process.wait(10) == 0


@case
def a_daemon_that_stands_still_is_given_up(room):
    shelf = Shelf(room)
    shelf.put("x", b"old")
    pid = shelf.daemon()
    os.kill(pid, signal.SIGSTOP)
    try:
        for words in (["get", "--raw", "x"], ["put", "--raw", "x"]):
            start = time.monotonic()
            run = shelf.archive(*words, "--timeout", "1", input="new")
            assert run.status in (5, TIMED_OUT) and run.out == "", run
            assert time.monotonic() - start < 8
    finally:
        os.kill(pid, signal.SIGCONT)
    assert shelf.get("x") == b"old"
    shelf.must_be_tidy()


@case
def a_store_that_goes_while_it_is_written_to_is_said(room):
    shelf = Shelf(room)
    shelf.put("x", b"old")
    hanging = Hanging(shelf, "x", b"new")
    shelf.state.rename(shelf.state.with_suffix(".away"))
    status = hanging.end()
    shelf.archive("get", "x", "--no-input").must_be(NOTHING, "")
    away = shelf.state.with_suffix(".away")
    assert away.exists() and not (away / "archives").joinpath("x").exists()
    # It writes where it has begun, whatever that is called by now.
    content = b"new" if status == 0 else b"old"
    shelf.end()
    shutil.rmtree(shelf.state, ignore_errors=True)
    away.rename(shelf.state)
    assert shelf.get("x") == content
