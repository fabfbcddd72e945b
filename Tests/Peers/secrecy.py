"""What root finds of a secret in a daemon's memory, and what a program of the same user may do."""

import dataclasses
import pathlib
import resource
import subprocess
import time

from process_hardening import as_user, can_attach, can_read
from process_memory import Scan
import programs

# A daemon has nothing left to do within this time after its last answer.
SETTLE_SECONDS = 0.2
ALIVE_SECONDS = 60


@dataclasses.dataclass
class Found:
    """Copies of a secret at one time: the whole of it, or its first or last 16 bytes."""
    all: int = 0
    unlocked: int = 0       # in pages that may go to the swap
    dumped: int = 0         # in pages that go into a core
    has_ended: bool = False

    def __str__(self):
        if self.has_ended:
            return "– (it has ended)"
        if self.all == 0:
            return "0"
        where = "all locked" if self.unlocked == 0 else f"{self.unlocked} unlocked"
        return f"{self.all} ({where})"

    @property
    def is_safe(self):
        """Nothing outside of memory that is locked and not dumped."""
        return self.unlocked == self.dumped == 0


def look(processes, secret):
    """Scans the memory of all of these processes."""
    time.sleep(SETTLE_SECONDS)
    found = Found(has_ended=True)
    for pid in processes:
        try:
            copies = Scan(pid, {"secret": secret}).found("secret")
        except (FileNotFoundError, ProcessLookupError):
            continue
        found.has_ended = False
        found.all += len(copies)
        found.unlocked += sum("lo" not in copy.mapping.flags for copy in copies)
        found.dumped += sum("dd" not in copy.mapping.flags for copy in copies)
    return found


def allow_core_dumps():
    """So that what keeps a daemon from writing a core is what it does itself."""
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


@dataclasses.dataclass
class Protection:
    """Of all the processes that may hold the secret, the least."""
    locked: int             # bytes that are locked
    writes_core: bool
    attachable: bool | None     # None: the kernel lets nobody attach here
    readable: bool


def protection(processes):
    """The attempts come from a process of the same user and group that is not their parent."""
    attempts = [_attempts(pid) for pid in processes]
    return Protection(
        locked=sum(_status(pid, "VmLck") * 1024 for pid in processes),
        writes_core=any(map(_may_dump, processes)),
        attachable=any(each[0] for each in attempts) if _may_attach(processes[0]) else None,
        readable=any(each[1] for each in attempts))


def _attempts(pid):
    """Whether the user of a process can attach to it, and open its memory."""
    uid, gid = _status(pid, "Uid"), _status(pid, "Gid")
    return [as_user(uid, attempt, gid) == 0
            for attempt in (can_attach(pid), can_read(f"/proc/{pid}/mem"))]


def _may_attach(pid):
    """Whether that user may attach to anything at all."""
    uid, gid = _status(pid, "Uid"), _status(pid, "Gid")
    control = subprocess.Popen(["sleep", str(ALIVE_SECONDS)], user=uid, group=gid,
                               extra_groups=[])
    try:
        return all(_attempts(control.pid))
    finally:
        programs.end(control)


def _status(pid, name):
    """The first number of that line of /proc/PID/status."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0])
    return 0


def _may_dump(pid):
    """proc(5): the files of a process that is not dumpable belong to root."""
    is_dumpable = pathlib.Path(f"/proc/{pid}/mem").stat().st_uid == _status(pid, "Uid")
    for line in pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines():
        if line.startswith("Max core file size"):
            return is_dumpable and line.split()[4] != "0"
    return is_dumpable
