"""File systems of a test's own: small ones, and ones whose power can be cut. Needs root."""

import contextlib
import fcntl
import os
import pathlib
import struct
import subprocess
import time

from cases import Skip, needs_program, needs_root

# _IOR('X', 125, __u32), which ext4, XFS and F2FS share; 2: without flushing the journal.
SHUTDOWN, WITHOUT_FLUSH = 0x8004587D, 2
# _IOWR('X', 119, int) and _IOWR('X', 120, int), see ioctl_fsfreeze in linux/fs.h.
FREEZE, THAW = 0xC0045877, 0xC0045878


def small_disk(room, size="256k"):
    """A tmpfs of that size, with all its rights for root alone. Its path."""
    needs_root()
    place = room.place("disk-")
    _mount(["-t", "tmpfs", "-o", f"size={size},mode=700", "none", place], "a tmpfs")
    room.callback(_unmount, place)
    return place


def fill(directory):
    """Writes until no byte more fits. The file that takes the space."""
    path = pathlib.Path(directory) / "full"
    with open(path, "wb", 0) as file:
        for size in (1 << 20, 4096, 512, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                pass
    return path


def make_image(path, megabytes=16, content=None, options=()):
    """A file with an ext4 file system; `content` is a directory that it holds."""
    needs_program("mkfs.ext4")
    with open(path, "wb") as file:
        file.truncate(megabytes << 20)
    filled = [] if content is None else ["-d", content]
    subprocess.run(["mkfs.ext4", "-q", "-F", *filled, *options, path], check=True)


class LoopDisk:
    """An ext4 file system in a file, mounted through a loop device.

    `image` is one that is there already. `options` are those of mount(8).
    """

    def __init__(self, room, megabytes=16, image=None, options=()):
        needs_root()
        self.place = room.place("disk-")
        self.image = pathlib.Path(image or self.place.with_suffix(".image"))
        self.options = ["-o", ",".join(options)] if options else []
        if image is None:
            make_image(self.image, megabytes)
        # One device throughout: mount(8) may find the one before while that is being taken down.
        done = subprocess.run(["losetup", "--find", "--show", self.image], capture_output=True,
                              text=True)
        if done.returncode:
            raise Skip(f"there is no loop device: {done.stderr.strip()}")
        self.device = done.stdout.strip()
        room.callback(subprocess.run, ["losetup", "--detach", self.device], check=True)
        self.is_mounted = False
        room.callback(self._leave)
        self.mount()

    def mount(self):
        """Replays the journal, as after a power cut."""
        _mount([*self.options, self.device, self.place], "an ext4 file system")
        self.is_mounted = True

    def check(self):
        """What a machine does when it comes up again. e2fsck(8)

        A power cut by `cut_power` is the kernel's imitation of one: once in some thousand times it
        leaves a bitmap without its checksum, and a file system in which no file can be made.
        """
        done = subprocess.run(["e2fsck", "-f", "-p", self.device], capture_output=True, text=True)
        assert done.returncode <= 1, f"{done.stdout}{done.stderr}"

    def unmount(self, seconds=10):
        """Whatever is not written after a power cut is lost. Whoever was killed may use it still."""
        end = time.monotonic() + seconds
        while self.is_mounted:
            done = subprocess.run(["umount", self.place], capture_output=True, text=True)
            self.is_mounted = done.returncode != 0
            assert not self.is_mounted or time.monotonic() < end, done.stderr.strip()

    def _leave(self):
        if self.is_mounted:
            _unmount(self.place)

    def cut_power(self):
        """From now on nothing reaches the disk. Then: unmount, mount."""
        with _directory(self.place) as opened:
            fcntl.ioctl(opened, SHUTDOWN, struct.pack("I", WITHOUT_FLUSH))

    def freeze(self):
        """Every write waits until it is thawed."""
        with _directory(self.place) as opened:
            fcntl.ioctl(opened, FREEZE, 0)

    def thaw(self):
        """Ends `freeze`."""
        with _directory(self.place) as opened:
            fcntl.ioctl(opened, THAW, 0)


@contextlib.contextmanager
def _directory(path):
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield opened
    finally:
        os.close(opened)


def _mount(arguments, what):
    done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise Skip(f"cannot mount {what}: {done.stderr.strip()}")


def _unmount(place):
    subprocess.run(["umount", "-l", str(place)], check=True)
