"""The units of a user's manager, and the client's way to them."""
import os
import signal
import time

from machine import LISTENER, SERVICE, USERS, case, described, until

USER = "alice"
RUNTIME = f"/run/user/{USERS[USER]}"
UNIT_GROUP = f"/user.slice/user-{USERS[USER]}.slice/user@{USERS[USER]}.service/app.slice/{SERVICE}"
NO_DAEMON, NO_ACCOUNT = 5, 3
DROP_IN = "etc/systemd/user/accountd.service.d/test.conf"
SESSION_TIMEOUT = 10.0
# Between a client's call and its answer when another daemon has to go first.
TAKE_OVER = 3.0


def systemctl(machine, *words):
    result = machine.as_user(USER, "systemctl", "--user", *words)
    assert result.returncode == 0, described(result)
    return result.stdout


def user_drop_in(machine, text):
    path = machine.container.path(DROP_IN)
    machine.container.write(DROP_IN, f"[Service]\n{text}\n")
    machine.room.callback(lambda: os.path.exists(path) and os.unlink(path))
    systemctl(machine, "daemon-reload")


def state(machine, unit):
    return "/".join(machine.show(unit, "ActiveState", "SubState", user=USER))


def only_daemon(machine):
    """The one daemon that runs for the user."""
    found = machine.daemons(USER)
    assert len(found) == 1, found
    return found[0]


@case
def status_starts_nothing(machine):
    machine.user_manager(USER)
    result = machine.account("status", user=USER)
    assert result.returncode == NO_DAEMON, described(result)
    assert state(machine, LISTENER) == "inactive/dead"
    assert machine.daemons(USER) == []
    # Nor does it where the socket listens: it would start the daemon by asking.
    doctor = machine.account("doctor", user=USER)
    assert "the user manager starts the daemon" in doctor.stdout, described(doctor)


@case
def a_check_has_the_manager_start_it(machine):
    machine.user_manager(USER)
    result = machine.account("check", user=USER)
    assert result.returncode == NO_ACCOUNT, described(result)
    assert state(machine, LISTENER) == "active/running"
    assert state(machine, SERVICE) == "active/running"
    daemon = only_daemon(machine)
    assert daemon["group"] == UNIT_GROUP and daemon["pid"] == machine.main_pid(USER)
    text = machine.show(SERVICE, "StatusText", user=USER)
    assert text == f"Serving {RUNTIME}/account/socket"


@case
def a_job_without_the_variables_of_a_session_has_the_manager_start_it(machine):
    # cron sets HOME and little else.
    machine.user_manager(USER)
    result = machine.account("check", user=USER, runtime=False)
    assert result.returncode == NO_ACCOUNT, described(result)
    assert only_daemon(machine)["group"] == UNIT_GROUP


@case
def the_variables_of_another_user_lead_nowhere_else(machine):
    # `su alice` keeps them.
    machine.must("mkdir", "-p", "-m", "700", "/run/user/0")
    machine.user_manager(USER)
    foreign = {"XDG_RUNTIME_DIR": "/run/user/0",
               "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/0/bus"}
    result = machine.account("check", user=USER, environment=foreign)
    assert result.returncode == NO_ACCOUNT, described(result)
    assert only_daemon(machine)["group"] == UNIT_GROUP
    # The same without a manager: the daemon is started by the command, in the store.
    machine.room.callback(machine.forget, "bob")
    result = machine.account("check", user="bob", environment=foreign)
    assert result.returncode == NO_ACCOUNT, described(result)


@case
def a_session_that_has_ended_leaves_a_way(machine):
    # What goes on after a logout still has the variable; the directory is gone.
    machine.room.callback(machine.forget, "bob")
    assert not os.path.exists(machine.container.path(f"/run/user/{USERS['bob']}"))
    token = machine.login(user="bob")
    machine.must_have(token, user="bob", runtime=False)


@case
def an_enabled_socket_listens_and_starts_it(machine):
    machine.user_manager(USER)
    systemctl(machine, "enable", "--now", LISTENER)
    assert state(machine, LISTENER) == "active/listening" and machine.daemons(USER) == []
    token = machine.login(user=USER)
    machine.must_have(token, user=USER)
    machine.must_have(token, user=USER, runtime=False)
    mode = os.stat(machine.container.path(f"{RUNTIME}/account/socket")).st_mode & 0o777
    assert mode == 0o600, oct(mode)
    start = time.monotonic()
    systemctl(machine, "stop", SERVICE)
    assert time.monotonic() - start < 1
    assert machine.show(SERVICE, "Result", user=USER) == "success"
    machine.must_have(token, user=USER)


@case
def a_crash_and_a_hang_are_mended(machine):
    machine.user_manager(USER)
    user_drop_in(machine, "WatchdogSec=1s\nRestartSec=100ms")
    token = machine.login(user=USER)
    for number, how in enumerate((signal.SIGKILL, signal.SIGSEGV), 1):
        before = machine.main_pid(USER)
        machine.signal(before, how)
        machine.must_have(token, user=USER)
        assert machine.show(SERVICE, "NRestarts", user=USER) == str(number)
    before = machine.main_pid(USER)
    machine.signal(before, signal.SIGSTOP)
    until(lambda: machine.main_pid(USER) not in (0, before), what="another daemon")
    machine.must_have(token, user=USER)


@case
def it_sees_who_asks(machine):
    # With a user namespace of its own everybody would be uid 65534, root too.
    machine.user_manager(USER)
    machine.login(user=USER)
    status = machine.must("account", "--socket", f"{RUNTIME}/account/socket", "status")
    assert "role:         owner" in status, status
    pid = machine.main_pid(USER)
    own, machines = (os.readlink(machine.container.path(f"proc/{number}/ns/user"))
                     for number in (pid, 1))
    assert own == machines
    lines = machine.container.read(f"proc/{pid}/status")
    for line in ("NoNewPrivs:\t1", "Seccomp:\t2", "CapEff:\t0000000000000000"):
        assert line in lines, line


@case
def nothing_that_it_does_is_missing_from_the_list(machine):
    machine.user_manager(USER)
    user_drop_in(machine, "SystemCallErrorNumber=kill\nRestart=no\nWatchdogSec=1s")
    machine.login(user=USER)
    pid = machine.main_pid(USER)
    token = machine.login(user=USER)
    for command in ("status", "show", "header", "expires", "check", "doctor"):
        result = machine.account(command, user=USER)
        assert result.returncode == 0, f"{command}: {described(result)}"
    assert machine.account("doctor", "--repair", user=USER).returncode == 0
    machine.must_have(token, user=USER)
    time.sleep(1.2)
    assert machine.account("logout", user=USER).returncode == 0
    assert machine.main_pid(USER) == pid
    systemctl(machine, "stop", SERVICE)
    assert machine.show(SERVICE, "Result", user=USER) == "success"


@case
def a_daemon_that_cron_started_leaves_the_store_to_the_unit(machine):
    # Nobody is logged in: the command itself starts one, which stays.
    machine.forget(USER)
    token = machine.login(user=USER, runtime=False)
    first = only_daemon(machine)
    # Then there is a session, whose socket is enabled.
    machine.user_manager(USER)
    systemctl(machine, "enable", "--now", LISTENER)
    start = time.monotonic()
    machine.must_have(token, user=USER)
    took = time.monotonic() - start
    assert took < TAKE_OVER, f"{took:.1f} s"
    until(lambda: len(machine.daemons(USER)) == 1, what="the end of the other daemon")
    second = only_daemon(machine)
    assert second["pid"] != first["pid"] and second["group"] == UNIT_GROUP
    machine.must_have(token, user=USER, runtime=False)


@case
def it_ends_with_the_last_session_and_the_account_stays(machine):
    machine.forget(USER)
    machine.room.callback(machine.forget, USER)
    # A login as su(1) makes it: with a session of the login manager's.
    session = machine.container.start(
        "su", "-", USER, "-c", "account check; echo asked; sleep 60")
    machine.room.callback(session.kill)
    assert session.stdout.readline() == "asked\n", session.stderr.read()
    assert only_daemon(machine)["group"] == UNIT_GROUP
    token = machine.login(user=USER)
    machine.must("loginctl", "terminate-user", USER)
    session.wait(SESSION_TIMEOUT)
    until(lambda: not machine.daemons(USER), what="the daemon's end")
    until(lambda: not os.path.exists(machine.container.path(RUNTIME)), what="the end of /run/user")
    # Between sessions a job finds the account, and the next session the same.
    machine.must_have(token, user=USER, runtime=False)
    machine.user_manager(USER)
    machine.must_have(token, user=USER)


@case
def without_the_unit_the_command_starts_it(machine):
    machine.user_manager(USER)
    systemctl(machine, "mask", LISTENER)
    token = machine.login(user=USER)
    assert only_daemon(machine)["group"] != UNIT_GROUP
    # It listens where the unit's socket would be: unmasked, the unit takes over.
    systemctl(machine, "unmask", LISTENER)
    systemctl(machine, "start", LISTENER)
    machine.must_have(token, user=USER)
    until(lambda: [each["group"] for each in machine.daemons(USER)] == [UNIT_GROUP],
          what="the unit's daemon alone")
