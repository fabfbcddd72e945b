"""A daemon whose stacks are not wiped: the scan must find what Argon2id and X25519 leave there."""

import subprocess

from findings import Findings
from slot_residue import SlotResidue

# Preloaded: what the daemon calls after each operation with a key does nothing.
LIBRARY = """
#include <stddef.h>
void sodium_stackzero(size_t length) { (void)length; }
"""


class UnwipedStack(SlotResidue):
    """As far as the first passphrase; the daemon is as built, its library is not."""

    def live(self):
        self.environment = {"LD_PRELOAD": str(self.library)}
        self.start()
        self.login(1)
        self.held = ["access token 1", "refresh token 1"]
        self.add_slots()
        self.lock_and_unlock()


def stack_findings(program, directory):
    """What was found in the worker's stack, and of the keys of archives in the loop's."""
    library = directory / "unwiped.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], check=True,
                   input=LIBRARY, text=True)
    findings = Findings(verbose=False, quiet=True)
    life = UnwipedStack("unwiped", program, directory / "unwiped",
                        ("--secret-memory", "locked"), (), findings)
    life.library = library
    life.run()
    return ([failure for failure in findings.failures if "stack of accountd-store" in failure],
            [failure for failure in findings.failures
             if "the key of an archive was given" in failure and "stack" in failure])
