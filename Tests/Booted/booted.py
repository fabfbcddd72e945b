#!/usr/bin/env python3
"""Tests accountd and its units under a systemd that was really booted.

    Tests/Booted/booted.py [WORD ...]

Boots a container (container.py), installs the release build into it by `make install`, and runs
the cases, or those whose name holds one of the WORDs. ACCOUNTD_BIN names another directory of
programs. Exit status 77, with the reason, where no container can be booted.
"""
import importlib
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))

import cases
import container
from machine import Machine

# In this order: the last one searches what all of them have left behind.
TOPICS = ("activation", "installing", "state", "access", "credentials", "locking", "filter",
          "exposure", "user_units", "jobs", "traces")


def main():
    reason = container.missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    container.alone()
    # `timeout` ends a run that hangs by this: what is below must be undone then too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    machine = Machine()
    try:
        machine.boot()
        print(f"installed in {machine.installed_in:.2f} s, booted in "
              f"{machine.container.boot_seconds:.2f} s", flush=True)
        for topic in TOPICS:
            importlib.import_module(topic)
        return cases.run(sys.argv[1:])
    finally:
        machine.container.end()


if __name__ == "__main__":
    sys.exit(main())
