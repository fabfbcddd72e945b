"""What stands in memory: of archives of any size little, of secrets nothing where it must not."""

import hashlib
import os
import pathlib
import resource
import secrets
import signal
import subprocess
import sys
import time

import programs
from cases import Skip, alone, case, needs_root
from client import exit_status
from shelf import CHUNK, Shelf
from writer_cases import Hanging

sys.path.append(str(programs.ROOT / "Tests" / "Residue"))
from client_residue import full_pipe, wait_until_blocked  # noqa: E402
from process_hardening import as_user, can_attach, can_read  # noqa: E402
from process_memory import Scan, found_in_file  # noqa: E402

# What is moved in parts. `--large` makes it a gibibyte.
SIZE = (1 << 30) if os.environ.get("ARCHIVES_LARGE") else 64 << 20
PEAK_KIB = 16 << 10
# Bytes of address space in which the program does its work.
ADDRESS_SPACE = 24 << 20
OTHER = 65_512


def blocks(size):
    """Bytes that compress to nothing and tell their place, a part at a time."""
    for number in range(size >> 20):
        yield number.to_bytes(8, "big") * (1 << 17)


def peak(pid):
    """Kilobytes that it has had resident at the most; 0 when it has ended."""
    with open(f"/proc/{pid}/status") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)


def address_space(limit):
    """What a child does before it becomes the program; the daemon does not take it over."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


@case
@alone
def content_of_any_size_is_moved_in_little_memory(room):
    shelf = Shelf(room)
    shelf.put("x", b"")
    wanted = hashlib.blake2b()
    start = time.monotonic()
    process = shelf.start("archive", "put", "--raw", "x", stdin=subprocess.PIPE,
                          prepare=address_space(ADDRESS_SPACE))
    for block in blocks(SIZE):
        wanted.update(block)
        process.stdin.write(block)
    process.stdin.flush()
    put_peak = peak(process.pid)
    process.stdin.close()
    assert process.wait(60) == 0, process.stderr.read()
    put_seconds, start = time.monotonic() - start, time.monotonic()
    assert shelf.file("x").stat().st_size > SIZE
    process = shelf.start("archive", "get", "--raw", "x", prepare=address_space(ADDRESS_SPACE))
    found, count, get_peak = hashlib.blake2b(), 0, 0
    while count < SIZE:
        part = process.stdout.read(1 << 20)
        assert part, (count, process.stderr.read())
        count += len(part)
        found.update(part)
        # It still waits for the last part to be taken.
        get_peak = max(get_peak, peak(process.pid) if process.poll() is None else 0)
    assert process.stdout.read() == b"" and process.wait(60) == 0
    print(f"  {SIZE >> 20} MiB: put {put_seconds:.1f} s, {put_peak} KiB at the most, "
          f"get {time.monotonic() - start:.1f} s, {get_peak} KiB", flush=True)
    assert found.digest() == wanted.digest()
    assert 0 < put_peak < PEAK_KIB and 0 < get_peak < PEAK_KIB, (put_peak, get_peak)


@case
def a_box_full_of_pictures_fits_into_memory(room):
    shelf = Shelf(room)
    words = []
    for number in range(15):
        path = room.path / str(number)
        path.write_bytes(secrets.token_bytes(4 << 20))
        words += ["--picture", str(path)]
    process = shelf.start("draft", "add", "--title", "T", *words)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.stderr.read()
    assert usage.ru_maxrss < 512 << 10, usage.ru_maxrss
    assert len(shelf.drafts()[0]["pictures"]) == 15


def key_of(shelf, name):
    """The archive's key, as the format has it; and the master key's bytes are not needed."""
    import wire
    answer = wire.call(shelf.socket, "org.accountd.Keys.DeriveArchiveKey", {"name": name})
    return bytes.fromhex(answer["key"])


def outside_of_locked_memory(pid, wanted):
    """Copies that stand where they could be swapped or dumped, and how many there are in all."""
    scan = Scan(pid, wanted)
    copies = {name: scan.found(name) for name in wanted}
    return copies, {name: [str(copy) for copy in found if not copy.mapping.is_locked_and_undumped]
                    for name, found in copies.items()}


@case
@alone
def bytes_that_are_put_and_their_key_stand_in_locked_memory_alone(room):
    needs_root()
    shelf = Shelf(room)
    content = secrets.token_hex(32).encode()
    hanging = Hanging(shelf, "x", content + b"." * 1000)
    time.sleep(0.3)
    key = key_of(shelf, "x")
    wanted = {"content": content, "key": key, "key in digits": key.hex().encode()}
    pid = hanging.process.pid
    copies, outside = outside_of_locked_memory(pid, wanted)
    assert copies["content"], "the scan sees nothing, and proves nothing"
    assert not any(outside.values()), outside
    must_be_hidden(shelf, pid, wanted)
    copies, _ = outside_of_locked_memory(shelf.daemon(), wanted)
    assert not any(copies.values()), copies
    assert hanging.end() == 0
    # The same where it is got: the program waits for a pipe that takes no more.
    shelf.put("x", content * (4 * CHUNK // len(content)))
    reading, writing, _ = full_pipe()
    process = shelf.start("archive", "get", "--raw", "x", stdout=writing)
    os.close(writing)
    trouble = wait_until_blocked(process, ("pipe",))
    assert trouble is None, trouble
    wanted["content"] = content * 2
    copies, outside = outside_of_locked_memory(process.pid, wanted)
    assert copies["content"], "the scan sees nothing, and proves nothing"
    assert not any(outside.values()), outside
    must_be_hidden(shelf, process.pid, wanted)
    copies, _ = outside_of_locked_memory(shelf.daemon(), wanted)
    assert not any(copies.values()), copies
    os.close(reading)
    # What the store holds on the disk has neither in it.
    for path in shelf.state.rglob("*"):
        if path.is_file():
            assert not found_in_file(path, wanted), path


def must_be_hidden(shelf, pid, wanted):
    """Neither its command line nor its environment has a secret, and it writes no core."""
    for place in ("cmdline", "environ"):
        found = found_in_file(f"/proc/{pid}/{place}", wanted)
        assert not found, (place, found)
    with open(f"/proc/{pid}/limits") as limits:
        line = next(line for line in limits if line.startswith("Max core file size"))
    assert line.split()[4] == "0", line
    assert shelf.user is not None or os.stat(f"/proc/{pid}/mem").st_uid == 0


@case
def the_same_user_cannot_look_into_it_and_no_signal_makes_it_leave_a_core(room):
    needs_root()
    shelf = Shelf(room, user=OTHER)
    control = subprocess.Popen(["sleep", "60"], user=OTHER, group=OTHER, extra_groups=[])
    room.callback(programs.end, control)
    hanging = Hanging(shelf, "x", b"secret content")
    pid = hanging.process.pid
    if as_user(OTHER, can_attach(control.pid)) == 0:
        assert as_user(OTHER, can_attach(pid)) == 1, "it can be traced"
    for name in ("mem", "environ", "maps"):
        assert as_user(OTHER, can_read(f"/proc/{control.pid}/{name}")) == 0
        assert as_user(OTHER, can_read(f"/proc/{pid}/{name}")) == 1, name
    assert os.stat(f"/proc/{pid}/mem").st_uid == 0, "it is dumpable"
    hanging.process.kill()
    hanging.end()
    for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGQUIT, signal.SIGTRAP):
        hanging = Hanging(shelf, "x", b"secret content")
        os.kill(hanging.process.pid, number)
        _, err = hanging.process.communicate(timeout=20)
        status = hanging.process.returncode
        assert status == -number and err == b"", (status, err)
    assert not list(pathlib.Path("/").glob("core*")), "a core"


@case
def a_daemon_that_was_asked_for_keys_often_has_none(room):
    needs_root()
    shelf = Shelf(room)
    keys = {}
    for number in range(20):
        shelf.put(f"a{number}", b"x")
        keys[f"a{number}"] = key_of(shelf, f"a{number}")
    for name in keys:
        shelf.get(name)
    copies, _ = outside_of_locked_memory(shelf.daemon(), keys)
    assert not any(copies.values()), {name: found for name, found in copies.items() if found}
    pid = shelf.daemon()
    os.kill(pid, signal.SIGTERM)
    assert exit_status(pid) == 0
    if not keys:
        raise Skip("nothing was derived")
