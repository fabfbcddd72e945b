#!/usr/bin/env python3
"""Proves accountd's Varlink with implementations that were written elsewhere.

    interoperate.py [WORD...]       only the cases whose name holds one of the words

python-varlink's certification suite certifies a service and a client that are made of the same
Varlink code as accountd; python-varlink's client calls every method of accountd's and holds each
reply against the interface file; python-varlink's command line and systemd's varlinkctl do the same
for those who type. Programs: ACCOUNTD_BIN, else .build/release; `certification` from
CERTIFICATION_BIN, else .build/debug. Exit 77: python-varlink is not installed.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))

try:
    import varlink  # noqa: F401
except ImportError:
    print("skipped: the PyPI package varlink is not installed")
    sys.exit(77)

import cases
import varlinkctl

# In the order in which they are imported.
import certification_cases  # noqa: F401
import interface_cases
import method_cases  # noqa: F401
import key_cases  # noqa: F401
import call_cases  # noqa: F401
import command_line_cases  # noqa: F401
import varlinkctl_cases  # noqa: F401

# Fetching varlinkctl is the longest part of any.
CASE_SECONDS = varlinkctl.FETCH_SECONDS + 30

if __name__ == "__main__":
    words = sys.argv[1:]
    if not words:
        # It looks back on all the others.
        cases.case(interface_cases.every_answer_was_given_and_every_field_seen)
    sys.exit(cases.run(words, seconds=CASE_SECONDS))
