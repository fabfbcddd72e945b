"""The sources of manual pages, as far as the checks need them. mdoc(7)"""

import re

# Macros that are followed by what they mark, up to the next macro.
CALLABLE = {"Ar", "Cm", "Dq", "Dv", "Ev", "Fl", "Ic", "It", "Li", "Nm", "No", "Oc", "Oo", "Op", "Pa",
            "Ql", "Sx", "Va", "Vt", "Xr"}
PUNCTUATION = {",", ".", ";", ":", "|", "(", ")", "!", "?"}


class Line:
    """One line of a page: text, or a macro with its words."""

    def __init__(self, source):
        self.source = source
        self.words = source[1:].split() if source.startswith(".") else []
        self.macro = self.words[0] if self.words else None

    def marked(self, macro):
        """The words that a macro marks on this line, punctuation left out."""
        found, current = [], None
        for word in self.words:
            if word in CALLABLE:
                current = word
            elif current == macro and word not in PUNCTUATION:
                found.append(word)
        return found

    def flags(self):
        """The options on this line, with their dashes."""
        return ["-" + word for word in self.marked("Fl")]


class Page:
    """A page, by its sections."""

    def __init__(self, path):
        self.path = path
        self.lines = [Line(source) for source in path.read_text(encoding="utf-8").splitlines()]

    def section(self, title):
        """The lines of a section or a subsection."""
        found, inside = [], False
        for line in self.lines:
            if line.macro in ("Sh", "Ss"):
                inside = " ".join(line.words[1:]) == title
            elif inside:
                found.append(line)
        if not found:
            raise AssertionError(f"{self.path.name} has no section {title}")
        return found

    def marked(self, macro):
        """All words that a macro marks anywhere, `$` in front of a variable left out."""
        return {word.removeprefix("$") for line in self.lines for word in line.marked(macro)}

    def flags(self):
        return {flag for line in self.lines for flag in line.flags()}

    def items(self, lines, macro):
        """Groups of lines, each begun by `.It MACRO`; nested lists of other items belong to one."""
        groups = []
        for line in lines:
            if line.words[:2] == ["It", macro]:
                groups.append([line])
            elif groups:
                groups[-1].append(line)
        return groups

    def numbered(self, title):
        """The items of a section whose tags are numbers, each with its text."""
        found, last = {}, None
        for line in self.section(title):
            if line.macro == "It":
                last = int(line.words[1])
                found[last] = []
            elif line.macro is None and last is not None:
                found[last].append(line.source)
        return {number: " ".join(text) for number, text in found.items()}


def described_options(lines):
    """The options that have items of their own, and whether each is given a value."""
    found = {}
    for line in lines:
        if line.words[:2] == ["It", "Fl"]:
            takes_value = bool(line.marked("Ar") or line.marked("Cm"))
            for flag in line.flags():
                if flag in found:
                    raise AssertionError(f"{flag} is described twice")
                found[flag] = takes_value
    return found


def without_white_space(text):
    """For a comparison of texts that were filled in other ways."""
    return re.sub(r"\s+", "", text)
