"""The store's real files, held against the model's, and damage that is done to both."""

import os
import shutil
import stat

from files import ARCHIVES, KEY_SIZE, MAXIMUM_FILE, TEMPORARY, Blob, Item, new_fault

STRANGE_OWNER = 65_530
IGNORED = {"lock", "archives.lock", "socket", "archives"}


class Disk:
    """The state directory and the key file."""

    def __init__(self, state, key, owner, registry):
        self.state, self.key, self.owner, self.registry = state, key, owner, registry
        # Files as they were once, and how many directories were moved out of the way.
        self.saved, self.gone = {}, 0

    # MARK: Comparing

    def adopt(self, files):
        """Compares, and learns the bytes of what the model has seen written. A fault, or None."""
        contents = {}
        fault = self.fault(files, contents)
        for blob, content in contents.items() if fault is None else ():
            bound = self.registry.bind(blob, content)
            if bound:
                return f"a file {bound}"
        return fault

    def fault(self, files, contents):
        """What differs, if anything; `contents` gets the bytes of each blob."""
        real = set(os.listdir(self.state) if self.state.is_dir() else ()) - IGNORED
        archives = self.state / ARCHIVES
        real |= {ARCHIVES + name for name in (os.listdir(archives) if archives.is_dir() else ())}
        if real != set(files.items):
            return (f"there are {sorted(real - set(files.items))} too many, and "
                    f"{sorted(set(files.items) - real)} too few")
        for name, item in files.items.items():
            fault = self._compare(self.state / name, item, contents)
            if fault:
                return f"{name} {fault}"
        if files.key_file is None:
            return "the key file is there" if os.path.lexists(self.key) else None
        fault = self._compare(self.key, files.key_file, contents)
        return fault and f"the key file {fault}"

    def _compare(self, path, item, contents):
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            return "is missing"
        kinds = {stat.S_IFREG: "file", stat.S_IFLNK: "symlink", stat.S_IFDIR: "directory"}
        if kinds.get(stat.S_IFMT(status.st_mode)) != item.kind:
            return f"is no {item.kind}"
        if item.kind != "file":
            return None
        if (stat.S_IMODE(status.st_mode), status.st_uid) != (item.mode, item.owner):
            return f"has mode {status.st_mode:o} and owner {status.st_uid}"
        content = path.read_bytes()
        if item.blob.content is not None:
            return None if content == item.blob.content else "was changed"
        if content in self.registry.blobs:
            return "has bytes that were there before"
        if item.blob.role == "key file" and len(content) != KEY_SIZE:
            return f"has {len(content)} bytes"
        if fault := new_fault(item.blob, content, {}):
            return fault
        if contents.setdefault(item.blob, content) != content:
            return "differs from its copy"
        return None

    def forget_temporaries(self, files):
        """Files that a killed writer left; the next daemon removes them, this does so before."""
        for name in os.listdir(self.state) if self.state.is_dir() else ():
            if TEMPORARY.fullmatch(name) and name not in files.items:
                (self.state / name).unlink()

    # MARK: Damage

    def damage(self, files, name, how, number):
        """Does something to a file, here and in the model. Nothing where there is nothing to do."""
        path = self.key if name == "key" else self.state / name
        item = files.key_file if name == "key" else files.items.get(name)
        changed = self._damaged(files, name, item, how, number)
        if name.startswith(ARCHIVES) and changed and self.state.is_dir():
            self._make_archives()
        if changed is item or not path.parent.is_dir():
            return
        _remove(path)
        if changed is None:
            files.items.pop(name, None)
            if name == "key":
                files.key_file = None
            return
        self._put(path, changed)
        if name == "key":
            files.key_file = changed
        else:
            files.items[name] = changed

    def _make_archives(self):
        archives = self.state / ARCHIVES
        archives.mkdir(mode=0o700, exist_ok=True)
        os.chown(archives, self.owner, self.owner)

    def _put(self, path, item):
        if item.kind == "symlink":
            os.symlink("/dev/null", path)
        elif item.kind == "directory":
            path.mkdir()
        else:
            path.write_bytes(item.blob.content)
            path.chmod(item.mode)
        owner = self.owner if item.owner is None else item.owner
        os.chown(path, owner, owner, follow_symlinks=False)

    def _damaged(self, files, name, item, how, number):
        if how == "remove":
            return None
        if how in ("symlink", "directory"):
            return Item(how, None, 0, None)
        if how in ("junk", "empty", "huge"):
            content = {"junk": bytes(number * step % 251 for step in range(KEY_SIZE)), "empty": b"",
                       "huge": bytes(MAXIMUM_FILE + 1)}[how]
            return self._file(content)
        if how == "restore":
            return self._restored(name, item, number)
        if how == "copy":
            other = [each for each in files.items.values()
                     if each.kind == "file" and len(each.blob.content) <= MAXIMUM_FILE]
            return self._file(other[number % len(other)].blob.content) if other else item
        if item is None or item.kind != "file":
            return item
        if how == "mode" and item.owner == self.owner:
            return item._replace(mode=(0o600, 0o640, 0o604, 0o666, 0o700)[number % 5])
        if how == "owner":
            return item._replace(owner=(self.owner, STRANGE_OWNER)[number % 2], mode=0o600)
        content = bytearray(item.blob.content)
        if how == "flip" and content:
            content[number % len(content)] ^= 1 << number // 7 % 8
        elif how == "cut":
            del content[number % (len(content) + 1):]
        elif how == "extend":
            content += bytes(number % 300 + 1)
        return item._replace(blob=self.registry.of(bytes(content)))

    def _restored(self, name, item, number):
        """Bytes that the daemon wrote once, for such a file."""
        role = {"key": "key file", "k": "slots", "a": "account"}[name if name == "key" else name[0]]
        known = [blob for blob in self.registry.blobs.values() if blob.role == role]
        return self._file(known[number % len(known)].content) if known else item

    # MARK: The directory as a whole

    def replace_directory(self, files, how):
        """Takes the directory away, puts an empty one there, or one as it was when it was saved."""
        if how == "save":
            self.saved = dict(files.items)
            return
        if self.state.is_dir():
            self.gone += 1
            self.state.rename(self.state.with_name(f"gone-{self.gone}"))
        files.is_followed, files.items = False, {}
        if how == "remove":
            return
        self.state.mkdir(mode=0o700)
        os.chown(self.state, self.owner, self.owner)
        for name, item in self.saved.items() if how == "restore" else ():
            if item.kind == "file":
                if name.startswith(ARCHIVES):
                    self._make_archives()
                self._put(self.state / name, item)
                # Another file than the one that it was, and so another item.
                files.items[name] = item._replace()

    def _file(self, content):
        blob: Blob = self.registry.of(content)
        return Item("file", blob, 0o600, self.owner)


def _remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
