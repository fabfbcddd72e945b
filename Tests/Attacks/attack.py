#!/usr/bin/env python3
"""Attacks accountd and account the way a hostile or careless neighbour would.

    Tests/Attacks/attack.py [WORD ...]

Each attack is a function whose name is the sentence that must hold. WORDs choose those whose name
holds one of them. Every daemon lives in a temporary directory of its own and is ended by its own
process id; nothing but Unix sockets is used, and every loop has an end. Several run at a time, in
processes of their own; what measures runs alone. What needs root, a mount or strace is skipped,
with the reason, where that is missing. Programs: ACCOUNTD_BIN, else .build/release. Exit status 1
if an attack succeeds.
"""

import pathlib
import sys

ATTACKS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(ATTACKS.parent / "Harness"), str(ATTACKS)]
sys.dont_write_bytecode = True

import cases  # noqa: E402
import programs  # noqa: E402

# Each adds its cases. Those that wait longest come first.
import connections  # noqa: E402, F401
import who_asks  # noqa: E402, F401
import messages  # noqa: E402, F401
import hostile_slots  # noqa: E402, F401
import changes  # noqa: E402, F401
import keys  # noqa: E402, F401
import key_moments  # noqa: E402, F401
import archive_keys  # noqa: E402, F401
import key_stores  # noqa: E402, F401
import lock_times  # noqa: E402, F401
import crowds  # noqa: E402, F401
import derivations  # noqa: E402, F401
import exhaustion  # noqa: E402, F401
import file_systems  # noqa: E402, F401
import inheritance  # noqa: E402, F401
import place  # noqa: E402, F401
import locked_memory  # noqa: E402, F401
import outputs  # noqa: E402, F401
import process  # noqa: E402, F401
import lessons  # noqa: E402, F401
import records  # noqa: E402, F401
import other_stores  # noqa: E402, F401
import streams  # noqa: E402, F401
import socket_paths  # noqa: E402, F401
import starting  # noqa: E402, F401
import surroundings  # noqa: E402, F401
import wall_clock  # noqa: E402, F401

# At a time. They mostly wait, for a timeout or a disk.
WORKERS = 3
# One that takes longer has failed.
CASE_SECONDS = 60

if __name__ == "__main__":
    programs.binary("accountd")  # Said once where it is missing, not by each case.
    sys.exit(cases.run(sys.argv[1:], workers=WORKERS, seconds=CASE_SECONDS))
