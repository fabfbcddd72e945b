"""python-varlink locks and unlocks, and changes the key slots, in every state of a store."""

import time

import states
import users
import wire
from cases import case, needs_root
from python_client import connect, refusal
from states import CODE, OTHER_CODE, PASSPHRASE, UID

CHANGES = {"AddSlot": {"kind": "recovery", "recovery_code": CODE}, "RemoveSlot": {"id": "0"},
           "Rotate": {}, "FinishRotation": {}}
NEED_KEY = {**CHANGES, "DeriveArchiveKey": {"name": "drafts"}}
DAY_SECONDS = 86_400


def must_refuse(keys, error, changes=NEED_KEY):
    """Each of these methods is refused with that error. What is said of them."""
    return [refusal(error, getattr(keys, method), **parameters)
            for method, parameters in changes.items()]


@case
def a_passphrase_takes_the_key_files_place_and_opens_the_store(room):
    daemon = states.present(room)
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        before = keys.ListSlots()
        said = keys.AddSlot(kind="passphrase", passphrase=PASSPHRASE)
        assert said["slot"]["kind"] == "passphrase" and said["removed"] == before["slots"], said
        assert not daemon.key.exists()
        after = keys.ListSlots()
        assert after["slots"] == [said["slot"]] and after["retired"] == [], after
        assert after["key_id"] != before["key_id"]
        assert account.Lock() == {} and account.Lock() == {}
        refusal("Locked", account.GetToken)
        assert account.GetStatus()["status"]["state"] == "locked"
        refusal("Locked", account.Unlock)
        start = time.monotonic()
        said = refusal("WrongKey", account.Unlock, passphrase=PASSPHRASE + " ")
        assert said == {"retry_after_ms": 1000} and time.monotonic() - start > 0.5, said
        assert account.Unlock(passphrase=PASSPHRASE) == {}
        assert account.GetToken()["uid"] == UID


@case
def a_recovery_code_opens_the_store_as_it_was_shown_and_as_it_is_typed(room):
    daemon = states.present(room)
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        code = keys.NewRecoveryCode()["recovery_code"]
        assert keys.NewRecoveryCode()["recovery_code"] != code
        assert len(keys.ListSlots()["slots"]) == 1, "it opens nothing yet"
        keys.AddSlot(kind="recovery", recovery_code=code)
        [key] = [slot for slot in keys.ListSlots()["slots"] if slot["kind"] == "keyfile"]
        assert keys.RemoveSlot(key["id"][:8].upper()) == {"removed": key}
        for typed in (code, code.lower().replace("-", " ")):
            account.Lock()
            assert account.Unlock(recovery_code=typed) == {}
        account.Lock()
        start = time.monotonic()
        other = OTHER_CODE if code != OTHER_CODE else CODE
        assert refusal("WrongKey", account.Unlock, recovery_code=other)["retry_after_ms"] == 1000
        assert time.monotonic() - start > 0.5
        assert account.Unlock(recovery_code=code) == {}


@case
def a_credential_opens_the_store_and_takes_nobodys_place(room):
    daemon = states.with_credential(room)
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        assert [slot["kind"] for slot in keys.ListSlots()["slots"]] == ["credential"]
        assert refusal("InvalidField", keys.AddSlot, kind="credential")["field"] == "kind"
        assert keys.AddSlot(kind="keyfile")["removed"] == []
        protection = account.GetStatus()["status"]["protection"]
        assert sorted(protection) == ["credential", "keyfile"]
        assert refusal("OpensByItself", account.Lock) == {"protection": protection}
        assert account.Unlock() == {}, "it is open"


@case
def a_passphrase_may_be_the_first_of_an_empty_store(room):
    daemon = room.daemon()
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        assert keys.ListSlots() == {"slots": [], "retired": []}
        assert account.Lock() == {} and account.Unlock() == {}
        assert refusal("NoSuchSlot", keys.RemoveSlot, "00") == {"id": "00"}
        for method, parameters in NEED_KEY.items():
            if method not in ("AddSlot", "RemoveSlot"):
                refusal("NoAccount", getattr(keys, method), **parameters)
        first = {"kind": "passphrase", "passphrase": PASSPHRASE, "keep_keyfile": True}
        assert keys.AddSlot(**first)["removed"] == []
        refusal("LastSlot", keys.RemoveSlot, keys.ListSlots()["slots"][0]["id"])
        assert account.GetStatus()["status"]["protection"] == ["passphrase"]
        account.Login(**wire.login_parameters(uid=UID))
        assert not daemon.key.exists()


@case
def the_times_of_locks_are_in_the_status(room):
    daemon = room.daemon("--lock-after-idle", "10m", "--lock-after", "1d")
    with connect(daemon) as account:
        status = account.GetStatus()["status"]
        assert (status["lock_after_idle"], status["lock_after"]) == (600, DAY_SECONDS), status
    with connect(room.daemon("--lock-after=90s")) as account:
        status = account.GetStatus()["status"]
        assert "lock_after_idle" not in status and status["lock_after"] == 90, status


@case
def a_value_that_no_secret_may_have_is_named(room):
    daemon = states.lockable(room)
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        for kind, parameters, field in (
                ("passphrase", {"passphrase": ""}, "passphrase"),
                ("passphrase", {"passphrase": "x" * 1025}, "passphrase"),
                ("passphrase", {"passphrase": "x", "recovery_code": CODE}, "recovery_code"),
                ("recovery", {"recovery_code": CODE, "passphrase": "x"}, "passphrase"),
                ("recovery", {"recovery_code": CODE[:-1]}, "recovery_code"),
                ("recovery", {"recovery_code": CODE[:-1] + "U"}, "recovery_code"),
                ("recovery", {"recovery_code": CODE[:-1] + "H"}, "recovery_code"),
                ("keyfile", {"passphrase": "x"}, "passphrase"),
                ("credential", {}, "kind"), ("Passphrase", {"passphrase": "x"}, "kind")):
            said = refusal("InvalidField", keys.AddSlot, kind=kind, **parameters)
            assert said["field"] == field and said["reason"], (kind, parameters, said)
            assert CODE[:4] not in said["reason"]
        account.Lock()
        for parameters, field in (
                ({"passphrase": ""}, "passphrase"), ({"passphrase": "x" * 1025}, "passphrase"),
                ({"passphrase": "x", "recovery_code": CODE}, "recovery_code"),
                ({"passphrase": "x"}, "passphrase"), ({"recovery_code": "x"}, "recovery_code")):
            assert refusal("InvalidField", account.Unlock, **parameters)["field"] == field
        start = time.monotonic()
        account.Unlock(recovery_code=CODE)
        assert time.monotonic() - start < 0.4, "what cannot be a code is no attempt"


@case
def a_locked_store_keeps_its_slots_and_lists_them(room):
    daemon = states.lockable(room)
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        before = keys.ListSlots()
        account.Lock()
        assert must_refuse(keys, "Locked") == [{}] * len(NEED_KEY)
        assert keys.ListSlots() == before and keys.NewRecoveryCode()


@case
def a_damaged_store_says_so_of_its_keys_too(room):
    with connect(states.damaged(room), wire.KEYS) as keys:
        for said in must_refuse(keys, "StoreDamaged"):
            assert "account.plist.sealed" in said["what"], said
        assert len(keys.ListSlots()["slots"]) == 1, "the slots are whole"
    daemon = states.lockable(room)
    daemon.end()
    states.damage(daemon)
    daemon = room.daemon(after=daemon)
    with connect(daemon) as account:
        refusal("Locked", account.GetToken)
        said = refusal("StoreDamaged", account.Unlock, recovery_code=CODE)
        assert "account.plist.sealed" in said["what"], said
    daemon.end()
    for name in ("keyslots.plist", "keyslots.plist~"):
        (daemon.state / name).write_text("damaged")
    daemon = room.daemon(after=daemon)
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        for said in (refusal("StoreDamaged", keys.ListSlots), *must_refuse(keys, "StoreDamaged"),
                     refusal("StoreDamaged", account.Unlock),
                     refusal("StoreDamaged", account.Unlock, recovery_code=CODE)):
            assert "keyslots.plist is damaged" in said["what"], said


@case
def a_change_of_the_keys_that_the_system_refuses_fails_with_its_errno(room):
    daemon = states.lockable(room)
    with connect(daemon) as account, connect(daemon, wire.KEYS) as keys:
        spare = keys.AddSlot(kind="recovery", recovery_code=OTHER_CODE)["slot"]
        derived = keys.DeriveArchiveKey("drafts")
        states.keep_key(daemon, "0")
        keys.Rotate()
        before = keys.ListSlots()
        daemon.state.rename(daemon.state.with_name("state.away"))
        daemon.state.write_text("in the way")
        changes = {**CHANGES, "RemoveSlot": {"id": spare["id"]}}
        for said in must_refuse(keys, "StoreFailed", changes):
            assert said["errno"] == 20 and "state is not a directory" in said["message"], said
        assert keys.ListSlots() == before and account.GetToken()["uid"] == UID
        assert keys.DeriveArchiveKey("drafts", derived["key_id"]) == derived, "no disk is asked"
        account.Lock()
        said = refusal("StoreFailed", account.Unlock, recovery_code=CODE)
        assert said["errno"] == 20 and "state is not a directory" in said["message"], said
        daemon.state.unlink()
        daemon.state.with_name("state.away").rename(daemon.state)
        assert account.Unlock(recovery_code=CODE) == {}
        assert keys.RemoveSlot(spare["id"]) == {"removed": spare}


@case
def there_are_sixteen_slots_and_no_more(room):
    daemon = states.lockable(room)
    with connect(daemon, wire.KEYS) as keys:
        first = keys.ListSlots()["slots"][0]
        refusal("LastSlot", keys.RemoveSlot, first["id"])
        refusal("LastSlot", keys.RemoveSlot, first["id"], False)
        while len(keys.ListSlots()["slots"]) < states.MAXIMUM_SLOTS:
            keys.AddSlot(kind="recovery", **keys.NewRecoveryCode())
        refusal("TooManySlots", keys.AddSlot, kind="recovery", recovery_code=CODE)
        refusal("TooManySlots", keys.AddSlot, kind="passphrase", passphrase=PASSPHRASE)
        ids = {slot["id"] for slot in keys.ListSlots()["slots"]}
        assert len(ids) == states.MAXIMUM_SLOTS
        # An id that is none is not given back: it may be anything.
        for given, said in (("", ""), ("2.00token", ""), ("f" * 17, ""), ("F" * 16, "f" * 16)):
            assert refusal("NoSuchSlot", keys.RemoveSlot, given) == {"id": said}, given
        for digit in "0123456789abcdef":
            if len([each for each in ids if each.startswith(digit)]) != 1:
                assert refusal("NoSuchSlot", keys.RemoveSlot, digit) == {"id": digit}
        key = keys.ListSlots()["key_id"]
        assert keys.RemoveSlot(id=first["id"], rotate=False) == {"removed": first}
        assert keys.ListSlots()["key_id"] == key
        # Its code opens nothing any more, and may be used again; that of another slot may not.
        keys.RemoveSlot(keys.AddSlot(kind="recovery", recovery_code=CODE)["slot"]["id"])


@case
def earlier_keys_are_kept_for_sixteen_files_and_no_more(room):
    daemon = states.present(room)
    states.fill_with_retired_keys(daemon)
    with connect(daemon, wire.KEYS) as keys:
        assert len(keys.ListSlots()["retired"]) == states.MAXIMUM_RETIRED
        refusal("TooManyRetiredKeys", keys.Rotate)
        added = keys.AddSlot(kind="recovery", recovery_code=CODE)["slot"]
        refusal("TooManyRetiredKeys", keys.RemoveSlot, added["id"])
        # It would take the key file's place.
        refusal("TooManyRetiredKeys", keys.AddSlot, kind="passphrase", passphrase=PASSPHRASE)
        assert keys.RemoveSlot(added["id"], False) == {"removed": added}
        kept = keys.FinishRotation()
        assert kept["retired"] == keys.ListSlots()["retired"], "there is an archive for each"
        for archive in (daemon.state / "archives").iterdir():
            archive.unlink()
        assert keys.FinishRotation() == {"key_id": kept["key_id"], "retired": []}
        assert keys.Rotate()["retired"] == []
        assert daemon.call("GetToken")["uid"] == UID


@case
def the_key_of_an_archive_is_its_names_and_its_master_keys(room):
    daemon = states.present(room)
    with connect(daemon, wire.KEYS) as keys:
        first = keys.DeriveArchiveKey("drafts")
        assert first["key_id"] == keys.ListSlots()["key_id"]
        # However Python's JSON spells them; and what looks alike is not the same.
        names = ["drafts", "Drafts", "草稿/é", "草稿/e\u0301", '"\\\n', "x" * 180, "\U0001F600" * 45]
        assert len({keys.DeriveArchiveKey(name)["key"] for name in names}) == len(names)
        states.keep_key(daemon, "0")
        assert keys.Rotate()["retired"] == [first["key_id"]]
        later = keys.DeriveArchiveKey(name="drafts")
        assert later["key"] != first["key"] and later["key_id"] == keys.ListSlots()["key_id"]
        for one in (first, later):
            assert keys.DeriveArchiveKey("drafts", one["key_id"].upper()) == one
        (daemon.state / "archives" / "0").unlink()
        assert keys.FinishRotation() == {"key_id": later["key_id"], "retired": []}
        said = refusal("NoSuchKey", keys.DeriveArchiveKey, "drafts", first["key_id"].upper())
        assert said == {"key_id": first["key_id"]}
        for given in ("", "2.00token", "x" * 181, "é" * 91):
            field = "name" if given == "" or len(given) > 90 else "key_id"
            parameters = {"name": given} if field == "name" else {"name": "a", "key_id": given}
            said = refusal("InvalidField", keys.DeriveArchiveKey, **parameters)
            assert said["field"] == field and "token" not in said["reason"], said


@case
def an_archives_key_is_the_daemons_own_users_and_not_roots(room):
    needs_root()
    daemon = room.daemon(user=users.READER)
    daemon.login(uid=UID)
    with connect(daemon, wire.KEYS) as keys:
        assert refusal("PermissionDenied", keys.DeriveArchiveKey, "drafts") == {}
        assert keys.FinishRotation()["retired"] == keys.ListSlots()["retired"] == []
