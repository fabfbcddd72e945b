#!/usr/bin/env python3
"""`account archive` and `account draft`, run from outside.

    Tests/Archives/archives.py [--large] [WORD...]

--large     1 GiB, too, which takes its time

Every file that apps have archived in Tests/Vectors goes through the commands. Programs:
ACCOUNTD_BIN, else .build/release. What needs root, strace, or Python's cryptography and
pycryptodome says so where it is skipped.
"""

import os
import pathlib
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Harness"), str(TESTS / "Archives")]
sys.dont_write_bytecode = True
if "--large" in sys.argv:
    sys.argv.remove("--large")
    os.environ["ARCHIVES_LARGE"] = "1"

import cases  # noqa: E402
import programs  # noqa: E402

import command_cases  # noqa: E402, F401
import draft_cases  # noqa: E402, F401
import exchange_cases  # noqa: E402, F401
import import_cases  # noqa: E402, F401
import independent_cases  # noqa: E402, F401
import locked_cases  # noqa: E402, F401
import memory_cases  # noqa: E402, F401
import name_cases  # noqa: E402, F401
import output_cases  # noqa: E402, F401
import place_cases  # noqa: E402, F401
import rotation_cases  # noqa: E402, F401
import writer_cases  # noqa: E402, F401

CASE_SECONDS = 180
# Where homes are: what a real disk does is tried by scripts/crash, and its pace is that of all who
# use it.
MEMORY = "/dev/shm"
ROOM = (4 if "ARCHIVES_LARGE" in os.environ else 2) << 30


def is_usable(place):
    """Whether there is room, and programs can be run there."""
    try:
        found = os.statvfs(place)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC


if __name__ == "__main__":
    if is_usable(MEMORY):
        tempfile.tempdir = MEMORY
    programs.binary("account-archive")
    sys.exit(cases.run(sys.argv[1:], workers=2, seconds=CASE_SECONDS))
