"""What a change does to the store's files, step by step. docs/FORMAT.md, "Writing" """

from diagnosis import adopting
from files import (
    ACCOUNT, LINKS_ARE_PROTECTED, MAXIMUM_FILE, NEXT, SLOTS, SLOTS_COPY, SPARE, Item)
from replies import own

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


def store_failed(failure, left=""):
    """The error that tells of it, and of what is left to do."""
    return own("StoreFailed", "failed", errno=failure.errno, message=failure.message + left)


class Writing:
    """The files are `self.files`."""

    def _save(self, blob, previous, slots, new_key_file, how):
        """Writes an account. `how` its slots come: expected, first, from the copy, anew."""
        self._follow()
        files = self.files
        if how == "expected":
            self._confirm_slots(slots)
        if new_key_file:
            files.key_file = Item("file", new_key_file, 0o600, files.owner)
            files.step()
        if how in ("first", "from the copy"):
            self._write_slots(slots, keeps=how == "from the copy")
        if how == "anew":
            self._write(NEXT, slots)
        try:
            self._write_account(blob, previous, how)
        except InPlace:
            raise
        except Failed:
            if how == "anew":
                files.remove(NEXT)
            raise
        if how == "anew":
            try:
                self.mend(adopting(slots))
            except Failed as failure:
                raise InPlace(failure.errno, "the account is stored, and opens; its key slots wait "
                                             f"in {files.path}/{NEXT}: {failure.message}") from None

    def _save_slots(self, slots, previous, new_key_file=None):
        """Writes key slots in the place of others, or of none."""
        self._follow()
        if previous:
            self._confirm_slots(previous)
        else:
            for name in (SLOTS, ACCOUNT, NEXT):
                if name in self.files.items:
                    raise Failed(ESTALE, f"{self.files.path}/{name} was not there when the store "
                                         "was read: `account doctor` reads it; nothing was changed")
        if new_key_file:
            self.files.key_file = Item("file", new_key_file, 0o600, self.files.owner)
            self.files.step()
        try:
            self._write_slots(slots, keeps=False)
        except Failed:
            # The copy must not be newer than the slots.
            if previous and not self._is_directory(SLOTS_COPY):
                self._write(SLOTS_COPY, previous)
            raise

    def _confirm_slots(self, slots):
        if self._holds(NEXT, slots):
            self.mend(adopting(slots))
            return
        item = self.files.items.get(SLOTS)
        where = f"{self.files.path}/{SLOTS}"
        if item is None:
            self._write_slots(slots, keeps=False)
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

    def _write_slots(self, slots, keeps):
        self.mend([(SLOTS_COPY, slots, keeps), (SLOTS, slots, keeps)])

    def mend(self, mendings):
        """Puts blobs in their places, or removes what is there, but for what is done already."""
        for name, blob, keeps in mendings:
            if blob is None:
                if self._is_directory(name):
                    raise Failed(EISDIR, f"{self.files.path}/{name} cannot be removed: "
                                         f"{ERRORS[EISDIR]}")
                self.files.remove(name)
            elif not self._holds(name, blob):
                if keeps:
                    self._set_aside(name)
                self._write(name, blob)

    def _holds(self, name, blob):
        item = self.files.items.get(name)
        return item is not None and not self._read_error(item) and item.blob is blob

    def _write(self, name, blob):
        if self._is_directory(name):
            raise Failed(EISDIR, f"{self.files.path}/{name}: cannot replace the file: "
                                 f"{ERRORS[EISDIR]}")
        self.files.put(name, blob)

    def _is_directory(self, name):
        item = self.files.items.get(name)
        return item is not None and item.kind == "directory"

    def _write_account(self, blob, previous, how):
        files = self.files
        if previous is not None:
            if self._holds(ACCOUNT, previous):
                if self._is_directory(SPARE):
                    raise self._unchanged("cannot keep the previous file", EISDIR, how)
                files.items[SPARE] = files.items[ACCOUNT]
                files.step()
            else:
                self._set_aside(ACCOUNT)
        if self._is_directory(ACCOUNT):
            raise self._unchanged("cannot replace the file", EISDIR, how)
        files.put(ACCOUNT, blob)
        if previous is None and how != "anew":
            if self._is_directory(SPARE):
                # It is stored all the same.
                raise InPlace(
                    EISDIR, "the account is stored; the previous one could not be removed from "
                            f"{files.path}/{SPARE}: {ERRORS[EISDIR]}")
            files.remove(SPARE)

    def _unchanged(self, step, errno, how):
        but = f", but for {SLOTS}, which is brought back from its copy"
        return Failed(errno, f"{self.files.path}/{ACCOUNT}: {step}: {ERRORS[errno]}; what was "
                             f"stored before is unchanged{but if how == 'from the copy' else ''}")

    def _set_aside(self, name):
        item = self.files.items.get(name)
        if item is None:
            return
        # Directories have no second name, nor do other users' files. protected_hardlinks, proc(5)
        if item.kind == "directory" or (self.files.is_kept_from(item) and LINKS_ARE_PROTECTED):
            raise Failed(EPERM, f"{self.files.path}/{name} cannot be kept aside: {ERRORS[EPERM]}")
        # A change that was cut off may have given it a second name already.
        if any(other is item for kept, other in self.files.items.items()
               if kept.startswith(f"{name}.damaged-")):
            return
        time = self.realtime
        while f"{name}.damaged-{time}" in self.files.items:
            time += 1
        self.files.items[f"{name}.damaged-{time}"] = item
        self.files.step()
