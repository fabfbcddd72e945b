"""Looks for byte strings in the whole memory of a process, as root can see it."""

import dataclasses
import os
import pathlib
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
    # Of the thread whose stack it is.
    thread: str = ""
    # Whether a page of it may hold something else than its file.
    may_be_own: bool = True

    @property
    def is_locked_and_undumped(self):
        return {"lo", "dd"} <= self.flags

    def __str__(self):
        flags = " ".join(sorted(self.flags & {"lo", "dd", "dc", "sh"}))
        name = f"stack of {self.thread}" if self.thread else self.name or "anonymous"
        return f"{self.start:x}-{self.end:x} {self.permissions} {name} [{flags}]"


@dataclasses.dataclass
class Copy:
    address: int
    mapping: Mapping
    whole: bool

    def __str__(self):
        return f"{'copy' if self.whole else 'remnant'} at {self.address:x} in {self.mapping}"


def stack_pointers(pid):
    """Where each thread's stack pointer stands, by the name of the thread; none of one that runs."""
    found = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        words = (task / "syscall").read_text().split()
        if len(words) >= 2 and words[0] != "running":
            found[(task / "comm").read_text().strip()] = int(words[-2], 16)
    return found


def mappings(pid):
    found = []
    stacks = stack_pointers(pid)
    with open(f"/proc/{pid}/smaps") as file:
        for line in file:
            header = HEADER.fullmatch(line.rstrip("\n"))
            if header:
                start, end = (int(text, 16) for text in header.group(1, 2))
                thread = next((name for name, pointer in stacks.items()
                               if start <= pointer < end), "")
                found.append(Mapping(start, end, header[3], header[4], frozenset(), thread))
            elif line.startswith("Anonymous:") and found[-1].name.startswith("/"):
                # Of a file that is shared every page is the file's; but whoever wrote to it did so.
                found[-1].may_be_own = line.split()[1] != "0" or "s" in found[-1].permissions
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
    """One look at all mappings. Guard pages are tried as well: root's reads are forced.

    Left out are pages of nothing but zeros, and mappings of files of which no page is the process's
    own: they hold what the file holds.
    """

    def __init__(self, pid, secrets):
        """`secrets`: name to bytes."""
        self.copies = {name: {} for name in secrets}
        self.read = 0
        self.unreadable = []
        self._secrets = secrets
        # Two of them may share their beginning or end.
        self._needles = {}
        for name, secret in secrets.items():
            for needle, offset in _needles(secret)[-2:]:
                self._needles.setdefault(needle, []).append((name, offset))
        self._overlap = max(map(len, secrets.values()), default=1) - 1
        memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            for mapping in mappings(pid):
                if mapping.name not in KERNEL_PAGES and mapping.may_be_own:
                    self._scan(memory, mapping)
        finally:
            os.close(memory)

    def _scan(self, memory, mapping):
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
            for start, window in _pieces(tail + chunk):
                self._search(window, address - len(tail) + start, mapping)
            tail = chunk[-self._overlap:] if self._overlap else b""
            address += len(chunk)

    @staticmethod
    def _read(memory, address, size):
        for count in (size, PAGE):
            try:
                return os.pread(memory, min(size, count), address)
            except OSError:
                continue
        return b""

    def _search(self, window, base, mapping):
        for needle, owners in self._needles.items():
            for position in occurrences(window, needle):
                for name, offset in owners:
                    self._note(name, base + position - offset, window, position - offset, mapping)

    def _note(self, name, address, window, start, mapping):
        secret = self._secrets[name]
        whole = start >= 0 and window.startswith(secret, start)
        known = self.copies[name].get(address)
        if known is None or (whole and not known.whole):
            self.copies[name][address] = Copy(address, mapping, whole)

    def found(self, name):
        return list(self.copies[name].values())


def _pieces(window):
    """What is not zeros: runs of pages of it, and where they begin."""
    begin = None
    for start in range(0, len(window), PAGE):
        page = window[start:start + PAGE]
        if page.count(0) != len(page):
            begin = start if begin is None else begin
        elif begin is not None:
            # A page more: a secret may end in it.
            yield begin, window[begin:start + PAGE]
            begin = None
    if begin is not None:
        yield begin, window[begin:]


def found_in_file(path, secrets):
    """Names of the secrets of which the file holds the whole or a remnant."""
    with open(path, "rb") as file:
        contents = file.read()
    pieces = [piece for _, piece in _pieces(contents)]
    return [name for name, secret in secrets.items()
            if any(needle in piece for needle, _ in _needles(secret)[-2:] for piece in pieces)]
