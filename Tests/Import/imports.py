#!/usr/bin/env python3
"""`account import` and `account export`, run from outside.

    Tests/Import/imports.py [WORD...]

Every file of Tests/Vectors/archives and imports goes through the program; hostile ones within 1 s
and 64 MiB each. Programs: ACCOUNTD_BIN, else .build/release. bpylist2 (PyPI) is used where it is.
"""

import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "Harness"), str(TESTS / "Import")]
sys.dont_write_bytecode = True

import cases  # noqa: E402
import programs  # noqa: E402

import export_cases  # noqa: E402, F401
import import_cases  # noqa: E402, F401
import source_cases  # noqa: E402, F401

CASE_SECONDS = 120

if __name__ == "__main__":
    programs.binary("account-import")
    sys.exit(cases.run(sys.argv[1:], workers=2, seconds=CASE_SECONDS))
