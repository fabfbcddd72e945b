"""The pieces of Swift in pages and comments, and what the pages say that they print."""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "Sources/Archiving/Archiving.docc"
FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.M | re.S)
MANIFEST = "// swift-tools-version"


@dataclasses.dataclass
class Page:
    """A page with Swift in it."""

    path: pathlib.Path
    # The blocks of Swift, in order; a manifest is none of them.
    blocks: list
    # The text of the manifest that it shows, or nothing.
    manifest: str
    # What the page says that they print.
    output: str

    @property
    def name(self):
        """What its program is called."""
        return f"page-{self.path.stem.lower()}"

    @property
    def program(self):
        """All blocks as one program."""
        return "\n".join(self.blocks)


def page(path):
    """Reads a page; None where it has no Swift."""
    blocks, manifests, output = [], [], ""
    for kind, text in FENCE.findall(path.read_text(encoding="utf-8")):
        if kind == "swift":
            (manifests if text.startswith(MANIFEST) else blocks).append(text)
        elif kind == "text":
            output += text
    if not blocks:
        return None
    return Page(path, blocks, "".join(manifests), output)


def pages():
    """The README and the pages of the library."""
    found = [page(path) for path in [ROOT / "README.md", *sorted(CATALOGUE.glob("*.md"))]]
    return [each for each in found if each]


def comment_samples():
    """The code in the library's documentation comments: where it is, and its lines.

    As in Markdown, it is indented by four and comes after an empty line.
    """
    for path in sorted((ROOT / "Sources/Archiving").glob("*.swift")):
        lines, may_begin, where = [], False, 0
        for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1):
            comment = re.fullmatch(r"\s*///(.*)", line)
            text = comment[1] if comment else ""
            if text.startswith("     ") and (may_begin or lines):
                lines.append(text[5:])
                where = where or number
                continue
            if lines:
                yield f"{path.relative_to(ROOT)}:{where}", lines
            lines, where = [], 0
            may_begin = comment is not None and not text.strip()


def stands_in(lines, source):
    """Whether lines stand one after another in a source, whatever the indentation there."""
    wanted = [line.strip() for line in lines]
    found = [line.strip() for line in source.splitlines()]
    return any(found[start:start + len(wanted)] == wanted for start in range(len(found)))
