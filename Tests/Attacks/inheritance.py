"""What a daemon takes over from the command that starts it: nothing that outlasts the command."""

import os
import resource
import signal
import subprocess
import time

from cases import case
from client import Home, exit_status, response
from clocks import ShiftedClock
from users import STRANGER

TEN_YEARS = 315_569_520


def limited(name, amount, hard=False):
    """Sets a limit in the child; the soft one alone unless it is told otherwise."""
    def prepare():
        number = getattr(resource, "RLIMIT_" + name)
        resource.setrlimit(number, (amount, amount if hard else resource.getrlimit(number)[1]))
    return prepare


def limits(pid):
    """What /proc says of a process's limits: soft and hard."""
    found = {}
    with open(f"/proc/{pid}/limits") as file:
        for line in list(file)[1:]:
            found[line[:25].strip()] = line[26:].split()[:2]
    return found


@case
def soft_limits_of_a_caller_are_not_the_daemon_s(room):
    for name, amount, shown in (
            ("FSIZE", 0, "Max file size"), ("CPU", 1, "Max cpu time"),
            ("AS", 100 << 20, "Max address space"), ("MEMLOCK", 0, "Max locked memory"),
            ("NPROC", 1, "Max processes"), ("NOFILE", 8, "Max open files"),
            ("CORE", resource.RLIM_INFINITY, "Max core file size")):
        home = Home(room, user=STRANGER if os.geteuid() == 0 else None)
        token = home.login(prepare=limited(name, amount))
        soft, hard = limits(home.daemon())[shown]
        if name == "NOFILE":
            assert int(soft) >= 1024, f"{shown}: {soft}"
        else:
            assert soft == hard and (name == "CORE") == (hard == "0"), f"{shown}: {soft} {hard}"
        if name == "MEMLOCK" and (hard == "unlimited" or int(hard) >= 2 << 20):
            assert "not locked" not in home.account("status").must_be(0).out
        home.account("token").must_be(0, token + "\n")
        home.end()


@case
def hard_limits_of_a_caller_are_said_and_harm_nothing(room):
    for name, amount, login in (
            ("FSIZE", 0, (9, "(EFBIG)")), ("FSIZE", 100, (9, "(EFBIG)")), ("NOFILE", 16, (0, "")),
            ("NOFILE", 8, (5, "(EMFILE)")), ("AS", 64 << 20, (0, "")), ("MEMLOCK", 0, (0, "")),
            ("NPROC", 1, (9, "(EAGAIN)"))):
        home = Home(room, user=STRANGER if os.geteuid() == 0 else None)
        done = home.account("login", input=response(), prepare=limited(name, amount, hard=True))
        assert done.status == login[0] and login[1] in done.err, (name, amount, done)
        for pid in home.daemons():
            os.kill(pid, signal.SIGTERM)
            # One that could not start may be on its way out still.
            assert exit_status(pid) == (1 if login[0] == 5 else 0)
        # Whatever was begun is no hindrance to the next.
        token = home.login()
        home.account("token", prepare=limited(name, amount, hard=True)).must_be(0, token + "\n")
        home.end()


@case
def a_command_finds_its_words_where_nothing_more_can_be_opened(room):
    home = Home(room)
    daemon = room.daemon()
    token = home.login(None, "--socket", str(daemon.socket))
    home.account("--version", prepare=limited("NOFILE", 3, hard=True)).must_be(0)
    done = home.account("token", "--socket", str(daemon.socket),
                        prepare=limited("NOFILE", 3, hard=True))
    assert done.status == 9 and "(EMFILE)" in done.err and not done.out, done
    home.account("token", "--socket", str(daemon.socket),
                 prepare=limited("NOFILE", 4, hard=True)).must_be(0, token + "\n")
    program = str(home.programs / "accountd")
    done = home.run([program, "--nonsense"], prepare=limited("NOFILE", 64, hard=True))
    assert done.status == 2 and "--nonsense" in done.err, done


@case
def signals_that_a_caller_ignores_or_blocks_reach_the_daemon(room):
    def ignoring(*numbers):
        return lambda: [signal.signal(number, signal.SIG_IGN) for number in numbers]

    def blocking():
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

    every = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})
    for prepare in (ignoring(signal.SIGTERM), ignoring(signal.SIGCHLD, signal.SIGPIPE),
                    ignoring(*every), blocking):
        home = Home(room)
        token = home.login(prepare=prepare)
        home.account("token", prepare=prepare).must_be(0, token + "\n")
        assert home.end_daemon(signal.SIGTERM, within=5) == 0
        # One that is started by hand.
        daemon = room.daemon(prepare=prepare)
        # A peer that leaves without its reply.
        with daemon.connect() as peer:
            peer.sendall(b'{"method":"org.accountd.Account.GetStatus"}\0' * 40)
        daemon.status()
        daemon.signal(signal.SIGHUP)
        daemon.status()
        daemon.end(within=5)


@case
def a_caller_that_is_stopped_or_killed_with_its_whole_job_leaves_the_daemon_alone(room):
    home = Home(room)
    token = home.login()
    home.end_daemon()
    for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGHUP, signal.SIGKILL):
        job = subprocess.Popen(
            ["/bin/sh", "-c", "account token; echo; sleep 60"], stdout=subprocess.PIPE,
            start_new_session=True, **home.options(None))
        try:
            # The empty line comes once the command has ended.
            assert [job.stdout.readline() for _ in range(2)] == [token.encode() + b"\n", b"\n"]
            os.killpg(job.pid, number)
            time.sleep(0.1)
            pid = home.daemon()
            assert os.getsid(pid) == pid, "it is in its caller's session"
            home.account("token").must_be(0, token + "\n")
            assert home.daemon() == pid
        finally:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
            job.stdout.close()
        home.end_daemon()


@case
def libraries_that_a_caller_preloads_stay_out_of_the_daemon(room):
    clock = ShiftedClock(room, TEN_YEARS)
    home = Home(room)
    home.environment |= {**clock.environment, "LD_LIBRARY_PATH": str(room.place()),
                         "GLIBC_TUNABLES": "glibc.malloc.check=3"}
    # With that clock the daemon would see a token of 30 days expire at once.
    home.login()
    home.account("check").must_be(0)
    if os.geteuid() == 0:
        with open(f"/proc/{home.daemon()}/maps") as maps:
            assert clock.environment["LD_PRELOAD"] not in maps.read()
    # And that clock would have been seen.
    daemon = room.daemon(environment=clock.environment)
    daemon.login()
    assert abs(daemon.call("GetAccount")["account"]["issued_at"] - time.time() - TEN_YEARS) < 60


@case
def an_odd_environment_or_place_is_no_hindrance(room):
    home = Home(room)
    token = home.login()
    account = home.programs / "account"
    large = {f"XDG_{number}": "x" * 100_000 for number in range(10)}
    for script, variables in (
            (f"exec -a '' {account} token", {}),
            (f"exec env -i HOME=\"$HOME\" ACCOUNT_STATE_DIR=\"$ACCOUNT_STATE_DIR\" {account} token",
             {}),
            (f"unset PATH; {account} token", {}),
            ("mkdir -p \"$HOME/gone\"; cd \"$HOME/gone\"; rmdir ../gone; account token", {}),
            ("nice -n 19 account token", {}), ("account token", large),
            ("account token", {"A": "\udcff", "XDG_X": "\udcff"})):
        home.end_daemon()
        home.shell(script, environment=variables).must_be(0, token + "\n")
    gone = "mkdir -p \"$HOME/gone\"; cd \"$HOME/gone\"; rmdir ../gone; account token --state here"
    done = home.shell(gone)
    assert done.status == 9 and "(ENOENT)" in done.err, done
