"""What programs do to archives, and what must stand after a crash of one of them.

A place is that of `stores`, with archives in it; the daemon lives on, unless its disk goes.
"""

import dataclasses
import json
import os
import pathlib
import subprocess

import programs
import stores
import wire
from stores import ANSWER, LEFT, LOST, REPAIR, Wrong

SECONDS = 60
DONE = 0
# What a command may end with when something was refused to it, and nothing was damaged.
REFUSED = {3, 5, 6, 8, 9, 10}
STANDS = ", but a power cut may bring"
# 3 chunks, of different sizes.
OLDER, OLD, NEW = (letter * 140_000 + letter for letter in (b"p", b"c", b"n"))
NEXT = b"next"
NAME = "x"


def environment(place):
    """What a command is told of the store."""
    return {"HOME": str(place), "PATH": os.environ["PATH"], "SWIFT_BACKTRACE": "enable=no",
            "ACCOUNT_STATE_DIR": str(pathlib.Path(place) / "state")}


def command(place, *words, content=b"", wrapper=()):
    """Runs `account-archive` to its end."""
    return subprocess.run([*map(str, wrapper), programs.binary("account-archive"), *words],
                          input=content, capture_output=True, timeout=SECONDS, cwd="/",
                          env=environment(place))


def _must(done):
    assert done.returncode == 0, done
    return done.stdout


def content(place, name=NAME, *words):
    """What an archive holds; None where there is none."""
    done = command(place, "archive", "get", "--raw", *words, name)
    if done.returncode == 3:
        return None
    if done.returncode:
        raise Wrong(LOST, f"{name} {words}: {done.returncode} {done.stderr.decode()}")
    return done.stdout


def generations(place):
    """The generation before, and the present one."""
    return content(place, NAME, "--previous"), content(place)


def titles(place):
    """Those of the drafts."""
    done = command(place, "draft", "list", "--json")
    if done.returncode:
        raise Wrong(LOST, f"drafts: {done.returncode} {done.stderr.decode()}")
    return tuple(draft["title"] for draft in json.loads(done.stdout)["drafts"])


# MARK: Templates


def _template(room, fill):
    place = room.place("template-")
    with room.daemon(state=place / "state", key=place / "key") as daemon:
        daemon.call("Login", stores.OLD.login())
        _must(command(place, "archive", "put", "--raw", "other", content=b"other"))
        fill(place, daemon)
    for name in (stores.SOCKET, stores.LOCK):
        (place / "state" / name).unlink(missing_ok=True)
    return place


def _two(place, _):
    for each in (OLDER, OLD):
        _must(command(place, "archive", "put", "--raw", NAME, content=each))


def _none(place, daemon):
    pass


def _with_drafts(place, _):
    for title in ("one", "two"):
        _must(command(place, "draft", "add", "--title", title))


def _rotated(place, daemon):
    _two(place, daemon)
    daemon.call(f"{wire.KEYS}.Rotate")


# MARK: Operations


@dataclasses.dataclass(frozen=True)
class ArchiveOperation:
    """A command, and what may be found: the first is how it was, the last how it is when done."""
    name: str
    fill: object
    words: tuple
    found: tuple
    content: bytes = b""
    observe: object = generations

    def template(self, room):
        """A place as it is before."""
        return _template(room, self.fill)

    def run(self, place, wrapper=()):
        """Does it."""
        return command(place, *self.words, content=self.content, wrapper=wrapper)

    def judge(self, place, daemon, status, message="", power_was_cut=False):
        """Throws Wrong where something is lost or left, or `status`, None if there was none, is not
        true."""
        found = self.observe(place)
        if found not in self.found:
            raise Wrong(LOST, f"{shown(found)} after {status} {message}")
        if status == DONE and found != self.found[-1]:
            raise Wrong(ANSWER, f"{shown(found)} after {status}")
        if status in REFUSED and found == self.found[-1] != self.found[0]:
            if not (STANDS in message or power_was_cut):
                raise Wrong(ANSWER, f"{shown(found)} after {status} {message}")
        if content(place, "other") != b"other":
            raise Wrong(LOST, "another archive")
        self._goes_on(place, daemon)

    def _goes_on(self, place, daemon):
        """The next write is made, tidies up, and what there is is sealed by one key in the end."""
        done = command(place, "archive", "put", "--raw", NAME, content=NEXT)
        if done.returncode or content(place) != NEXT:
            raise Wrong(REPAIR, f"the next write: {done}")
        archives = pathlib.Path(place) / "state" / "archives"
        left = [path.name for path in archives.iterdir()
                if path.name != "lock" and ".sealed" not in path.name]
        if left:
            raise Wrong(LEFT, ", ".join(left))
        done = command(place, "archive", "reseal")
        retired = daemon.call(f"{wire.KEYS}.ListSlots")["retired"]
        if done.returncode or retired:
            raise Wrong(REPAIR, f"{retired} are kept: {done}")


def shown(found):
    """Contents in a few words."""
    if isinstance(found, tuple):
        return tuple(map(shown, found))
    return f"{found[:1].decode()} * {len(found)}" if isinstance(found, bytes) else found


OPERATIONS = (
    ArchiveOperation("put", _two, ("archive", "put", "--raw", NAME),
                     ((OLDER, OLD), (OLD, OLD), (OLD, NEW)), NEW),
    ArchiveOperation("put, the first", _none, ("archive", "put", "--raw", NAME),
                     ((None, None), (None, NEW)), NEW),
    ArchiveOperation("add a draft", _with_drafts, ("draft", "add", "--title", "three"),
                     (("two", "one"), ("three", "two", "one")), observe=titles),
    ArchiveOperation("restore", _two, ("archive", "restore", NAME),
                     ((OLDER, OLD), (OLD, OLDER))),
    ArchiveOperation("remove", _two, ("archive", "remove", NAME),
                     ((OLDER, OLD), (None, OLD), (None, None))),
    ArchiveOperation("seal anew", _rotated, ("archive", "reseal"), ((OLDER, OLD),)),
)
