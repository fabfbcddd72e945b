"""The methods of org.accountd.Keys in the model."""

import re

from files import ARCHIVES, SPARE, TEMPORARY, Blob, bears
from locking import code_of, passphrase_of
from replies import answer, invalid_field, invalid_parameter, of_keys, own
from slots import MAXIMUM_RETIRED, MAXIMUM_SLOTS, Key, Slot
from unknown import Code, Id, Listing
from watch import date
from writing import Failed, InPlace, store_failed

LONGEST_NAME = 180
KINDS = ("passphrase", "credential", "keyfile", "recovery")
_SEALS_ANEW = "; the slots are changed; `account key rotate` seals the account anew"


def member(slot):
    """`Slot`."""
    return {"id": Id(slot), "kind": slot.kind, "created": slot.created,
            "created_date": date(slot.created)}


class Keys:
    """What lists and changes the slots; beside `Changes`."""

    def listslots(self, given):
        """The slots as they stand."""
        given.refuse_others()
        if self.slots is None:
            if self.standing[0] == "damaged":
                self.refuse_standing()
            return answer(slots=[], retired=[])
        meaning = self.slots.meaning
        return answer(slots=Listing(meaning.slots, ("created", "id"), member),
                      key_id=Id(meaning.key), retired=[Id(key) for key in meaning.retired])

    def newrecoverycode(self, given):
        """A code that opens nothing yet."""
        given.refuse_others()
        return answer(recovery_code=Code())

    def addslot(self, given):
        """One more secret; a passphrase takes the place of key files."""
        kind, passphrase, code = (
            given.text(name) for name in ("kind", "passphrase", "recovery_code"))
        keeps = given.boolean("keep_keyfile") or False
        given.refuse_others()
        _check_parameters(kind, passphrase, code)
        self._require_open()
        if self.slots and len(self.slots.meaning.slots) >= MAXIMUM_SLOTS:
            raise of_keys("TooManySlots")
        secret = passphrase_of(passphrase) if kind == "passphrase" else None
        secret = code_of(code) if kind == "recovery" else secret
        self.use()
        self._follow()
        if self.is_replaced or self.key is None:
            # It may be another store by now, or one where there was none.
            self.is_replaced = False
            self.load()
            self._require_open()
        old = self.slots.meaning.slots if self.slots else ()
        removed, new_key_file, removes_key_file = [], None, False
        if kind == "passphrase" and not keeps:
            removed = [slot for slot in old if slot.kind == "keyfile"]
            found = self.files.read_key()
            removes_key_file = found[0] == "read" and any(
                slot.secret is found[1] for slot in removed)
        elif kind == "recovery" and self.slots and self.slots.meaning.opens(kind, secret):
            raise invalid_field("recovery_code", "opens the store already")
        elif kind == "credential":
            raise invalid_field("kind", "is credential, and the service manager passed none named "
                                        "accountd.key")
        elif kind == "keyfile":
            found = self.files.read_key()
            if found[0] == "unusable":
                raise own("StoreFailed", "failed", errno=found[1], message=found[2])
            new_key_file = Blob("key file") if found[0] == "absent" else None
            secret = new_key_file or found[1]
            if any(slot.secret is secret for slot in old):
                raise invalid_field("kind", "is keyfile, and a slot for it is there")
        slot = Slot(kind, secret, self.realtime)
        self._change_slots([each for each in old if each not in removed] + [slot],
                           bool(removed), new_key_file, removes_key_file)
        self.done["slots added"] += 1
        self.done["key files replaced"] += bool(removed)
        return answer(slot=member(slot), removed=Listing(removed, ("id",), member))

    def removeslot(self, given):
        """By the first digits of its id."""
        wanted, rotates = given.text("id"), given.boolean("rotate")
        given.refuse_others()
        if wanted is None:
            raise invalid_parameter("id")
        self._require_open()
        wanted = wanted.lower() if re.fullmatch("[0-9a-fA-F]{1,16}", wanted) else ""
        old = self.slots.meaning.slots if self.slots else ()
        found = [slot for slot in old if slot.id and slot.id.hex().startswith(wanted)]
        if len(found) != 1 or not wanted:
            raise of_keys("NoSuchSlot", id=wanted)
        if len(old) == 1:
            raise of_keys("LastSlot")
        self._change_slots([slot for slot in old if slot is not found[0]], rotates is not False)
        self.done["slots removed"] += 1
        return answer(removed=member(found[0]))

    def rotate(self, given):
        """Another master key."""
        given.refuse_others()
        self._require_open()
        if self.slots is None:
            raise own("NoAccount", "no-account")
        if len(self.slots.meaning.retired) >= MAXIMUM_RETIRED:
            # Those that nothing is sealed by make room.
            self.use()
            self._seal_anew()
            self._forget_retired()
        self._change_slots(self.slots.meaning.slots, True)
        meaning = self.slots.meaning
        return answer(key_id=Id(meaning.key), retired=[Id(key) for key in meaning.retired])

    def finishrotation(self, given):
        """What is left of rotations. With nothing left it is no use of the store."""
        given.refuse_others()
        self._require_open()
        if self.slots is None:
            raise own("NoAccount", "no-account")
        seals_anew = self.held and self.held.key is not self.key
        if seals_anew or self.slots.meaning.retired:
            self.use()
            self._follow()
            if not seals_anew:
                self._clear_archives()
            if seals_anew or self.held and self._spare_bears():
                self._seal_anew(left="")
                self.done["accounts sealed anew at the end"] += 1
            before = len(self.slots.meaning.retired)
            self._forget_retired()
            self.done["keys forgotten at the end"] += before - len(self.slots.meaning.retired)
        meaning = self.slots.meaning
        return answer(key_id=Id(meaning.key), retired=[Id(key) for key in meaning.retired])

    def _spare_bears(self):
        """Whether the previous generation is sealed by an earlier key, so that it goes as well."""
        retired = self.slots.meaning.retired
        spare = self.files.items.get(SPARE)
        # Where one file cannot be looked into nothing is known of any.
        return spare is not None and spare.kind == "file" and self.files.can_be_told() and any(
            bears(spare.blob, key) for key in retired)

    def derivearchivekey(self, given):
        """The key of one archive."""
        name, key_id = given.text("name"), given.text("key_id")
        given.refuse_others()
        if name is None:
            raise invalid_parameter("name")
        if not name:
            raise invalid_field("name", "is empty")
        if len(name.encode()) > LONGEST_NAME:
            raise invalid_field("name", f"is longer than {LONGEST_NAME} bytes")
        if key_id is not None and not re.fullmatch("[0-9a-fA-F]{32}", key_id):
            raise invalid_field("key_id", "is not 32 hexadecimal digits")
        self._require_open()
        if self.slots is None:
            raise own("NoAccount", "no-account")
        key = self.slots.meaning.key
        if key_id is not None:
            keys = [key for key in self.slots.meaning.keys
                    if key.id and key.id.hex() == key_id.lower()]
            if not keys:
                raise of_keys("NoSuchKey", key_id=key_id.lower())
            [key] = keys
            self.done["keys by id"] += 1
        self.done["earlier keys used"] += key is not self.slots.meaning.key
        return answer(key=Id(key.archive_key(name)), key_id=Id(key))

    def _require_open(self):
        if self.standing[0] in ("damaged", "locked"):
            self.refuse_standing()

    # MARK: Changing them. docs/FORMAT.md, "Rotation"

    def _change_slots(self, slots, rotates, new_key_file=None, removes_key_file=False):
        """Step by step; what was done stays done where a later step fails."""
        old = self.slots
        if old and len(old.meaning.slots) >= MAXIMUM_SLOTS and not set(slots) <= set(
                old.meaning.slots):
            raise of_keys("TooManySlots")
        retired = old.meaning.retired if old else ()
        key = self.key
        if rotates:
            if len(retired) >= MAXIMUM_RETIRED:
                raise of_keys("TooManyRetiredKeys")
            key, retired = Key(), (*retired, key)
        self.use()
        blob = self._slots_blob(key or Key(), slots, retired)
        try:
            self._save_slots(blob, old, new_key_file)
        except Failed as failure:
            raise store_failed(failure) from None
        self.slots, self.slots_in_place = blob, True
        self._opened(blob.meaning.key)
        self.done["rotations"] += rotates
        # What an earlier change has left to do is done with this one.
        if rotates or self.held and self.held.key is not self.key:
            self._seal_anew()
        self._forget_retired()
        if removes_key_file:
            self.files.key_file = None
            self.files.step()

    def _seal_anew(self, left=_SEALS_ANEW):
        if self.held is None:
            return
        blob, failed = Blob("account", self.held.meaning, self.key), None
        try:
            self._save(blob, None, self.slots, None, "expected")
        except InPlace as failure:
            failed = failure
        except Failed as failure:
            raise store_failed(failure, left) from None
        self._hold(blob)
        self.is_replaced = False
        if failed:
            raise store_failed(failed, left)

    def _clear_archives(self):
        """Removes what killed writers of archives have left; nobody writes meanwhile."""
        for name in [*self.files.items]:
            if name.startswith(ARCHIVES) and TEMPORARY.fullmatch(name.removeprefix(ARCHIVES)):
                self.files.remove(name)
                self.done["dead temporaries removed"] += 1

    def _forget_retired(self):
        meaning = self.slots.meaning
        if meaning.retired:
            self._follow()
            self._clear_archives()
        # Looked at again without those that a file bears, since it is all or nothing.
        borne = self.files.borne(meaning.retired)
        left = [key for key in meaning.retired if key not in borne]
        if not left:
            return
        blob = self._slots_blob(meaning.key, meaning.slots, borne)
        try:
            self._save_slots(blob, self.slots)
        except Failed as failure:
            raise store_failed(failure) from None
        self.slots = blob


def _check_parameters(kind, passphrase, code):
    """Each kind wants its own parameter, and no other."""
    if kind is None:
        raise invalid_parameter("kind")
    if kind not in KINDS:
        raise invalid_field("kind", "is none of passphrase, credential, keyfile and recovery")
    given = {"passphrase": passphrase, "recovery_code": code}
    needs = {"passphrase": "passphrase", "recovery": "recovery_code"}
    if kind in needs and given[needs[kind]] is None:
        raise invalid_parameter(needs[kind])
    for owner, name in needs.items():
        if kind != owner and given[name] is not None:
            raise invalid_field(name, f"goes with the kind {owner} alone")
