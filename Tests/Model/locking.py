"""Lock and Unlock in the model, and what is held against whoever guesses."""

from replies import Waits, answer, invalid_field, own
from unknown import NoCode, bytes_of

FIRST_DELAY, LONGEST_DELAY = 500, 10_000
LONGEST_PASSPHRASE = 1024
# The reply of a call that had nothing to do, and so did not use the store.
NOTHING = object()


class Locking:
    """The methods that open and shut the store; beside `Changes`."""

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

    def use(self):
        """The store is used, whatever comes of it."""
        self.used_at = self.boottime

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
        if self.key and self.standing[0] == "damaged":
            self.refuse_standing()
        if self.key or self.standing[0] == "empty":
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
            kind, secret = "passphrase", passphrase_of(passphrase)
        else:
            kind, secret = "recovery", code_of(code)
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


def _delay(failures):
    return min(LONGEST_DELAY, FIRST_DELAY << min(failures, 10))


def passphrase_of(text):
    """What may be one."""
    if not text:
        raise invalid_field("passphrase", "is empty")
    if len(text.encode()) > LONGEST_PASSPHRASE:
        raise invalid_field("passphrase", f"is longer than {LONGEST_PASSPHRASE} bytes")
    return text


def code_of(text):
    """The bytes of a code that was typed."""
    try:
        return bytes_of(text)
    except NoCode as why:
        raise invalid_field("recovery_code", str(why)) from None
