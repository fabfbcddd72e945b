"""What a system does to a process when it is slow, full or broken: by strace's injection."""

import os
import subprocess
import time

from cases import needs_program, needs_root


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


def attach(pid, calls, *injections):
    """Does the same to a process that runs. Ended by `programs.end`, or with the process."""
    needs_root()
    needs_program("strace")
    command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}"]
    for injection in injections:
        command += ["-e", f"inject={injection}"]
    process = subprocess.Popen([*command, "-p", str(pid)])
    for thread in os.listdir(f"/proc/{pid}/task"):
        for _ in range(250):
            with open(f"/proc/{pid}/task/{thread}/status") as status:
                if "TracerPid:\t0" not in status.read():
                    break
            time.sleep(0.02)
        else:
            raise RuntimeError("strace does not attach")
    return process
