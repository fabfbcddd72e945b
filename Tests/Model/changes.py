"""What changes the store, in the model: Login, UpdateProfile, Logout, Verify, Repair."""

from diagnosis import Diagnosis
from fields import avatar_fault, check, expiry, name_fault, token_fault, uid_fault
from files import ACCOUNT, SPARE, TEMPORARY, Account, Blob
from replies import answer, invalid_field, invalid_parameter, own
from slots import Key, Slot, SlotList
from watch import Watch
from writing import EISDIR, ERRORS, ESTALE, Failed, InPlace, Writing, store_failed


class Changes(Writing):
    """The methods that read or write the store."""

    # MARK: The store

    def load(self, key=None, by_itself=False):
        """Takes over what the files hold, opened with a key that is known or by itself."""
        found = Diagnosis(self.files, key or self.key, by_itself or not self.locked_on_purpose)
        self._hold(found.account)
        self.standing = found.standing
        self.slots, self.slots_in_place = found.slots, found.slots_in_place
        if found.key:
            self._opened(found.key)
        else:
            self.key = None
        return found

    def _opened(self, key):
        if self.key is None:
            self.opened_at = self.used_at = self.boottime
        self.key, self.locked_on_purpose = key, False

    def restart(self):
        """Another daemon on the same store."""
        self.key = self.watch = self.locked_watch = None
        self.is_replaced = self.locked_on_purpose = False
        self.penalties = {}
        self.files.is_followed = True
        for name in [name for name in self.files.items if TEMPORARY.fullmatch(name)]:
            del self.files.items[name]
        found = self.load()
        try:
            self.mend(found.unfinished)
        except Failed:
            pass

    def _hold(self, blob):
        # What was known of a token's end outlives that the store is locked.
        earlier, self.held = self.watch or self.locked_watch, blob
        self.watch = Watch(blob.meaning) if blob else None
        if earlier and self.watch:
            self.watch.learn(earlier)
        self.look()

    def _follow(self):
        """Goes where the path leads now."""
        if not self.files.is_followed:
            self.files.is_followed = self.is_replaced = True

    def _diagnose(self):
        """(the diagnosis, whether another directory was read than before)."""
        self._follow()
        replaced, self.is_replaced = self.is_replaced, False
        return Diagnosis(self.files, self.key, not self.locked_on_purpose, self.held,
                         replaced), replaced

    def verify(self, given):
        """Reads the files as they are."""
        given.refuse_others()
        self.use()
        found, replaced = self._diagnose()
        if replaced:
            self.load()
        return answer(findings=found.findings)

    def repair(self, given):
        """Brings back what Verify finds damaged, and loads the store again."""
        given.refuse_others()
        self.use()
        found, replaced = self._diagnose()
        if replaced:
            self.load()
        try:
            self.mend(found.mendings)
        except Failed as failure:
            raise store_failed(failure) from None
        self.load()
        if self.standing[0] == "empty":
            return answer()
        if self.standing[0] != "present":
            self.refuse_standing()
        return self.with_account()

    # MARK: Logging in

    def login(self, given):
        """Stores an account."""
        values = {name: given.text(name) for name in (
            "access_token", "uid", "refresh_token", "screen_name", "avatar_large")}
        times = {name: given.integer(name) for name in ("expires_in", "issued_at", "expires_at")}
        replaces = given.boolean("replace") or False
        given.refuse_others()
        for name in ("access_token", "uid"):
            if values[name] is None:
                raise invalid_parameter(name)
        check("access_token", values["access_token"], token_fault)
        check("uid", values["uid"], uid_fault)
        times = expiry(times, self.realtime)
        for name, fault in (("refresh_token", token_fault), ("screen_name", name_fault),
                            ("avatar_large", avatar_fault)):
            if values[name] is not None:
                check(name, values[name], fault)
        account = Account(
            values["access_token"], values["uid"], values["refresh_token"],
            values["screen_name"] or None, values["avatar_large"] or None, **times)
        if self.key is None:
            self._follow()
            self.is_replaced = False
            self.load()
        kept = {}
        if self._may_replace(account.uid, replaces):
            if not replaces:
                self._refuse_expired(account)
            kept = {name: getattr(self.held.meaning, name)
                    for name in ("screen_name", "avatar_large") if values[name] is None}
            previous = self.held
        else:
            previous = None
        return self._store(account._replace(**kept), previous)

    def updateprofile(self, given):
        """Changes what is given of the profile."""
        values = {name: given.text(name) for name in ("screen_name", "avatar_large")}
        given.refuse_others()
        self.remaining()
        account = self.held.meaning
        for name, fault in (("screen_name", name_fault), ("avatar_large", avatar_fault)):
            if values[name] is not None:
                check(name, values[name], fault)
                account = account._replace(**{name: values[name] or None})
        return self._store(account, self.held)

    def _may_replace(self, uid, replaces):
        """Whether what is stored stays as the previous generation."""
        if self.standing[0] == "empty":
            return False
        if self.standing[0] == "present":
            stored = self.held.meaning.uid
            if stored == uid:
                return True
            if not replaces:
                raise own("AccountExists", "account-exists", uid=stored)
        elif not replaces:
            self.refuse_standing()
        return False

    def _refuse_expired(self, account):
        if account.expires_at <= self.realtime < self.held.meaning.expires_at:
            raise invalid_field(
                "expires_at", "has passed, and the token that is stored is still good (with "
                              "replace it is stored all the same)")

    def _store(self, account, previous):
        self.use()
        key, slots, new_key_file, how = self.key, self.slots, None, "expected"
        if key is None:
            found = self.files.read_key()
            if found[0] == "unusable":
                raise own("StoreFailed", "failed", errno=found[1], message=found[2])
            how = "first" if self.standing[0] == "empty" else "anew"
            new_key_file = Blob("key file") if found[0] == "absent" else None
            key = Key()
            slots = self._slots_blob(key, (Slot("keyfile", new_key_file or found[1],
                                                self.realtime),))
        elif not self.slots_in_place:
            how = "from the copy"
        blob = Blob("account", account, key)
        try:
            self._save(blob, previous, slots, new_key_file, how)
            failed = None
        except InPlace as failure:
            failed = failure
        except Failed as failure:
            raise store_failed(failure) from None
        self._hold(blob)
        if key is not self.key:
            self._opened(key)
        self.slots, self.slots_in_place = slots, True
        self.standing = ("present",)
        self.is_replaced = False
        if failed:
            raise store_failed(failed)
        return self.with_account()

    def _slots_blob(self, key, slots, retired=()):
        # The same slots under the same keys are the same bytes, too.
        same = key, frozenset(slots), tuple(retired)
        if same not in self.lists:
            self.lists[same] = Blob("slots", SlotList(key, tuple(slots), tuple(retired)), key)
        return self.lists[same]

    # MARK: Logging out

    def logout(self, given):
        """Removes the account's files, previous ones first."""
        wanted = given.text("if_uid")
        given.refuse_others()
        if self.standing[0] == "empty":
            self.refuse_standing()
        uid = self.held.meaning.uid if self.held else None
        if self.standing[0] != "present" and wanted is not None:
            self.refuse_standing()
        if uid is not None and wanted is not None and wanted != uid:
            raise own("AccountExists", "account-exists", uid=uid)
        self.use()
        self._follow()
        if self.is_replaced and (ACCOUNT in self.files.items or SPARE in self.files.items):
            raise own("StoreFailed", "failed", errno=ESTALE,
                      message=f"{self.files.path} was replaced, and an account is stored there "
                              "that was not read yet: `account doctor` reads it; nothing was "
                              "removed")
        asides = [name for name in self.files.items if name.startswith(f"{ACCOUNT}.damaged-")]
        for name in (SPARE, *asides, ACCOUNT):
            if self._is_directory(name):
                raise own("StoreFailed", "failed", errno=EISDIR,
                          message=f"{self.files.path}: {ERRORS[EISDIR]}; the account is still "
                                  "stored")
            self.files.remove(name)
        could_be_opened = self.standing[0] == "present"
        self._hold(None)
        if could_be_opened or (self.standing[0] == "damaged" and self.key and self.slots_in_place):
            self.standing = ("empty",)
        if not could_be_opened:
            self.is_replaced = False
            self.load()
        return answer(**({} if uid is None else {"uid": uid}))
