"""Which system calls an operation makes: each is a point at which something can happen."""

import collections
import contextlib
import dataclasses
import re
import select

import faults
import programs
import wire

LOOP, WORKER, START = "loop", "worker", "start"
WORKER_NAME = "accountd-store"

# The name, and what its first argument, a descriptor, leads to.
_CALL = re.compile(r"^([a-z_0-9]+)\((?:\d+<([^>]*)>)?")
_TO_WRITE = re.compile("O_(WRONLY|RDWR|CREAT|TMPFILE)")
WRITTEN = "written"
# Where the runtime looks for the command line, which is the first thing in `main`.
_MAIN = '"/proc/self/maps"'
# What strace prints when it attaches to a thread that waits.
_RESUMED = "restart_syscall"


@dataclasses.dataclass(frozen=True)
class Point:
    """The nth call of that name in that thread, counted from the operation's beginning.

    `target` is what its descriptor leads to; of an open call, WRITTEN or nothing of use. What the
    loader and the runtime do before `main` is not ours.
    """
    thread: str
    call: str
    nth: int
    target: str = ""
    is_ours: bool = True

    def __str__(self):
        return f"{self.thread}'s {self.call} {self.nth}"


def thread_id(daemon, thread):
    """The kernel's number of the loop or the worker."""
    return faults.thread_named(daemon.pid, WORKER_NAME) if thread == WORKER else daemon.pid


def _target(found, line):
    if found[1].startswith("open"):
        return WRITTEN if _TO_WRITE.search(line) else "read"
    return found[2] or ""


def points_in(path, name):
    """Every call in what strace has written of one thread."""
    with open(path, errors="replace") as lines:
        return _points(name, list(lines))


def _points(name, lines):
    counts = collections.Counter()
    points = []
    is_ours = not any(_MAIN in line for line in lines)
    for line in lines:
        found = _CALL.match(line)
        is_ours = is_ours or _MAIN in line
        if found and found[1] != _RESUMED:
            counts[found[1]] += 1
            points.append(
                Point(name, found[1], counts[found[1]], _target(found, line), is_ours))
    return points


def of_operation(room, daemon, operation):
    """Has a daemon do it, traced: every point of it. Nothing fails meanwhile."""
    operation.prepare(daemon)
    paths = {thread: room.place("trace-") / thread for thread in (LOOP, WORKER)}
    tracers = [faults.attach(daemon.pid, "all", thread=thread_id(daemon, thread), output=path,
                             shows_targets=True)
               for thread, path in paths.items()]
    with daemon.connect(operation.answer_seconds) as peer:
        operation.begin(peer)
        reply = wire.replies(peer, 1)[0]
    assert "error" not in reply, reply
    for tracer in tracers:
        programs.end(tracer)
    return [point for thread, path in paths.items() for point in points_in(path, thread)]


def of_start(room, start):
    """The same for the start of a daemon; `start` gets a wrapper and starts it."""
    path = room.place("trace-") / START
    with start(["strace", "-f", "-qq", "-y", "-o", path]) as daemon:
        daemon.status()
    by_thread = {}
    with open(path, errors="replace") as lines:
        for line in lines:
            pid, _, rest = line.partition(" ")
            by_thread.setdefault(pid, []).append(rest.strip())
            if '"ready\\n"' in line:
                break
    # A thread's calls are counted by themselves: what happens to one's nth happens to the other's.
    points = {}
    for made in by_thread.values():
        for point in _points(START, made):
            other = points.get((point.call, point.nth))
            # Of two calls at once the one counts that takes less.
            if other is None or point.target.startswith("anon_inode:"):
                points[point.call, point.nth] = point
    return list(points.values())


def ask(daemon, operation):
    """Asks for the operation. The reply; None where there is none."""
    try:
        with daemon.connect(operation.answer_seconds) as peer:
            operation.begin(peer)
            return wire.replies(peer, 1)[0]
    except (wire.Closed, OSError):
        return None


@contextlib.contextmanager
def injected(daemon, point, what):
    """Has this happen at that point, and lets go of the daemon."""
    tracer = faults.attach(daemon.pid, point.call, f"{point.call}:{what}:when={point.nth}",
                           thread=thread_id(daemon, point.thread))
    try:
        yield
    finally:
        programs.end(tracer)


def wait_until_stopped(daemon, seconds):
    """Whether a SIGSTOP that was injected has reached it in that time."""
    handle = select.poll()
    for _ in range(int(seconds / 0.002)):
        with open(f"/proc/{daemon.pid}/stat") as file:
            if file.read().rpartition(")")[2].split()[0] in "Tt":
                return True
        handle.poll(2)
    return False

