"""What a process of the same user can do to the daemon, and what a crash shows."""

import ctypes
import os
import signal
import subprocess
import time

from daemon import Daemon
from process_memory import found_in_file
import programs
import wire

# Any id that no account of the machine has; not the overflow id, which never matches anyone.
SECOND_USER = 23456
PTRACE_ATTACH = 16
PTRACE_DETACH = 17
CORE_DUMPED = 0x80


def as_user(user, attempt, group=None):
    """Runs `attempt` in a child with that user's id; gives back what it returns, a small number."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            os.setgroups([])
            os.setgid(user if group is None else group)
            os.setuid(user)
            status = attempt()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def can_attach(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.restype = ctypes.c_long

    def attempt():
        if libc.ptrace(PTRACE_ATTACH, pid, None, None) != 0:
            return 1
        os.waitpid(pid, os.WUNTRACED)
        libc.ptrace(PTRACE_DETACH, pid, None, None)
        return 0
    return attempt


def can_read(path):
    def attempt():
        try:
            os.close(os.open(path, os.O_RDONLY))
            return 0
        except PermissionError:
            return 1
    return attempt


def check_same_user(program, directory, findings):
    """A second user's own daemon; the attacks come from that same user."""
    token = wire.made_up_token()
    control = subprocess.Popen(["sleep", "60"], user=SECOND_USER, group=SECOND_USER,
                               extra_groups=[])
    try:
        with Daemon(program, directory / "second", user=SECOND_USER) as daemon:
            daemon.login(token)
            time.sleep(0.2)
            if as_user(SECOND_USER, can_attach(control.pid)) != 0:
                findings.skip("ptrace by the same user: the kernel lets nobody (ptrace_scope)")
            else:
                findings.expect(as_user(SECOND_USER, can_attach(daemon.pid)) == 1,
                                "the same user cannot attach to the daemon")
            for name in ("mem", "environ", "maps", "smaps", "auxv"):
                findings.expect(
                    as_user(SECOND_USER, can_read(f"/proc/{control.pid}/{name}")) == 0
                    and as_user(SECOND_USER, can_read(f"/proc/{daemon.pid}/{name}")) == 1,
                    f"the same user cannot read the daemon's {name}")
            owner = os.stat(f"/proc/{daemon.pid}/mem").st_uid
            findings.expect(owner == 0, "the daemon is not dumpable", f"mem belongs to {owner}")
            for path in (daemon.state, *daemon.state.iterdir()):
                status = path.lstat()
                findings.expect(status.st_uid == SECOND_USER
                                and (status.st_mode & 0o077 == 0 or path.is_symlink()),
                                f"{path.name} is the user's own", oct(status.st_mode))
    finally:
        programs.end(control)


def check_crash(program, directory, findings):
    """Signals that end a program with a report: the report shows no memory, no core is left."""
    for number in (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP,
                   signal.SIGFPE, signal.SIGQUIT):
        home = directory / f"crash-{number.name}"
        token = wire.made_up_token()
        for options in ((), ("--secret-memory", "locked")):
            daemon = Daemon(program, home, *options, verbose=True)
            daemon.login(token)
            os.kill(daemon.pid, number)
            status = os.waitpid(daemon.pid, 0)[1]
            daemon.process.returncode = -number
            how = f"{number.name} {' '.join(options)}".strip()
            findings.expect(os.WIFSIGNALED(status) or number == signal.SIGQUIT,
                            f"{how} ends the daemon")
            findings.expect(not status & CORE_DUMPED, f"{how} dumps no core")
            findings.expect(not found_in_file(daemon.log, {"token": token.encode()}),
                            f"{how}: the log shows no token")
