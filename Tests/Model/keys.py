"""What opens the store, in the model: Lock, Unlock, and the methods of org.accountd.Keys."""

import re

from files import Blob
from replies import Waits, answer, invalid_field, invalid_parameter, of_keys, own
from slots import MAXIMUM_RETIRED, MAXIMUM_SLOTS, Key, Slot
from unknown import Code, Id, Listing, NoCode, bytes_of
from watch import date
from writing import Failed, InPlace, store_failed

KINDS = ("passphrase", "credential", "keyfile", "recovery")
FIRST_DELAY, LONGEST_DELAY = 500, 10_000
LONGEST_PASSPHRASE = 1024
# The reply of a call that had nothing to do, and so did not use the store.
NOTHING = object()


def member(slot):
    """`Slot`."""
    return {"id": Id(slot), "kind": slot.kind, "created": slot.created,
            "created_date": date(slot.created)}


class Keys:
    """The methods that concern the key; beside `Changes`."""

    # MARK: Locking

    def lock(self, given):
        """On demand."""
        given.refuse_others()
        if self.lock_store() == "refused":
            raise own("OpensByItself", "refused", protection=self.protection())
        return NOTHING

    def lock_store(self):
        """Forgets the key and the account. "done", "nothing" or "refused"."""
        if self.key is None:
            return "nothing"
        if not self.slots.meaning.asks:
            return "refused"
        self.locked_watch = self.watch or self.locked_watch
        self.forget_secrets()
        self.locked_on_purpose = True
        if self.standing[0] != "damaged":
            self.standing = ("locked",)
        self.done["locks"] += 1
        return "done"

    def forget_secrets(self):
        """What is held no more once the store is locked."""
        self.held = self.watch = self.key = None

    def lock_if_due(self):
        """Locks the store if its time is up."""
        idle, after = self.lock_times
        if self.key and self.slots.meaning.asks and (
                idle is not None and self.boottime >= self.used_at + 1000 * idle
                or after is not None and self.boottime >= self.opened_at + 1000 * after):
            self.lock_store()
            self.done["locks by time"] += 1

    def protection(self):
        """`Status.protection`."""
        return self.slots.meaning.protection if self.slots else []

    # MARK: Unlocking

    def unlock(self, given):
        """By a secret, or by what needs nobody."""
        passphrase, code = given.text("passphrase"), given.text("recovery_code")
        given.refuse_others()
        if passphrase is not None and code is not None:
            raise invalid_field("recovery_code",
                                "is given beside passphrase; give one of them")
        if self.key or (self.standing[0] == "empty" and self.slots is None):
            return NOTHING
        key = None
        if passphrase is not None or code is not None:
            key = self._key_by(passphrase, code)
        self._follow()
        self.is_replaced = False
        self.load(key, by_itself=key is None)
        if self.standing[0] in ("locked", "damaged"):
            self.refuse_standing()
        self.done["unlocks"] += 1
        return answer()

    def _key_by(self, passphrase, code):
        if self.slots is None:
            self.refuse_standing()
        failures, end = self.penalties.get(self.caller, (0, 0))
        if end > self.boottime:
            raise Waits(end)
        if passphrase is not None:
            kind, secret = "passphrase", _passphrase(passphrase)
        else:
            kind, secret = "recovery", _code(code)
        if not self.is_right(kind, secret):
            if not self.slots.meaning.of(kind):
                field, name = (("passphrase", "passphrase") if kind == "passphrase"
                               else ("recovery_code", "recovery code"))
                raise invalid_field(field, f"opens nothing: this store has no {name}")
            end = self.boottime + _delay(failures)
            self.penalties = {**self.penalties, self.caller: (failures + 1, end)}
            self.done[f"wrong {kind}"] += 1
            refusal = own("WrongKey", "wrong-key", retry_after_ms=_delay(failures + 1))
            refusal.time = end
            raise refusal
        self.penalties = {uid: each for uid, each in self.penalties.items() if uid != self.caller}
        self.done[f"right {kind}"] += 1
        return self.slots.meaning.key

    def is_right(self, kind, secret):
        """Whether a secret opens the slots."""
        return self.slots.meaning.opens(kind, secret)

    # MARK: Slots

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
        secret = _passphrase(passphrase) if kind == "passphrase" else None
        secret = _code(code) if kind == "recovery" else secret
        self._follow()
        old = self.slots.meaning.slots if self.slots else ()
        removed, new_key_file, removes_key_file = [], None, False
        if kind == "passphrase" and not keeps:
            removed = [slot for slot in old if slot.kind == "keyfile"]
            found = self.files.read_key()
            removes_key_file = found[0] == "read" and any(
                slot.secret is found[1] for slot in removed)
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
        self._change_slots(self.slots.meaning.slots, True)
        meaning = self.slots.meaning
        return answer(key_id=Id(meaning.key), retired=[Id(key) for key in meaning.retired])

    def _require_open(self):
        if self.standing[0] in ("damaged", "locked"):
            self.refuse_standing()

    # MARK: Changing them. docs/FORMAT.md, "Rotation"

    def _change_slots(self, slots, rotates, new_key_file=None, removes_key_file=False):
        """Step by step; what was done stays done where a later step fails."""
        old = self.slots
        retired = old.meaning.retired if old else ()
        key = self.key
        if rotates:
            if len(retired) >= MAXIMUM_RETIRED:
                raise of_keys("TooManyRetiredKeys")
            key, retired = Key(), (*retired, key)
        blob = self._slots_blob(key or Key(), slots, retired)
        try:
            self._save_slots(blob, old, new_key_file)
        except Failed as failure:
            raise store_failed(failure) from None
        self.slots, self.slots_in_place = blob, True
        self._opened(blob.meaning.key)
        if rotates:
            self.done["rotations"] += 1
            self._seal_anew()
            self._forget_retired()
        if removes_key_file:
            self.files.key_file = None
            self.files.step()

    def _seal_anew(self):
        if self.held is None:
            return
        blob, failed = Blob("account", self.held.meaning, self.key), None
        try:
            self._save(blob, None, self.slots, None, "expected")
        except InPlace as failure:
            failed = failure
        except Failed as failure:
            raise store_failed(failure, _SEALS_ANEW) from None
        self._hold(blob)
        self.is_replaced = False
        if failed:
            raise store_failed(failed, _SEALS_ANEW)

    def _forget_retired(self):
        meaning = self.slots.meaning
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


_SEALS_ANEW = "; the slots are changed; `account key rotate` seals the account anew"


def _delay(failures):
    return min(LONGEST_DELAY, FIRST_DELAY << min(failures, 10))


def _passphrase(text):
    if not text:
        raise invalid_field("passphrase", "is empty")
    if len(text.encode()) > LONGEST_PASSPHRASE:
        raise invalid_field("passphrase", f"is longer than {LONGEST_PASSPHRASE} bytes")
    return text


def _code(text):
    try:
        return bytes_of(text)
    except NoCode as why:
        raise invalid_field("recovery_code", str(why)) from None


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
