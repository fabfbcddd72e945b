"""Changes of the key slots that are killed, refused by the disk, or made on a store that is not the
one it was."""

import os
import shutil
import signal
import time

from cases import case, needs_root
from client import Home, response
from disks import LoopDisk, fill, small_disk
from faults import attach
from keys import (ADD, CODE, LIST, PASSPHRASE, REMOVE, ROTATE, by_code, by_passphrase, has_derived,
                  is_locked)
from programs import end
from wire import KEYS, error, is_closed, message, replies

EIO, ENOSPC, EROFS = 5, 28, 30
NO_FILES = shutil.ignore_patterns("socket", "lock")
PASSPHRASE_CALL = (ADD, {"kind": "passphrase", "passphrase": PASSPHRASE})


def must_open(daemon, token, passphrase=PASSPHRASE):
    """The store opens by itself or by the passphrase, and a rotation leaves it tidy."""
    if is_locked(daemon):
        daemon.call("Unlock", {"passphrase": passphrase})
    assert daemon.token() == token
    assert daemon.call(ROTATE)["retired"] == []
    assert daemon.call("Verify")["findings"] == []
    left = [name for name in os.listdir(daemon.state) if name.startswith(".tmp-")]
    assert not left, left


def kill_at(room, call, number):
    """A daemon whose store got a passphrase when it was killed at that step, and its token."""
    needs_root()
    daemon = room.daemon()
    token = daemon.login()
    daemon.login(token)  # Which leaves a previous generation.
    tracer = attach(daemon.pid, call, f"{call}:signal=KILL:when={number}")
    with daemon.connect() as peer:
        peer.sendall(message(*PASSPHRASE_CALL))
        assert is_closed(peer, 30), "it was not killed"
    assert daemon.wait() == -signal.SIGKILL
    tracer.wait()
    return room.daemon(after=daemon), token


@case
def a_kill_before_a_new_passphrase_is_in_place_leaves_a_store_that_opens_by_the_old(room):
    # The copy of the slots, and the slots.
    for number in (1, 2):
        daemon, token = kill_at(room, "renameat", number)
        assert daemon.status()["protection"] == ["keyfile"] and not is_locked(daemon)
        must_open(daemon, token)
        daemon.end()


def must_open_by_the_new(room, steps):
    for call, number in steps:
        daemon, token = kill_at(room, call, number)
        assert daemon.status()["protection"] == ["passphrase"] and is_locked(daemon)
        # It opens nothing any more, and nobody has removed it.
        assert daemon.key.exists()
        must_open(daemon, token)
        daemon.end()


@case
def a_kill_before_the_account_is_sealed_anew_leaves_a_store_that_opens_by_the_new(room):
    # The account, and the previous one's end.
    must_open_by_the_new(room, (("renameat", 3), ("unlinkat", 1)))


@case
def a_kill_before_the_old_keys_are_forgotten_leaves_a_store_that_opens_by_the_new(room):
    # The slots without the earlier key, and the key file's end.
    must_open_by_the_new(room, (("renameat", 5), ("unlinkat", 2)))


@case
def a_kill_in_the_middle_of_a_derivation_changes_nothing(room):
    daemon = room.daemon()
    token = daemon.login()
    for delay in (0, 0.1, 0.3):
        with daemon.connect() as peer:
            peer.sendall(message(*PASSPHRASE_CALL))
            time.sleep(delay)
            daemon.signal(signal.SIGKILL)
            daemon.wait()
        daemon = room.daemon(after=daemon)
        if "passphrase" not in daemon.status()["protection"]:
            assert daemon.token() == token and daemon.key.exists()
            continue
        must_open(daemon, token)
        break
    daemon.end()


@case
def a_change_of_the_slots_that_the_disk_refuses_is_said_and_can_be_made_again(room):
    place = small_disk(room, "96k")
    for kind, number in (("full", ENOSPC), ("read-only", EROFS)):
        daemon = room.daemon(state=place / f"{kind} state")
        token = daemon.login()
        before = daemon.call(LIST)
        if kind == "full":
            fill(place)
        else:
            # The lock's file is open: no file system with it can be remounted.
            tracer = attach(daemon.pid, "renameat", "renameat:error=EROFS")
        for method, parameters in (
                (ADD, {"kind": "recovery", "recovery_code": CODE}), (ROTATE, {}),
                PASSPHRASE_CALL):
            reply = daemon.ask(method, **parameters)
            assert error(reply) == "StoreFailed", (kind, method, reply)
            assert reply["parameters"]["errno"] == number, (kind, method, reply)
            assert "keyslots.plist" in reply["parameters"]["message"], reply
            assert PASSPHRASE not in str(reply) and CODE not in str(reply)
            assert daemon.call(LIST) == before and daemon.token() == token
        assert daemon.key.exists(), "the key file goes last"
        if kind == "full":
            (place / "full").unlink()
        else:
            end(tracer)
        if kind == "full":
            daemon.call(*PASSPHRASE_CALL)
            assert not daemon.key.exists()
        daemon.end()
        daemon = room.daemon(after=daemon)
        must_open(daemon, token)
        daemon.end()


@case
def a_rotation_that_fails_at_any_step_leaves_the_account_intact_and_is_finished_by_another(room):
    needs_root()
    for call, numbers in (("renameat", range(1, 6)), ("fsync", (1, 3, 5, 7)), ("unlinkat", (1,))):
        daemon, token = by_code(room)
        for number in numbers:
            before = daemon.call(LIST)
            tracer = attach(daemon.pid, call, f"{call}:error=EIO:when={number}")
            reply = daemon.ask(ROTATE)
            end(tracer)
            said = reply["parameters"]
            if error(reply):
                assert error(reply) == "StoreFailed" and said["errno"] == EIO, (call, number, reply)
                changed = "the slots are changed" in said["message"]
                assert changed == (daemon.call(LIST) != before), (call, number, reply)
            assert daemon.token() == token, (call, number)
            if number % 2:
                # What stands on the disk opens too.
                daemon.end()
                daemon = room.daemon(after=daemon)
                daemon.call("Unlock", {"recovery_code": CODE})
                assert daemon.token() == token, (call, number)
            assert daemon.call(ROTATE)["retired"] == [], (call, number)
            assert daemon.call("Verify")["findings"] == [], (call, number)
        daemon.end()


@case
def a_store_s_disk_that_freezes_holds_up_changes_of_the_slots_alone(room):
    disk = LoopDisk(room)
    daemon, token = by_code(room, state=disk.place / "state")
    disk.freeze()
    try:
        with daemon.connect() as peer, daemon.connect() as locker:
            peer.sendall(message(*PASSPHRASE_CALL))
            has_derived(daemon)
            # It is not a lock before the change is done, and nobody is told so.
            locker.sendall(message("Lock"))
            for _ in range(20):
                assert daemon.token() == token and len(daemon.call(LIST)["slots"]) == 1
            daemon.must_rest()
            disk.thaw()
            assert "slot" in replies(peer, 1)[0]["parameters"]
            assert replies(locker, 1) == [{"parameters": {}}]
    finally:
        if daemon.is_alive():
            try:
                disk.thaw()
            except OSError:
                pass
    assert is_locked(daemon)
    daemon.call("Unlock", {"passphrase": PASSPHRASE})
    assert daemon.token() == token
    daemon.end()


@case
def a_state_directory_that_is_another_one_after_a_lock_gives_nobody_the_wrong_account(room):
    daemon, token = by_code(room)
    other, other_token = by_passphrase(room, "another passphrase")
    other.end()
    daemon.ask("Lock")
    away = daemon.state.with_name("away")
    for what in ("another store", "nothing", "an empty directory"):
        daemon.state.rename(away)
        if what == "another store":
            shutil.copytree(other.state, daemon.state, ignore=NO_FILES)
            daemon.state.chmod(0o700)
        elif what == "an empty directory":
            daemon.state.mkdir(mode=0o700)
        for _ in range(2):
            daemon.ask("Unlock", recovery_code=CODE)
            reply = daemon.ask("GetToken")
            assert error(reply) in ("Locked", "NoAccount", "StoreDamaged"), (what, reply)
        assert token not in str(daemon.ask("Export"))
        if what == "another store":
            # Whoever knows what opens that one may have it.
            daemon.call("Unlock", {"passphrase": "another passphrase"})
            assert daemon.token() == other_token
            assert len(daemon.call(LIST)["slots"]) == 1
            daemon.ask("Lock")
        shutil.rmtree(daemon.state, ignore_errors=True)
        away.rename(daemon.state)
        # It has followed the other one, and takes this one's lock again.
        assert daemon.call("Verify")["findings"] == ["the store is locked: `account unlock` opens it"]
        daemon.call("Unlock", {"recovery_code": CODE})
        assert daemon.token() == token, what
        daemon.ask("Lock")
    daemon.end()


@case
def another_store_of_the_same_key_file_is_served_on_and_can_be_given_a_new_one(room):
    first = room.daemon()
    first.login()
    second = room.daemon(key=first.key)
    token = second.login()
    first.call(*PASSPHRASE_CALL)
    assert not first.key.exists()
    # Until it ends it is open, and says what is wrong.
    assert second.token() == token
    assert any("is missing" in each for each in second.call("Verify")["findings"])
    second.call(ADD, {"kind": "keyfile"})
    slots = second.call(LIST)["slots"]
    assert [slot["kind"] for slot in slots] == ["keyfile", "keyfile"], slots
    second.end()
    second = room.daemon(after=second)
    assert second.token() == token
    second.end()
    first.end()


@case
def the_usual_key_file_stays_when_a_store_at_another_place_gets_a_passphrase(room):
    home = Home(room)
    token = home.login()
    key = home.path / ".config" / "account" / "key"
    passphrase = home.path / "passphrase"
    passphrase.write_text(PASSPHRASE + "\n")
    add = ("key", "add", "passphrase", "--passphrase-file", str(passphrase))
    other = ("--state", str(home.path / "other"))
    home.account("login", *other, input=response("2.00other", uid="77")).must_be(0)
    home.account(*add, *other).must_be(0)
    assert key.exists()
    home.account("token", *other).must_be(0, "2.00other\n")
    home.account("token").must_be(0, f"{token}\n")
    home.account(*add).must_be(0)
    assert not key.exists()
    home.account("token").must_be(0, f"{token}\n")


@case
def two_daemons_of_one_store_do_not_change_its_slots_under_each_other(room):
    daemon, token = by_code(room)
    copy = daemon.state.with_name("copy")
    shutil.copytree(daemon.state, copy, ignore=NO_FILES)
    daemon.call(f"{KEYS}.Rotate")
    # Somebody puts an earlier state back while the daemon runs.
    for name in ("keyslots.plist", "keyslots.plist~"):
        shutil.copy(copy / name, daemon.state / name)
    before = daemon.call(LIST)
    code = daemon.call(f"{KEYS}.NewRecoveryCode")["recovery_code"]
    for method, parameters in ((ADD, {"kind": "recovery", "recovery_code": code}), (ROTATE, {})):
        reply = daemon.ask(method, **parameters)
        assert error(reply) == "StoreFailed", (method, reply)
        assert daemon.call(LIST) == before and daemon.token() == token
    assert error(daemon.ask(REMOVE, id=before["slots"][0]["id"])) == "LastSlot"
    daemon.end()
