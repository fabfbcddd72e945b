"""What this test must find out: daemons whose disk does not do what it says.

Each control has a system call do nothing and succeed, and must lose what was answered; or it is
said why nothing is lost.
"""

import archive_crashes
import archive_stores
import kills
import reordered
import slot_stores
import stores
from calls import WORKER, Point
from cases import case

_LOGIN = next(each for each in stores.OPERATIONS if each.name == "login again")
SEED = 1


def _wrong(room, injection, options=()):
    """How many states of a disk are wrong where that happens to a login."""
    bench = reordered.Bench(room, _LOGIN, SEED, 1, options, injection)
    wrong = 0
    for point in bench.points:
        try:
            bench.try_point(*point)
        except stores.Wrong:
            wrong += 1
    return wrong, len(bench.points)


def _must_lose(room, injection, options=()):
    wrong, tried = _wrong(room, injection, options)
    print(f"  {wrong} of {tried} states are wrong")
    assert wrong, f"{injection} loses nothing: this test finds nothing"


@case
def a_login_that_syncs_nothing_is_found_out(room):
    _must_lose(room, "fsync:retval=0")


@case
def a_login_that_does_not_sync_its_directory_is_found_out(room):
    _must_lose(room, "fsync:retval=0:when=2")


@case
def a_login_that_does_not_sync_its_file_is_found_out_where_the_file_system_does_not_do_it(room):
    # By default ext4 writes a file's data before a rename that replaces another: auto_da_alloc.
    _must_lose(room, "fsync:retval=0:when=1", ("noauto_da_alloc",))


@case
def a_kill_after_an_answer_that_was_not_synced_is_found_out(room):
    bench = kills.Bench(room, _LOGIN)
    try:
        # There is no such call: the daemon lives until it has answered.
        bench.try_point(Point(WORKER, "close", 99), kills.KILL_AND_CUT, "fsync:retval=0")
    except stores.Wrong as wrong:
        assert wrong.kind == stores.ANSWER, wrong
        return
    raise AssertionError("nothing was lost: this test finds nothing")


@case
def a_passphrase_that_is_answered_before_it_is_on_the_disk_is_found_out(room):
    add = next(each for each in slot_stores.OPERATIONS if each.name == "add passphrase")
    bench = kills.Bench(room, add)
    try:
        bench.try_point(Point(WORKER, "close", 99), kills.KILL_AND_CUT, "fsync:retval=0")
    except stores.Wrong as wrong:
        assert wrong.kind == stores.ANSWER, wrong
        return
    raise AssertionError("nothing was lost: this test finds nothing")


@case
def an_archive_that_is_not_synced_is_found_out(room):
    put = archive_stores.OPERATIONS[0]
    for injection, options in (("fsync:retval=0", ()), ("fsync:retval=0:when=2", ()),
                               ("fsync:retval=0:when=1", ("noauto_da_alloc",))):
        bench = archive_crashes.Reordered(
            room, put, SEED, 1, options, ["strace", "-f", "-qq", "-o", "/dev/null", "-e",
                                          "trace=fsync", "-e", f"inject={injection}"])
        wrong = 0
        for point in bench.points:
            try:
                bench.try_point(*point)
            except stores.Wrong:
                wrong += 1
        print(f"  {wrong} of {len(bench.points)} states are wrong")
        assert wrong, f"{injection} loses nothing: this test finds nothing"
