"""The draft box: order, pictures, what no draft may be made of, and what people see of it."""

import calendar
import json
import os
import re
import stat
import subprocess
import time

from cases import case, needs_root
from disks import small_disk
from name_cases import must_be_clean
from shelf import NOTHING, REFUSED, REJECTED, USAGE, Shelf

PNG = b"\x89PNG\r\n\x1a\nmade up"
JPEG = b"\xff\xd8\xff\xe0made up"
GIF, WEBP, HEIC = b"GIF89a made up", b"RIFF\1\0\0\0WEBPmade up", b"\0\0\0\x18ftypheic made up"
MAXIMUM_PICTURE, MAXIMUM_TEXT = 32 << 20, 1 << 20
ID = re.compile("[0-9a-f]{16}")


def made(room, name, content):
    """The path of a file."""
    path = room.path / name
    path.write_bytes(content)
    return str(path)


@case
def drafts_are_listed_with_the_newest_first_and_stay_where_they_are_when_edited(room):
    shelf = Shelf(room)
    shelf.draft("list").must_be(0, "")
    assert shelf.drafts() == []
    for title in ("one", "two", "three"):
        run = shelf.draft("add", "--title", title).must_be(0)
        assert run.out == "Added draft 1, without pictures.\n", run.out
    drafts = shelf.drafts()
    assert [draft["title"] for draft in drafts] == ["three", "two", "one"], drafts
    assert len({draft["id"] for draft in drafts}) == 3
    assert all(ID.fullmatch(draft["id"]) for draft in drafts), drafts
    shelf.draft("edit", "2", "--title", "2").must_be(0, "Changed draft 2.\n")
    changed = shelf.drafts()
    assert [draft["title"] for draft in changed] == ["three", "2", "one"]
    assert [draft["id"] for draft in changed] == [draft["id"] for draft in drafts]
    shelf.draft("remove", drafts[0]["id"]).must_be(0, "Removed three.\n")
    assert [draft["title"] for draft in shelf.drafts()] == ["2", "one"]
    shelf.draft("remove", "2").must_be(0, "Removed one.\n")
    shelf.draft("remove", "1").must_be(0, "Removed 2.\n")
    shelf.draft("list").must_be(0, "")
    shelf.must_be_tidy()


@case
def pictures_come_back_byte_for_byte(room):
    shelf = Shelf(room)
    pictures = {"png": PNG, "jpg": JPEG, "gif": GIF, "webp": WEBP, "heic": HEIC, "bin": b"?",
                "empty": b""}
    words = []
    for name, content in pictures.items():
        words += ["--picture", made(room, name, content)]
    shelf.draft("add", "--title", "T", "--text", "-", "--original-photo", *words,
                input="line 1\r\nline 2\n").must_be(0, "Added draft 1, with 7 pictures.\n")
    draft = shelf.drafts()[0]
    types = ["png", "jpg", "gif", "webp", "heic", "bin", "bin"]
    assert [picture["type"] for picture in draft["pictures"]] == types, draft
    assert [picture["bytes"] for picture in draft["pictures"]] == list(map(len, pictures.values()))
    assert draft["original_photo"] is True and draft["assets"] == [] and "text" not in draft
    place = room.path / "exported"
    run = shelf.draft("export", "1", "--output", str(place)).must_be(0)
    assert "picture-1.png" in run.out, run.out
    names = [f"picture-{number + 1}.{kind}" for number, kind in enumerate(types)]
    assert sorted(os.listdir(place)) == sorted([*names, "draft.json", "text.txt"])
    for name, content in zip(names, pictures.values()):
        assert (place / name).read_bytes() == content, name
    assert (place / "text.txt").read_bytes() == b"line 1\r\nline 2\n"
    exported = json.loads((place / "draft.json").read_text())
    assert exported == {**draft, "text": "line 1\r\nline 2\n"}, exported
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    for path in place.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    shown = json.loads(shelf.draft("show", "1", "--json").must_be(0).out)
    assert shown == exported, shown


@case
def an_edit_changes_what_it_names_and_nothing_else(room):
    shelf = Shelf(room)
    png, gif = made(room, "png", PNG), made(room, "gif", GIF)
    shelf.draft("add", "--title", "T", "--text", made(room, "text", b"text"), "--picture", png,
                "--original-photo").must_be(0)

    def now():
        return {key: value for key, value in json.loads(
            shelf.draft("show", "1", "--json").must_be(0).out).items() if key != "time"}

    before = now()
    for words, changed in (
            (["--title", ""], {"title": ""}), (["--text", "/dev/stdin"], {"text": "new"}),
            (["--no-original-photo"], {"original_photo": False}),
            (["--original-photo"], {"original_photo": True}),
            (["--picture", gif, "--picture", png],
             {"pictures": [{"bytes": len(GIF), "type": "gif"},
                           {"bytes": len(PNG), "type": "png"}]}),
            (["--no-pictures"], {"pictures": []})):
        words = ["-" if word == "/dev/stdin" else word for word in words]
        shelf.draft("edit", "1", *words, input="new").must_be(0)
        before = {**before, **changed}
        assert now() == before, (words, now(), before)


@case
def a_number_that_is_none_and_an_id_of_nobody_are_exit_3(room):
    shelf = Shelf(room)
    place = str(room.path / "e")
    verbs = (["show"], ["edit", "--title", "U"], ["remove"], ["export", "--output", place])
    for count in range(2):
        for draft in ("0", "2", "+3", "99999999999999999999", "1x", "0x1",
                      "deadbeefdeadbeef", "", "1" * 16, " 1"):
            for verb, *words in verbs:
                run = shelf.draft(verb, *words, "--", draft).must_be(NOTHING, "")
                assert "there is no draft" in run.err, run.err
        shelf.draft("add", "--title", "T").must_be(0)
    for verb, *words in verbs:
        shelf.draft(verb, *words, "--", "-1").must_be(NOTHING, "")
    assert not os.path.lexists(place) and len(shelf.drafts()) == 2
    for word in ("1", "01", "+1"):
        run = shelf.draft("show", word)
        assert run.status in (0, NOTHING), run


@case
def what_makes_no_sense_is_said_with_exit_2(room):
    shelf = Shelf(room)
    png = made(room, "png", PNG)
    for words in ([], ["add"], ["show"], ["edit"], ["edit", "1"], ["remove"], ["export", "1"],
                  ["export", "--output", "x"], ["import"], ["nonsense"], ["list", "1"],
                  ["add", "x", "--title", "T"], ["show", "1", "2"], ["list", "--title", "T"],
                  ["edit", "1", "--picture", png, "--no-pictures"],
                  ["edit", "1", "--original-photo", "--no-original-photo"],
                  ["add", "--title", "T", "--no-pictures"], ["remove", "1", "--json"],
                  ["add", "--title"], ["add", "--title", "T", "--picture"],
                  ["import", "x", "--output", "y"], ["list", "--dry-run"], ["list", "--key", "K"],
                  ["add", "--title", "T", "--no-original-photo"],
                  ["add", "--title", "T", "--text", "-", "--picture", "-"],
                  ["add", "--title", "T", "--picture", "-", "--picture", "-"],
                  ["export", "1", "--output", "-"]):
        run = shelf.draft(*words)
        assert run.status == USAGE and run.out == "" and run.err, (words, run)
    run = shelf.draft("add", "--title", os.fsdecode(b"\xff"))
    assert run.status == USAGE and "UTF-8" in run.err, run
    assert not shelf.archives.exists()


@case
def text_that_is_no_utf8_is_rejected(room):
    shelf = Shelf(room)
    for text in (b"\xff", b"a\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
        run = shelf.draft("add", "--title", "T", "--text", "-", input=text).must_be(REJECTED, "")
        assert "UTF-8" in run.err, run.err
        path = made(room, "text", text)
        shelf.draft("add", "--title", "T", "--text", path).must_be(REJECTED, "")
    for text in (b"", b"\0", b"\xef\xbb\xbfbom", "\u202e\U0001F600".encode(), b"\r\n" * 3):
        shelf.draft("add", "--title", "T", "--text", "-", input=text).must_be(0)
        shown = json.loads(shelf.draft("show", "1", "--json").must_be(0).out)
        assert shown["text"].encode() == text, (text, shown)
    shelf.draft("add", "--title", "T", "--text", "-",
                input="x" * MAXIMUM_TEXT).must_be(0)
    run = shelf.draft("add", "--title", "T", "--text", "-", input="x" * (MAXIMUM_TEXT + 1))
    assert run.status == REJECTED and "too-large" in run.err, run
    assert len(shelf.drafts()) == 6


@case
def what_is_no_picture_is_refused_at_once(room):
    shelf = Shelf(room)
    fifo = room.path / "fifo"
    os.mkfifo(fifo)
    large = room.path / "large"
    with open(large, "wb") as file:
        file.truncate(MAXIMUM_PICTURE + 1)
    start = time.monotonic()
    for path, status, reason in (
            (room.path, REJECTED, "not-a-file"), (fifo, REJECTED, "not-a-file"),
            ("/dev/zero", REJECTED, "not-a-file"), ("/dev/null", REJECTED, "not-a-file"),
            (large, REJECTED, "too-large"), (room.path / "none", REFUSED, "ENOENT"),
            ("/proc/self/mem", REFUSED, "cannot read"), (fifo.parent / "fifo" / "x", REFUSED, "ENOTDIR")):
        for words in (["--picture", str(path)], ["--text", str(path)]):
            run = shelf.draft("add", "--title", "T", *words)
            assert run.status == status and run.out == "", (path, run)
            assert reason in run.err or words[0] == "--text", (path, run.err)
    assert time.monotonic() - start < 20
    assert not shelf.archives.exists() or shelf.names() == []


@case
def a_picture_of_32_mib_is_kept_and_one_more_than_the_box_holds_is_refused(room):
    shelf = Shelf(room)
    large, other = room.path / "large", room.path / "other"
    for path in (large, other):
        with open(path, "wb") as file:
            file.write(path.name.encode())
            file.truncate(MAXIMUM_PICTURE)
    shelf.draft("add", "--title", "one", "--picture", str(large)).must_be(0)
    place = room.path / "exported"
    shelf.draft("export", "1", "--output", str(place)).must_be(0)
    subprocess.run(["cmp", large, place / "picture-1.bin"], check=True)
    run = shelf.draft("add", "--title", "two", "--picture", str(other))
    assert run.status == REJECTED and run.out == "", run
    assert [draft["title"] for draft in shelf.drafts()] == ["one"]
    # What is there can be taken away again.
    shelf.draft("remove", "1").must_be(0)


@case
def an_export_goes_nowhere_where_something_is(room):
    shelf = Shelf(room)
    shelf.draft("add", "--title", "T", "--text", "-", input="x").must_be(0)
    there = room.place("there-")
    link = room.path / "link"
    link.symlink_to(room.path / "nowhere")
    file = room.path / "file"
    file.write_text("precious")
    for path in (there, link, file, room.path / "none" / "x", "/", "/proc/x"):
        run = shelf.draft("export", "1", "--output", str(path)).must_be(REFUSED, "")
        assert run.err, path
    assert os.listdir(there) == [] and file.read_text() == "precious"
    assert not (room.path / "nowhere").exists()


@case
def a_full_disk_leaves_no_half_of_an_export(room):
    needs_root()
    shelf = Shelf(room)
    disk = small_disk(room)
    shelf.draft("add", "--title", "T", "--text", "-", "--picture",
                made(room, "png", PNG + b"x" * 1_000_000), input="x").must_be(0)
    run = shelf.draft("export", "1", "--output", str(disk / "e")).must_be(REFUSED, "")
    assert "ENOSPC" in run.err, run.err
    assert os.listdir(disk) == [], os.listdir(disk)


@case
def control_characters_of_drafts_reach_no_terminal(room):
    shelf = Shelf(room)
    nasty = "\x1b]0;title\x07\u202e\u009b2J\rX\nY\t\x7f"
    shelf.draft("add", "--title", nasty, "--text", "-", input="one\r\ntwo\x1b[2Jthree\n",
                ).must_be(0)
    listed = shelf.draft("list").must_be(0).out
    must_be_clean(listed, "list")
    assert len(listed.splitlines()) == 2, listed
    shown = shelf.draft("show", "1").must_be(0).out
    must_be_clean(shown, "show")
    # Lines of the text are lines.
    assert "\none" in shown and "\ntwo\\u{1b}[2Jthree\n" in shown, shown
    for words in (["list", "--json"], ["show", "1", "--json"]):
        text = shelf.draft(*words).must_be(0).out
        assert "\x1b" not in text and "\x07" not in text
        json.loads(text)
    assert shelf.drafts()[0]["title"] == nasty
    must_be_clean(shelf.draft("remove", "1").must_be(0).out, "remove")
    run = shelf.draft("show", "\x1b[2J").must_be(NOTHING)
    must_be_clean(run.err, "show")
    run = shelf.draft("add", "--title", "T", "--picture", "/\x1b[2J").must_be(REFUSED)
    must_be_clean(run.err, "add")
    shelf.draft("add", "--title", "T").must_be(0)
    must_be_clean(shelf.draft("export", "1", "--output", "/\x1b/x").err, "export")
    must_be_clean(shelf.draft("export", "1", "--output", f"{room.path}/\x1b").out, "export")


@case
def a_list_is_of_one_shape_in_every_locale_and_its_time_is_the_walls(room):
    shelf = Shelf(room)
    titles = ("草稿 一", "x" * 200, "\U0001F468\u200d\U0001F469\u200d\U0001F467 family", "e\u0301")
    for title in titles:
        shelf.draft("add", "--title", title).must_be(0)
    texts = {locale: shelf.draft("list", environment={"LC_ALL": locale}).must_be(0).out
             for locale in ("C", "C.UTF-8", "xx_XX.nonsense")}
    assert len(set(texts.values())) == 1, texts
    assert "草稿 一" in texts["C"] and "…" in texts["C"] and "x" * 41 not in texts["C"], texts
    for zone, offset in (("UTC0", 0), ("XXX-8", 8 * 3600), ("YYY+11:30", -41_400)):
        before = int(time.time())
        shelf.draft("add", "--title", zone, environment={"TZ": zone}).must_be(0)
        text = shelf.drafts()[0]["time"]
        parts = time.strptime(text, "%Y-%m-%d %H:%M:%S")
        assert before <= calendar.timegm(parts) - offset <= time.time(), (zone, text)
        # Once written it is a text.
        assert text in shelf.draft("list", environment={"TZ": "ZZZ-3"}).must_be(0).out
    # A zone that is no zone.
    for zone in ("Nowhere/None", "", ":/etc/passwd", "x" * 5000):
        shelf.draft("add", "--title", "T", environment={"TZ": zone}).must_be(0)
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", shelf.drafts()[0]["time"])


@case
def text_that_comes_through_a_terminal_or_not_at_all_does_not_hang_for_ever(room):
    shelf = Shelf(room)
    out, into = os.pipe()
    start = time.monotonic()
    run = shelf.run([str(shelf.programs / "account"), "draft", "add", "--title", "T", "--text",
                     "-", "--timeout", "1"], stdin=out)
    os.close(into)
    os.close(out)
    assert run.status == 10 and time.monotonic() - start < 5, run
