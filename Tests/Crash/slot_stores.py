"""Changes of the key slots, the stores before them, and what must open those after a crash.

The account stays the same. What may not get lost is that it opens: by every slot that the list
names, to the daemon, and to the independent program (Tests/Python/store_opening.py), which reads
nothing but the files.
"""

import collections
import dataclasses
import os
import pathlib
import shutil
import sys

import archives
import stores
import wire
from stores import ANSWER, LEFT, LOST, OLD, REPAIR, Wrong

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Python"))
try:
    import sealed_format as form
    import store_opening as opening
except ImportError:
    # `archives.needs_the_independent_program` says so.
    form = opening = None

KEYS = "org.accountd.Keys"
PASSPHRASE = 'made-up passphrase \u00f1'
RECOVERY = bytes(range(20))
CODE = opening.recovery_code(RECOVERY) if opening else ""
CHANGED = "the slots are changed"
DOUBT = "a power cut may bring"


def secrets(place):
    """What people have: what they know, and the key file if it is there."""
    key = pathlib.Path(place) / "key"
    return {"passphrase": [PASSPHRASE.encode()], "recovery": [RECOVERY],
            "keyfile": [key.read_bytes()] if key.exists() else []}


# MARK: Templates


def _made(room, *kinds):
    """A store with slots of these kinds. A passphrase takes the place of the first key file."""
    archives.needs_the_independent_program()
    place = room.place("template-")
    daemon = room.daemon(state=place / "state", key=place / "key")
    for account in (stores.OLDER, OLD):
        daemon.call("Login", account.login(replace=True))
    for kind in kinds:
        daemon.call(f"{KEYS}.AddSlot", _slot(kind))
    daemon.end()
    for name in (stores.SOCKET, stores.LOCK):
        (place / "state" / name).unlink(missing_ok=True)
    return place


def _slot(kind):
    more = {"passphrase": {"passphrase": PASSPHRASE}, "recovery": {"recovery_code": CODE}}
    return {"kind": kind, **more.get(kind, {})}


def unlock(daemon, kind):
    """Opens the store by the secret of that kind."""
    given = {"passphrase": {"passphrase": PASSPHRASE}, "recovery": {"recovery_code": CODE}}
    reply = daemon.ask("Unlock", SlotOperation.answer_seconds, **given[kind])
    if "error" in reply:
        raise Wrong(LOST, f"by its {kind}: {reply}")


def with_key_file(room):
    """A key file alone."""
    return _made(room)


def with_passphrase_and_code(room):
    """No key file."""
    return _made(room, "passphrase", "recovery")


def with_code_alone(room):
    """A recovery code and nothing else: it opens in no time."""
    place = _made(room, "passphrase", "recovery")
    daemon = room.daemon(state=place / "state", key=place / "key")
    daemon.call("Unlock", {"recovery_code": CODE})
    slots = daemon.call(f"{KEYS}.ListSlots")["slots"]
    passphrase = next(slot["id"] for slot in slots if slot["kind"] == "passphrase")
    daemon.call(f"{KEYS}.RemoveSlot", {"id": passphrase})
    daemon.end()
    (place / "state" / stores.LOCK).unlink()
    return place


def with_all(room):
    """A passphrase, a code, and a key file that was added after them."""
    return _made(room, "passphrase", "recovery", "keyfile")


def with_archives(room):
    """Archives, one of them with a previous generation."""
    place = with_code_alone(room)
    for name, text in (("drafts", b"old"), ("drafts", b"made-up draft"), ("notes", b"note")):
        archives.write(place / "state", name, text, secrets(place))
    return place


def cut_off_in_a_rotation(room):
    """The list has a new master key and the one before; the account is sealed by that."""
    place = with_code_alone(room)
    state = place / "state"
    slots = opening.read_slots(state)
    before = opening.open_slot(slots, slots["slots"][0], secrets(place))
    random = os.urandom
    current, master_key = random(16), random(32)
    for slot in slots["slots"]:
        form.wrap_in_slot(slot, current, master_key, random)
    retired = [form.make_retired(slots["current"], before, master_key, random)]
    file = form.write_slots(form.make_slots(current, master_key, slots["slots"], retired))
    for name in (stores.SLOTS, stores.SLOTS_COPY):
        (state / name).write_bytes(file)
    return place


def with_archives_sealed_anew(room):
    """The key before is kept, and nothing is sealed by it any more."""
    place = with_archives(room)
    daemon = room.daemon(state=place / "state", key=place / "key")
    unlock(daemon, "recovery")
    daemon.call(f"{KEYS}.Rotate")
    daemon.end()
    (place / "state" / stores.LOCK).unlink()
    archives.seal_anew(place / "state", secrets(place))
    return place


# MARK: Operations


@dataclasses.dataclass
class SlotOperation:
    """A change of the slots; it has the face of `stores.Operation`."""
    name: str
    make: object
    method: str
    kinds: tuple
    parameters: dict = dataclasses.field(default_factory=dict)
    # Of the slot that is removed.
    removes: str = ""
    # Whether it is judged by Argon2id, several times: a few points of it take as long as many.
    is_slow: bool = False
    before: object = OLD
    after: object = OLD
    # On a machine that has other work Argon2id may take ten times as long.
    answer_seconds = 120
    derivation_seconds = 30

    def template(self, room):
        """The store before it."""
        place = self.make(room)
        slots = opening.read_slots(place / "state")
        self.first = slots
        for slot in slots["slots"]:
            if slot["kind"] == self.removes:
                self.parameters = {"id": slot["id"].hex()}
        return place

    def prepare(self, daemon):
        """Opens the store where it does not open by itself, by the code if there is one."""
        status = daemon.status()
        if status["state"] == "locked":
            unlock(daemon, "recovery" if "recovery" in status["protection"] else "passphrase")

    def begin(self, peer):
        """Asks for it."""
        peer.sendall(wire.message(f"{KEYS}.{self.method}", self.parameters))

    # MARK: What must stand after it, or after its half

    def judge(self, room, place, answer, message, power_was_cut):
        """Throws Wrong unless the store opens by each slot and the change can be finished."""
        slots = self._list(place)
        self._is_what_was_answered(slots, answer, message, power_was_cut)
        opens_by_each(place, slots)
        for kind in sorted({slot["kind"] for slot in slots["slots"]}):
            # What is opened by Argon2id alone is tried where nothing else opens it as well.
            if kind != "passphrase" or "passphrase" in (self.parameters.get("kind"), *self.only):
                daemon_opens(room, place, kind)
        self._finishes(room, place)

    @property
    def only(self):
        """The kind of the slot that is left, if it is but one."""
        return self.kinds if len(self.kinds) == 1 else ()

    def _list(self, place):
        try:
            slots = opening.read_slots(place / "state")
            copy = form.read_slots((place / "state" / stores.SLOTS_COPY).read_bytes())
        except (form.Damaged, OSError) as fault:
            raise Wrong(LOST, f"the slots: {fault}") from None
        if len(copy["retired"]) > len(slots["retired"]) + 1:
            raise Wrong(LOST, "the copy of the slots is of another time")
        return slots

    def _is_what_was_answered(self, slots, answer, message, power_was_cut):
        kinds = collections.Counter(slot["kind"] for slot in slots["slots"])
        was = collections.Counter(slot["kind"] for slot in self.first["slots"])
        is_changed = kinds == collections.Counter(self.kinds) and (
            self.method != "Rotate" or slots["current"] != self.first["current"])
        is_unchanged = kinds == was and slots["current"] == self.first["current"]
        if not is_changed and not is_unchanged:
            raise Wrong(LOST, f"there are slots {dict(kinds)}")
        must_change = answer == "done" or CHANGED in message
        may_change = must_change or answer == "unknown"
        if DOUBT in message and power_was_cut:
            return
        if must_change and not is_changed or not may_change and not is_unchanged:
            raise Wrong(ANSWER, f"slots {dict(kinds)} after {answer}: {message}")

    def _finishes(self, room, place):
        """Done again it comes to its end: what it was for holds, and nothing is left of before."""
        with room.daemon(state=place / "state", key=place / "key") as daemon:
            self.prepare(daemon)
            if stores.observe(daemon) != OLD:
                raise Wrong(LOST, f"it serves {stores.observe(daemon)}")
            if daemon.call(f"{KEYS}.ListSlots")["retired"] and not any(
                    "earlier master key" in text for text in daemon.call("Verify")["findings"]):
                raise Wrong(ANSWER, "Verify does not name the retired keys")
            reply = daemon.ask(f"{KEYS}.{self.method}", self.answer_seconds, **self.parameters)
            name = reply.get("error", "").rsplit(".", 1)[-1]
            if name and name not in ("NoSuchSlot", "InvalidField"):
                raise Wrong(REPAIR, f"done again: {reply}")
            retired = daemon.call(f"{KEYS}.ListSlots")["retired"]
            if retired and self.method == "FinishRotation":
                raise Wrong(REPAIR, f"done again, it keeps {retired}")
            if retired:
                retired = self._forgets(daemon, place)
            if retired:
                raise Wrong(REPAIR, f"keys {retired} stay")
            findings = daemon.call("Verify")["findings"]
            if findings:
                raise Wrong(REPAIR, "; ".join(findings))
        slots = opening.read_slots(place / "state")
        opens_by_each(place, slots)
        if not set(self.kinds) >= {slot["kind"] for slot in slots["slots"]}:
            raise Wrong(ANSWER, f"done again, it has {slots['slots']}")
        strays = stores.strays(place)
        if strays:
            raise Wrong(LEFT, ", ".join(strays))


    def _forgets(self, daemon, place):
        """Not all was sealed anew by that; or archives wait for those who write them."""
        if archives.files(place / "state"):
            archives.seal_anew(place / "state", secrets(place))
            if daemon.call(f"{KEYS}.FinishRotation")["retired"]:
                raise Wrong(REPAIR, "keys stay that no archive is sealed by")
            # This one takes the place of the key that they are sealed by now.
            if len(daemon.call(f"{KEYS}.Rotate")["retired"]) != 1:
                raise Wrong(REPAIR, "keys stay that no archive is sealed by")
            opens_by_each(place, opening.read_slots(place / "state"))
            for path in archives.files(place / "state"):
                path.unlink()
        return daemon.call(f"{KEYS}.Rotate")["retired"]


def opens_by_each(place, slots):
    """To the independent program, from the files: the account, the one before, each archive."""
    state = place / "state"
    for slot in slots["slots"]:
        try:
            master_key = opening.open_slot(slots, slot, secrets(place))
            for path in (state / stores.ACCOUNT, state / stores.PREVIOUS):
                if path.name == stores.ACCOUNT or path.exists():
                    account = opening.open_account(state, slots, master_key, path.name)
                    assert path.name != stores.ACCOUNT or account["access_token"] == OLD.token
            for path in archives.files(state):
                opening.open_archive(path, slots, master_key)
        except (form.WrongSecret, form.Damaged, form.CannotOpen, form.UnknownKey, OSError,
                AssertionError) as fault:
            raise Wrong(LOST, f"by its {slot['kind']}: {type(fault).__name__} {fault}") from None


def daemon_opens(room, place, kind):
    """On a copy, without what else might open it."""
    copy = room.place("copy-") / "place"
    shutil.copytree(place, copy, symlinks=True)
    if kind != "keyfile":
        (copy / "key").unlink(missing_ok=True)
    daemon = room.daemon(state=copy / "state", key=copy / "key")
    if kind != "keyfile":
        unlock(daemon, kind)
    found = stores.observe(daemon)
    if found != OLD:
        raise Wrong(LOST, f"by its {kind} it serves {found}: {daemon.errors()}")
    daemon.kill()
    shutil.rmtree(copy)


OPERATIONS = (
    SlotOperation("add passphrase", with_key_file, "AddSlot", ("passphrase",),
                  {"kind": "passphrase", "passphrase": PASSPHRASE}, is_slow=True),
    SlotOperation("add recovery code", with_key_file, "AddSlot", ("keyfile", "recovery"),
                  {"kind": "recovery", "recovery_code": CODE}),
    SlotOperation("add key file", with_code_alone, "AddSlot", ("keyfile", "recovery"),
                  {"kind": "keyfile"}),
    SlotOperation("remove recovery code", with_passphrase_and_code, "RemoveSlot", ("passphrase",),
                  removes="recovery", is_slow=True),
    SlotOperation("remove key file", with_all, "RemoveSlot", ("passphrase", "recovery"),
                  removes="keyfile"),
    SlotOperation("rotate", with_all, "Rotate", ("keyfile", "passphrase", "recovery")),
    SlotOperation("rotate, archives", with_archives, "Rotate", ("recovery",)),
    SlotOperation("rotate, cut off before", cut_off_in_a_rotation, "Rotate", ("recovery",)),
    SlotOperation("finish a rotation", cut_off_in_a_rotation, "FinishRotation", ("recovery",)),
    SlotOperation("finish a rotation, archives", with_archives_sealed_anew, "FinishRotation",
                  ("recovery",)),
)
