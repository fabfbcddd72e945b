"""Stores that another program made are served, and what the daemon made opens elsewhere.

docs/FORMAT.md names these cases as what backs its rules.
"""
import fcntl
import os
import pathlib
import plistlib
import shutil

import faults
import independent
import programs
from cases import case, needs_root
from wire import Closed, ask, error, made_up_token

KEYS = "org.accountd.Keys"
CODE_CHARACTERS = 36
# Of the thread that writes: what changes a directory, and what makes that last.
WORKER, STEPS = "accountd-store", ("renameat", "renameat2", "linkat", "unlinkat", "fsync")
MOST_CALLS = 60


def slot_of(daemon, kind):
    """The id of the one slot of a kind."""
    found = [each["id"] for each in daemon.call(f"{KEYS}.ListSlots")["slots"]
             if each["kind"] == kind]
    assert len(found) == 1, found
    return found[0]


def serves_what_another_program_made(room, kind):
    token, later = made_up_token(), made_up_token()
    place = room.place()
    state, secret = independent.make(place, kind, token)
    daemon = independent.daemon(room, place, state, secret, kind)
    opener = independent.opener(secret, kind)
    assert daemon.status()["protection"] == [kind]
    if opener:
        assert daemon.status()["state"] == "locked"
        assert error(daemon.ask("GetToken")) == "Locked"
        daemon.call("Unlock", opener)
    assert daemon.token() == token
    # What is written now, by slots that another master key took the place in, opens there.
    daemon.login(later, uid="9900000001")
    daemon.call(f"{KEYS}.Rotate")
    assert independent.opened(state, secret, kind) == later
    daemon.end()
    again = independent.daemon(room, place, state, secret, kind)
    if opener:
        again.call("Unlock", opener)
    assert again.token() == later
    again.end()


@case
def a_store_that_another_program_made_for_a_key_file_is_served(room):
    serves_what_another_program_made(room, "keyfile")


@case
def a_store_that_another_program_made_for_a_credential_is_served(room):
    serves_what_another_program_made(room, "credential")


@case
def a_store_that_another_program_made_for_a_recovery_code_is_served(room):
    serves_what_another_program_made(room, "recovery")


@case
def a_store_that_another_program_made_for_a_passphrase_is_served(room):
    serves_what_another_program_made(room, "passphrase")


def with_every_kind(room):
    """A daemon whose store each kind of secret opens: it, its token, and the secrets' files."""
    _, slot_secrets = independent.modules()
    place = room.place()
    secrets = {}
    for kind in independent.KINDS:
        folder = place / kind
        folder.mkdir(mode=0o700)
        secrets[kind] = folder / independent.CREDENTIAL
    secrets["credential"].write_bytes(slot_secrets.made_up("credential", os.urandom))
    secrets["credential"].chmod(0o400)
    daemon = room.daemon(
        state=place / "state", key=secrets["keyfile"],
        environment={"CREDENTIALS_DIRECTORY": str(secrets["credential"].parent)})
    token = daemon.login()
    # The first login took the credential, and made no key file.
    assert daemon.status()["protection"] == ["credential"] and not secrets["keyfile"].exists()
    daemon.call(f"{KEYS}.AddSlot", {"kind": "keyfile"})
    passphrase = "made-up words, ñ and 账户"
    secrets["passphrase"].write_text(passphrase)
    daemon.call(f"{KEYS}.AddSlot",
                {"kind": "passphrase", "passphrase": passphrase, "keep_keyfile": True})
    code = daemon.call(f"{KEYS}.NewRecoveryCode")
    secrets["recovery"].write_text(code["recovery_code"])
    daemon.call(f"{KEYS}.AddSlot", {"kind": "recovery", **code})
    return daemon, token, secrets


@case
def each_secret_of_a_store_opens_it_in_another_program(room):
    daemon, token, secrets = with_every_kind(room)
    for kind, secret in secrets.items():
        assert independent.opened(daemon.state, secret, kind) == token, kind
    before = independent.run("derive", daemon.state, secrets["keyfile"]).stdout
    daemon.call(f"{KEYS}.Rotate")
    for kind, secret in secrets.items():
        assert independent.opened(daemon.state, secret, kind) == token, kind
    after = independent.run("derive", daemon.state, secrets["keyfile"]).stdout

    def master(text):
        return next(line for line in text.splitlines() if line.startswith("master "))

    assert master(before) != master(after)
    # A secret that was taken away opens nothing.
    daemon.call(f"{KEYS}.RemoveSlot", {"id": slot_of(daemon, "recovery")})
    refused = independent.run("open", daemon.state, secrets["recovery"], "--kind", "recovery")
    assert refused.returncode == 6, refused.stderr
    daemon.end()


@case
def a_passphrase_takes_the_key_files_place_in_another_programs_eyes(room):
    daemon = room.daemon()
    token = daemon.login()
    key = room.place() / "key"
    key.write_bytes(daemon.key.read_bytes())
    slots = daemon.state / "keyslots.plist"
    old = slots.read_bytes()
    daemon.call(f"{KEYS}.AddSlot", {"kind": "passphrase", "passphrase": "made-up words"})
    assert not daemon.key.exists()
    words = key.with_name("words")
    words.write_text("made-up words")
    assert independent.opened(daemon.state, words, "passphrase") == token
    assert independent.run("open", daemon.state, key).returncode == 6
    # Nor do the slots of before open what is written since: the master key is another one.
    before = room.place() / "state"
    before.mkdir(mode=0o700)
    (before / "keyslots.plist").write_bytes(old)
    (before / "account.plist.sealed").write_bytes(
        (daemon.state / "account.plist.sealed").read_bytes())
    assert independent.run("open", before, key).returncode == 2
    daemon.end()


@case
def an_earlier_key_stays_while_an_archive_is_sealed_by_it(room):
    form, _ = independent.modules()
    daemon = room.daemon()
    daemon.login()
    slots = form.read_slots((daemon.state / "keyslots.plist").read_bytes())
    key = daemon.key.read_bytes()
    master, _, _ = form.unlock(slots, "keyfile", key)
    archives = daemon.state / "archives"
    archives.mkdir(mode=0o700)
    name = "made up"
    sealed = form.seal(b"\x02\0\0contents", form.derived(master, b"archive", name),
                       slots["current"], os.urandom)
    independent.write(archives / f"{name}.sealed", sealed)
    first = slots["current"].hex()
    for _ in range(2):
        assert daemon.call(f"{KEYS}.Rotate")["retired"] == [first]
    slots = form.read_slots((daemon.state / "keyslots.plist").read_bytes())
    master, _, _ = form.unlock(slots, "keyfile", key)
    retired = form.retired_key(slots, bytes.fromhex(first), master)
    assert form.open_sealed(sealed, form.derived(retired, b"archive", name),
                            bytes.fromhex(first)) == b"\x02\0\0contents"
    # Whoever writes archives holds this lock: nothing is forgotten meanwhile.
    (archives / f"{name}.sealed").unlink()
    with open(daemon.state / "archives.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert first in daemon.call(f"{KEYS}.Rotate")["retired"]
    assert daemon.call(f"{KEYS}.Rotate")["retired"] == []
    daemon.end()


def killed_rotation(room, template, call, number):
    """Rotates the keys of a copy of a store, and kills the daemon at a call of its writing thread.

    Gives back the store, and whether that call came at all.
    """
    place = room.place()
    state = place / "state"
    shutil.copytree(template.state, state, symlinks=True)
    daemon = room.daemon(state=state, key=template.key, socket=place / "socket")
    tracer = faults.attach(daemon.pid, call, f"{call}:signal=KILL:when={number}",
                           thread=faults.thread_named(daemon.pid, WORKER))
    is_killed = False
    try:
        daemon.call(f"{KEYS}.Rotate")
        programs.end(tracer)
    except (Closed, OSError):
        is_killed = True
    daemon.kill()
    programs.end(tracer)
    return state, is_killed


@case
def a_rotation_that_is_killed_at_any_call_leaves_a_store_that_opens(room):
    form, _ = independent.modules()
    needs_root()
    template = room.daemon()
    token = template.login()
    template.login(token)  # A previous generation.
    code = template.call(f"{KEYS}.NewRecoveryCode")
    template.call(f"{KEYS}.AddSlot", {"kind": "recovery", **code})
    template.end()
    key = template.key.read_bytes()
    first = form.read_slots((template.state / "keyslots.plist").read_bytes())["current"]
    seen, kills = set(), 0
    points = [(call, number) for call in STEPS for number in range(1, MOST_CALLS)]
    exhausted = set()
    for call, number in points:
        if call in exhausted:
            continue
        state, is_killed = killed_rotation(room, template, call, number)
        if not is_killed:
            exhausted.add(call)
            continue
        kills += 1
        where = f"{call} {number}"
        # Another program opens it by the list that stands, whatever the account is sealed by.
        slots = form.read_slots((state / "keyslots.plist").read_bytes())
        master, _, _ = form.unlock(slots, "keyfile", key)
        sealed = (state / "account.plist.sealed").read_bytes()
        key_id = sealed[16:32]
        seen.add((slots["current"] == first, key_id == first, len(slots["retired"])))
        sealing = master if key_id == slots["current"] else form.retired_key(
            slots, key_id, master)
        account = plistlib.loads(form.open_sealed(
            sealed, form.derived(sealing, b"account"), key_id))
        assert account["access_token"] == token, where
        # So does the next daemon, and another rotation does what is left; or its last steps do.
        following = room.daemon(state=state, key=template.key, socket=state.parent / "socket")
        assert following.token() == token, where
        if kills % 2:
            finished = following.call(f"{KEYS}.FinishRotation")
            assert finished == {"key_id": slots["current"].hex(), "retired": []}, where
            for name in ("account.plist.sealed", "account.plist.sealed~"):
                if (state / name).exists():
                    assert (state / name).read_bytes()[16:32] == slots["current"], f"{where}, {name}"
            assert following.token() == token, where
        assert following.call(f"{KEYS}.Rotate")["retired"] == [], where
        assert following.call("Verify")["findings"] == [], where
        following.end()
    # Nothing yet; the list alone; the account too; the earlier key forgotten.
    assert seen == {(True, True, 0), (False, True, 1), (False, False, 1), (False, False, 0)}, seen
    assert kills > 15, kills
    print(f"killed at {kills} calls")


@case
def one_wrong_character_of_a_recovery_code_is_told_by_its_checksum(room):
    form, slot_secrets = independent.modules()
    place = room.place()
    # A code that is always the same: of random ones the checksum misses one mistake in a million.
    secrets = place / "secrets"
    secrets.mkdir(mode=0o700)
    code = slot_secrets.recovery_code(bytes(range(slot_secrets.CODE_SIZE)))
    (secrets / independent.CREDENTIAL).write_text(code)
    token = made_up_token()
    state, secret = independent.make(place, "recovery", token)
    daemon = independent.daemon(room, place, state, secret, "recovery")
    bare = code.replace("-", "")
    assert len(bare) == CODE_CHARACTERS
    with daemon.connect() as peer:
        for at, right in enumerate(bare):
            for other in slot_secrets.CROCKFORD:
                if other == right:
                    continue
                typed = bare[:at] + other + bare[at + 1:]
                reply = ask(peer, "Unlock", {"recovery_code": typed})
                assert error(reply) == "InvalidField", (at, other, reply)
                assert "checksum" in reply["parameters"]["reason"], reply
                assert typed not in str(reply)
        for typed, why in ((bare[:-1], "35 letters"), (bare + "0", "37 letters"),
                           (bare[:4] + "U" + bare[5:], "at place 5"), ("", "0 letters")):
            reply = ask(peer, "Unlock", {"recovery_code": typed})
            assert error(reply) == "InvalidField" and why in reply["parameters"]["reason"], reply
    # A mistake costs nothing: the right one is taken at once, however it is written.
    daemon.call("Unlock", {"recovery_code": code.lower().replace("-", " ").replace("1", "l")})
    assert daemon.token() == token
    assert pathlib.Path(secret).read_text() == code
    daemon.end()
