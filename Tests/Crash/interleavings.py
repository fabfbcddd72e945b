"""Archives are written while the master key is rotated: each opens afterwards, whatever came first."""

import contextlib
import random
import shutil
import signal
import threading
import time

import archives
import calls
import slot_stores
import stores
import wire
from calls import WORKER
from cases import Room, case, needs_program, needs_root
from failures import in_memory
from slot_stores import KEYS

# Longer than the daemon waits for writers. StoreFiles+Slots.swift
ANSWER_SECONDS = 60
WRITERS, ROTATIONS = 3, 12
NAMES = ("drafts", "notes", "contacts")


class _Rotation:
    """A daemon that is to rotate over archives, and can be stopped at each call of its worker."""

    def __init__(self, room, template):
        place = in_memory(room) / "place"
        shutil.copytree(template, place, symlinks=True)
        self.place, self.state = place, place / "state"
        self.secrets = slot_stores.secrets(place)
        self.daemon = room.daemon(state=self.state, key=place / "key")
        self.operation.prepare(self.daemon)

    operation = next(each for each in slot_stores.OPERATIONS if each.name == "rotate, archives")

    @contextlib.contextmanager
    def stopped_at(self, point):
        """The daemon stands still there; gives the connection on which it will answer."""
        with calls.injected(self.daemon, point, "signal=STOP"), \
                self.daemon.connect(ANSWER_SECONDS) as peer:
            self.operation.begin(peer)
            assert calls.wait_until_stopped(self.daemon, 5), f"{point} is not reached"
            yield peer

    def goes_on(self, peer):
        """The answer."""
        self.daemon.signal(signal.SIGCONT)
        reply = wire.replies(peer, 1)[0]
        assert "error" not in reply, reply
        return reply["parameters"]

    def must_be_whole(self, count):
        """All archives open, and when they are sealed anew no earlier key is left."""
        assert archives.must_open(self.state, self.secrets) == count
        archives.seal_anew(self.state, self.secrets)
        # Only the key that they are sealed by now.
        retired = self.daemon.call(f"{KEYS}.Rotate")["retired"]
        assert len(retired) == 1, retired
        assert archives.must_open(self.state, self.secrets)
        for path in archives.files(self.state):
            path.unlink()
        assert not self.daemon.call(f"{KEYS}.Rotate")["retired"]
        findings = self.daemon.call("Verify")["findings"]
        assert not findings, findings


def _points(room, template):
    needs_root()
    needs_program("strace")
    with Room() as own:
        rotation = _Rotation(own, template)
        found = calls.of_operation(own, rotation.daemon, rotation.operation)
        rotation.daemon.kill()
    return [point for point in found if point.thread == WORKER]


def _each(room, points_of, attempt):
    archives.needs_the_independent_program()
    template = _Rotation.operation.template(room)
    points = points_of(_points(room, template))
    for point in points:
        with Room() as own:
            attempt(_Rotation(own, template), point)
    print(f"  {len(points)} points")


@case
def an_archive_that_is_written_at_any_step_of_a_rotation_opens_afterwards(room):
    def attempt(rotation, point):
        with rotation.stopped_at(point) as peer:
            # Where the daemon holds the lock the writer comes after it.
            writer = threading.Thread(target=archives.write, args=(
                rotation.state, "contacts", b"written meanwhile", rotation.secrets))
            writer.start()
            writer.join(0.1)
            rotation.goes_on(peer)
            writer.join()
        rotation.must_be_whole(4)

    _each(room, lambda points: points, attempt)


@case
def an_archive_whose_key_was_taken_at_any_step_of_a_rotation_opens_afterwards(room):
    def attempt(rotation, point):
        with rotation.stopped_at(point) as peer, contextlib.ExitStack() as writing:
            lock = archives.try_shared_lock(rotation.state)
            if lock is None:
                rotation.goes_on(peer)
                return
            writing.callback(lock.close)
            key = archives.take_key(rotation.state, rotation.secrets)
            # It waits for the writer for a while, and then does without forgetting.
            rotation.goes_on(peer)
            archives.put(rotation.state, "contacts", b"begun before", *key)
        rotation.must_be_whole(4)

    # Each takes seconds: those that change what stands in the store.
    _each(room, lambda points: [point for point in points if point.call in (
        "renameat", "fsync", "flock", "unlinkat", "getdents64")], attempt)


@case
def archives_that_are_written_all_the_time_open_whatever_is_rotated_and_killed(room):
    needs_root()
    archives.needs_the_independent_program()
    rotation = _Rotation(room, _Rotation.operation.template(room))
    chance = random.Random(1)
    is_over = threading.Event()
    faults, written = [], []

    def go_on_writing(number):
        own = random.Random(number)
        try:
            while not is_over.is_set():
                archives.write(rotation.state, own.choice(NAMES), b"made up" * own.randrange(99),
                               rotation.secrets)
                written.append(number)
                time.sleep(own.random() / 20)
        except Exception as fault:
            faults.append(fault)

    writers = [threading.Thread(target=go_on_writing, args=(number,)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    daemon, killed = rotation.daemon, 0
    for _ in range(ROTATIONS):
        with daemon.connect(ANSWER_SECONDS) as peer:
            rotation.operation.begin(peer)
            if chance.random() < 0.5:
                time.sleep(chance.random() / 20)
                daemon.kill()
                killed += 1
            else:
                error = wire.error(wire.replies(peer, 1)[0])
                assert error in ("", "TooManyRetiredKeys"), error
        if not daemon.is_alive():
            daemon = room.daemon(after=daemon)
            rotation.operation.prepare(daemon)
            assert stores.observe(daemon) == stores.OLD
    is_over.set()
    for writer in writers:
        writer.join()
    assert not faults, faults
    rotation.daemon = daemon
    archives.seal_anew(rotation.state, rotation.secrets)
    print(f"  {len(written)} archives were written, {killed} daemons killed")
    assert archives.must_open(rotation.state, rotation.secrets) >= len(NAMES)
    daemon.call(f"{KEYS}.Rotate")
    assert archives.must_open(rotation.state, rotation.secrets) >= len(NAMES)


@case
def an_archive_that_is_written_without_the_lock_is_found_out(room):
    archives.needs_the_independent_program()
    rotation = _Rotation(room, slot_stores.with_code_alone(room))
    key = archives.take_key(rotation.state, rotation.secrets)
    assert not rotation.daemon.call(f"{KEYS}.Rotate")["retired"]
    archives.put(rotation.state, "drafts", b"too late", *key)
    try:
        archives.must_open(rotation.state, rotation.secrets)
    except archives.form.UnknownKey:
        return
    raise AssertionError("nothing was lost: this test finds nothing")
