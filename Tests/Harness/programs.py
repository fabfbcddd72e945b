"""The programs under test, and processes in general."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary(name):
    """The program under test: ACCOUNTD_BIN names its directory, else the release build."""
    directory = pathlib.Path(os.environ.get("ACCOUNTD_BIN") or ROOT / ".build" / "release")
    path = directory.absolute() / name
    if not path.is_file():
        sys.exit(f"{path} is missing: build it first (scripts/build), or set ACCOUNTD_BIN")
    return path


def copy_of(path, directory, strip=False):
    """A copy to measure: freshly linked files start slower and count as private dirty memory."""
    copy = directory / (path.name + (".stripped" if strip else ""))
    shutil.copyfile(path, copy)
    copy.chmod(0o755)
    if strip:
        subprocess.run(["strip", "-g", copy], check=True)
    with open(copy, "rb") as file:
        os.fsync(file.fileno())
    return copy


def end(process, seconds=10):
    """Ends a process that was started here, and waits for it. Gives back its status."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.terminate()
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def only_child(pid):
    """The process that a tracer runs."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    if len(children) != 1:
        raise RuntimeError(f"process {pid} has {len(children)} children, not one")
    return int(children[0])


def memory(pid):
    """Bytes by kind, from smaps_rollup. See proc(5)."""
    kinds = {}
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in list(file)[1:]:
            name, amount, _ = line.split()
            kinds[name.rstrip(":")] = int(amount) * 1024
    # Anonymous pages are private and nearly always dirty; private dirty ones may be of files.
    kinds["own"] = max(kinds["Anonymous"], kinds["Private_Dirty"])
    return kinds


def descriptors(pid):
    """What each open descriptor leads to, by its number."""
    place = pathlib.Path(f"/proc/{pid}/fd")
    return {int(entry.name): os.readlink(entry) for entry in place.iterdir()}


def busy_seconds(pid):
    """Time for which its threads ran, or would have run on a machine that is not so busy."""
    nanoseconds = 0
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        ran, waited, _ = (thread / "schedstat").read_text().split()
        nanoseconds += int(ran) + int(waited)
    return nanoseconds / 1e9


def working_directory(prefix):
    """A temporary directory. A second user has to reach what lies below it."""
    directory = pathlib.Path(tempfile.mkdtemp(prefix=prefix))
    directory.chmod(0o755)
    return directory
