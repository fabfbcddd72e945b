"""Names are bytes, lead nowhere, and reach no terminal as they are."""

import json
import os

from cases import case
from shelf import NOTHING, REJECTED, USAGE, Shelf

# Composed and not, as a keyboard and a Mac's file system write it.
ACCENTS = ("\u00e9", "e\u0301")
NAMES = ("../x", "/x", ".", "..", "a/../b", "/", "//", ".hidden", "lock", "drafts", "A", "a",
         "x.sealed", "x.sealed~", "=x", "=eA", "~", " ", "a b", "草稿", "\U0001F600", "'\"$(id)`",
         *ACCENTS, "x" * 180, "\u00e9" * 90, "A" * 180, "-", "--", "-x", "--raw", "--help", "\\")
CONTROLS = ("a\nb", "\x1b]0;title\x07", "a\rb", "\x1b[2J", "\u009b2J", "\u202etxt", "\x7f", "\t")


@case
def each_name_is_an_archive_of_its_own(room):
    shelf = Shelf(room)
    for name in NAMES + CONTROLS:
        shelf.put(name, name.encode())
    for name in NAMES + CONTROLS:
        assert shelf.get(name) == name.encode(), name
    listed = shelf.names()
    assert listed == sorted(NAMES + CONTROLS, key=lambda name: name.encode()), listed
    shelf.must_be_tidy()
    # Nothing has left the directory.
    assert not os.path.exists(shelf.state / "x") and not os.path.exists("/x.sealed")
    for name in NAMES + CONTROLS:
        shelf.archive("remove", "--", name).must_be(0, "")
    assert shelf.names() == []
    assert [path.name for path in shelf.archives.iterdir()] == ["lock"]


@case
def a_name_has_1_to_180_bytes_of_utf8(room):
    shelf = Shelf(room)
    for name in ("", "x" * 181, "\u00e9" * 90 + "x", "x" * 100_000):
        for verb in ("put", "get", "remove", "restore"):
            run = shelf.archive(verb, "--raw" if verb in ("put", "get") else "--", name, input="")
            assert run.status == USAGE and run.out == "", (verb, len(name), run)
            assert len(run.err) < 1000, run.err
    for name in (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xc0\x80"):
        for verb in ("put", "get", "remove", "restore"):
            run = shelf.archive(verb, os.fsdecode(name), input="1")
            assert run.status == USAGE and run.out == "" and "UTF-8" in run.err, (name, run)
    assert shelf.names() == []


@case
def words_that_begin_with_a_hyphen_are_names_behind_two(room):
    shelf = Shelf(room)
    shelf.archive("put", "--raw", "--", "--raw", input="x").must_be(0)
    shelf.archive("get", "--raw", "--", "--raw").must_be(0, "x")
    shelf.archive("put", "--raw", "-x", input="x").must_be(USAGE)
    shelf.archive("get", "--", "--raw").must_be(REJECTED, "")
    assert shelf.names() == ["--raw"]


@case
def no_name_reaches_a_terminal_as_it_is(room):
    shelf = Shelf(room)
    for name in CONTROLS:
        for words in (["get"], ["remove"], ["get", "--previous"], ["restore"]):
            run = shelf.archive(*words, "--", name).must_be(NOTHING, "")
            must_be_clean(run.err, name)
        shelf.archive("put", "--", name, input="1").must_be(0)
    text = shelf.archive("list").must_be(0).out
    assert len(text.splitlines()) == len(CONTROLS), text
    must_be_clean(text, "the list")
    text = shelf.archive("list", "--json").must_be(0).out
    assert sorted(entry["name"] for entry in json.loads(text)["archives"]) == sorted(CONTROLS)
    for path in shelf.archives.glob("*.sealed"):
        path.write_bytes(b"no archive")
    for name in CONTROLS:
        must_be_clean(shelf.archive("get", "--", name).must_be(7, "").err, name)
    must_be_clean(shelf.archive("reseal").err, "reseal")


def must_be_clean(text, name):
    """No control character but the end of a line, and at the most two lines for each message."""
    for character in text:
        code = ord(character)
        assert character == "\n" or 0x20 <= code < 0x7F or code >= 0xA0, (name, text)
        assert code not in range(0x202A, 0x202F), (name, text)


@case
def files_that_are_no_archives_are_not_listed(room):
    shelf = Shelf(room)
    shelf.put("x", b"1")
    for name in (b"y", b"y.seale", b".sealed", b"=.sealed", b"=eB.sealed", b"=!.sealed",
                 b"UPPER.sealed", b"\xff.sealed", b"y.sealed~", b".tmp-0123456789abcdef",
                 b"=_w.sealed", b"=AA=.sealed", b"a b.sealed"):
        (shelf.archives / os.fsdecode(name)).write_bytes(b"")
    assert shelf.names() == ["x"]
