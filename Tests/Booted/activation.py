"""The system's units: activation, readiness, watchdog, crashes, restarts, the end."""
import os
import signal
import time

import wire
from machine import LISTENER, SERVICE, SOCKET, case, described, until

# The units' own times are for real machines; a drop-in makes them short.
FAST = "WatchdogSec=1s\nRestartSec=100ms"
WATCHDOG = 1.0
STOPS_WITHIN = 1.0


def state(machine, unit=SERVICE):
    return "/".join(machine.show(unit, "ActiveState", "SubState"))


@case
def the_first_check_starts_the_daemon_by_its_socket(machine):
    assert machine.main_pid() == 0
    result = machine.account("check")
    assert result.returncode == 3, described(result)
    assert state(machine) == "active/running"
    assert state(machine, LISTENER) == "active/running"
    assert machine.main_pid() > 0


@case
def start_returns_when_the_daemon_serves(machine):
    # Type=notify: between the two nothing is left to wait for.
    machine.systemctl("start", SERVICE)
    assert state(machine) == "active/running"
    kind, text, access = machine.show(SERVICE, "Type", "StatusText", "NotifyAccess")
    assert (kind, text, access) == ("notify", f"Serving {SOCKET}", "main")
    assert machine.account("check").returncode == 3


@case
def a_daemon_that_hangs_is_replaced_by_the_watchdog(machine):
    machine.drop_in(FAST)
    token = machine.login()
    first = machine.main_pid()
    machine.signal(first, signal.SIGSTOP)
    until(lambda: machine.main_pid() not in (0, first), 3 * WATCHDOG, "another daemon")
    machine.must_have(token)
    assert machine.show(SERVICE, "NRestarts") == "1"
    assert any("Watchdog timeout" in line for line in machine.messages_of(SERVICE))


@case
def a_daemon_that_lives_is_left_alone_by_the_watchdog(machine):
    machine.drop_in(FAST)
    machine.login()
    first = machine.main_pid()
    time.sleep(2.5 * WATCHDOG)
    assert machine.main_pid() == first
    assert machine.show(SERVICE, "NRestarts") == "0"


@case
def a_killed_daemon_is_started_again_with_its_account(machine):
    machine.drop_in(FAST)
    token = machine.login()
    for number, how in enumerate((signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT), 1):
        before = machine.main_pid()
        machine.signal(before, how)
        # Who asks meanwhile waits in the socket, and is answered.
        machine.must_have(token)
        assert machine.main_pid() not in (0, before)
        assert machine.show(SERVICE, "NRestarts") == str(number)


@case
def a_stop_is_clean_and_takes_less_than_a_second(machine):
    machine.login()
    # Those who are connected, or have sent half of a call, hold nothing up.
    peers = [wire.connect(machine.container.path(SOCKET)) for _ in range(10)]
    for peer in peers[::2]:
        peer.sendall(b'{"method":"org.acc')
    start = time.monotonic()
    machine.systemctl("stop", SERVICE)
    assert time.monotonic() - start < STOPS_WITHIN
    for peer in peers:
        assert wire.is_closed(peer, STOPS_WITHIN)
        peer.close()
    assert state(machine) == "inactive/dead"
    result, status, restarts = machine.show(SERVICE, "Result", "ExecMainStatus", "NRestarts")
    assert (result, status, restarts) == ("success", "0", "0")
    assert state(machine, LISTENER) == "active/listening"
    # The socket stays, and starts it again.
    assert machine.account("check").returncode == 0


@case
def nobody_is_refused_while_it_restarts(machine):
    token = machine.login()
    asking = [machine.container.start(
        "bash", "-c", 'for i in $(seq 60); do account --system token || exit 1; done')
        for _ in range(2)]
    restarts = 0
    while any(process.poll() is None for process in asking):
        machine.systemctl("restart", SERVICE)
        machine.systemctl("reset-failed", SERVICE)
        restarts += 1
    assert restarts > 1, "all was asked before the second restart"
    for process in asking:
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        assert output.split() == [token] * 60


@case
def a_call_that_waits_through_a_start_is_answered(machine):
    token = machine.login()
    machine.systemctl("stop", SERVICE)
    # Ten at once: one daemon is started and answers all.
    asking = [machine.container.start("account", "--system", "token") for _ in range(10)]
    for process in asking:
        output, errors = process.communicate()
        assert (process.returncode, output.strip()) == (0, token), errors


@case
def reload_resolves_the_groups_and_keeps_the_process(machine):
    group = machine.container.read("etc/group")
    machine.room.callback(machine.container.rewrite, "etc/group", group)
    machine.drop_in('Environment="ACCOUNTD_OPTIONS=--readers weibo"')
    token = machine.login()
    before = machine.main_pid()
    assert machine.account("token", "--system", user="carol").returncode == 6
    machine.container.rewrite(
        "etc/group", group.replace("weibo:x:5010:bob", "weibo:x:5010:bob,carol"))
    machine.systemctl("reload", SERVICE)
    assert machine.main_pid() == before
    machine.must_have(token, "--system", user="carol")


@case
def a_group_that_is_not_there_is_named_and_given_up_at_the_start_limit(machine):
    machine.drop_in('Environment="ACCOUNTD_OPTIONS=--readers nosuchgroup"\nRestartSec=50ms')
    result = machine.account("check")
    assert result.returncode == 5, described(result)
    until(lambda: state(machine) == "failed/failed", what="the failed state")
    said = machine.messages_of(SERVICE)
    assert any("there is no group nosuchgroup" in line for line in said), said
    result = machine.account("check")
    assert result.returncode == 5 and "systemctl" in result.stderr, described(result)
    # Once it is put right, one command brings it back.
    machine.drop_in("")
    machine.systemctl("reset-failed", SERVICE, LISTENER)
    machine.systemctl("start", LISTENER)
    assert machine.account("check").returncode == 3


@case
def a_wrong_option_is_not_tried_again(machine):
    machine.drop_in('Environment="ACCOUNTD_OPTIONS=--frobnicate"\nRestartSec=50ms')
    assert machine.run("systemctl", "start", SERVICE).returncode != 0
    time.sleep(0.3)
    assert state(machine) == "failed/failed"
    status, restarts = machine.show(SERVICE, "ExecMainStatus", "NRestarts")
    assert (status, restarts) == ("2", "0")
    assert any("--frobnicate is not an option" in line for line in machine.messages_of(SERVICE))


@case
def stopping_the_socket_too_leaves_nothing_behind(machine):
    machine.login()
    machine.systemctl("stop", LISTENER)
    assert not os.path.exists(machine.container.path(SOCKET))
    until(lambda: machine.main_pid() == 0, what="the daemon's end")
    result = machine.account("check")
    assert result.returncode == 5 and "systemctl start accountd.socket" in result.stderr
