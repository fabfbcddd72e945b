"""A program written from docs/FORMAT.md, and the commands: each opens what the other sealed."""

import argparse
import io
import json
import os
import plistlib
import subprocess
import sys
import threading

import programs
from cases import Skip, case
from rotation_cases import at_once, rotate_alone
from shelf import CHUNK, DAMAGED, Shelf, flip, made_up_bytes

PLACE = programs.ROOT / "Tests" / "Python"
PROGRAM = PLACE / "independent_store.py"
sys.path.append(str(PLACE))
try:
    import independent_store
    import sealed_format as form
    import store_opening as opening
except (ImportError, SystemExit):
    form = opening = None

DRAFT = {"id": "0123456789abcdef", "title": "made elsewhere", "time": "2016-12-13 21:05:09",
         "pictures": [b"\x89PNG"], "pictureAssets": [], "isOriginalPhoto": True}


def needs_it():
    if form is None:
        raise Skip("needs Python's cryptography and pycryptodome")


def opened(shelf, name, is_previous=False):
    """Kind, name of the type and content of an archive."""
    slots = opening.read_slots(shelf.state)
    key = opening.open_slot(slots, slots["slots"][0], {"keyfile": [shelf.key.read_bytes()]})
    file = (shelf.archives / (form.archive_file(name) + "~" * is_previous)).read_bytes()
    key, key_id = opening.master_key_of(file, slots, key)
    plaintext = form.open_sealed(file, form.derived(key, b"archive", name), key_id)
    return form.read_archive_payload(plaintext)


def make(shelf, name, content, *words):
    """Has the program seal one."""
    done = subprocess.run([sys.executable, PROGRAM, "make-archive", shelf.state, shelf.key, name,
                           *words], input=content, capture_output=True)
    assert done.returncode == 0, done


def make_here(shelf, name, content, kind=2, type_name=""):
    """The same without a process of its own."""
    given, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(content))
    try:
        independent_store.make_archive(argparse.Namespace(
            state_dir=shelf.state, secret=shelf.key, kind="keyfile", name=name, payload=kind,
            type=type_name, content=None))
    finally:
        sys.stdin = given


@case
def what_the_commands_seal_opens_in_the_other_program(room):
    needs_it()
    shelf = Shelf(room)
    content = made_up_bytes(2 * CHUNK + 1)
    for name, given in (("x", content), ("草稿/é", b""), ("../x", b"1")):
        shelf.put(name, given)
        assert opened(shelf, name) == (2, "", given), name
    shelf.archive("put", "json", input=' {"a" :1}\n').must_be(0)
    assert opened(shelf, "json") == (3, "", b' {"a" :1}\n')
    shelf.put("x", b"new")
    assert opened(shelf, "x") == (2, "", b"new")
    assert opened(shelf, "x", True) == (2, "", content)
    picture = room.path / "p"
    picture.write_bytes(b"\x89PNG made up")
    shelf.draft("add", "--title", "题", "--text", "-", "--picture", str(picture),
                input="text").must_be(0)
    kind, type_name, payload = opened(shelf, "drafts")
    (drafts,) = plistlib.loads(payload)
    assert (kind, type_name) == (1, "Array<Draft>"), (kind, type_name)
    draft = shelf.drafts()[0]
    assert drafts == [{"id": draft["id"], "title": "题", "text": "text", "time": draft["time"],
                       "pictures": [b"\x89PNG made up"], "pictureAssets": [],
                       "isOriginalPhoto": False}], drafts
    # By the earlier key, and by the next one after it.
    rotate_alone(shelf)
    assert opened(shelf, "x") == (2, "", b"new")
    shelf.archive("reseal").must_be(0)
    assert opened(shelf, "x") == (2, "", b"new")
    assert opened(shelf, "x", True) == (2, "", content)


@case
def what_the_other_program_seals_is_got_listed_and_sealed_anew(room):
    needs_it()
    shelf = Shelf(room)
    contents = {"x": made_up_bytes(CHUNK), "草稿/é": b"name", "A": b""}
    for name, content in contents.items():
        make(shelf, name, content)
    make(shelf, "json", b"[1]", "--payload", "3")
    drafts = plistlib.dumps([[DRAFT]], fmt=plistlib.FMT_BINARY)
    make(shelf, "drafts", drafts, "--payload", "1", "--type", "Array<Draft>")
    assert sorted(shelf.names()) == sorted([*contents, "json", "drafts"])
    shelf.archive("get", "json").must_be(0, "[1]")
    shelf.draft("add", "--title", "mine").must_be(0)
    assert [draft["title"] for draft in shelf.drafts()] == ["mine", "made elsewhere"]
    make(shelf, "x", b"new")
    assert shelf.get("x") == b"new" and shelf.get("x", "--previous") == contents["x"]
    shelf.account("key", "rotate").must_be(0)
    assert shelf.slots()["retired"] == []
    for name, content in {**contents, "x": b"new"}.items():
        assert shelf.get(name) == content, name
    shelf.must_be_tidy()


@case
def what_the_other_program_makes_wrong_is_refused(room):
    needs_it()
    shelf = Shelf(room)
    bad = {"no kind": (0, "", b""), "a later kind": (200, "", b"x"),
           "no property list": (1, "", b"made up"), "an empty one": (1, "", b""),
           "of two values": (1, "", plistlib.dumps([1, 2], fmt=plistlib.FMT_BINARY)),
           "of no array": (1, "", plistlib.dumps({"a": 1}, fmt=plistlib.FMT_BINARY)),
           "XML": (1, "", plistlib.dumps([1])),
           "a long name of a type": (2, "T" * 5000, b"x")}
    for name, (kind, type_name, payload) in bad.items():
        make_here(shelf, name, payload, kind, type_name)
        run = shelf.archive("get", name)
        assert run.status in (DAMAGED, 8) and run.out == "", (name, run)
    # JSON is not looked at again: what was put is got.
    make_here(shelf, "json", b"{", 3)
    shelf.archive("get", "json").must_be(0, "{")
    wrong = [("drafts", [1]), ("drafts", [{"title": "only"}]), ("drafts", {}),
             ("drafts", [{**DRAFT, "pictures": "none"}])]
    for name, value in wrong:
        payload = plistlib.dumps([value], fmt=plistlib.FMT_BINARY)
        make_here(shelf, name, payload, 1, "Array<Draft>")
        run = shelf.draft("list")
        if run.status == 0:
            assert value == [{"title": "only"}], (value, run)
            continue
        assert run.status in (DAMAGED, 8) and run.out == "", (value, run)
    make_here(shelf, "drafts", plistlib.dumps([[]], fmt=plistlib.FMT_BINARY), 1, "Array<Other>")
    run = shelf.draft("add", "--title", "T")
    assert run.status == 8 and "Array<Other>" in run.err, run
    # A byte of any file that is changed is seen by both.
    shelf.put("x", b"x")
    flip(shelf.file("x"), 200)
    shelf.archive("get", "--raw", "x").must_be(DAMAGED, "")
    try:
        opened(shelf, "x")
        raise AssertionError("the other program opens it")
    except form.CannotOpen:
        pass


@case
def what_json_does_not_have_is_said_and_got_as_it_is(room):
    needs_it()
    shelf = Shelf(room)
    for value, word in ((float("inf"), "number"), (float("nan"), "number"), ([[1], 2], None),
                        (2**63, "integer"), (plistlib.UID(3), "reference"),
                        ("\x1b\u2028", None), (b"data", None), (-2**63, None)):
        payload = plistlib.dumps([value], fmt=plistlib.FMT_BINARY)
        make_here(shelf, "x", payload, 1)
        run = shelf.archive("get", "x")
        assert shelf.get("x") == payload
        if word:
            assert run.status == 8 and word in run.err and "--raw" in run.err, run
            continue
        shown = json.loads(run.must_be(0).out)
        wanted = {"$data": "ZGF0YQ=="} if value == b"data" else value
        # No escape reaches a terminal.
        assert shown == wanted and "\x1b" not in run.out, run


@case
def both_write_at_once_and_lose_nothing(room):
    needs_it()
    shelf = Shelf(room)
    shelf.put("x", b"0")
    is_over = threading.Event()

    def others():
        try:
            for number in range(6):
                make(shelf, "x", b"%d" % number * 1000)
                make(shelf, "y", b"%d" % number * 1000)
        finally:
            is_over.set()

    def ours():
        while not is_over.is_set():
            for name in ("x", "z"):
                shelf.put(name, b"o" * 1000)

    at_once([others, ours])
    shelf.archive("reseal").must_be(0)
    assert shelf.get("y") == b"5" * 1000 and shelf.get("z") == b"o" * 1000
    assert shelf.get("x") in (b"5" * 1000, b"o" * 1000)
    assert len(shelf.get("x", "--previous")) == 1000
    shelf.must_be_tidy()
    assert json.loads(shelf.archive("list", "--json").out) and os.listdir(shelf.archives)
