"""varlinkctl of systemd 257 or later: the machine's own, or unpacked below .build/varlinkctl.

Where it is not installed, it is taken with what it needs from the next release of the Debian that
runs here. Nothing of it is installed: apt works on lists of its own, dpkg-deb unpacks, and the
program runs with the libraries beside it. No root is needed. It stays there for the next time.
"""

import os
import pathlib
import re
import shutil
import subprocess
import time

import programs
from cases import Skip

OLDEST = 257
SUITE = "trixie"
# What it is in, and whose dependencies are all that it needs.
PROGRAM_PACKAGE, LIBRARY_PACKAGE = "systemd", "libsystemd-shared"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
PLACE = programs.ROOT / ".build" / "varlinkctl"
FETCH_SECONDS = 60
RUN_SECONDS = 20

_found = []


def command():
    """What runs it. Raises Skip with the reason where it cannot be had."""
    if not _found:
        try:
            _found.append(_installed() or _unpacked() or _fetched())
        except Skip as reason:
            _found.append(reason)
    if isinstance(_found[0], Skip):
        raise _found[0]
    return _found[0]


def run(*arguments, **options):
    """Runs it with these arguments."""
    return subprocess.run([*command(), *map(str, arguments)], capture_output=True, text=True,
                          timeout=RUN_SECONDS, stdin=subprocess.DEVNULL, **options)


def _installed():
    program = shutil.which("varlinkctl")
    return [program] if program and _is_new_enough([program]) else None


def _unpacked():
    root = PLACE / "root"
    loader = next(root.glob("usr/lib*/**/ld-linux*.so.*"), None)
    if not loader:
        return None
    libraries = {str(path.parent) for path in root.glob("usr/lib/**/lib*.so*")}
    program = [str(loader), "--library-path", ":".join(sorted(libraries)),
               str(root / "usr/bin/varlinkctl")]
    return program if _is_new_enough(program) else None


def _is_new_enough(program):
    try:
        said = subprocess.run([*program, "--version"], capture_output=True, text=True,
                              timeout=RUN_SECONDS)
    except OSError:
        return False
    version = re.match(r"systemd (\d+)", said.stdout)
    return bool(version) and int(version[1]) >= OLDEST


def _fetched():
    for tool in ("apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise Skip(f"varlinkctl is not installed, and neither is {tool}, which could fetch it")
    if not os.path.exists(KEYRING):
        raise Skip(f"varlinkctl cannot be fetched without {KEYRING}")
    mirror = _mirror()
    print(f"Fetching varlinkctl of Debian {SUITE} into {PLACE}", flush=True)
    shutil.rmtree(PLACE, ignore_errors=True)
    apt = _apt_of_its_own(mirror)
    end = time.monotonic() + FETCH_SECONDS
    try:
        _apt(apt, end, "update", "-qq")
        _apt(apt, end, "install", "-qq", "-y", "--download-only", "--no-install-recommends",
             LIBRARY_PACKAGE)
        archives = PLACE / "apt" / "cache" / "archives"
        _apt(apt, end, "download", "-qq", PROGRAM_PACKAGE, directory=archives)
        for package in archives.glob("*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, PLACE / "root"], check=True)
    except subprocess.TimeoutExpired:
        raise Skip(f"varlinkctl could not be fetched within {FETCH_SECONDS} s") from None
    finally:
        shutil.rmtree(PLACE / "apt", ignore_errors=True)
    found = _unpacked()
    if not found:
        raise Skip(f"varlinkctl of Debian {SUITE} does not run here")
    return found


def _mirror():
    """Where this machine has its own packages from."""
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text(),
                              re.MULTILINE))
    sites = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)"],
                           capture_output=True, text=True, timeout=RUN_SECONDS).stdout
    for line in sites.splitlines():
        site, _, suite = line.partition(" ")
        if release.get("ID") == "debian" and suite == release.get("VERSION_CODENAME"):
            return site
    raise Skip("varlinkctl is not installed, and this is no Debian with a mirror to fetch it from")


def _apt_of_its_own(mirror):
    """The options with which apt knows nothing of this machine but its network."""
    own = PLACE / "apt"
    for name in ("state/lists/partial", "cache/archives/partial"):
        (own / name).mkdir(parents=True)
    (own / "status").touch()
    (own / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror} {SUITE} main\n")
    options = {"Dir::State": own / "state", "Dir::State::status": own / "status",
               "Dir::Cache": own / "cache", "Dir::Etc::SourceList": own / "sources.list",
               "Dir::Etc::SourceParts": "/dev/null", "Acquire::Languages": "none",
               # Its user for downloads may not write here.
               "APT::Sandbox::User": ""}
    return [part for name, value in options.items() for part in ("-o", f"{name}={value}")]


def _apt(options, end, *arguments, directory=None):
    done = subprocess.run(["apt-get", *options, *arguments], capture_output=True, text=True,
                          timeout=max(0, end - time.monotonic()), cwd=directory)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no reason given"]
        raise Skip(f"varlinkctl cannot be fetched: {said[-1]}")
