"""Models with one mistake each: a run that does not notice them would notice nothing.

Each is a promise of docs/PROTOCOL.md, broken on the model's side, where that is as good as a daemon
that breaks it.
"""

import contextlib
from unittest import mock

import changes
import connection
import keys
import locking
import service
import slots
import streams
import strict_json
import watch
import world

MAXIMUM_SEQUENCES = 200


def _mutants():
    of = mock.patch.object
    remaining = watch.Watch.remaining
    handle, logout = service.Service.handle, service.Service.logout
    login = service.Service.login

    def expires_a_second_late(self, realtime, boottime):
        left = remaining(self, realtime, boottime)
        return 1 if left == 0 else left

    def comes_to_life_with_the_clock(self, realtime, boottime):
        self.seen_expired = False
        return remaining(self, realtime, boottime)

    def has_another_token(self, *call):
        outcome = handle(self, *call)
        found = (outcome.reply or {}).get("parameters", {})
        if "access_token" in found:
            found["access_token"] = found["access_token"][:-1] + "~"
        return outcome

    def keeps_the_spare(self, given):
        spare = self.files.items.get(changes.SPARE)
        reply = logout(self, given)
        if spare:
            self.files.items[changes.SPARE] = spare
        return reply

    remove_slot, is_right = keys.Keys.removeslot, locking.Locking.is_right

    def forgets_the_key_alone(self):
        self.key = None

    def remembers_what_was_removed(self, given):
        before = self.slots.meaning.slots if self.slots else ()
        reply = remove_slot(self, given)
        gone = [slot for slot in before if slot not in self.slots.meaning.slots]
        self.gone = [*getattr(self, "gone", ()), *gone]
        return reply

    def opens_with_what_was_removed(self, kind, secret):
        return is_right(self, kind, secret) or any(
            (slot.kind, slot.secret) == (kind, secret) for slot in getattr(self, "gone", ()))

    def answers_at_once(self, *call):
        outcome = handle(self, *call)
        return outcome._replace(kind="reply") if outcome.kind == "held" else outcome

    def strongest_first(self):
        return list(reversed(self.slots.meaning.protection)) if self.slots else []

    derived, archive_key = {}, slots.Key.archive_key
    finish = keys.Keys.finishrotation

    def keeps_every_key(self, given):
        with of(keys.Keys, "_forget_retired", lambda self: None):
            return finish(self, given)

    def is_every_master_keys(self, name):
        return derived.setdefault(name, slots.Derived())

    def rotates_once_more(self, given):
        reply = self.rotate(given)
        self.done["rotations"] -= 1
        return reply

    def takes_no_replace(self, given):
        given.members = {**given.members, "replace": None}
        return login(self, given)

    # With each the seed from which to look: one that tells it soon.
    return {
        "a token that is good in its last second": (510, of(
            watch.Watch, "remaining", expires_a_second_late)),
        "a token that a step of the clock brings to life": (564, of(
            watch.Watch, "remaining", comes_to_life_with_the_clock)),
        "another last letter of the token": (500, of(
            service.Service, "handle", has_another_token)),
        "a spare that stays after a logout": (545, of(
            service.Service, "logout", keeps_the_spare)),
        "a replace that is not heard": (508, of(service.Service, "login", takes_no_replace)),
        "readers who may export": (500, mock.patch.dict(service.REQUIRED, {"Export": "reader"})),
        "a name twice in an object": (508, of(strict_json, "_object", dict)),
        "a message of one byte too many": (548, mock.patch.dict(
            connection.LONGEST, {"owner": 65_537})),
        "half-sent messages that last a second longer": (509, of(
            connection, "HALF_SENT_MILLISECONDS", 31_000)),
        "damage that is not told": (500, of(
            changes.Changes, "verify", lambda self, given: changes.answer(findings=[]))),
        "a lock that keeps the token": (500, of(
            locking.Locking, "forget_secrets", forgets_the_key_alone)),
        "a slot that was removed and still opens": (508, _all(
            of(keys.Keys, "removeslot", remembers_what_was_removed),
            of(locking.Locking, "is_right", opens_with_what_was_removed),
            of(streams, "PATIENCE", 2))),
        "a wrong passphrase that is answered at once": (505, _all(
            of(service.Service, "handle", answers_at_once), of(streams, "PATIENCE", 2))),
        "a protection that is told strongest first": (500, of(
            locking.Locking, "protection", strongest_first)),
        "an idle time that a CheckExpiry begins anew": (612, of(
            service, "USES", (*service.USES, "CheckExpiry"))),
        "an archive's key that outlives a rotation": (500, of(
            slots.Key, "archive_key", is_every_master_keys)),
        "archives whose names are told apart by their letters alone": (526, of(
            slots.Key, "archive_key", lambda self, name: archive_key(self, name.casefold()))),
        "root who is given another users keys": (500, of(service, "OWN_USERS", ())),
        "an end of a rotation that is another one": (500, of(
            keys.Keys, "finishrotation", rotates_once_more)),
        "an end of a rotation that forgets nothing": (509, of(
            keys.Keys, "finishrotation", keeps_every_key)),
        "errors in another order of members": (500, of(world, "is_same", _is_same_backwards))}


@contextlib.contextmanager
def _all(*patches):
    with contextlib.ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


def _is_same_backwards(real, model):
    if isinstance(model, dict) and len(model.get("parameters", {})) > 1:
        model = {**model, "parameters": dict(reversed(model["parameters"].items()))}
    return _IS_SAME(real, model)


_IS_SAME = world.is_same


def survivors(laboratory, generate, steps):
    """The mutants that no sequence has told from a daemon; says of the others how many it took."""
    alive = []
    for name, (seed, patch) in _mutants().items():
        sequences = (generate(seed + number, steps) for number in range(MAXIMUM_SEQUENCES))
        with patch:
            number, found = next(((number, sequence) for number, sequence in enumerate(sequences, 1)
                                  if laboratory.fault(sequence)), (None, None))
        if found is None:
            print(f"control: {name}: NOT found by {MAXIMUM_SEQUENCES} sequences", flush=True)
            alive.append(name)
        elif fault := laboratory.fault(found):
            print(f"control: {name}: without it the sequence fails too: {fault[1]}", flush=True)
            alive.append(name)
        else:
            print(f"control: {name}: found by sequence {number}", flush=True)
    return alive
