"""What a change does to the store's files, step by step. docs/FORMAT.md, "Writing" """

from files import ACCOUNT, LINKS_ARE_PROTECTED, MAXIMUM_FILE, SLOTS, SLOTS_COPY, SPARE, Item

EPERM, EACCES, EISDIR, EFBIG, ELOOP, ESTALE = 1, 13, 21, 27, 40, 116
ERRORS = {EPERM: "Operation not permitted (EPERM)", EACCES: "Permission denied (EACCES)",
          EISDIR: "Is a directory (EISDIR)", EFBIG: "File too large (EFBIG)",
          ELOOP: "Too many symbolic links (ELOOP)"}


class Failed(Exception):
    """The system refused, and nothing was changed."""

    def __init__(self, errno, message):
        super().__init__(message)
        self.errno = errno
        self.message = message


class InPlace(Failed):
    """The change stands, and something beside it failed."""


class Writing:
    """The files are `self.files`."""

    def _save(self, blob, previous, slots, new_key_file, sets_aside, expected):
        self._follow()
        files = self.files
        before = files.state()
        if expected:
            self._confirm_slots(slots)
        if new_key_file:
            files.key_file = Item("file", new_key_file, 0o600, files.owner)
            files.step()
        try:
            if sets_aside:
                self._set_aside(SLOTS)
                self._set_aside(SLOTS_COPY)
            if not expected:
                self._write_slots(slots)
            self._write_account(blob, previous)
        except InPlace:
            raise
        except Failed:
            if sets_aside:
                # The old slots go back; the new key file stays.
                for name in (SLOTS, SLOTS_COPY):
                    files.items.pop(name, None)
                    if name in before[0]:
                        files.items[name] = before[0][name]
                for name in set(files.items) - set(before[0]):
                    if name.startswith(SLOTS) and ".damaged-" in name:
                        del files.items[name]
            raise

    def _confirm_slots(self, slots):
        item = self.files.items.get(SLOTS)
        where = f"{self.files.path}/{SLOTS}"
        if item is None:
            self._write_slots(slots)
        elif error := self._read_error(item):
            raise Failed(error, f"{where} cannot be read: {ERRORS[error]}; nothing was stored")
        elif item.blob is not slots:
            raise Failed(
                ESTALE, f"{where} is not what it was when the store was read: `account doctor` "
                        "says what is wrong with it; nothing was stored")

    def _read_error(self, item):
        """What the system says to a read of it; None where it gives the bytes."""
        if item.kind != "file":
            return EISDIR if item.kind == "directory" else ELOOP
        if self.files.is_kept_from(item):
            return EACCES
        return EFBIG if len(item.blob.content or b"") > MAXIMUM_FILE else None

    def _write_slots(self, slots):
        self._write(SLOTS_COPY, slots)
        self._write(SLOTS, slots)

    def _write(self, name, blob):
        if self._is_directory(name):
            raise Failed(EISDIR, f"{self.files.path}/{name}: cannot replace the file: "
                                 f"{ERRORS[EISDIR]}")
        self.files.put(name, blob)

    def _is_directory(self, name):
        item = self.files.items.get(name)
        return item is not None and item.kind == "directory"

    def _write_account(self, blob, previous):
        files = self.files
        if previous is not None:
            item = files.items.get(ACCOUNT)
            if item and not self._read_error(item) and item.blob is previous:
                if self._is_directory(SPARE):
                    raise self._unchanged("cannot keep the previous file", EISDIR)
                files.items[SPARE] = item
                files.step()
            else:
                self._set_aside(ACCOUNT)
        if self._is_directory(ACCOUNT):
            raise self._unchanged("cannot replace the file", EISDIR)
        files.put(ACCOUNT, blob)
        if previous is None:
            if self._is_directory(SPARE):
                # It is stored all the same.
                raise InPlace(
                    EISDIR, "the account is stored; the previous one could not be removed from "
                            f"{files.path}/{SPARE}: {ERRORS[EISDIR]}")
            files.remove(SPARE)

    def _unchanged(self, step, errno):
        return Failed(errno, f"{self.files.path}/{ACCOUNT}: {step}: {ERRORS[errno]}; what was "
                             "stored before is unchanged")

    def _set_aside(self, name):
        item = self.files.items.get(name)
        if item is None:
            return
        # Directories have no second name, nor do other users' files. protected_hardlinks, proc(5)
        if item.kind == "directory" or (self.files.is_kept_from(item) and LINKS_ARE_PROTECTED):
            raise Failed(EPERM, f"{self.files.path}/{name} cannot be kept aside: {ERRORS[EPERM]}")
        time = self.realtime
        while f"{name}.damaged-{time}" in self.files.items:
            time += 1
        self.files.items[f"{name}.damaged-{time}"] = item
        self.files.step()
