"""The keys of a store, derived by the independent program from the format's document."""

import hashlib
import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "Python" / "independent_store.py"
# What may stand in locked memory while the store is open. Of all other keys (the slot's, those that
# wrap, that of a file and its stream) nothing may stay behind once they have been used.
HELD = {"master key", "account key"}


def keys_of(daemon):
    """Name to bytes: the key file, the slot's seed, and all that is derived on the way."""
    key_file = daemon.key
    contents = key_file.read_bytes()
    seed = hashlib.blake2b(b"accountd keyfile v1\0" + contents, digest_size=32).digest()
    keys = {"key file": contents, "slot seed": seed}
    run = subprocess.run([sys.executable, PROGRAM, "derive", daemon.state, key_file],
                         check=True, text=True, stdout=subprocess.PIPE)
    for line in run.stdout.splitlines():
        name, value = line.rsplit(" ", 1)
        keys[f"{name} key"] = bytes.fromhex(value)
    return keys
