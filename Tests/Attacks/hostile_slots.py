"""Key slots that somebody has made up, cut or bent: damage, told soon, and nobody is asked.

The slots are read before anything is authentic. Nothing in them may cost memory or time, or have a
person type a passphrase for what it does not belong to.
"""
import copy
import datetime
import json
import os
import plistlib
import struct
import subprocess
import time

import independent
import programs
from cases import case
from wire import ask, error, made_up_token

SLOTS, COPY, ACCOUNT = "keyslots.plist", "keyslots.plist~", "account.plist.sealed"
KEYS = "org.accountd.Keys"
DAMAGED, LOCKED = 7, 4
# A command's, and a call's, from its start to its end.
SECONDS = 2.0
# Far below the 256 MiB that a single derivation takes.
MEMORY = 48 << 20
PINENTRY = programs.ROOT / "Tests" / "Harness" / "fake_pinentry"


class Store:
    """A store that a passphrase opens, made by the independent program's parts, and its slots."""

    def __init__(self, room):
        self.form, _ = independent.modules()
        self.room, self.place = room, room.place()
        self.token = made_up_token()
        self.state = self.place / "state"
        self.state.mkdir(mode=0o700)
        # Whose seed is known: to derive it takes a second, and 256 MiB.
        vectors = programs.ROOT / "Tests" / "Vectors" / "sealed"
        manifest = json.loads((vectors / "MANIFEST.json").read_text())
        known = next(each for each in manifest["slots"] if each["name"] == "passphrase_slot")
        self.passphrase = known["passphrase"]
        self.master, current = os.urandom(32), os.urandom(16)
        limits = plistlib.loads((vectors / "passphrase_slot.plist").read_bytes())["slots"][0]
        slot = self.form.make_slot(
            "passphrase", bytes.fromhex(known["secret"]), current, self.master, int(time.time()),
            os.urandom, **{name: limits[name] for name in ("salt", "opslimit", "memlimit")})
        self.good = self.form.write_slots(self.form.make_slots(current, self.master, [slot]))
        self.put(self.good)
        account = {"schema": 1, "access_token": self.token, "uid": "9900000001",
                   "expires_date": datetime.datetime(2100, 1, 1)}
        independent.write(self.state / ACCOUNT, self.form.seal(
            plistlib.dumps(account, fmt=plistlib.FMT_BINARY),
            self.form.derived(self.master, b"account"), current, os.urandom))

    def slots(self):
        """The slots, to be changed."""
        return copy.deepcopy(self.form.read_slots(self.good))

    def written(self, slots):
        """A file of changed slots with both codes right, as the owner might write it by a mistake."""
        try:
            self.form.with_codes(slots, self.master)
        except struct.error:
            pass  # A number that the codes have no place for: they are those of before.
        return self.form.write_slots(slots)

    def put(self, file, also_copy=True):
        """Writes it, and the copy, which is the good one where it is not to be bent as well."""
        independent.write(self.state / SLOTS, file)
        independent.write(self.state / COPY, file if also_copy else self.good)

    def daemon(self, **others):
        return self.room.daemon(state=self.state, key=self.place / "no-key", **others)

    def command(self, daemon, *words, given=""):
        """Runs `account` with a pinentry that would be asked: its result, and what that was told."""
        log = self.place / "asked"
        start = time.monotonic()
        done = subprocess.run(
            [programs.binary("account"), "--socket", daemon.socket, *words], input=given.encode(),
            capture_output=True, timeout=30, env={
                "HOME": str(self.place), "PATH": os.environ["PATH"], "DISPLAY": ":7",
                "ACCOUNT_PINENTRY": str(PINENTRY), "FAKE_LOG": str(log),
                "FAKE_GETPIN": f"echo 'D {self.passphrase}'; echo OK"})
        took = time.monotonic() - start
        asked = log.read_text() if log.exists() else ""
        log.unlink(missing_ok=True)
        return done, asked, took


def peak(daemon):
    """The most memory that the daemon ever had, in bytes."""
    with open(f"/proc/{daemon.pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def must_be_damage(store, daemon, what, commands=(("token",),)):
    """Each question is answered soon, by a refusal that names the file; nobody is asked anything."""
    for method, parameters in (("GetToken", None), ("Unlock", None),
                               ("Unlock", {"passphrase": store.passphrase})):
        start = time.monotonic()
        with daemon.connect() as peer:
            reply = ask(peer, method, parameters)
        assert error(reply) == "StoreDamaged", (what, method, reply)
        assert SLOTS in reply["parameters"]["what"], (what, reply)
        assert time.monotonic() - start < SECONDS, (what, method)
    for words in commands:
        done, asked, took = store.command(daemon, *words, given=store.passphrase)
        assert done.returncode == DAMAGED, (what, words, done)
        assert not asked and took < SECONDS, (what, words, asked, took)
        assert b"doctor" in done.stderr or b"login --replace" in done.stderr, done
    assert peak(daemon) < MEMORY, (what, peak(daemon))


def hostile(store):
    """Names and files. Their codes are right where what they say can be said in the codes."""
    form = store.form

    def with_slot(**values):
        slots = store.slots()
        slots["slots"][0].update(values)
        return store.written(slots)

    for value in (2**63 - 1, 2**64 - 1, 2**63, 2**62, 1 << 31, (1 << 30) + 1, 0, -1, -(2**63)):
        yield f"memlimit {value}", with_slot(memlimit=value)
    for value in (0, 1, 2, 17, 2**31, 2**63 - 1, 2**64 - 1, -1):
        yield f"opslimit {value}", with_slot(opslimit=value)
    for value in (3.0, "3", b"3", True, [3]):
        slots = store.slots()
        slots["slots"][0]["opslimit"] = value
        yield f"opslimit {value!r}", form.write_slots(slots)

    def many(count, slot_id=None):
        slots = store.slots()
        one = slots["slots"][0]
        slots["slots"] = [{**one, "id": slot_id or number.to_bytes(8, "big")}
                          for number in range(count)]
        return store.written(slots) if count < 100 else form.write_slots(slots)

    yield "17 slots", many(17)
    yield "10,000 slots", many(10_000)
    yield "two slots of one id", many(2, b"8 bytes.")
    yield "no slots", many(0)
    # Ten thousand that are one object, in a file that is small enough.
    yield "10,000 slots of one object", many_of_one_object(store)
    yield "slots within themselves", of_itself()
    yield "an empty file", b""
    yield "one byte too many", store.good + bytes(form.MAXIMUM_SLOTS_FILE + 1 - len(store.good))
    slots = store.slots()
    slots["checksum"] = bytes(32)
    yield "a wrong checksum", form.write_slots(slots)


def many_of_one_object(store):
    slots = store.slots()
    slots["slots"] = [slots["slots"][0]] * 10_000
    return plistlib.dumps(slots, fmt=plistlib.FMT_BINARY)


def of_itself():
    """A property list whose one array holds itself."""
    start = b"bplist00"
    array = b"\xa1\x00"  # One element, which is object 0.
    numbers = (1, 0, len(start + array))  # Objects, the first of them, where their places stand.
    return (start + array + bytes([len(start)]) + bytes(6) + b"\x01\x01"
            + b"".join(number.to_bytes(8, "big") for number in numbers))


@case
def made_up_slots_are_damage_and_cost_nothing(room):
    store = Store(room)
    for what, file in hostile(store):
        store.put(file)
        daemon = store.daemon()
        assert daemon.status()["state"] == "damaged", what
        must_be_damage(store, daemon, what)
        daemon.end()


@case
def made_up_slots_are_mended_from_a_good_copy(room):
    store = Store(room)
    for what, file in hostile(store):
        store.put(file, also_copy=False)
        daemon = store.daemon()
        assert daemon.status()["state"] == "damaged", what
        start = time.monotonic()
        daemon.ask("Repair")
        assert time.monotonic() - start < SECONDS, what
        assert (store.state / SLOTS).read_bytes() == store.good, what
        aside = [name for name in os.listdir(store.state) if name.startswith(f"{SLOTS}.damaged-")]
        assert aside, (what, "what was there is not kept")
        assert peak(daemon) < MEMORY, what
        for name in aside:
            (store.state / name).unlink()
        daemon.end()
    store.put(store.good[:-1], also_copy=False)
    daemon = store.daemon()
    done, asked, _ = store.command(daemon, "doctor", "--repair")
    assert (store.state / SLOTS).read_bytes() == store.good, done
    daemon.call("Unlock", {"passphrase": store.passphrase})
    assert daemon.token() == store.token
    daemon.end()


@case
def slots_that_were_changed_by_who_cannot_open_them_are_told_once_they_are_opened(room):
    # The checksum is right; the list's code, which needs the master key, is not.
    store = Store(room)
    form = store.form
    changed = {}
    slots = store.slots()
    slots["mac"] = bytes(32)
    changed["a wrong code"] = slots
    slots = store.slots()
    stranger = form.make_slot("recovery", bytes(20), slots["current"], os.urandom(32), 1, os.urandom)
    slots["slots"] = sorted([*slots["slots"], stranger], key=lambda slot: slot["id"])
    changed["a slot more"] = slots
    slots = store.slots()
    slots["retired"] = [form.make_retired(bytes(16), bytes(32), bytes(32), os.urandom)]
    changed["an earlier key more"] = slots
    for what, slots in changed.items():
        store.put(form.write_slots(form.with_codes(slots, None)))
        daemon = store.daemon()
        with daemon.connect() as peer:
            reply = ask(peer, "Unlock", {"passphrase": store.passphrase})
        assert error(reply) == "StoreDamaged", (what, reply)
        assert error(daemon.ask("GetToken")) in ("Locked", "StoreDamaged"), what
        daemon.end()


def each_is_damage(store, daemon, variants):
    """Has one daemon look at each variant in turn; between them it is locked as it was."""
    with daemon.connect() as peer:
        for what, file in variants:
            store.put(file)
            reply = ask(peer, "Unlock")
            assert error(reply) == "StoreDamaged", (what, reply)
        store.put(store.good)
        reply = ask(peer, "Unlock")
        assert error(reply) == "Locked", reply
    assert peak(daemon) < MEMORY, peak(daemon)
    daemon.call("Unlock", {"passphrase": store.passphrase})
    assert daemon.token() == store.token
    daemon.end()


@case
def slots_that_end_anywhere_are_damage(room):
    store = Store(room)
    each_is_damage(store, store.daemon(), (
        (f"{count} bytes", store.good[:count]) for count in range(len(store.good))))


@case
def slots_with_any_bit_turned_over_are_damage(room):
    store = Store(room)

    def variants():
        for bit in range(8 * len(store.good)):
            file = bytearray(store.good)
            file[bit // 8] ^= 1 << bit % 8
            yield f"bit {bit}", bytes(file)

    each_is_damage(store, store.daemon(), variants())


@case
def slots_of_a_later_version_are_told_as_such_and_left_alone(room):
    store = Store(room)
    later = plistlib.dumps({"format": 2, "current": bytes(16), "keys": [b"made up"]},
                           fmt=plistlib.FMT_BINARY)
    store.put(later)
    daemon = store.daemon()
    must_be_damage(store, daemon, "a later version", (("token",), ("unlock",), ("header",)))
    reply = daemon.ask("GetToken")
    assert "later version" in reply["parameters"]["what"], reply
    store.command(daemon, "doctor", "--repair")
    assert (store.state / SLOTS).read_bytes() == later
    daemon.end()
