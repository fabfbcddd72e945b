"""What befell other keepers of secrets, and is held by no other test. docs/LESSONS.md"""

import errno
import os
import resource
import subprocess

from cases import Skip, case, needs_root
from users import READER
from wire import LOGIN, error


@case
def a_screen_name_of_several_lines_costs_no_account_at_the_next_start(room):
    for name in ("one\ntwo", "\n[section]\nkey=value\n", "a\r\n\tb", "\u2028", "\\n", "a=b#c;d\"'"):
        daemon = room.daemon()
        daemon.ask("Login", **{**LOGIN, "screen_name": name})
        for _ in range(2):
            daemon.end()
            daemon = room.daemon(after=daemon)
            assert daemon.call("GetAccount")["account"]["screen_name"] == name
            assert daemon.token() == LOGIN["access_token"]
            # Written again by the daemon that has read it.
            assert "error" not in daemon.ask("UpdateProfile", avatar_large="https://made.up/1")
        daemon.end()


@case
def a_lock_that_names_a_living_process_keeps_nobody_out(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    daemon.kill()
    for pid in (os.getpid(), 1, daemon.pid):
        (daemon.state / "lock").write_text(f"{pid}\n")
        daemon = room.daemon(after=daemon)
        assert daemon.token() == LOGIN["access_token"]
        daemon.kill()


@case
def a_file_of_the_store_that_is_mounted_by_itself_is_named_and_the_account_stays(room):
    needs_root()
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    sealed = daemon.state / "account.plist.sealed"
    done = subprocess.run(["mount", "--bind", sealed, sealed], capture_output=True, text=True)
    if done.returncode:
        raise Skip(f"cannot mount a file: {done.stderr.strip()}")
    try:
        # The first would keep the file as the previous one, the second put another in its place.
        for more, number in (({}, errno.EXDEV), ({"uid": "2", "replace": True}, errno.EBUSY)):
            reply = daemon.ask("Login", **{**LOGIN, "access_token": "2.00New", **more})
            assert error(reply) == "StoreFailed" and reply["parameters"]["errno"] == number, reply
            assert sealed.name in reply["parameters"]["message"], reply
            assert daemon.token() == LOGIN["access_token"]
    finally:
        subprocess.run(["umount", sealed], check=True)
    assert "account" in daemon.ask("Login", **{**LOGIN, "access_token": "2.00New"})["parameters"]
    room.must_have_kept(daemon, "2.00New")


@case
def memory_that_cannot_be_locked_is_said_and_refused_where_that_is_asked(room):
    needs_root()

    def lock_nothing():
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))

    others = {"user": READER, "prepare": lock_nothing}
    daemon = room.daemon(**others)
    daemon.ask("Login", **LOGIN)
    assert daemon.status()["memory"] == "unlocked", daemon.status()
    assert "lock" in daemon.errors(), "the log is silent"
    daemon.end()
    refused = room.daemon(
        "--require-locked-memory", after=daemon, must_start=False, **others)
    assert "lock" in refused.ready and refused.ready != "ready", refused.ready
    assert refused.wait() == 1
    following = room.daemon("--require-locked-memory", after=daemon, user=READER)
    assert following.token() == LOGIN["access_token"]
    following.end()
