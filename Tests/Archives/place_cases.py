"""What stands in the place of an archive, of its directory, or of a lock; disks that are full or
cannot be written to; and other users."""

import os
import pathlib
import resource
import stat
import subprocess
import time

from cases import Skip, case, needs_root
from client import Home
from disks import fill, small_disk
from shelf import DAMAGED, NOTHING, REFUSED, Shelf
from users import STRANGER, as_user

OTHER = 65_511


@case
def what_stands_in_the_place_of_an_archive_is_named_and_not_followed(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    precious = room.path / "precious"
    precious.write_text("precious")
    makers = {
        "link": lambda path: path.symlink_to(precious),
        "dangling": lambda path: path.symlink_to("y"),
        "archive": lambda path: path.symlink_to("x.sealed"), "fifo": os.mkfifo,
        "empty": lambda path: path.touch(), "device": lambda path: path.symlink_to("/dev/zero")}
    for name, make in makers.items():
        make(shelf.file(name))
        start = time.monotonic()
        for words in (["get", "--raw", name], ["get", name],
                      ["get", name, "--output", str(room.path / "o")]):
            run = shelf.archive(*words).must_be(DAMAGED, "")
            assert name in run.err, run.err
        assert name in shelf.names()
        # It is replaced as it stands, and becomes the generation before.
        shelf.put(name, b"new")
        assert shelf.get(name) == b"new" and shelf.file(name).is_file()
        shelf.archive("get", "--raw", "--previous", name).must_be(DAMAGED, "")
        shelf.archive("restore", name).must_be(DAMAGED, "")
        assert shelf.get(name) == b"new"
        shelf.archive("remove", name).must_be(0, "")
        assert list(shelf.archives.glob(f"{name}*")) == []
        assert time.monotonic() - start < 15
    assert precious.read_text() == "precious" and shelf.get("x") == b"x"
    assert not (room.path / "o").exists()


@case
def a_directory_in_the_place_of_an_archive_stays(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    for suffix, verbs in (("", ("get", "put", "remove")), ("~", ("put", "remove", "restore"))):
        place = pathlib.Path(f"{shelf.file('x' if suffix else 'dir')}{suffix}")
        place.mkdir()
        name = "x" if suffix else "dir"
        for verb in verbs:
            words = [verb, "--raw", name] if verb in ("get", "put") else [verb, name]
            run = shelf.archive(*words, input="new")
            assert run.status in (DAMAGED, REFUSED) and run.out == "", (words, run)
            assert name in run.err, run.err
        assert place.is_dir()
        place.rmdir()
    assert shelf.get("x") == b"x"
    assert shelf.temporaries() == []


@case
def a_directory_of_archives_that_is_not_ones_own_alone_is_refused_and_named(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    elsewhere = room.place("elsewhere-")
    aside = shelf.state / "aside"

    def check(what):
        for words in (["list"], ["list", "--json"], ["get", "--raw", "x"], ["put", "--raw", "x"],
                      ["remove", "x"], ["restore", "x"], ["reseal"]):
            run = shelf.archive(*words, input="new")
            assert run.status in (DAMAGED, REFUSED) and run.out == "", (what, words, run)
            assert str(shelf.archives) in run.err, (what, words, run.err)
        for words in (["list"], ["add", "--title", "T"]):
            run = shelf.draft(*words)
            assert run.status in (DAMAGED, REFUSED) and str(shelf.archives) in run.err, run

    for mode in (0o770, 0o702, 0o755, 0o701):
        shelf.archives.chmod(mode)
        check(oct(mode))
    shelf.archives.chmod(0o700)
    shelf.archives.rename(aside)
    shelf.archives.symlink_to(elsewhere)
    check("a link")
    shelf.archives.unlink()
    shelf.archives.symlink_to(aside)
    check("a link to what was there")
    shelf.archives.unlink()
    shelf.archives.write_text("")
    check("a file")
    shelf.archives.unlink()
    shelf.archives.symlink_to("nowhere")
    check("a dangling link")
    shelf.archives.unlink()
    os.mkfifo(shelf.archives)
    check("a FIFO")
    shelf.archives.unlink()
    aside.rename(shelf.archives)
    if os.geteuid() == 0:
        os.chown(shelf.archives, OTHER, OTHER)
        check("another's")
        os.chown(shelf.archives, 0, 0)
    assert os.listdir(elsewhere) == []
    assert shelf.get("x") == b"x"


@case
def a_store_that_is_not_ones_own_alone_is_refused_and_named(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    shelf.end_daemon()
    shelf.state.chmod(0o750)
    for words in (["list"], ["get", "--raw", "x"], ["put", "--raw", "x"]):
        run = shelf.archive(*words, input="new")
        assert run.status != 0 and run.out == "" and str(shelf.state) in run.err, (words, run)
    shelf.state.chmod(0o700)
    link = room.path / "link"
    link.symlink_to(shelf.state)
    run = shelf.archive("list", "--state", str(link))
    assert run.status == DAMAGED and str(link) in run.err, run
    assert shelf.get("x") == b"x"


@case
def what_stands_in_the_place_of_a_lock_is_said(room):
    shelf = Shelf(room)
    shelf.put("x", b"x")
    for lock in (shelf.archives / "lock", shelf.state / "archives.lock"):
        for make in (lambda path: path.symlink_to(room.path / "away"), os.mkdir, os.mkfifo):
            lock.unlink(missing_ok=True)
            make(lock)
            start = time.monotonic()
            run = shelf.archive("put", "--raw", "x", "--timeout", "2", input="new")
            assert time.monotonic() - start < 6
            if run.status == 0:
                # A FIFO can be locked like anything else.
                assert stat.S_ISFIFO(lock.lstat().st_mode), lock
                shelf.put("x", b"x")
            else:
                assert run.status == REFUSED and "x" in run.err, run
            assert shelf.get("x") == b"x"
            os.rmdir(lock) if lock.is_dir() and not lock.is_symlink() else lock.unlink()
        shelf.put("x", b"x")
    assert not (room.path / "away").exists()


@case
def a_full_disk_leaves_the_archive_and_nothing_beside(room):
    needs_root()
    disk = small_disk(room, "2m")
    home = Shelf(room)
    state = disk / "state"
    environment = {"ACCOUNT_STATE_DIR": str(state)}
    home.account("key", "add", "keyfile", environment=environment).must_be(0)
    home.put("x", b"old", environment=environment)
    for size in (4_000_000, 1_500_000):
        large = b"n" * size
        path = fill(disk) if size < 2_000_000 else None
        run = home.archive("put", "--raw", "x", input=large, environment=environment)
        run.must_be(REFUSED, "")
        assert "ENOSPC" in run.err and "x" in run.err, run.err
        assert run.err.count("ENOSPC") == 1, run.err
        run = home.draft("add", "--title", "T" * 100_000, environment=environment)
        assert run.status == (REFUSED if path else 0), run
        if path:
            assert home.archive("get", "--raw", "x", environment=environment).out == "old"
            home.archive("remove", "drafts", environment=environment).must_be(0)
            path.unlink()
        assert list((state / "archives").glob(".tmp-*")) == []
    home.archive("get", "--raw", "x", environment=environment).must_be(0, "old")
    home.put("x", b"new", environment=environment)


@case
def a_file_system_that_is_read_only_is_read_from(room):
    needs_root()
    shelf = Shelf(room)
    shelf.put("x", b"old")
    # The daemon goes on writing where it has begun; the commands come another way.
    place = room.place("read-only-")
    done = subprocess.run(["mount", "--bind", "-o", "ro", shelf.state, place], capture_output=True)
    if done.returncode:
        raise Skip("cannot mount a directory a second time")
    room.callback(subprocess.run, ["umount", "-l", place], check=True)
    environment = {"ACCOUNT_STATE_DIR": str(place)}
    shelf.archive("list", environment=environment).must_be(0, "x\n")
    shelf.archive("get", "--raw", "x", environment=environment).must_be(0, "old")
    for words in (["put", "--raw", "x"], ["put", "y"], ["remove", "x"], ["restore", "x"]):
        run = shelf.archive(*words, input="1", environment=environment).must_be(REFUSED, "")
        assert "EROFS" in run.err, (words, run)
    run = shelf.draft("add", "--title", "T", environment=environment).must_be(REFUSED, "")
    assert "EROFS" in run.err, run.err
    assert shelf.get("x") == b"old"
    shelf.must_be_tidy()


@case
def a_limit_on_the_size_of_files_is_an_error(room):
    shelf = Shelf(room)
    shelf.put("x", b"old")

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    run = shelf.archive("put", "--raw", "x", input=b"n" * 1_000_000, prepare=limited)
    run.must_be(REFUSED, "")
    assert "EFBIG" in run.err, run.err
    place = room.path / "o"
    shelf.put("y", b"n" * 1_000_000)
    run = shelf.archive("get", "--raw", "y", "--output", str(place), prepare=limited)
    run.must_be(REFUSED, "")
    assert "EFBIG" in run.err and not place.exists(), run.err
    assert shelf.get("x") == b"old"
    shelf.must_be_tidy()


# MARK: Other users


@case
def another_user_neither_lists_nor_reads_nor_writes(room):
    needs_root()
    shelf = Shelf(room, user=OTHER)
    shelf.path.chmod(0o755)
    shelf.put("x", b"secret")
    stranger = Home(room, user=STRANGER)
    environment = {"ACCOUNT_STATE_DIR": str(shelf.state)}
    for words in (["list"], ["get", "--raw", "x"], ["put", "--raw", "x"], ["remove", "x"],
                  ["reseal"]):
        run = stranger.account("archive", *words, input="theirs", environment=environment)
        assert run.status not in (0, NOTHING) and run.out == "", (words, run)
        assert "secret" not in run.err and str(shelf.state) in run.err, (words, run)
    # Not even where the socket itself can be reached.
    socket = room.path / "socket"
    daemon = room.daemon(socket=socket)
    daemon.login()
    daemon.directory.chmod(0o755)

    def asks():
        return daemon.ask("org.accountd.Keys.DeriveArchiveKey", name="x")

    assert as_user(STRANGER, asks)["error"].endswith("PermissionDenied")
    assert shelf.get("x") == b"secret"


@case
def root_with_another_users_store_is_told_whose_it_is(room):
    needs_root()
    shelf = Shelf(room, user=OTHER)
    shelf.put("x", b"secret")
    root = Home(room)
    environment = {"ACCOUNT_STATE_DIR": str(shelf.state)}
    before = sorted((str(path), path.lstat().st_uid) for path in shelf.state.rglob("*"))
    for words in (["list"], ["get", "--raw", "x"], ["put", "--raw", "x"], ["remove", "x"],
                  ["restore", "x"]):
        run = root.account("archive", *words, input="root's", environment=environment)
        assert run.status in (DAMAGED, 6) and run.out == "", (words, run)
        assert str(OTHER) in run.err and str(shelf.state) in run.err, (words, run)
    run = root.account("draft", "add", "--title", "T", environment=environment)
    assert run.status in (DAMAGED, 6) and str(OTHER) in run.err, run
    after = sorted((str(path), path.lstat().st_uid) for path in shelf.state.rglob("*"))
    assert before == after
    assert shelf.get("x") == b"secret"
