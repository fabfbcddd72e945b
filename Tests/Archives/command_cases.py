"""What is put is got back, and what cannot be is said."""

import json
import os
import shutil
import subprocess
import time

from cases import alone, case
from client import Home
from shelf import CHUNK, DAMAGED, NOTHING, REFUSED, REJECTED, USAGE, Shelf, made_up_bytes

LARGE = 100 << 20


@case
def bytes_come_back_as_they_were(room):
    shelf = Shelf(room)
    for count in (0, 1, 255, 256, 257, CHUNK - 4, CHUNK - 3, CHUNK - 2, CHUNK - 1, CHUNK,
                  CHUNK + 1, 3 * CHUNK + 5):
        content = made_up_bytes(count)
        shelf.put("thing", content)
        assert shelf.get("thing") == content, count
    shelf.must_be_tidy()


@case
def every_byte_comes_back(room):
    shelf = Shelf(room)
    content = bytes(range(256)) * 2
    shelf.put("bytes", content)
    assert shelf.get("bytes") == content


@case
@alone
def large_content_comes_back(room):
    shelf = Shelf(room)
    path, copy = room.path / "large", room.path / "copy"
    with open(path, "wb") as file:
        for number in range(LARGE >> 20):
            file.write(number.to_bytes(4, "big") * (1 << 18))
    with open(path, "rb") as file:
        shelf.archive("put", "--raw", "large", stdin=file).must_be(0, "")
    with open(copy, "wb") as file:
        shelf.archive("get", "--raw", "large", stdout=file).must_be(0)
    subprocess.run(["cmp", path, copy], check=True)
    copy.unlink()
    shelf.archive("get", "--raw", "large", "--output", str(copy)).must_be(0, "")
    subprocess.run(["cmp", path, copy], check=True)


@case
def json_comes_back_to_the_letter(room):
    shelf = Shelf(room)
    for text in ('{"b":1, "a":[1.50, 1e3,"\\u0041\\u0000"],"b2":null}\n', "1", ' "x" ', "[]", "{}",
                 "true", "-0.0", "1e400", '"\U0001F600"', "[" * 512 + "]" * 512,
                 '"' + "x" * 200_000 + '"'):
        shelf.archive("put", "value", input=text).must_be(0, "")
        shelf.archive("get", "value").must_be(0, text)
        shelf.archive("get", "--raw", "value").must_be(0, text)


@case
def what_is_no_json_is_rejected_with_its_place_and_leaves_the_archive(room):
    shelf = Shelf(room)
    shelf.archive("put", "value", input="[1]").must_be(0, "")
    for text, place in (('{"a":1,\n "b":tru}', "line 2, column 9"), ("[1,]", "line 1, column 4"),
                        ('{"a":1,"a":2}', "line 1, column 8"), ("[1] 2", "line 1, column 5"),
                        ('"\\ud800"', "line 1, column 2"), (b'"\xff"', "line 1, column 2"),
                        ("\n\n  nul", "line 3, column"), ('{"a":1', "line 1, column 7"),
                        ('[1,\n2', "line 2, column 2"), ('"abc\n', "line 1, column 5"),
                        ("[" * 600, "line 1, column 513"), ("NaN", "line 1, column 1"),
                        ("\ufeff1", "line 1, column 1"), ('["\t"]', "line 1, column 3")):
        run = shelf.archive("put", "value", input=text).must_be(REJECTED, "")
        assert place in run.err, (text, run.err)
    run = shelf.archive("put", "value").must_be(REJECTED, "")
    assert "empty" in run.err, run.err
    shelf.archive("get", "value").must_be(0, "[1]")
    assert not os.path.lexists(f"{shelf.file('value')}~")
    shelf.must_be_tidy()


@case
def bytes_are_not_given_out_as_json(room):
    shelf = Shelf(room)
    shelf.put("bytes", b"[1]")
    run = shelf.archive("get", "bytes").must_be(REJECTED, "")
    assert "--raw" in run.err, run.err
    place = room.path / "x"
    shelf.archive("get", "bytes", "--output", str(place)).must_be(REJECTED, "")
    assert not place.exists()


@case
def the_generation_before_is_kept_and_brought_back(room):
    shelf = Shelf(room)
    shelf.archive("get", "--previous", "x").must_be(NOTHING, "")
    shelf.archive("restore", "x").must_be(NOTHING, "")
    for number in range(3):
        shelf.archive("put", "x", input=str(number)).must_be(0)
    shelf.archive("get", "--previous", "x").must_be(0, "1")
    shelf.archive("restore", "x").must_be(0, "")
    shelf.archive("get", "x").must_be(0, "1")
    shelf.archive("get", "--previous", "x").must_be(0, "2")
    shelf.archive("restore", "x").must_be(0, "")
    shelf.archive("get", "x").must_be(0, "2")
    shelf.archive("remove", "x").must_be(0, "")
    assert list(shelf.archives.glob("x*")) == []
    shelf.must_be_tidy()


@case
def a_damaged_generation_before_takes_nobodys_place(room):
    shelf = Shelf(room)
    shelf.put("x", b"one" * CHUNK)
    shelf.put("x", b"two")
    with open(f"{shelf.file('x')}~", "r+b") as file:
        file.truncate(100_000)
    shelf.archive("restore", "x").must_be(DAMAGED, "")
    assert shelf.get("x") == b"two"


@case
def what_is_not_there_is_exit_3(room):
    shelf = Shelf(room)
    for _ in range(2):
        for words in (["get", "nope"], ["get", "--raw", "nope"], ["remove", "nope"]):
            run = shelf.archive(*words).must_be(NOTHING, "")
            assert "nope" in run.err and "hint: " in run.err, run.err
        # Now there is a directory, and nothing in it.
        shelf.put("other", b"")


@case
def a_store_without_a_key_is_exit_3_and_says_what_makes_one(room):
    home = Home(room)
    home.account("archive", "list").must_be(0, "")
    for words in (["put", "x"], ["get", "x"], ["remove", "x"]):
        run = home.account("archive", *words, input="1")
        assert run.status == NOTHING and run.out == "", run
    assert "account login" in home.account("archive", "put", "x", input="1").err
    assert not (home.state / "archives").exists()
    home.account("key", "add", "keyfile").must_be(0)
    home.account("archive", "put", "x", input="1").must_be(0, "")
    home.account("archive", "get", "x").must_be(0, "1")


@case
def a_list_needs_neither_a_key_nor_a_daemon(room):
    shelf = Shelf(room)
    shelf.archive("list").must_be(0, "")
    assert shelf.entries() == []
    before = int(time.time())
    for name in ("b", "a", "ä"):
        shelf.put(name, b"x" * 1000)
    shelf.put("a", b"")
    shelf.end_daemon()
    shelf.key.unlink()
    shelf.archive("list").must_be(0, "a\nb\nä\n")
    entries = shelf.entries()
    assert [entry["name"] for entry in entries] == ["a", "b", "ä"], entries
    for entry in entries:
        assert set(entry) == {"name", "bytes", "modified"}, entry
        assert before - 1 <= entry["modified"] <= time.time() + 1, entry
    assert entries[1]["bytes"] == shelf.file("b").stat().st_size
    assert shelf.daemons() == []
    # What the daemon has not: the key file is gone.
    shelf.archive("get", "a", "--no-input").must_be(4, "")


@case
def what_makes_no_sense_is_said_with_exit_2(room):
    shelf = Shelf(room)
    for words in ([], ["put"], ["get"], ["remove"], ["restore"], ["import"], ["nonsense"],
                  ["list", "x"], ["reseal", "x"], ["put", "x", "y"], ["get", "x", "--as", "y"],
                  ["put", "x", "--output", "y"], ["get", "x", "--json"], ["list", "--raw"],
                  ["remove", "x", "--previous"], ["get", "x", "--force"], ["put", ""],
                  ["import", "x"], ["import", "x", "--as", ""], ["put", "x", "--nonsense"],
                  ["get", "x", "--output", ""], ["get", "x", "--output"], ["put", "x", "--system"]):
        run = shelf.archive(*words, input="1")
        assert run.status == USAGE and run.out == "" and run.err, (words, run)
    assert shelf.names() == []


@case
def what_comes_slowly_through_a_fifo_is_stored_whole(room):
    shelf = Shelf(room)
    fifo = room.path / "fifo"
    os.mkfifo(fifo)
    for words, parts in ((["--raw"], [b"a" * 3, b"", b"b" * 70_000, b"c"]),
                         ([], [b"[1,", b"2", b",3]"])):
        script = 'account archive put "${@:2}" x <"$1"'
        process = subprocess.Popen(["/bin/bash", "-c", script, "bash", str(fifo), *words],
                                   env=shelf.environment, stderr=subprocess.PIPE)
        with open(fifo, "wb", 0) as file:
            for part in parts:
                file.write(part)
                time.sleep(0.15)
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0, err
        assert shelf.get("x") == b"".join(parts)


@case
def what_comes_through_a_pipe_that_does_not_block_is_waited_for(room):
    shelf = Shelf(room)
    for words in (["--raw"], []):
        out, into = os.pipe()
        os.set_blocking(out, False)
        process = shelf.start("archive", "put", *words, "x", stdin=out)
        os.close(out)
        for part in (b"[1", b",2", b"]"):
            time.sleep(0.1)
            os.write(into, part)
        os.close(into)
        assert process.wait(20) == 0, process.stderr.read()
        assert shelf.get("x") == b"[1,2]"
    # The other way round.
    content = made_up_bytes(1_000_000)
    shelf.put("x", content)
    out, into = os.pipe()
    os.set_blocking(into, False)
    process = shelf.start("archive", "get", "--raw", "x", stdout=into)
    os.close(into)
    time.sleep(0.2)
    with open(out, "rb") as file:
        assert file.read() == content
    assert process.wait(20) == 0


@case
def json_of_64_mib_is_taken_and_a_byte_more_is_not(room):
    shelf = Shelf(room)
    path = room.path / "json"
    for more in (0, 1):
        with open(path, "wb") as file:
            file.write(b'"' + b"x" * ((64 << 20) - 2 + more) + b'"')
        with open(path, "rb") as file:
            run = shelf.archive("put", "x", stdin=file)
        if more:
            assert run.status == REJECTED and "--raw" in run.err, run
        else:
            run.must_be(0, "")
    with open(room.path / "copy", "wb") as file:
        shelf.archive("get", "x", stdout=file).must_be(0)
    assert (room.path / "copy").stat().st_size == 64 << 20


@case
def twenty_puts_into_a_store_without_a_daemon_and_a_directory_are_all_made(room):
    shelf = Shelf(room)
    shelf.end_daemon()
    processes = [shelf.start("archive", "put", f"a{number}", stdin=subprocess.PIPE)
                 for number in range(20)]
    for process in processes:
        process.stdin.write(b"1")
        process.stdin.close()
    for process in processes:
        assert process.wait(30) == 0, process.stderr.read()
    assert len(shelf.names()) == 20 and len(shelf.daemons()) == 1
    shelf.must_be_tidy()


@case
def nothing_to_read_and_nowhere_to_write_are_failures(room):
    shelf = Shelf(room)
    shelf.archive("put", "x", input="[1]").must_be(0)
    for words in ("", "--raw"):
        run = shelf.shell(f"account archive put {words} x <&-").must_be(REFUSED, "")
        assert "EBADF" in run.err, run.err
        run = shelf.shell(f"account archive get {words} x >&-").must_be(REFUSED)
        assert "EBADF" in run.err, run.err
        run = shelf.shell(f"account archive get {words} x >/dev/full").must_be(REFUSED)
        assert "ENOSPC" in run.err, run.err
    for words in ("list", "list --json"):
        shelf.shell(f"account archive {words} >/dev/full").must_be(REFUSED)
        shelf.shell(f"account archive {words} >&-").must_be(REFUSED)
    # A directory can be opened as standard input, and not be read.
    run = shelf.shell("account archive put --raw x </").must_be(REFUSED, "")
    assert "EISDIR" in run.err, run.err
    shelf.archive("get", "x").must_be(0, "[1]")
    shelf.must_be_tidy()


@case
def a_reader_that_goes_is_a_failure_and_not_a_signal(room):
    shelf = Shelf(room)
    shelf.put("x", b"x" * 1_000_000)
    run = shelf.shell("account archive get --raw x | head -c 10; echo ${PIPESTATUS[0]}")
    assert run.out == "x" * 10 + "9\n" and "EPIPE" in run.err, run


@case
def the_options_of_every_command_hold(room):
    shelf = Shelf(room)
    other = room.place("other-") / "state"
    shelf.archive("put", "x", "--state", str(other), "--no-input", input="1").must_be(NOTHING)
    relative = os.path.relpath(shelf.state, "/")
    shelf.archive("put", "x", "--state", relative, input="2").must_be(0)
    shelf.archive("get", "x").must_be(0, "2")
    for words in (["archive", "--help"], ["help", "archive"], ["draft", "-h"], ["help", "draft"]):
        run = shelf.account(*words).must_be(0)
        assert run.out.startswith("usage: account"), run.out
    shelf.archive("--version").must_be(0)


@case
def where_the_program_is_missing_that_is_said_and_after_a_rotation_too(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    place = room.place("bin-")
    for name in ("account", "accountd"):
        shutil.copy(shelf.programs / name, place / name)
    if os.path.exists("/usr/libexec/account-archive"):
        return
    run = shelf.run([str(place / "account"), "archive", "get", "x"]).must_be(REFUSED, "")
    assert "account-archive, which is not installed" in run.err, run.err
    run = shelf.run([str(place / "account"), "key", "rotate"]).must_be(REFUSED)
    assert "The master key is now" in run.out and "account-archive" in run.err, run
    assert len(shelf.slots()["retired"]) == 1 and shelf.get("x") == b"x"
    shelf.archive("reseal").must_be(0)
    assert shelf.slots()["retired"] == []
    # By itself it says whose it is.
    for words in ([], ["get", "x"], ["token"], ["--nonsense"]):
        run = shelf.run([str(shelf.programs / "account-archive"), *words]).must_be(USAGE, "")
        assert "account archive" in run.err, run.err


@case
def another_daemon_does_not_seal_for_this_store(room):
    shelf = Shelf(room)
    daemon = room.daemon()
    daemon.login()
    run = shelf.archive("put", "x", "--socket", str(daemon.socket), input="1")
    assert run.status != 0 and run.out == "" and "another store" in run.err, run
    assert shelf.names() == []
    shelf.put("x", b"1")
    run = shelf.archive("get", "x", "--socket", str(daemon.socket))
    assert run.status != 0 and run.out == "", run


@case
def values_of_other_programs_are_printed_as_json(room):
    shelf = Shelf(room)
    shelf.draft("add", "--title", "T").must_be(0)
    drafts = json.loads(shelf.archive("get", "drafts").must_be(0).out)
    assert drafts[0]["title"] == "T", drafts
