"""Whoever writes archives, as docs/FORMAT.md has it, "Rotation": under a shared lock from before the
key is taken until the file has its name."""

import contextlib
import fcntl
import os
import pathlib
import struct
import sys

from cases import Skip

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Python"))
try:
    import sealed_format as form
    import store_opening as opening
except ImportError:
    form = opening = None

LOCK = "archives.lock"


def needs_the_independent_program():
    """Skips where its modules are missing."""
    if opening is None:
        raise Skip("needs Python's cryptography and pycryptodome")


def files(state):
    """Each archive and the one before it."""
    place = pathlib.Path(state) / opening.ARCHIVES
    return sorted(place.glob(f"*{opening.SUFFIX}*")) if place.exists() else []


@contextlib.contextmanager
def shared_lock(state):
    """Held while an archive is written."""
    lock = os.open(pathlib.Path(state) / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield
    finally:
        os.close(lock)


def try_shared_lock(state):
    """The same, to be closed, without waiting; None where somebody holds it for himself."""
    lock = open(pathlib.Path(state) / LOCK, "ab")
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return lock
    except BlockingIOError:
        lock.close()
        return None


def take_key(state, secrets):
    """The key that archives are sealed by from now on, and its id; under the lock."""
    slots = opening.read_slots(state)
    fault = None
    for slot in slots["slots"]:
        try:
            return opening.open_slot(slots, slot, secrets), slots["current"]
        except form.WrongSecret as wrong:
            fault = wrong
    raise fault


def put(state, name, payload, master_key, key_id):
    """Seals and writes an archive; the one before stays as its previous generation."""
    place = pathlib.Path(state) / opening.ARCHIVES
    place.mkdir(mode=0o700, exist_ok=True)
    plaintext = b"\2" + struct.pack("<H", 0) + payload
    key = form.derived(master_key, b"archive", name)
    path, temporary = place / f"{name}{opening.SUFFIX}", place / f".tmp-{os.urandom(8).hex()}"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(form.seal(plaintext, key, key_id, os.urandom))
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        previous = place / f".tmp-{os.urandom(8).hex()}"
        os.link(path, previous)
        os.rename(previous, f"{path}~")
    os.rename(temporary, path)
    with _directory(place) as opened:
        os.fsync(opened)


@contextlib.contextmanager
def _directory(place):
    opened = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield opened
    finally:
        os.close(opened)


def write(state, name, payload, secrets):
    """One archive, whole."""
    with shared_lock(state):
        put(state, name, payload, *take_key(state, secrets))


def seal_anew(state, secrets):
    """Each archive by the current key; those before them go."""
    with shared_lock(state):
        key, key_id = take_key(state, secrets)
        slots = opening.read_slots(state)
        for path in files(state):
            if path.name.endswith(opening.SUFFIX):
                name = path.name.removesuffix(opening.SUFFIX)
                put(state, name, opening.open_archive(path, slots, key), key, key_id)
        for path in files(state):
            if path.name.endswith("~"):
                path.unlink()


def must_open(state, secrets):
    """Every archive, by a key that the list holds: how many there are."""
    slots = opening.read_slots(state)
    master_key = opening.open_slot(slots, slots["slots"][0], secrets)
    found = files(state)
    for path in found:
        opening.open_archive(path, slots, master_key)
    return len(found)
