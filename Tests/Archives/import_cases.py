"""What apps have archived, the files of Tests/Vectors, through the commands: as manifests say."""

import base64
import json
import pathlib
import re
from typing import NamedTuple

from cases import case
from client import Home
from shelf import REFUSED, REJECTED, USAGE, Shelf

VECTORS = pathlib.Path(__file__).resolve().parents[1] / "Vectors"
FOLDERS = ("drafts", "structarchiver", "appfiles")


class Vector(NamedTuple):
    """A file, what is given with --key, and what must come of it."""
    path: pathlib.Path
    key: str
    expected: object

    @property
    def reason(self):
        """Of a rejection; None where it is accepted."""
        if isinstance(self.expected, str) and self.expected.startswith("reject:"):
            return self.expected.removeprefix("reject:")
        return None

    @property
    def words(self):
        """What is said of it on a command line."""
        return [str(self.path)] + (["--key", self.key] if self.key else [])

    @property
    def is_of_structs(self):
        """A value by itself."""
        return self.path.parent.name == "structarchiver"


def load():
    found = []
    for folder in FOLDERS:
        manifest = json.loads((VECTORS / folder / "MANIFEST.json").read_text(encoding="utf-8"))
        for entry in manifest["cases"]:
            expected = entry["expect"]
            key = entry.get("key") or (
                expected.get("key") if isinstance(expected, dict) else None)
            found.append(Vector(VECTORS / folder / entry["file"], key, expected))
    assert len(found) > 80, "the vectors are missing"
    return found


def reason_of(errors):
    found = re.search(r"rejected \((.*?)\)", errors)
    return found[1] if found else None


def reported(vector):
    """What the dry run is to say, apart from warnings."""
    if vector.is_of_structs:
        return {"kind": "value", "value": vector.expected}
    return {key: value for key, value in vector.expected.items() if key != "warn"}


def warns(vector):
    """Whether something about it is odd."""
    return isinstance(vector.expected, dict) and bool(
        vector.expected.get("warn") or vector.expected.get("warnings"))


def must_be_alike(given, expected, what):
    """Numbers by their value; members that the manifest does not name are free at the top."""
    for key, value in expected.items():
        assert given.get(key) == value, (what, key, given.get(key), value)


@case
def each_file_is_reported_as_its_manifest_says(room):
    shelf = Shelf(room)
    for vector in load():
        run = shelf.archive("import", *vector.words, "--dry-run", "--json")
        if vector.reason:
            run.must_be(REJECTED, "")
            assert reason_of(run.err) == vector.reason, (vector, run.err)
            continue
        report = json.loads(run.must_be(0).out)
        must_be_alike(report, reported(vector), vector.path.name)
        assert bool(report.get("warnings")) == warns(vector), (vector, report)
        shelf.archive("import", *vector.words, "--dry-run").must_be(0)
    assert not shelf.archives.exists()


@case
def each_file_is_imported_and_read_back(room):
    shelf = Shelf(room)
    for number, vector in enumerate(load()):
        name = f"{number}-{vector.path.name}"
        run = shelf.archive("import", *vector.words, "--as", name)
        if vector.reason:
            run.must_be(REJECTED, "")
            continue
        run.must_be(0)
        stored = json.loads(shelf.archive("get", name).must_be(0).out)
        expected = reported(vector)
        if "drafts" in expected:
            assert len(stored) == len(expected["drafts"]), (name, stored)
            for draft, wanted in zip(stored, expected["drafts"]):
                assert draft["title"] == wanted["title"], (name, draft)
                assert draft["time"] == wanted["time"], (name, draft)
                assert len(draft.get("pictures", [])) == wanted["pictures"], (name, draft)
                assert draft["isOriginalPhoto"] == wanted["original_photo"], (name, draft)
                assert (draft["pictureAssets"] or None) == wanted["assets"], (name, draft)
        elif "objects" in expected:
            assert stored == json.loads(json.dumps(expected["objects"])), (name, stored)
        else:
            assert stored == expected["value"], (name, stored)
    assert all(not name.startswith(".") for name in shelf.names())
    shelf.must_be_tidy()


@case
def draft_boxes_are_added_behind_the_drafts_that_are_there(room):
    shelf = Shelf(room)
    boxes = [vector for vector in load() if isinstance(vector.expected, dict)
             and vector.expected.get("kind") == "drafts"]
    assert len(boxes) > 10 and any(vector.key for vector in boxes), boxes
    shelf.draft("add", "--title", "mine").must_be(0)
    titles = ["mine"]
    for vector in boxes:
        shown = shelf.draft("import", *vector.words, "--dry-run").must_be(0)
        assert not shown.out.endswith("\n\n"), "an empty line at the end"
        assert bool(shown.err) == warns(vector), (vector, shown.err)
        run = shelf.draft("import", *vector.words, "--json").must_be(0)
        wanted = vector.expected["drafts"]
        assert json.loads(run.out) == {"imported": len(wanted)}, run.out
        assert bool(run.err) == warns(vector), (vector, run.err)
        titles += [draft["title"] for draft in wanted]
        assert [draft["title"] for draft in shelf.drafts()] == titles, vector
    # Imported twice they are there twice, and each has an id of its own.
    shelf.draft("import", str(boxes[0].path)).must_be(0)
    ids = [draft["id"] for draft in shelf.drafts()]
    assert len(set(ids)) == len(ids)


@case
def what_holds_no_drafts_is_no_draft_box(room):
    shelf = Shelf(room)
    for vector in load():
        if vector.reason:
            run = shelf.draft("import", str(vector.path))
            if not vector.key:
                assert run.status == REJECTED and reason_of(run.err) == vector.reason, (vector, run)
            continue
        if vector.key or isinstance(vector.expected, dict) and vector.expected.get(
                "kind") == "drafts":
            continue
        run = shelf.draft("import", str(vector.path)).must_be(REJECTED, "")
        assert reason_of(run.err) == "no-drafts", (vector, run.err)
    assert not shelf.archives.exists()


@case
def pictures_of_a_draft_box_are_exported_as_they_were(room):
    shelf = Shelf(room)
    shelf.draft("import", str(VECTORS / "drafts" / "defaultFile.cache")).must_be(0)
    place = room.path / "e"
    shelf.draft("export", "1", "--output", str(place)).must_be(0)
    for number in (1, 2):
        content = (place / f"picture-{number}.png").read_bytes()
        assert content.startswith(b"\x89PNG\r\n\x1a\n") and content.endswith(b"IEND\xaeB`\x82")
    stored = json.loads(shelf.archive("get", "drafts").must_be(0).out)
    pictures = [picture for draft in stored for picture in draft.get("pictures", [])]
    assert len(pictures) == 3, stored
    for picture in pictures:
        content = base64.b64decode(picture["$data"] if isinstance(picture, dict) else picture)
        assert content.startswith(b"\x89PNG"), picture


@case
def a_pipe_and_a_file_give_the_same(room):
    shelf = Shelf(room)
    path = str(VECTORS / "drafts" / "defaultFile.cache")
    one = shelf.archive("import", path, "--dry-run", "--json").must_be(0).out
    two = shelf.shell('cat "$1" | account archive import - --dry-run --json', path).must_be(0).out
    assert one == two
    shelf.shell('account draft import - <"$1"', path).must_be(0)
    assert len(shelf.drafts()) == 3


@case
def what_is_no_file_is_refused_and_leaves_the_archive(room):
    shelf = Shelf(room)
    shelf.archive("put", "x", input="1").must_be(0)
    for path in ("/dev/zero", "/dev/null", str(room.path)):
        run = shelf.archive("import", path, "--as", "x").must_be(REJECTED, "")
        assert reason_of(run.err) == "not-a-file", run.err
    shelf.archive("import", "/none", "--as", "x").must_be(REFUSED, "")
    with open("/dev/zero", "rb") as zero:
        run = shelf.archive("import", "-", "--as", "x", stdin=zero).must_be(REJECTED, "")
        assert reason_of(run.err) == "too-large", run.err
    path = str(VECTORS / "structarchiver" / "int_-2016.bin")
    shelf.archive("import", path, "--as", "x" * 181).must_be(USAGE, "")
    shelf.archive("import", path, "--key", "x", "--as", "x").must_be(REJECTED, "")
    shelf.archive("get", "x").must_be(0, "1")


@case
def an_import_without_a_key_says_what_makes_one(room):
    home = Home(room)
    path = str(VECTORS / "drafts" / "defaultFile.cache")
    home.account("archive", "import", path, "--dry-run").must_be(0)
    assert home.daemons() == []
    run = home.account("draft", "import", path).must_be(3, "")
    assert "account login" in run.err, run.err
