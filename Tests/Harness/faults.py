"""What a system does to a process when it is slow, full or broken: by strace's injection."""

import os
import subprocess
import time

from cases import needs_program, needs_root

ATTACH_SECONDS = 10


def tracer(calls, *injections, output="/dev/null"):
    """A wrapper that traces these system calls and injects something into them. strace(1)"""
    needs_root()
    needs_program("strace")
    command = ["strace", "-f", "-qq", "-o", output, "--seccomp-bpf", "-e", f"trace={calls}"]
    for injection in injections:
        command += ["-e", f"inject={injection}"]
    return command


def slow(calls, seconds):
    """A wrapper that makes each of these system calls take that long."""
    return tracer(calls, f"{calls}:delay_enter={int(seconds * 1e6)}")


def slow_disk(seconds):
    """A wrapper for a disk that takes that long to be sure."""
    return slow("fsync,fdatasync", seconds)


def attach(pid, calls, *injections, thread=None, output="/dev/null", shows_targets=False):
    """Does the same to a process that runs, or to one thread of it alone.

    strace counts the calls of each thread by itself. `shows_targets`: what descriptors lead to is
    in the output. Ended by `programs.end`, or with the process.
    """
    needs_root()
    needs_program("strace")
    command = ["strace", "-qq", "-o", output, "-e", f"trace={calls}"]
    for injection in injections:
        command += ["-e", f"inject={injection}"]
    if shows_targets:
        command.append("-y")
    command += ["-p", str(thread)] if thread else ["-f", "-p", str(pid)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    end = time.monotonic() + ATTACH_SECONDS
    for traced in [thread] if thread else os.listdir(f"/proc/{pid}/task"):
        while not is_traced(pid, traced):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError("strace does not attach")
            time.sleep(0.002)
    return process


def is_traced(pid, thread):
    """Whether somebody traces that thread."""
    with open(f"/proc/{pid}/task/{thread}/status") as status:
        return "TracerPid:\t0" not in status.read()


def thread_named(pid, name):
    """The id of the thread that has that name."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/comm") as file:
            if file.read().strip() == name:
                return int(thread)
    raise LookupError(f"process {pid} has no thread {name}")
