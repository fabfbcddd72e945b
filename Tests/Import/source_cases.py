"""Files that are none, that have no end, or that change."""

import os
import subprocess
import time

from cases import alone, case, needs_program, needs_root
from client import Home
from vectors import MEMORY_KIB, SECONDS, load, measured


def seed():
    return next(vector.path for vector in load("archives"))


def must_be_refused(home, words, reason, **streams):
    cost = measured([home.programs / "account", "import", *words], home.environment, **streams)
    assert (cost.status, cost.reason) == (8, reason), (words, cost)
    assert cost.seconds < SECONDS and cost.kib < MEMORY_KIB, (words, cost)


@case
@alone
def what_is_no_regular_file_is_refused_at_once(room):
    home = Home(room)
    fifo = room.path / "fifo"
    os.mkfifo(fifo)
    link = room.path / "link"
    link.symlink_to("/dev/zero")
    for path in (fifo, room.path, "/dev/zero", "/dev/null", link):
        must_be_refused(home, [path], "not-a-file")


@case
@alone
def a_file_of_10_GiB_is_refused_unread(room):
    home = Home(room)
    large = room.path / "large"
    with open(large, "wb") as file:
        file.write(b"bplist00")
        file.truncate(10 << 30)
    must_be_refused(home, [large], "too-large")
    with open(large, "rb") as file:
        must_be_refused(home, ["-"], "too-large", stdin=file)


@case
@alone
def endless_standard_input_is_refused(room):
    home = Home(room)
    with open("/dev/zero", "rb") as zero:
        must_be_refused(home, ["-"], "too-large", stdin=zero)
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(out)
        try:
            while True:
                os.write(into, b"<" * 65536)
        finally:
            os._exit(0)
    os.close(into)
    try:
        must_be_refused(home, ["-"], "too-large", stdin=out)
    finally:
        os.close(out)
        os.waitpid(pid, 0)


@case
def a_pipe_is_read_to_its_end(room):
    home = Home(room)
    for path in (seed(), next(vector.path for vector in load() if "android" in vector.path.name)):
        home.shell('cat "$1" | account import - --replace', str(path)).must_be(0)
        home.shell('account import - --replace <"$1"', str(path)).must_be(0)


@case
def a_pipe_through_which_nothing_comes_is_given_up(room):
    home = Home(room)
    out, into = os.pipe()
    start = time.monotonic()
    run = home.run([str(home.programs / "account"), "import", "-", "--timeout", "1"], stdin=out)
    os.close(into)
    os.close(out)
    assert run.status == 10 and time.monotonic() - start < 5, run


@case
def a_file_that_may_not_be_read_is_an_error_of_the_system(room):
    needs_root()
    home = Home(room, user=54321)
    path = room.path / "secret"
    path.write_bytes(seed().read_bytes())
    path.chmod(0o600)
    run = home.account("import", str(path)).must_be(9)
    assert "EACCES" in run.err, run.err


def while_it_is_read(room, home, path, change):
    """Imports a file, each of whose reads waits for half a second; what `change` does meanwhile."""
    log = room.path / f"{path.name}.strace"
    process = subprocess.Popen(
        ["strace", "-f", "-o", str(log), "-P", str(path), "-e", "trace=openat,read",
         "-e", "inject=read:delay_enter=500000", str(home.programs / "account"), "import",
         str(path), "--dry-run"],
        env=home.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and not (
            log.exists() and "openat" in log.read_text(errors="replace")):
        time.sleep(0.01)
    # Behind the first read and before those that compare.
    time.sleep(0.7)
    change()
    _, err = process.communicate(timeout=30)
    return process.returncode, err.decode()


@case
def a_file_that_changes_while_it_is_read_is_refused(room):
    needs_program("strace")
    home = Home(room)
    good = seed().read_bytes()
    other = good.replace(b"9900000001", b"9900000002")
    assert other != good

    def write(path, content, start=0):
        with open(path, "r+b") as file:
            file.seek(start)
            file.write(content)

    changes = {
        "another account": lambda path: write(path, other),
        "the same again": lambda path: write(path, good),
        "more behind it": lambda path: write(path, b"more", len(good)),
        "its end cut off": lambda path: os.truncate(path, len(good) - 1),
        "its mode alone": lambda path: path.chmod(0o640),
    }
    for number, (what, change) in enumerate(changes.items()):
        path = room.path / f"{number}.plist"
        path.write_bytes(good)
        status, errors = while_it_is_read(room, home, path, lambda: change(path))
        assert status == 8 and "(file-changed)" in errors, (what, status, errors)
    path = room.path / "same.plist"
    path.write_bytes(good)
    status, errors = while_it_is_read(room, home, path, lambda: None)
    assert status == 0, errors


@case
def the_program_reads_its_file_and_no_other(room):
    needs_program("strace")
    home = Home(room)
    log = room.path / "strace"
    evil = room.path / "evil.xml"
    evil.write_text('<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY x SYSTEM '
                    '"file:///etc/hostname">]><plist><string>&x;</string></plist>',
                    encoding="utf-8")
    run = home.run(["strace", "-f", "-e", "trace=openat,open,connect", "-o", str(log),
                    str(home.programs / "account"), "import", str(evil)])
    assert run.status == 8, run
    text = log.read_text(encoding="utf-8", errors="replace")
    assert "evil.xml" in text
    assert "/etc/hostname" not in text, "an entity was followed"
    assert "AF_INET" not in text, "it has asked the network"
