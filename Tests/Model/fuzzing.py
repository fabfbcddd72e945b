"""Runs sequences, and makes one that fails as short as it can."""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import traceback

import peers
import programs
from performing import perform
from replies import ACCOUNT_INTERFACE, KEYS_INTERFACE, SERVICE_INTERFACE
from service import Service
from steps import BASE
from world import World, build_clock

MAXIMUM_RUNS = 400
SOURCES = programs.ROOT / "Sources"


class Programs:
    """The programs under test, where every user can run them."""

    def __init__(self, directory):
        self.accountd = programs.copy_of(programs.binary("accountd"), directory)
        self.account = programs.copy_of(programs.binary("account"), directory)
        own = (SOURCES / "Varlink/ServiceInterface.swift").read_text()
        text = re.search(r'ownDescription = """\n(.*?)\n        """', own, re.DOTALL)[1]
        self.descriptions = {
            SERVICE_INTERFACE: re.sub(r"^        ", "", text, flags=re.MULTILINE),
            **{name: (SOURCES / f"AccountService/Interfaces/{name}.varlink").read_text()
               for name in (ACCOUNT_INTERFACE, KEYS_INTERFACE)}}


class Laboratory:
    """What all sequences of a run share: programs, users, the library that stops the clocks."""

    def __init__(self, service=Service):
        memory = pathlib.Path("/dev/shm")
        where = memory if os.access(memory, os.W_OK) else None
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="accountd-model-", dir=where))
        self.directory.chmod(0o755)
        self.programs = Programs(self.directory)
        self.library = build_clock(self.directory)
        self.library.chmod(0o755)
        self.brokers = peers.Brokers()
        self.service = service
        # What the daemons were put through.
        self.done = collections.Counter()

    def close(self):
        """Leaves nothing behind."""
        self.brokers.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def fault(self, steps):
        """Does the steps: (the position of the one that failed, why), or None."""
        place = pathlib.Path(tempfile.mkdtemp(prefix="world-", dir=self.directory))
        place.chmod(0o755)
        world, position = None, 0
        try:
            world = World(self.programs, self.library, self.brokers, place, steps[0][1:], BASE,
                          self.service)
            for position, step in enumerate(steps[1:], 1):
                perform(world, step)
            world.end()
            return None
        except Exception as fault:  # A test that stumbles has found something, too.
            where = traceback.extract_tb(fault.__traceback__)[-1]
            said = world.daemon.errors() if world and world.daemon else ""
            return position, (f"{type(fault).__name__}: {fault} "
                              f"({os.path.basename(where.filename)}:{where.lineno})"
                              + (f"\nthe daemon said: {said[-600:]}" if said else ""))
        finally:
            if world:
                self.done += world.service.done
                world.discard()
            shutil.rmtree(place, ignore_errors=True)

    def shrink(self, steps):
        """Drops steps, in ever smaller pieces, as long as something still fails."""
        found = self.fault(steps)
        if found is None:
            return steps, None
        steps = steps[:found[0] + 1]
        runs, size = 0, max(1, len(steps) // 2)
        while size >= 1 and runs < MAXIMUM_RUNS:
            start = 1
            while start < len(steps) and runs < MAXIMUM_RUNS:
                fewer = steps[:start] + steps[start + size:]
                runs += 1
                again = self.fault(fewer)
                if again is None:
                    start += size
                else:
                    steps, found = fewer[:again[0] + 1], again
            size //= 2
        return steps, found


def compiler_is_there():
    """Whether the clocks can be stopped here."""
    return shutil.which("cc") is not None and subprocess.run(
        ["cc", "--version"], capture_output=True).returncode == 0
