"""The files of Tests/Vectors/archives and imports, and what must come of each."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
from typing import NamedTuple

VECTORS = pathlib.Path(__file__).resolve().parents[1] / "Vectors"
# What a file may take, be it hostile.
SECONDS = 1.0
MEMORY_KIB = 64 * 1024


class Vector(NamedTuple):
    path: pathlib.Path
    reason: str
    accounts: list

    @property
    def is_accepted(self):
        return not self.reason


def load(*folders):
    found = []
    for folder in folders or ("archives", "imports"):
        manifest = json.loads((VECTORS / folder / "MANIFEST.json").read_text(encoding="utf-8"))
        for entry in manifest["cases"]:
            found.append(Vector(VECTORS / folder / entry["file"],
                                entry["expect"].removeprefix("accept").removeprefix("reject:"),
                                entry["accounts"]))
    assert len(found) > 40, "the vectors are missing"
    return found


def hostile():
    """Files 50 to 72 of the archives, and those of ours that are refused."""
    return [vector for vector in load() if vector.reason and (
        vector.path.parent.name == "imports" or 50 <= int(vector.path.name[:2]) <= 72)]


class Cost(NamedTuple):
    status: int
    errors: str
    seconds: float
    kib: int

    @property
    def reason(self):
        found = re.search(r"rejected \((.*?)\)", self.errors)
        return found[1] if found else None


def measured(words, environment, limit=10, **streams):
    """Runs a command; what it took of time and memory."""
    start = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               **{"stdin": subprocess.DEVNULL, **streams})
    # What it says is short, so that a pipe takes it before anybody reads.
    signal.signal(signal.SIGALRM, lambda *_: process.kill())
    signal.alarm(limit)
    _, status, usage = os.wait4(process.pid, 0)
    signal.alarm(0)
    took = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    errors = process.stderr.read().decode()
    process.stderr.close()
    return Cost(process.returncode, errors, took, usage.ru_maxrss)
