"""What a store's files are worth together. docs/FORMAT.md, "Files"; docs/PROTOCOL.md, "Changes" """

from files import ACCOUNT, NEXT, SLOTS, SLOTS_COPY, SPARE, bears, has_header
from watch import date

REPAIR = "`account doctor --repair`"


class Diagnosis:
    """Judges the files as they are now.

    `key` is a master key that is known already. `by_itself`: whether what opens the store without
    anybody being asked may do so. `held` is the account that the daemon holds, where that counts
    as the best spare.
    """

    def __init__(self, files, key=None, by_itself=True, held=None, is_replaced=False):
        self.standing = ("empty",)
        self.account = None
        self.key = None
        # The slots to open the store with, and whether keyslots.plist holds them.
        self.slots = None
        self.slots_in_place = False
        self.findings = files.findings()
        # What would mend the store: the name, the blob or None, whether what is there is kept.
        self.unfinished, self.planned = [], []
        self.is_adopting = False
        self._judge_next_slots(files)
        if self.slots is None:
            self._judge_slots(files)
        if self.slots:
            self._unlock(files, key, by_itself)
            if self.key:
                self._judge_account(files, None if is_replaced else held)

    @property
    def mendings(self):
        """All of them, in the order in which they are done."""
        return self.unfinished + self.planned

    def _finish(self, what, mendings):
        self.findings.append(f"{what}; {REPAIR} does")
        self.unfinished += mendings

    def _judge_next_slots(self, files):
        # Slots of a store that is begun anew: the account's header decides.
        if NEXT not in files.items or files.unreadable(NEXT):
            return
        if files.unreadable(ACCOUNT):
            return
        following, slots = files.read_slots(NEXT), files.read_slots(SLOTS)
        is_there = ACCOUNT in files.items
        account = files.items[ACCOUNT].blob if is_there else None
        if following[0] == "good" and is_there and bears(account, following[1].key):
            self.is_adopting = True
            self._finish(f"{NEXT} was not put into its place yet", adopting(following[1]))
            self.slots, self.slots_in_place = following[1], True
        elif following[0] == "good" or (slots[0] == "good" and (
                not is_there or not has_header(account)
                or any(bears(account, key) for key in slots[1].meaning.keys))):
            self._finish(f"{NEXT} belongs to no account and was not removed yet",
                         [(NEXT, None, False)])

    def _damaged(self, what):
        self.findings.append(what)
        if self.standing[0] != "damaged":
            self.standing = ("damaged", what)

    def _judge_slots(self, files):
        slots, copy = files.read_slots(SLOTS), files.read_slots(SLOTS_COPY)
        if slots[0] == "good":
            self.slots, self.slots_in_place = slots[1], True
            if copy == slots:
                return
            how = {"absent": "is missing", "good": "differs from keyslots.plist"}.get(copy[0])
            self.findings.append(f"{SLOTS_COPY} {how or copy[1]}; {REPAIR} makes it again")
            self.planned.append((SLOTS_COPY, slots[1], False))
        elif slots[0] == "bad" and copy[0] == "good":
            self._damaged(f"{SLOTS} {slots[1]}; {REPAIR} brings it back from its copy")
            self.planned.append((SLOTS, copy[1], True))
            self.slots = copy[1]
        elif slots[0] == "bad":
            self._damaged(f"{SLOTS} {slots[1]}, and there is no good copy: "
                          "`account login --replace` begins anew and keeps it aside")
        elif files.is_sealed() and copy[0] == "good":
            self._damaged(f"{SLOTS} is missing; {REPAIR} brings it back from its copy")
            self.planned.append((SLOTS, copy[1], False))
            self.slots = copy[1]
        elif files.is_sealed():
            self._damaged(f"{SLOTS} is missing, and there is no good copy, though sealed files "
                          "are there: put it back, or `account login --replace` begins anew")

    def _unlock(self, files, key, by_itself):
        meaning = self.slots.meaning
        # A key that is held opens them, whatever becomes of the key file.
        if key is meaning.key:
            self.key = key
        # One that cannot be locked was not: it has come into the place of one that was.
        if (by_itself or not meaning.asks) and meaning.of("keyfile"):
            self._try_key_file(files, meaning)
        if self.key is None:
            if self.standing == ("empty",):
                self.standing = ("locked",)
            if self.standing == ("locked",) and meaning.asks:
                self.findings.append("the store is locked: `account unlock` opens it")
        elif meaning.retired:
            count = len(meaning.retired)
            self.findings.append(
                f"{SLOTS} keeps {count} earlier master {'key' if count == 1 else 'keys'}, by which "
                "files may still be sealed; `account key rotate` looks, and forgets what it can")

    def _try_key_file(self, files, meaning):
        found = files.read_key()
        where = f"the key file {files.key_path}"
        if found[0] == "read" and meaning.opens("keyfile", found[1]):
            self.key = meaning.key
            return
        self.findings.append({
            "absent": f"{where} is missing; put it back",
            "read": f"{where} is not the one that opens this store"}.get(found[0]) or found[2])

    def _judge_account(self, files, held):
        keys = self.slots.meaning.keys
        previous = ("absent",) if self.is_adopting else files.read_account(SPARE, keys)
        current = files.read_account(ACCOUNT, keys)
        spare = None
        if previous[0] == "bad":
            self.findings.append(
                f"{previous[1]}; it is a spare, and the next login replaces it")
        elif previous[0] == "good":
            spare = ("the previous generation", previous[1], files.items[SPARE].blob)
        if held and held.key in keys:
            spare = ("the account that the daemon holds", held.meaning, held)
        if current[0] == "good":
            if previous[0] == "good" and previous[1].uid != current[1].uid:
                self._finish(f"{SPARE} is of another user and was not removed yet",
                             [(SPARE, None, False)])
            if self.standing == ("empty",):
                self.account, self.standing = files.items[ACCOUNT].blob, ("present",)
            return
        if current[0] == "absent" and spare is None:
            return
        fault = f"{ACCOUNT} is missing" if current[0] == "absent" else current[1]
        if spare is None:
            self._damaged(f"{fault}, and there is no previous generation: "
                          "log in again with `account login --replace`")
            return
        what, account, blob = spare
        self._damaged(f"{fault}; {REPAIR} brings back {what}, of uid {account.uid}, whose token "
                      f"expires {date(account.expires_at)}")
        self.planned.append((ACCOUNT, blob, current[0] == "bad"))


def adopting(slots):
    """What is left to do of a store that was begun anew, once its account stands."""
    return [(SPARE, None, False), (SLOTS_COPY, slots, True), (SLOTS, slots, True),
            (NEXT, None, False)]
