"""A disk that notes every write and every flush, so that each state can be had in which a power cut
may leave it. Needs root.

The disk is a file that this process serves through FUSE (linux/fuse.h), a loop device on it, and an
ext4 file system on that. What was flushed is on the disk; of what was written since then any part
may be, in any order, and a write may have come through in part.
"""

import ctypes
import os
import struct
import threading

from cases import Skip, needs_root
from disks import LoopDisk

FLUSH = "flush"
# The least that is written whole: of its own superblock of that size ext4 takes it for granted.
SECTOR = 1024

_LOOKUP, _FORGET, _GETATTR, _SETATTR, _OPEN, _READ, _WRITE, _STATFS, _RELEASE = (
    1, 2, 3, 4, 14, 15, 16, 17, 18)
_FSYNC, _FLUSH, _INIT, _ACCESS, _DESTROY, _BATCH_FORGET = 20, 25, 26, 34, 38, 42
_HEADER = struct.Struct("<IIQQIIII")
_ROOT, _FILE, _NAME = 1, 2, b"disk"
_DIRECT_IO = 1
_LARGEST_WRITE = 1 << 20
_LIFETIME = 3600
_ENOENT, _ENOSYS = 2, 38
_MNT_DETACH = 2


class RecordedDisk:
    """One such disk; `content` is what it holds at first. `events` are writes, FLUSH and marks.

    A write is (offset, bytes), a mark any other text.
    """

    def __init__(self, room, content, options=()):
        needs_root()
        self.image = bytearray(content)
        self.events = []
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._place = room.place("fuse-")
        try:
            self._device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise Skip(f"there is no FUSE: {error.strerror}") from None
        self._server = threading.Thread(target=self._serve, daemon=True)
        self._mount()
        self._server.start()
        room.callback(self._unmount)
        disk = LoopDisk(room, image=self._place / _NAME.decode(), options=options)
        self.place, self.cut_power, self.unmount = disk.place, disk.cut_power, disk.unmount

    def mark(self, text):
        """Notes that something has happened."""
        self.events.append(text)

    def _mount(self):
        options = f"fd={self._device},rootmode=40000,user_id=0,group_id=0".encode()
        if self._libc.mount(b"recorded", bytes(self._place), b"fuse", 0, options):
            raise Skip(f"FUSE cannot be mounted: {os.strerror(ctypes.get_errno())}")

    def _unmount(self):
        self._libc.umount2(bytes(self._place), _MNT_DETACH)
        self._server.join(10)
        os.close(self._device)

    # MARK: The file system of one file

    def _serve(self):
        while True:
            try:
                request = os.read(self._device, _LARGEST_WRITE + 4096)
            except OSError:
                return
            _, code, unique, node, *_ = _HEADER.unpack_from(request)
            if code == _DESTROY:
                return
            if code in (_FORGET, _BATCH_FORGET):
                continue
            answer = self._answer(code, node, memoryview(request)[_HEADER.size:])
            error, body = (answer, b"") if isinstance(answer, int) else (0, answer)
            try:
                os.write(self._device, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
            except OSError:
                # Whoever asked was killed meanwhile.
                pass

    def _answer(self, code, node, body):
        if code == _INIT:
            return struct.pack("<IIIIHHIIHHI7I", 7, 31, 0, 0, 16, 12, _LARGEST_WRITE, 1, 0, 0, 0,
                               *[0] * 7)
        if code == _LOOKUP:
            if bytes(body).rstrip(b"\0") != _NAME:
                return _ENOENT
            return struct.pack("<QQQQII", _FILE, 0, _LIFETIME, _LIFETIME, 0, 0) + self._attr(_FILE)
        if code in (_GETATTR, _SETATTR):
            return struct.pack("<QII", _LIFETIME, 0, 0) + self._attr(node)
        if code == _OPEN:
            return struct.pack("<QII", 0, _DIRECT_IO, 0)
        if code == _READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return bytes(self.image[offset:offset + size])
        if code == _WRITE:
            _, offset, size = struct.unpack_from("<QQI", body)
            data = bytes(body[40:40 + size])
            self.image[offset:offset + size] = data
            self.events.append((offset, data))
            return struct.pack("<II", size, 0)
        if code == _FSYNC:
            self.events.append(FLUSH)
            return b""
        if code == _STATFS:
            return struct.pack("<5Q4I6I", 0, 0, 0, 0, 0, 4096, 255, 4096, 0, *[0] * 6)
        return b"" if code in (_RELEASE, _FLUSH, _ACCESS) else _ENOSYS

    def _attr(self, node):
        mode, size = (0o040700, 0) if node == _ROOT else (0o100600, len(self.image))
        return struct.pack("<6Q10I", node, size, size // SECTOR, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0,
                           4096, 0)


# MARK: What a power cut may leave


def states(image, events, chance, subsets=1):
    """(how many events were over, what it is, image) for every state that is tried, each once.

    At every event: all that was written by then, only what was flushed, what was flushed and a
    random part of the rest with one write of it cut within; `subsets` says how many of those.
    """
    seen = set()
    flushed = bytearray(image)
    pending = []
    for position, event in enumerate(events):
        if event == FLUSH:
            _apply(flushed, pending)
            pending = []
        elif isinstance(event, tuple):
            pending.append(event)
        else:
            continue
        tries = [("all that was written", pending), ("what was flushed", [])]
        if len(pending) > 1 or pending and len(pending[0][1]) > SECTOR:
            tries += [("a part of what was written", _some(pending, chance))
                      for _ in range(subsets)]
        for what, writes in tries:
            state = bytearray(flushed)
            _apply(state, writes)
            key = hash(bytes(state))
            if key not in seen:
                seen.add(key)
                yield position + 1, what, state


def _apply(image, writes):
    for offset, data in writes:
        image[offset:offset + len(data)] = data


def _some(writes, chance):
    """Any of them in any order, one of them in part."""
    kept = [write for write in writes if chance.random() < 0.5]
    chance.shuffle(kept)
    if kept:
        offset, data = kept.pop()
        sectors = max(1, len(data) // SECTOR)
        first = chance.randrange(sectors)
        count = chance.randrange(1, sectors - first + 1)
        kept.append((offset + first * SECTOR, data[first * SECTOR:(first + count) * SECTOR]))
    return kept


