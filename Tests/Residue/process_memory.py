"""Looks for byte strings in the whole memory of a process, as root can see it."""

import dataclasses
import os
import re

PAGE = os.sysconf("SC_PAGE_SIZE")
CHUNK = 1 << 20
# A remnant of a secret counts as well as the whole: its first and last bytes are looked for too.
REMNANT = 16
KERNEL_PAGES = {"[vvar]", "[vvar_vclock]", "[vsyscall]"}

HEADER = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \S+\s*(.*)")


@dataclasses.dataclass
class Mapping:
    start: int
    end: int
    permissions: str
    name: str
    flags: frozenset

    @property
    def is_locked_and_undumped(self):
        return {"lo", "dd"} <= self.flags

    def __str__(self):
        flags = " ".join(sorted(self.flags & {"lo", "dd", "dc", "sh"}))
        name = self.name or "anonymous"
        return f"{self.start:x}-{self.end:x} {self.permissions} {name} [{flags}]"


@dataclasses.dataclass
class Copy:
    address: int
    mapping: Mapping
    whole: bool

    def __str__(self):
        return f"{'copy' if self.whole else 'remnant'} at {self.address:x} in {self.mapping}"


def mappings(pid):
    found = []
    with open(f"/proc/{pid}/smaps") as file:
        for line in file:
            header = HEADER.fullmatch(line.rstrip("\n"))
            if header:
                start, end = (int(text, 16) for text in header.group(1, 2))
                found.append(Mapping(start, end, header[3], header[4], frozenset()))
            elif line.startswith("VmFlags:"):
                found[-1].flags = frozenset(line.split()[1:])
    return found


def _needles(secret):
    """Pairs of what to look for and how far into the secret it stands."""
    needles = [(secret, 0)]
    if len(secret) > REMNANT:
        needles += [(secret[:REMNANT], 0), (secret[-REMNANT:], len(secret) - REMNANT)]
    return needles


def occurrences(memory, needle):
    position = memory.find(needle)
    while position >= 0:
        yield position
        position = memory.find(needle, position + 1)


class Scan:
    """One look at all mappings. Guard pages are tried as well: root's reads are forced."""

    def __init__(self, pid, secrets):
        """`secrets`: name to bytes."""
        self.copies = {name: {} for name in secrets}
        self.read = 0
        self.unreadable = []
        overlap = max(map(len, secrets.values()), default=1) - 1
        memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            for mapping in mappings(pid):
                if mapping.name not in KERNEL_PAGES:
                    self._scan(memory, mapping, secrets, overlap)
        finally:
            os.close(memory)

    def _scan(self, memory, mapping, secrets, overlap):
        tail = b""
        address = mapping.start
        while address < mapping.end:
            size = min(CHUNK, mapping.end - address)
            chunk = self._read(memory, address, size)
            if not chunk:
                # What cannot be read is left out page by page, not mapping by mapping.
                self.unreadable.append((address, mapping))
                tail = b""
                address += PAGE if size > PAGE else size
                continue
            self.read += len(chunk)
            window = tail + chunk
            if window.count(0) != len(window):
                self._search(window, address - len(tail), mapping, secrets)
            tail = window[-overlap:] if overlap else b""
            address += len(chunk)

    @staticmethod
    def _read(memory, address, size):
        for count in (size, PAGE):
            try:
                return os.pread(memory, min(size, count), address)
            except OSError:
                continue
        return b""

    def _search(self, window, base, mapping, secrets):
        for name, secret in secrets.items():
            for needle, offset in _needles(secret):
                for position in occurrences(window, needle):
                    start = base + position - offset
                    known = self.copies[name].get(start)
                    whole = offset == 0 and len(needle) == len(secret)
                    if known is None or (whole and not known.whole):
                        self.copies[name][start] = Copy(start, mapping, whole)

    def found(self, name):
        return list(self.copies[name].values())


def found_in_file(path, secrets):
    """Names of the secrets of which the file holds the whole or a remnant."""
    with open(path, "rb") as file:
        contents = file.read()
    return [name for name, secret in secrets.items()
            if any(needle in contents for needle, _ in _needles(secret))]
