"""The key slots' part of the vectors; see sealed_vectors.py."""

import copy
import datetime
import os
import plistlib

import sealed_format as form
from slot_secrets import MEMLIMIT, OPSLIMIT, argon2id13, recovery_code

PASSPHRASE = "made-up passphrase ñ"


def recovery_codes(random):
    secrets = [bytes(20), b"\xff" * 20, bytes(range(20))] + [random(20) for _ in range(5)]
    return [{"bytes": secret.hex(), "code": recovery_code(secret)} for secret in secrets]


class SlotFiles:
    def __init__(self, out, source, created):
        self.out = out
        self.source = source
        self.created = created
        random = source("slots")
        self.master_key, self.current = random(32), random(16)
        self.secrets = {
            "keyfile": random(32),
            "credential": random(32),
            "recovery": random(20),
        }
        self.salt = random(16)
        self.passphrase = argon2id13(PASSPHRASE.encode(), self.salt, OPSLIMIT, MEMLIMIT)
        self.entries = []

    def slot(self, kind, random, secret=None, **passphrase):
        if kind == "passphrase":
            secret = self.passphrase
            limits = {"salt": self.salt, "opslimit": OPSLIMIT, "memlimit": MEMLIMIT}
            passphrase = {**limits, **passphrase}
        return form.make_slot(
            kind, secret or self.secrets[kind], self.current, self.master_key, self.created,
            random, **passphrase)

    def list_of(self, name, *kinds, retired=()):
        random = self.source(name)
        slots = [self.slot(kind, random) for kind in kinds]
        keys = [
            form.make_retired(key_id, key, self.master_key, random) for key_id, key in retired
        ]
        return form.make_slots(self.current, self.master_key, slots, keys)

    def add(self, name, file, gives, step="parse", kind="keyfile", secret=None, **more):
        if not isinstance(file, bytes):
            file = form.write_slots(file)
        with open(os.path.join(self.out, name + ".plist"), "wb") as output:
            output.write(file)
        secret = secret or (self.passphrase if kind == "passphrase" else self.secrets[kind])
        self.check(file, gives, step, kind, secret)
        self.entries.append({
            "name": name, "gives": gives, "step": step, "kind": kind, "secret": secret.hex(),
            **more,
        })

    def check(self, file, gives, step, kind, secret):
        """This program must judge the file as ours must."""
        expected = {"damaged": form.Damaged, "unsupportedVersion": form.Unsupported}
        expected |= {"wrongSecret": form.WrongSecret, "noSuchSlot": form.WrongSecret}
        reached = "parse"
        try:
            slots = form.read_slots(file)
            reached = "unlock"
            form.unlock(slots, kind, secret)
            assert gives == "opens", gives
        except (form.Damaged, form.Unsupported, form.WrongSecret) as error:
            assert gives in expected and isinstance(error, expected[gives]), error
            assert reached == step, error

    def good(self, name, slots, kind="keyfile", **more):
        more = {"masterKey": self.master_key.hex(), "keyID": self.current.hex(), **more}
        self.add(name, slots, "opens", "unlock", kind, **more)

    def changed(self, name, change, *kinds, gives="damaged", step="parse", codes="both", **more):
        """A list changed after it was made, then given codes again: both, or the checksum alone."""
        slots = self.list_of(name, *(kinds or ("keyfile",)), **more)
        change(slots)
        if codes is not None:
            form.with_codes(slots, self.master_key if codes == "both" else None)
        self.add(name, slots, gives, step)

    def write(self):
        self.write_good()
        self.write_bounds()
        self.write_shapes()
        self.write_forged()
        return self.entries

    def write_good(self):
        random = self.source("retired")
        retired = [(random(16), random(32)) for _ in range(16)]

        def listed(keys):
            return [{"keyID": key_id.hex(), "key": key.hex()} for key_id, key in keys]

        for kind in self.secrets:
            self.good(f"{kind}_slot", self.list_of(f"{kind}_slot", kind), kind)
        self.good(
            "passphrase_slot", self.list_of("passphrase_slot", "passphrase"), "passphrase",
            passphrase=PASSPHRASE)
        kinds = ("keyfile", "passphrase", "recovery", "credential")
        self.good("slots_of_all_kinds", self.list_of("slots_of_all_kinds", *kinds))
        self.good(
            "retired_keys", self.list_of("retired_keys", "keyfile", retired=retired[:2]),
            retired=listed(retired[:2]))
        self.good(
            "as_many_as_there_may_be",
            self.list_of("as_many_as_there_may_be", *(["keyfile"] * 16), retired=retired),
            retired=listed(retired))
        one = self.list_of("other_secret", "keyfile")
        self.add("other_secret", one, "wrongSecret", "unlock", secret=bytes(32))
        self.add(
            "same_bytes_as_another_kind",
            self.list_of("same_bytes_as_another_kind", "keyfile", "credential"),
            "wrongSecret", "unlock", kind="credential", secret=self.secrets["keyfile"])
        self.add("no_slot_of_that_kind", one, "noSuchSlot", "unlock", kind="credential")

        def most(slots):
            return slots.update(retired=slots["retired"] + [
                form.make_retired(random(16), random(32), self.master_key, random)])

        self.changed("seventeen_retired_keys", most, retired=retired)
        self.changed("seventeen_slots", lambda slots: None, *(["keyfile"] * 17))

    def write_bounds(self):
        limits = {
            "slot_memlimit_over_bound": ("memlimit", 1073741825),
            "slot_memlimit_of_63_bits": ("memlimit", 2**63 - 1),
            "slot_memlimit_under_bound": ("memlimit", MEMLIMIT - 1),
            "slot_memlimit_negative": ("memlimit", -MEMLIMIT),
            "slot_opslimit_over_bound": ("opslimit", 17),
            "slot_opslimit_under_bound": ("opslimit", 2),
            "slot_opslimit_zero": ("opslimit", 0),
            "slot_opslimit_negative": ("opslimit", -1),
        }
        for name, (field, value) in limits.items():
            random = self.source(name)
            slot = self.slot("passphrase", random, **{field: value})
            self.add(
                name, form.make_slots(self.current, self.master_key, [slot]), "damaged",
                kind="passphrase")

    def write_shapes(self):
        def slot(name, value):
            return lambda slots: slots["slots"][0].update({name: value})

        def top(name, value):
            return lambda slots: slots.update({name: value})

        def duplicate(slots):
            slots["slots"].append(copy.deepcopy(slots["slots"][0]))

        fraction = form.date(self.created) + datetime.timedelta(microseconds=500000)
        changes = {
            "slots_out_of_order": lambda slots: slots["slots"].reverse(),
            "duplicate_slot_id": duplicate,
            "no_slots": top("slots", []),
            "slot_id_short": slot("id", bytes(7)),
            "slot_kind_unknown": slot("kind", "password"),
            "slot_kind_in_capitals": slot("kind", "KEYFILE"),
            "slot_created_with_fraction": slot("created", fraction),
            "slot_created_before_1970": slot("created", form.date(-1)),
            "slot_salt_in_keyfile_slot": slot("salt", bytes(16)),
            "slot_public_short": slot("public", bytes(31)),
            "slot_ephemeral_long": slot("ephemeral", bytes(33)),
            "slot_nonce_short": slot("nonce", bytes(12)),
            "slot_wrapped_long": slot("wrapped", bytes(49)),
            "slot_unknown_field": slot("label", "made up"),
            "unknown_field": top("label", "made up"),
            "current_short": top("current", bytes(15)),
        }
        for name, change in changes.items():
            self.changed(name, change, "keyfile", "credential")
        key_id = self.source("retired id")(16)
        twice = [(key_id, bytes(32)), (key_id, bytes(32))]
        self.changed("duplicate_retired_id", lambda slots: None, retired=twice)
        self.changed(
            "retired_id_is_current", lambda slots: None, retired=[(self.current, bytes(32))])

        def without(name):
            return lambda slots: slots.pop(name)

        for name in ("mac", "checksum", "retired", "slots", "current", "format"):
            self.changed(f"no_{name}" if name != "slots" else "no_slots_field", without(name),
                         codes=None)
        self.changed("slot_id_as_text", slot("id", "12345678"), codes=None)
        self.changed("slot_created_as_integer", slot("created", self.created), codes=None)
        self.changed("slots_as_dictionary", top("slots", {}), codes=None)
        self.changed("format_zero", top("format", 0))
        self.changed("format_as_real", top("format", 1.0))
        file = form.write_slots(self.list_of("shapes", "keyfile"))
        self.add("slots_empty_file", b"", "damaged")
        self.add("slots_truncated", file[:-1], "damaged")
        self.add("slots_with_data_after", file + b"\n", "damaged")
        self.add("slots_as_xml", plistlib.dumps(self.list_of("xml", "keyfile")), "damaged")
        self.add("slots_as_array", plistlib.dumps([1], fmt=plistlib.FMT_BINARY), "damaged")
        padded = {**self.list_of("large", "keyfile"), "label": bytes(form.MAXIMUM_SLOTS_FILE)}
        self.add("slots_file_too_large", padded, "damaged")
        later = {"format": 2, "current": self.current, "keys": [b"made up"]}
        self.add("format_of_a_later_version", later, "unsupportedVersion")

    def write_forged(self):
        flipped = {"codes": "checksum", "step": "unlock"}

        def change(name, at=0):
            def flip(slots):
                value = slots["slots"][at][name] if at is not None else slots[name]
                changed = bytes([value[0] ^ 1]) + value[1:]
                (slots["slots"][at] if at is not None else slots)[name] = changed

            return flip

        def weaken(slots):
            slots["slots"][0]["created"] = form.date(self.created + 1)

        def swap(slots):
            a, b = slots["slots"]
            for name in ("ephemeral", "nonce", "wrapped"):
                a[name], b[name] = b[name], a[name]

        def add_stranger(slots):
            random = self.source("stranger")
            stranger = form.make_slot(
                "keyfile", random(32), self.current, random(32), self.created, random)
            slots["slots"] = sorted(slots["slots"] + [stranger], key=lambda slot: slot["id"])

        def remove(slots):
            slots["slots"] = [s for s in slots["slots"] if s["kind"] == "keyfile"]

        def replace_retired(slots):
            slots["retired"] = []

        self.changed("wrong_checksum", change("checksum", None), codes=None)
        self.changed("wrong_mac", change("mac", None), **flipped)
        self.changed("wrong_mac_and_no_checksum", change("mac", None), codes=None)
        self.changed("removed_slot", remove, "keyfile", "passphrase", **flipped)
        self.changed("added_slot", add_stranger, **flipped)
        self.changed("removed_retired_key", replace_retired,
                     retired=[(bytes(16), bytes(32))], **flipped)
        self.changed("slot_created_changed", weaken, **flipped)
        self.changed("slot_wrapped_changed", change("wrapped"), **flipped)
        self.changed("slot_ephemeral_changed", change("ephemeral"), **flipped)
        self.changed("slots_swapped_wraps", swap, "keyfile", "keyfile", **flipped)

        def low_order(slots):
            slots["slots"][0]["ephemeral"] = bytes(32)

        self.changed("slot_ephemeral_of_low_order", low_order, step="unlock")

        def limits(slots):
            for slot in slots["slots"]:
                if slot["kind"] == "passphrase":
                    slot["opslimit"] = 4

        self.changed("slot_limits_changed", limits, "keyfile", "passphrase", **flipped)

        # The right codes over a wrap of another master key: the list's code tells.
        random = self.source("other_master_key_in_slot")
        other = random(32)
        slot = form.make_slot(
            "keyfile", self.secrets["keyfile"], self.current, other, self.created, random)
        self.add(
            "other_master_key_in_slot", form.make_slots(self.current, self.master_key, [slot]),
            "damaged", "unlock")
