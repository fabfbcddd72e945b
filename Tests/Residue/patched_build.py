"""Builds accountd from a copy of the tree in which the token is copied onto the ordinary heap."""

import os
import re
import shutil
import subprocess
import sys

import programs

COPIED = ("Package.swift", "Package.resolved", "Sources", "Tests")
PATCHED_FILE = "Sources/AccountService/HeldAccount.swift"
# Each pattern must match exactly once: what the scan must find has to be really there.
PATCHES = [
    (r"((?:struct|class) HeldAccount\b[^{\n]*\{\n)",
     r"\1    let copyOnTheHeap: String\n"),
    (r"(\n +)(account\.accessToken = nothing\n)",
     r"\1var copyOnTheHeap = String()"
     r"\1account.accessToken.withBytes { token in"
     r"\1    for position in token.indices {"
     r"\1        copyOnTheHeap.unicodeScalars.append(Unicode.Scalar(token[position]))"
     r"\1    }"
     r"\1}"
     r"\1self.copyOnTheHeap = copyOnTheHeap"
     r"\1\2"),
]


def patch(tree):
    path = tree / PATCHED_FILE
    text = path.read_text()
    for pattern, replacement in PATCHES:
        text, count = re.subn(pattern, replacement, text)
        if count != 1:
            sys.exit(f"{PATCHED_FILE} is not as the patch expects it: {pattern} matches {count} "
                     "times. Find where the daemon takes the token over, and adapt the patch.")
    path.write_text(text)


def build_patched(directory):
    tree = directory / "tree"
    tree.mkdir()
    for name in COPIED:
        source = programs.ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name)
        elif source.exists():
            shutil.copyfile(source, tree / name)
    patch(tree)
    subprocess.run(
        ["swift", "build", "-c", "release", "--static-swift-stdlib", "--disable-local-rpath",
         "--product", "accountd", "--package-path", tree],
        check=True, stdout=sys.stderr, env={**os.environ, "TMPDIR": str(directory)})
    return tree / ".build" / "release" / "accountd"
