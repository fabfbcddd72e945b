#!/usr/bin/env python3
"""`account archive` and `account draft`, run from outside.

    Tests/Archives/archives.py [--large] [WORD...]

--large     1 GiB, too, which takes its time

Every file that apps have archived in Tests/Vectors goes through the commands. Programs:
ACCOUNTD_BIN, else .build/release. What needs root, strace, or Python's cryptography and
pycryptodome says so where it is skipped.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Harness"), str(TESTS / "Archives")]
sys.dont_write_bytecode = True

import cases  # noqa: E402
import programs  # noqa: E402

import command_cases  # noqa: E402, F401
import draft_cases  # noqa: E402, F401
import exchange_cases  # noqa: E402, F401
import import_cases  # noqa: E402, F401
import locked_cases  # noqa: E402, F401
import name_cases  # noqa: E402, F401
import output_cases  # noqa: E402, F401
import place_cases  # noqa: E402, F401
import rotation_cases  # noqa: E402, F401
import writer_cases  # noqa: E402, F401

CASE_SECONDS = 120

if __name__ == "__main__":
    programs.binary("account-archive")
    sys.exit(cases.run(sys.argv[1:], workers=2, seconds=CASE_SECONDS))
