"""What is tried, as a list of tasks that several processes work off, and the count of it."""

import collections
import concurrent.futures
import dataclasses
import multiprocessing
import os
import random
import time
import traceback

import archive_crashes
import archive_stores
import client_failures
import failures
import kills
import reordered
import slot_stores
import start_failures
import stores
from cases import Room, Skip

# A point that takes longer than this hangs.
POINT_SECONDS = 120
MOUNTS = (("data=writeback",), ("nodelalloc",), ("nobarrier",))
# Of a sample of points that take long each.
SLOW_SHARE = 3
# What a sample holds at least one of, of each operation that makes such a call at all.
FILE_CALLS = ("openat", "write", "fsync", "renameat", "linkat", "unlinkat")


@dataclasses.dataclass(frozen=True)
class Task:
    """One operation in one way of trying it. `share`: about how many of its points."""
    part: str
    subject: object
    variant: str = ""
    options: tuple = ()
    share: int = 0
    seed: int = 0

    @property
    def name(self):
        name = getattr(self.subject, "name", self.subject)
        return f"{name}: {' '.join([self.part, self.variant, *self.options]).strip()}"


@dataclasses.dataclass
class Count:
    """What became of the points of a task."""
    name: str
    tried: int = 0
    unreached: int = 0
    seconds: float = 0
    wrong: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    words: list = dataclasses.field(default_factory=list)
    skipped: str = ""

    def line(self):
        """One line for people."""
        if self.skipped:
            return f"{self.name}: skipped: {self.skipped}"
        parts = [f"{self.tried} points", *(f"{self.wrong[kind]} {what}" for kind, what in (
            (stores.LOST, "lost"), (stores.REPAIR, "need a repair"),
            (stores.ANSWER, "wrong answers"), (stores.LEFT, "left something")))]
        if self.unreached:
            parts.append(f"{self.unreached} not reached")
        if self.wrong["fault"]:
            parts.append(f"{self.wrong['fault']} faults of the test")
        return f"{self.name}: {', '.join(parts)} ({self.seconds:.1f} s)"


# MARK: The parts


def _points_of_archives(task, room):
    if task.variant == archive_crashes.REORDERED:
        bench = archive_crashes.Reordered(room, task.subject, task.seed, 1 if task.share else 4,
                                          task.options)
        return [(f"write {number}, {what}", what,
                 lambda p=(number, what, state): bench.try_point(*p))
                for number, what, state in bench.points]
    bench = archive_crashes.Bench(room, task.subject, task.options)
    if task.variant == archive_crashes.FAILING:
        return [(f"{point} {error}", point.call,
                 lambda p=point, e=error: bench.try_failure(p, e))
                for point, error in bench.failing()]
    points = bench.points
    if task.variant != kills.KILL:
        points = [point for point in points if point.call in archive_crashes.OF_FILES]
    return [(str(point), point.call, lambda p=point: bench.try_kill(p, task.variant))
            for point in points]


def _points(task, room):
    """(what it is called, the kind of call, what tries it) for each point of a task."""
    if task.part == "archives":
        return _points_of_archives(task, room)
    if task.part == "kills":
        bench = kills.Bench(room, task.subject, task.options)
        points = [point for point in bench.points
                  if task.variant != kills.CUT or point.thread == "worker"]
        if task.options:
            points = [point for point in points if point.call in FILE_CALLS]
        return [(str(point), point.call, lambda p=point: bench.try_point(p, task.variant))
                for point in points]
    if task.part == "reordered writes":
        subsets = 1 if task.share else 4
        bench = reordered.Bench(room, task.subject, task.seed, subsets, task.options)
        return [(f"write {number}, {what}", what,
                 lambda p=(number, what, state): bench.try_point(*p))
                for number, what, state in bench.points]
    benches = {"failing calls": failures, "failing start": start_failures,
               "failing client": client_failures}
    bench = benches[task.part].Bench(room, task.subject)
    return [(f"{point} {error}", point.call, lambda p=point, e=error: bench.try_point(p, e))
            for point, error in bench.points]


def _sample(points, share, chance, is_slow=False):
    """About so many of them, each kind of call at least once, unless each takes long."""
    if not share or len(points) <= share:
        return points
    chance.shuffle(points)
    kinds, chosen, rest = set(), [], []
    for point in points:
        (rest if point[1] in kinds else chosen).append(point)
        kinds.add(point[1])
    chosen.sort(key=lambda point: point[1] not in FILE_CALLS)
    must = [point for point in chosen if point[1] in FILE_CALLS]
    more = [point for point in chosen if point[1] not in FILE_CALLS] + rest
    chance.shuffle(must)
    return (must + more)[:SLOW_SHARE if is_slow else max(share, len(must))]


def _work(task):
    count = Count(task.name)
    start = time.monotonic()
    try:
        with Room() as room:
            points = _sample(_points(task, room), task.share, random.Random(f"{task.seed}{task.name}"),
                             getattr(task.subject, "is_slow", False))
            for name, _, attempt in points:
                count.tried += 1
                try:
                    if attempt() is False:
                        count.unreached += 1
                except stores.Wrong as wrong:
                    count.wrong[wrong.kind] += 1
                    count.words.append(f"{name}: {wrong}")
                except Exception:
                    count.wrong["fault"] += 1
                    count.words.append(f"{name}: {traceback.format_exc(limit=-4)}")
    except Skip as reason:
        count.skipped = str(reason)
    except Exception:
        count.wrong["fault"] += 1
        count.words.append(traceback.format_exc(limit=-4))
    count.seconds = time.monotonic() - start
    return count


# MARK: All of them


def tasks(seed, quick):
    """What is tried; a slice of it for everyday."""
    share = {"kills": 4, "reordered writes": 4, "failing calls": 8, "failing start": 16,
             "failing client": 10, "archives": 4} if quick else {}
    found = []

    def add(part, subject, variant="", options=()):
        found.append(Task(part, subject, variant, options, share.get(part, 0), seed))

    for number, operation in enumerate((*stores.OPERATIONS, *slot_stores.OPERATIONS)):
        variants = kills.VARIANTS if operation.method else kills.VARIANTS[:2]
        for variant in variants:
            if not quick or variant == variants[(seed + number) % len(variants)]:
                add("kills", operation, variant)
        for options in () if quick else MOUNTS:
            add("kills", operation, kills.KILL_AND_CUT, options)
        is_slow = getattr(operation, "is_slow", False)
        if not quick or (seed + number) % 5 == 0 and not is_slow:
            add("reordered writes", operation)
        if not quick or (seed + number) % 2 == 0 and not is_slow:
            add("failing calls" if operation.method else "failing start", operation)
    for name in client_failures.COMMANDS:
        add("failing client", name)
    for number, operation in enumerate(archive_stores.OPERATIONS):
        for position, variant in enumerate(archive_crashes.VARIANTS):
            if not quick or position == (seed + number) % len(archive_crashes.VARIANTS):
                add("archives", operation, variant)
        for options in () if quick else MOUNTS:
            add("archives", operation, kills.KILL_AND_CUT, options)
    return found


def run(wanted, workers):
    """Has processes work the tasks off, says what came of each, and gives back the counts."""
    context = multiprocessing.get_context("spawn")
    counts = []
    with concurrent.futures.ProcessPoolExecutor(workers, mp_context=context) as pool:
        for count in pool.map(_work, wanted):
            print(count.line(), flush=True)
            for words in count.words[:5]:
                print("    " + words.strip().replace("\n", "\n    "), flush=True)
            if len(count.words) > 5:
                print(f"    and {len(count.words) - 5} more", flush=True)
            counts.append(count)
    return counts


def workers():
    """Most of the time is spent on waiting for mounts and starts."""
    return max(2, (os.cpu_count() or 1) + 1)
