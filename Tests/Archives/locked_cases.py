"""A store that somebody's passphrase opens."""

import os
import signal
import time

import programs
from cases import alone, case
from shelf import LOCKED, Shelf
from users import at_once
from writer_cases import Hanging

FAKE = programs.ROOT / "Tests/Harness/fake_pinentry"
PASSPHRASE = "made up for tests"


def locked(room):
    """A shelf with an archive, behind a passphrase, and the environment of a fake pinentry."""
    shelf = Shelf(room)
    shelf.put("x", b"x")
    shelf.draft("add", "--title", "T").must_be(0)
    shelf.account("key", "add", "passphrase", "--passphrase-fd", "0", "--timeout", "90",
                  input=f"{PASSPHRASE}\n", seconds=120).must_be(0)
    shelf.end_daemon()
    log = room.path / "pids"
    return shelf, {
        "DISPLAY": ":made-up", "ACCOUNT_PINENTRY": str(FAKE), "FAKE_PID": str(log),
        "FAKE_GETPIN": f"echo 'D {PASSPHRASE}'; echo OK"}, log


def asked(log):
    """How often somebody was asked."""
    return len(log.read_text().split()) if log.exists() else 0


@case
@alone
def a_locked_store_is_asked_for_once_and_never_where_nobody_may_be_asked(room):
    shelf, pinentry, log = locked(room)
    run = shelf.archive("list", "--no-input").must_be(0)
    assert run.out.split() == ["drafts", "x"] and shelf.daemons() == []
    for words in (["archive", "get", "--raw", "x"], ["archive", "put", "--raw", "x"],
                  ["archive", "reseal"], ["draft", "list"], ["draft", "add", "--title", "U"]):
        run = shelf.account(*words, "--no-input", input="new", environment=pinentry)
        run.must_be(LOCKED, "")
        assert "account unlock" in run.err, run.err
    assert asked(log) == 0
    assert shelf.temporaries() == []
    done = at_once([lambda: shelf.archive("get", "--raw", "x", "--timeout", "90",
                                          environment=pinentry, seconds=120) for _ in range(4)])
    assert [run.out for run in done] == ["x"] * 4, done
    assert asked(log) == 1, asked(log)
    shelf.put("x", b"new", "--no-input")
    assert [draft["title"] for draft in shelf.drafts()] == ["T"]
    shelf.account("lock").must_be(0)
    shelf.archive("get", "--raw", "x", "--no-input").must_be(LOCKED, "")
    # A wrong one is no right one, and what is put meanwhile is not lost silently.
    wrong = {**pinentry, "FAKE_GETPIN": "echo 'D wrong'; echo OK"}
    run = shelf.archive("put", "--raw", "x", "--timeout", "90", input="other", environment=wrong,
                        seconds=120)
    assert run.status in (LOCKED, 6) and run.out == "", run
    assert shelf.temporaries() == []


@case
@alone
def a_store_that_is_locked_or_loses_its_daemon_meanwhile_keeps_what_is_being_written(room):
    shelf, pinentry, _ = locked(room)
    shelf.archive("get", "--raw", "x", "--timeout", "90", environment=pinentry,
                  seconds=120).must_be(0, "x")
    hanging = Hanging(shelf, "x", b"new")
    shelf.account("lock").must_be(0)
    assert hanging.end() == 0
    run = shelf.archive("get", "--raw", "x", "--no-input").must_be(LOCKED, "")
    assert "new" not in run.err
    hanging = None
    pid = shelf.daemon()
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.1)
    shelf.archive("get", "--raw", "x", "--no-input").must_be(LOCKED, "")
    shelf.archive("get", "--raw", "x", "--timeout", "90", environment=pinentry,
                  seconds=120).must_be(0, "new")
