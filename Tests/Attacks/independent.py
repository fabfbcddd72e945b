"""The independent Python program of docs/FORMAT.md, for cases: its modules, and stores made by them."""
import json
import os
import pathlib
import subprocess
import sys

import programs
from cases import Skip

PYTHON = programs.ROOT / "Tests" / "Python"
PROGRAM = PYTHON / "independent_store.py"
KINDS = ("keyfile", "credential", "recovery", "passphrase")
CREDENTIAL = "accountd.key"
WEEK = 604_800


def modules():
    """sealed_format and slot_secrets, or a skip where what they need is not installed."""
    if str(PYTHON) not in sys.path:
        sys.path.append(str(PYTHON))
    try:
        import sealed_format
        import slot_secrets
    except ImportError as missing:
        raise Skip(f"needs pycryptodome and cryptography: {missing}") from None
    return sealed_format, slot_secrets


def run(*words):
    """Runs the program: its exit status, and what it said."""
    modules()
    return subprocess.run([sys.executable, "-B", PROGRAM, *map(str, words)], text=True,
                          capture_output=True, check=False, timeout=30)


def make(place, kind, token):
    """Makes a store that a new secret of that kind opens: its directory, and the secret's file."""
    state, secret = place / "state", place / "secrets" / CREDENTIAL
    made = run("make", state, secret, "--kind", kind, "--token", token, "--uid", "9900000001",
               "--expires-in", WEEK)
    assert made.returncode == 0, made.stderr
    return state, secret


def opened(state, secret, kind, file="account.plist.sealed"):
    """The token that the program finds in a store."""
    found = run("open", state, secret, "--kind", kind, "--file", file)
    assert found.returncode == 0, f"{kind}: {found.returncode} {found.stderr}"
    return json.loads(found.stdout)["access_token"]


def daemon(room, place, state, secret, kind, **others):
    """A daemon on such a store, given what opens it by itself."""
    environment = {}
    key = place / "no-key"
    if kind == "credential":
        environment["CREDENTIALS_DIRECTORY"] = str(pathlib.Path(secret).parent)
    if kind == "keyfile":
        key = secret
    return room.daemon(state=state, key=key, environment=environment, **others)


def opener(secret, kind):
    """What Unlock wants for such a secret; nothing where none is wanted."""
    text = pathlib.Path(secret).read_text().removesuffix("\n") if kind in KINDS[2:] else ""
    return {"passphrase": {"passphrase": text}, "recovery": {"recovery_code": text}}.get(kind, {})


def write(path, contents):
    """Puts a file of the store in another's place."""
    path = pathlib.Path(path)
    new = path.with_name("new")
    new.write_bytes(contents)
    new.chmod(0o600)
    os.replace(new, path)
