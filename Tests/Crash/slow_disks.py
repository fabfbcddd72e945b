"""Disks that stand still, are full, have no more names, or take a few bytes at a time."""

import os
import shutil
import signal
import statistics
import subprocess
import time

import faults
import judge
import programs
import slot_stores
import stores
import wire
from cases import Room, case, needs_program
from disks import LoopDisk, fill, make_image
from failures import in_memory
from stores import NEW, OLD, OTHER

HANG_SECONDS = 0.5
QUERIES = 300
# While a login hangs, a query may take this many times as long as before, and at the most so long.
SLOWDOWN, SLOWEST = 4, 0.1
TIMED_OUT = 10
MEGABYTES = 4
BLOCK = 1024


class _Frozen:
    """A daemon with an account whose disk stands still."""

    def __init__(self, room):
        self.disk = LoopDisk(room, MEGABYTES)
        self.daemon = room.daemon(state=self.disk.place / "state", key=self.disk.place / "key",
                                  socket=room.place("socket-") / "socket")
        self.daemon.call("Login", OLD.login())
        self.disk.freeze()
        self.is_frozen = True
        room.callback(self.thaw)

    def thaw(self):
        if self.is_frozen:
            self.is_frozen = False
            self.disk.thaw()

    def begin(self, account=NEW):
        """A login that hangs."""
        peer = self.daemon.connect()
        peer.sendall(wire.message("Login", account.login(replace=True)))
        time.sleep(HANG_SECONDS)
        return peer


def _query_times(daemon):
    times = []
    with daemon.connect() as peer:
        for number in range(QUERIES):
            method = ("GetToken", "GetStatus", "CheckExpiry")[number % 3]
            start = time.monotonic()
            reply = wire.ask(peer, method)
            times.append(time.monotonic() - start)
            assert "error" not in reply, reply
    return times


def _must_hang(peer):
    peer.settimeout(0.1)
    try:
        raise AssertionError(f"it was answered on a frozen disk: {peer.recv(65_536)}")
    except TimeoutError:
        peer.settimeout(wire.CALL_SECONDS)


@case
def while_a_disk_stands_still_queries_are_answered_as_ever(room):
    frozen = _Frozen(room)
    frozen.thaw()
    before = _query_times(frozen.daemon)
    frozen.disk.freeze()
    frozen.is_frozen = True
    with frozen.begin() as peer:
        during = _query_times(frozen.daemon)
        assert stores.observe(frozen.daemon) == OLD
        _must_hang(peer)
        frozen.thaw()
        assert "error" not in wire.replies(peer, 1)[0]
    assert stores.observe(frozen.daemon) == NEW
    frozen.daemon.end()
    print(f"  a query takes {statistics.median(before) * 1e6:.0f} µs, "
          f"{statistics.median(during) * 1e6:.0f} µs while the disk stands still")
    # Twice as often as not something else runs on the machine: the middle is what counts.
    assert statistics.median(during) < SLOWDOWN * statistics.median(before)
    assert sorted(during)[int(QUERIES * 0.9)] < SLOWEST


@case
def a_login_on_a_disk_that_stands_still_times_out_and_says_what_is_known(room):
    frozen = _Frozen(room)
    response = room.path / "response"
    response.write_text(f'{{"access_token":"{NEW.token}","uid":"{NEW.uid}","expires_in":2592000}}')
    command = [programs.binary("account"), "--socket", frozen.daemon.socket, "--timeout", "1s",
               "login", "--from", response]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        assert (done.returncode, done.stdout) == (TIMED_OUT, ""), done
        assert "has not answered within 1 s" in done.stderr, done.stderr
        assert "account show" in done.stderr, done.stderr
    assert stores.observe(frozen.daemon) == OLD
    frozen.thaw()
    end = time.monotonic() + 10
    while frozen.daemon.token() != NEW.token:
        assert time.monotonic() < end
        time.sleep(0.01)
    frozen.daemon.end()


@case
def logins_behind_one_that_hangs_wait_and_are_answered_in_their_order(room):
    frozen = _Frozen(room)
    with frozen.begin(NEW) as first, frozen.begin(OTHER) as second:
        _must_hang(first)
        _must_hang(second)
        frozen.thaw()
        assert wire.replies(first, 1)[0]["parameters"]["account"]["uid"] == NEW.uid
        assert wire.replies(second, 1)[0]["parameters"]["account"]["uid"] == OTHER.uid
    assert stores.observe(frozen.daemon) == OTHER
    frozen.daemon.end()


@case
def told_to_end_on_a_disk_that_stands_still_it_says_what_it_waits_for(room):
    frozen = _Frozen(room)
    with frozen.begin() as peer, frozen.daemon.connect() as other:
        frozen.daemon.signal(signal.SIGTERM)
        assert wire.is_closed(other, 5)
        time.sleep(HANG_SECONDS)
        assert frozen.daemon.is_alive()
        assert "waits for a change" in frozen.daemon.errors(), frozen.daemon.errors()
        frozen.thaw()
        assert "error" not in wire.replies(peer, 1)[0]
    assert frozen.daemon.wait() == 0


@case
def killed_on_a_disk_that_stands_still_it_leaves_the_old_account_or_the_new_one(room):
    frozen = _Frozen(room)
    with frozen.begin():
        frozen.daemon.signal(signal.SIGKILL)
        time.sleep(HANG_SECONDS)
        frozen.thaw()
        frozen.daemon.wait()
    frozen.disk.unmount()
    frozen.disk.mount()
    following = room.daemon(after=frozen.daemon, state=frozen.daemon.state,
                            socket=frozen.daemon.socket)
    assert stores.observe(following) in (OLD, NEW)
    assert not stores.strays(frozen.disk.place)
    following.end()


@case
def a_look_at_the_socket_that_fails_does_not_end_the_daemon(room):
    place = stores.two_generations(room)
    daemon = room.daemon(state=place / "state", key=place / "key")
    for error in ("EIO", "ENOMEM"):
        tracer = faults.attach(daemon.pid, "newfstatat", f"newfstatat:error={error}:when=1",
                               thread=daemon.pid)
        # The daemon looks whenever something happens beside its socket.
        (daemon.directory / error).touch()
        assert stores.observe(daemon) == OLD
        time.sleep(HANG_SECONDS)
        assert stores.observe(daemon) == OLD and daemon.is_alive()
        programs.end(tracer)
    daemon.socket.unlink()
    assert daemon.wait() == 1, daemon.errors()


# MARK: Full disks


def leave_free(disk, blocks):
    """Fills a file system but for so many blocks."""
    path = fill(disk.place)
    with open(path, "r+b") as file:
        file.truncate(max(0, path.stat().st_size - blocks * BLOCK))
        os.fsync(file.fileno())
    return path


def take_names(disk, left):
    """Takes all inodes of a file system but so many."""
    place = disk.place / "names"
    place.mkdir()
    for number in range(1 << 16):
        if os.statvfs(disk.place).f_ffree <= left:
            return place
        (place / str(number)).touch()
    raise AssertionError("inodes without end")


def _meet(operation, template, image, hinder, what):
    """The operation on a disk that is short of something, then again with room. The answer."""
    with Room() as room:
        copy = in_memory(room) / "image"
        shutil.copyfile(image, copy)
        disk = LoopDisk(room, image=copy)
        daemon = room.daemon(state=disk.place / "state", key=disk.place / "key",
                             socket=room.place("socket-") / "socket")
        operation.prepare(daemon)
        obstacle = hinder(disk)
        with daemon.connect() as peer:
            operation.begin(peer)
            answer, message = judge.answer_of(wire.replies(peer, 1)[0])
        found = stores.observe(daemon)
        allowed = judge.may_be_found(operation, answer, message, False)
        assert any(stores.same(found, one) for one in allowed), (
            f"{operation.name}, {what}: it serves {found} after {answer}: {message}")
        if answer == judge.REFUSED:
            assert "ENOSPC" in message or "EDQUOT" in message, message
        daemon.kill()
        # The next one starts on the full disk, too, and serves what is there.
        following = room.daemon(after=daemon, state=daemon.state, key=daemon.key,
                                socket=daemon.socket)
        operation.prepare(following)
        assert stores.same(stores.observe(following), found) or answer == judge.REFUSED, what
        following.kill()
        shutil.rmtree(obstacle) if obstacle.is_dir() else obstacle.unlink()
        judge.judge(room, disk.place, operation, template, answer, message)
        return answer


def _fill_step_by_step(room, hinder, amounts, what, operations=stores.OPERATIONS):
    refused = tried = 0
    for operation in operations:
        if not operation.method:
            continue
        template = operation.template(room)
        image = in_memory(room) / "template"
        make_image(image, MEGABYTES, template, ["-b", str(BLOCK), "-N", "64"])
        for amount in amounts:
            answer = _meet(operation, template, image, lambda disk, n=amount: hinder(disk, n),
                           f"{amount} {what}")
            tried += 1
            refused += answer == judge.REFUSED
    print(f"  {tried} tried, {refused} refused")
    assert 0 < refused < tried


@case
def a_disk_that_is_full_at_any_block_is_said_and_survived(room):
    _fill_step_by_step(room, leave_free, range(9), "blocks free")


@case
def a_disk_without_inodes_is_said_and_survived(room):
    _fill_step_by_step(room, take_names, range(5), "inodes free")


@case
def a_disk_without_room_for_other_slots_is_said_and_survived(room):
    slots = slot_stores.OPERATIONS
    _fill_step_by_step(room, leave_free, range(9), "blocks free", slots)
    _fill_step_by_step(room, take_names, range(5), "inodes free", slots)


@case
def a_limit_on_the_size_of_files_is_said_and_survived(room):
    needs_program("prlimit")
    place = stores.two_generations(room)
    daemon = room.daemon(state=place / "state", key=place / "key")
    for size in (0, 1, 100, 300):
        subprocess.run(["prlimit", "--pid", str(daemon.pid), f"--fsize={size}:"], check=True)
        reply = daemon.ask("Login", **NEW.login())
        assert wire.error(reply) == "StoreFailed" and "EFBIG" in reply["parameters"]["message"]
        assert stores.observe(daemon) == OLD and not stores.strays(place)
    daemon.end()
    limited = room.daemon(after=daemon, wrapper=["prlimit", "--fsize=0"], same_process=True)
    assert stores.observe(limited) == OLD
    limited.end()


def _transfer_little(room, operations):
    needs_program("gcc")
    library = room.path / "short_transfers.so"
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library,
                    os.path.join(os.path.dirname(__file__), "short_transfers.c")], check=True)
    for operation in operations:
        template = operation.template(room)
        place = in_memory(room) / "place"
        shutil.copytree(template, place, symlinks=True)
        daemon = room.daemon(state=place / "state", key=place / "key",
                             environment={"LD_PRELOAD": str(library)})
        with open(f"/proc/{daemon.pid}/maps", encoding="utf-8") as maps:
            assert library.name in maps.read()
        operation.prepare(daemon)
        if operation.method:
            with daemon.connect() as peer:
                operation.begin(peer)
                reply = wire.replies(peer, 1)[0]
                assert "error" not in reply, f"{operation.name}: {reply}"
        assert stores.same(stores.observe(daemon), operation.after), operation.name
        daemon.kill()
        judge.judge(room, place, operation, template, judge.DONE)


@case
def short_transfers_and_interruptions_change_nothing(room):
    _transfer_little(room, stores.OPERATIONS)


@case
def slots_that_are_changed_by_few_bytes_at_a_time_are_whole(room):
    _transfer_little(room, slot_stores.OPERATIONS)
