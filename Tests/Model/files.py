"""What the model knows of files: which bytes are which account, and what a reader makes of them.

Nobody but the daemon can seal an account, so bytes open if it wrote them, and only then. The model
therefore need not decrypt: it remembers what each file that the daemon has written stands for.
"""

import itertools
import pathlib
import re
from collections import namedtuple

import slots

ACCOUNT, SPARE = "account.plist.sealed", "account.plist.sealed~"
SLOTS, SLOTS_COPY = "keyslots.plist", "keyslots.plist~"
NEXT = "keyslots.plist.next"
OTHER_SEALED = "app.plist.sealed"
ARCHIVES = "archives/"
MAXIMUM_FILE = 1 << 20
MAGIC = bytes.fromhex("93 53 45 41 4C 0D 0A 1A")
KEY_SIZE = 32
# What is being written, and what a writer that was killed has left.
TEMPORARY = re.compile(r"\.tmp-[0-9a-f]{16}")
PROTECTION = pathlib.Path("/proc/sys/fs/protected_hardlinks")
LINKS_ARE_PROTECTED = PROTECTION.exists() and PROTECTION.read_text().strip() != "0"

Account = namedtuple("Account", "token uid refresh_token screen_name avatar_large "
                                "expires_in issued_at expires_at")

# Something that has a name. `kind` is file, symlink or directory; `blob` is what a file holds.
Item = namedtuple("Item", "kind blob mode owner")

_serial = itertools.count(1)


class Blob:
    """The content of a file; `content` are its bytes, None until the file was looked at."""

    def __init__(self, role, meaning=None, key=None, content=None):
        self.role = role  # "account", "slots", "key file", "unknown"
        self.meaning = meaning
        self.key = key
        self.content = content
        self.serial = next(_serial)

    def __repr__(self):
        return f"<{self.role} {self.serial}>"


class Registry:
    """Blobs by their bytes."""

    def __init__(self):
        self.blobs = {}
        # Slots and keys by their ids.
        self.named = {}

    def of(self, content):
        """What these bytes stand for."""
        if content not in self.blobs:
            self.blobs[content] = Blob("unknown", content=content)
        return self.blobs[content]

    def bind(self, blob, content):
        """These are the bytes of what the daemon has just written. What is wrong, or None."""
        if blob.content is not None:
            return None if blob.content == content else "has other bytes than were written"
        if content in self.blobs:
            return "has bytes that another file had before: salts must be new"
        learned = {}
        fault = new_fault(blob, content, learned)
        if fault:
            return fault
        for thing, identity in learned.items():
            if self.named.setdefault(identity, thing) is not thing:
                return f"gives something new the id {identity.hex()}, which was another's"
            thing.id = identity
        blob.content = content
        self.blobs[content] = blob
        return None


def new_fault(blob, content, learned):
    """Why bytes that were just written are not what the blob is, or None."""
    if blob.role == "slots":
        return slots.fault(blob.meaning, content, learned)
    if blob.role != "account":
        return None
    if content[:8] != MAGIC or content[8:16] != b"\1\0\1\0\0\0\0\0" or (len(content) - 105) % 256:
        return "is no sealed file of version 1"
    learned[blob.key] = content[16:32]
    return None if blob.key.id in (None, content[16:32]) else "is sealed under another key"


def bears(blob, key):
    """Whether the header of a file, whatever follows it, names this master key."""
    if blob.role == "account":
        return blob.key is key
    return has_header(blob) and key.id is not None and blob.content[16:32] == key.id


def is_later(blob):
    """Whether a later version wrote it, whose header says who knows what."""
    content = blob.content or b""
    return len(content) >= 12 and content[:8] == MAGIC and content[8:12] != b"\1\0\1\0"


def has_header(blob):
    """Whether it begins as a sealed file does, of whatever key."""
    return blob.role == "account" or (
        blob.content is not None and blob.content[:16] == MAGIC + b"\1\0\1\0" + bytes(4)
        and len(blob.content) >= 88)


class Files:
    """The store's files and the key file, as a reader would judge them. Copied, not shared."""

    def __init__(self, path, key_path, owner):
        self.path = path
        self.key_path = key_path
        self.owner = owner
        self.items = {}
        self.key_file = None
        # Whether the directory at the path is the one that the daemon has open.
        self.is_followed = True
        # What has stood there between one step of a change and the next.
        self.trace = []

    def copy(self):
        """The same files, to be changed by themselves."""
        other = Files(self.path, self.key_path, self.owner)
        other.items = dict(self.items)
        other.key_file = self.key_file
        other.is_followed = self.is_followed
        return other

    def state(self):
        """What stands there now."""
        return dict(self.items), self.key_file

    def step(self):
        """Remembers what stands there: a kill may leave it so."""
        self.trace.append(self.state())

    def put(self, name, blob):
        """A file that the daemon writes, atomically."""
        self.items[name] = Item("file", blob, 0o600, self.owner)
        self.step()

    def remove(self, name):
        """Whether it was there."""
        there = self.items.pop(name, None) is not None
        if there:
            self.step()
        return there

    # MARK: Reading

    def is_kept_from(self, item):
        """Whether the daemon may not read a file of mode 0600, since it is another user's."""
        return self.owner not in (0, item.owner) and item.kind == "file"

    def unreadable(self, name):
        """Why something cannot be read; None where it can, and where nothing is there."""
        item = self.items.get(name)
        if item is None:
            return None
        if item.kind == "symlink":
            return "is a symbolic link, which is not followed"
        if item.kind != "file":
            return "is no regular file"
        if item.owner != self.owner:
            return f"belongs to uid {item.owner}"
        if item.blob.content is not None and len(item.blob.content) > MAXIMUM_FILE:
            return "is larger than any that was written"
        return None

    def findings(self):
        """What is wrong with the files themselves: those whose mode lets others in."""
        found = []
        for name in (ACCOUNT, SPARE, SLOTS, SLOTS_COPY, NEXT):
            item = self.items.get(name)
            if item and item.kind == "file" and item.owner == self.owner and item.mode & 0o077:
                found.append(f"{name} has mode 0{item.mode:o}, which lets others in; make it 0600")
        return found

    def is_sealed(self):
        """Whether sealed files are there, whatever they are worth."""
        return any(name in (ACCOUNT, SPARE, OTHER_SEALED)
                   or name.startswith(ARCHIVES) and name.endswith((".sealed", ".sealed~"))
                   for name in self.items)

    def borne(self, keys):
        """Those keys by which a file is sealed, or may be, since it cannot be looked into."""
        if not self.can_be_told():
            return list(keys)
        return [key for key in keys if any(bears(item.blob, key) for item in self._sealed()
                                           if item.kind == "file")]

    def can_be_told(self):
        """Whether each file shows by which key it is sealed."""
        # A link is not followed: what it leads to may be sealed by any of them.
        return not any(item.kind == "symlink" or item.kind == "file" and (
            self.is_kept_from(item) or is_later(item.blob)) for item in self._sealed())

    def _sealed(self):
        return [item for name, item in self.items.items()
                if name.startswith((ACCOUNT, OTHER_SEALED, ARCHIVES))]

    def read_slots(self, name):
        """("absent",), ("bad", why) or ("good", blob)."""
        if name not in self.items:
            return ("absent",)
        why = self.unreadable(name)
        if why:
            return ("bad", why)
        blob = self.items[name].blob
        return ("good", blob) if blob.role == "slots" else ("bad", "is damaged")

    def read_account(self, name, keys):
        """("absent",), ("bad", sentence) or ("good", account)."""
        if name not in self.items:
            return ("absent",)
        why = self.unreadable(name)
        if why:
            return ("bad", f"{name} {why}")
        blob = self.items[name].blob
        if blob.role == "account" and blob.key in keys:
            return ("good", blob.meaning)
        return ("bad", f"{name} {_fault(blob, keys)}")

    def read_key(self):
        """("absent",), ("read", blob) or ("unusable", errno, sentence)."""
        item = self.key_file
        where = f"the key file {self.key_path}"
        if item is None:
            return ("absent",)
        if item.kind == "symlink":
            return ("unusable", 40, f"{where} is a symbolic link, which is not followed")
        if item.kind != "file":
            return ("unusable", 22, f"{where} is no regular file")
        if self.is_kept_from(item):
            return ("unusable", 13, f"{where} cannot be read: Permission denied (EACCES)")
        if item.owner not in (self.owner, 0):
            return ("unusable", 22, f"{where} belongs to uid {item.owner}")
        if item.mode & 0o077:
            return ("unusable", 22,
                    f"{where} has mode 0{item.mode:o}, which lets others in; make it 0600")
        if item.blob.content is not None and len(item.blob.content) != KEY_SIZE:
            return ("unusable", 22,
                    f"{where} has {len(item.blob.content)} bytes; a key has {KEY_SIZE}")
        return ("read", item.blob)


def _fault(blob, keys):
    """Why bytes that are no account under these keys are none. docs/FORMAT.md, "Header" """
    content = blob.content
    if content is None:
        return "is sealed by a key that this store does not hold"
    if len(content) < 12 or content[:8] != MAGIC:
        return "is damaged"
    if content[8:12] != b"\1\0\1\0":
        return "was written by a later version of accountd"
    if len(content) < 88 or content[12:16] != bytes(4):
        return "is damaged"
    if content[16:32] not in [key.id for key in keys]:
        return "is sealed by a key that this store does not hold"
    return "is damaged"
