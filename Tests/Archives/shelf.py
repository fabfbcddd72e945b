"""A home with an account, and its archives."""

import json
import os

from client import Home

DAMAGED, NOTHING, REJECTED, REFUSED, USAGE, LOCKED, TIMED_OUT = 7, 3, 8, 9, 2, 4, 10
# Bytes of plaintext in a chunk of a sealed file, what each has more, and of its header.
CHUNK, OVERHEAD, HEADER = 65_536, 17, 88


class Shelf(Home):
    """Its store has a key already; `account=False`: but no account."""

    def __init__(self, room, user=None, account=True):
        super().__init__(room, user=user)
        self.archives = self.state / "archives"
        if account:
            self.token = self.login()
        else:
            self.account("key", "add", "keyfile").must_be(0)

    def archive(self, *words, **others):
        """Runs `account archive`."""
        return self.account("archive", *words, **others)

    def draft(self, *words, **others):
        """Runs `account draft`."""
        return self.account("draft", *words, **others)

    def put(self, name, content, *words, **others):
        """Stores bytes as they are."""
        self.archive("put", "--raw", *words, "--", name, input=content, **others).must_be(0, "")

    def get(self, name, *words):
        """The bytes that are stored."""
        return os.fsencode(self.archive("get", "--raw", *words, "--", name).must_be(0).out)

    def names(self):
        """What is listed."""
        return [entry["name"] for entry in self.entries()]

    def entries(self):
        """The same, with what is known of each."""
        return json.loads(self.archive("list", "--json").must_be(0).out)["archives"]

    def drafts(self):
        """The drafts, as they are listed for programs."""
        return json.loads(self.draft("list", "--json").must_be(0).out)["drafts"]

    def slots(self):
        """The key slots."""
        return json.loads(self.account("key", "list", "--json").must_be(0).out)

    def file(self, name):
        """Where an archive with a plain name is."""
        return self.archives / f"{name}.sealed"

    def temporaries(self):
        """Files that nobody has given a name."""
        return [path for path in self.archives.glob(".tmp-*")]

    def must_be_tidy(self):
        """What is there is private, and nothing is left over."""
        assert self.archives.stat().st_mode & 0o777 == 0o700, oct(self.archives.stat().st_mode)
        assert self.temporaries() == []
        for path in self.archives.iterdir():
            assert path.lstat().st_mode & 0o777 == 0o600, (path, oct(path.lstat().st_mode))


def flip(path, position):
    """Changes one bit of a file."""
    with open(path, "r+b") as file:
        file.seek(position, os.SEEK_END if position < 0 else os.SEEK_SET)
        byte = file.read(1)[0]
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte ^ 1]))


def made_up_bytes(count):
    """Bytes that tell their place, so that a wrong order is seen."""
    block = b"".join(number.to_bytes(8, "big") for number in range(-(-count // 8)))
    return block[:count]
