"""What locks a store from outside: a signal, the time, the machine's sleep, a session's lock."""
import os
import re
import shutil
import time

import wire
from machine import SERVICE, USERS, case, described, until

USER, OTHER = "alice", "bob"
STORE = f"/home/{OTHER}/.local/state/account"
KEYS = "org.accountd.Keys"
PASSPHRASE = "made-up words of the booted tests"
LOCKED = 4
HELPER = "/usr/libexec/accountd-lock"
SLEEPING, SESSION = "accountd-sleep.service", "accountd-session.service"
SUSPEND = "systemd-suspend.service"
LOGIN_MANAGER = "org.freedesktop.login1"
SESSION_SECONDS = 60


def lockable(machine, user=None, path=None, token=None, passphrase=None):
    """An account whose store only what a person knows opens: the token, and what unlocks it.

    A recovery code, which costs nothing, where no passphrase is given. `path`: of the socket.
    """
    token = token or machine.login(user=user)
    path = path or machine.socket(user)
    if passphrase:
        opener = {"passphrase": passphrase}
        wire.call(path, f"{KEYS}.AddSlot", {"kind": "passphrase", **opener})
        return token, opener
    opener = wire.call(path, f"{KEYS}.NewRecoveryCode")
    wire.call(path, f"{KEYS}.AddSlot", {"kind": "recovery", **opener})
    slots = wire.call(path, f"{KEYS}.ListSlots")["slots"]
    slot = next(each["id"] for each in slots if each["kind"] == "keyfile")
    wire.call(path, f"{KEYS}.RemoveSlot", {"id": slot})
    return token, opener


def unlock(machine, opener, user=None):
    machine.call("Unlock", opener, user)
    assert state(machine, user) == "present"


def state(machine, user=None):
    return machine.protection(user)[1]


def is_locked(machine, user=None):
    return state(machine, user) == "locked"


def has_session(machine, user):
    """Gives a user a graphical session, as the login manager has it: its object's path."""
    unit = f"session-of-{user}.service"
    machine.must("systemd-run", "--quiet", f"--unit={unit}", f"--property=User={user}",
                 "--property=PAMName=login", "--setenv=XDG_SESSION_TYPE=wayland",
                 "--setenv=XDG_SESSION_CLASS=user", "sleep", str(SESSION_SECONDS))
    machine.room.callback(machine.run, "systemctl", "stop", unit)

    def found():
        for line in machine.must("loginctl", "--no-legend", "list-sessions").splitlines():
            number, uid = line.split()[:2]
            if int(uid) == USERS[user]:
                return number
        return None

    number = until(found, what=f"a session of {user}")
    answer = machine.must("busctl", "call", LOGIN_MANAGER, "/org/freedesktop/login1",
                          f"{LOGIN_MANAGER}.Manager", "GetSession", "s", number)
    return number, answer.split('"')[1]


def watches_sessions(machine, user):
    """Has the user's manager run the helper, and waits until it hears the login manager."""
    machine.user_manager(user)
    machine.as_user(user, "systemctl", "--user", "start", SESSION)
    machine.room.callback(machine.as_user, user, "systemctl", "--user", "stop", SESSION)
    until(lambda: any(line.startswith("listening") for line in machine.must(
        "journalctl", "--no-pager", "--output=cat", f"--since=@{machine.began:.3f}",
        f"_SYSTEMD_USER_UNIT={SESSION}").splitlines()), what="the helper's readiness")


@case
def a_signal_locks_the_store(machine):
    token, opener = lockable(machine, passphrase=PASSPHRASE)
    assert machine.protection() == (["passphrase"], "present")
    machine.systemctl("kill", "-s", "USR1", SERVICE)
    until(lambda: is_locked(machine), what="the lock")
    result = machine.account("token")
    assert result.returncode == LOCKED and "hint: " in result.stderr, described(result)
    assert any("told to lock the store: it is locked" in line
               for line in machine.messages_of(SERVICE))
    pid = machine.main_pid()
    unlock(machine, opener)
    machine.must_have(token)
    assert machine.main_pid() == pid
    # A second signal locks again, and a third, while nothing is open, does no harm.
    for _ in range(2):
        machine.systemctl("kill", "-s", "USR1", SERVICE)
        until(lambda: is_locked(machine), what="the lock")
    unlock(machine, opener)
    machine.must_have(token)


@case
def a_signal_locks_a_users_store(machine):
    machine.user_manager(USER)
    token, opener = lockable(machine, USER)
    machine.as_user(USER, "systemctl", "--user", "kill", "-s", "USR1", SERVICE)
    until(lambda: is_locked(machine, USER), what="the lock")
    assert machine.account("token", "--no-input", user=USER).returncode == LOCKED
    unlock(machine, opener, USER)
    machine.must_have(token, user=USER)


@case
def a_store_that_opens_by_itself_says_that_a_signal_cannot_lock_it(machine):
    token = machine.login()
    machine.systemctl("kill", "-s", "USR1", SERVICE)
    until(lambda: any("opens by itself" in line for line in machine.messages_of(SERVICE)),
          what="what the daemon says of it")
    machine.must_have(token)


@case
def a_store_is_locked_by_the_time_that_the_unit_says(machine):
    for option in ("--lock-after-idle 2s", "--lock-after 2s"):
        machine.fresh()
        machine.drop_in(f'Environment="ACCOUNTD_OPTIONS={option}"')
        start = time.monotonic()
        token, opener = lockable(machine)
        machine.must_have(token)
        # Whoever asks for the status does not use it.
        until(lambda: is_locked(machine), seconds=5, what=f"{option}: the lock")
        assert 1.5 < time.monotonic() - start < 4
        assert machine.account("token").returncode == LOCKED
        unlock(machine, opener)
        machine.must_have(token)


@case
def a_store_in_use_is_not_locked_as_idle(machine):
    machine.drop_in('Environment="ACCOUNTD_OPTIONS=--lock-after-idle 2s"')
    token, _ = lockable(machine)
    start = time.monotonic()
    while time.monotonic() - start < 3:
        time.sleep(0.3)
        machine.must_have(token)
    until(lambda: is_locked(machine), seconds=5, what="the lock")


@case
def a_users_unit_takes_the_times_of_its_drop_in(machine):
    machine.user_manager(USER)
    drop_in = "etc/systemd/user/accountd.service.d/test.conf"
    path = machine.container.path(drop_in)
    machine.container.write(
        drop_in, '[Service]\nEnvironment="ACCOUNTD_OPTIONS=--lock-after-idle 1s"\n')
    machine.room.callback(lambda: os.path.exists(path) and os.unlink(path))
    machine.as_user(USER, "systemctl", "--user", "daemon-reload")
    lockable(machine, USER)
    until(lambda: is_locked(machine, USER), seconds=5, what="the lock")


@case
def all_stores_are_locked_when_the_machine_falls_asleep(machine):
    # Nothing sleeps here: what would put it to sleep notes how the stores are just then.
    seen = "/run/at-sleep"
    override = f"etc/systemd/system/{SUSPEND}.d/test.conf"
    machine.container.write(override, (
        "[Service]\nExecStart=\n"
        f"ExecStart=/bin/sh -c 'account --system status >{seen};"
        f"account --socket /run/user/{USERS[USER]}/account/socket status >>{seen};"
        f"account --socket {STORE}/socket status >>{seen}'\n"))
    machine.room.callback(machine.run, "systemctl", "daemon-reload")
    machine.room.callback(os.unlink, machine.container.path(override))
    machine.systemctl("daemon-reload")
    machine.systemctl("enable", SLEEPING)
    machine.room.callback(machine.run, "systemctl", "disable", SLEEPING)
    # One of the system's, one of a user's manager, one that a command has started.
    _, opener = lockable(machine)
    machine.user_manager(USER)
    lockable(machine, USER)
    machine.room.callback(machine.forget, OTHER)
    token = machine.login(user=OTHER, runtime=False)
    lockable(machine, path=machine.container.path(f"{STORE}/socket"), token=token)
    assert len(machine.daemons()) == 3
    machine.systemctl("start", SUSPEND)
    said = machine.container.read(seen)
    assert len(re.findall("^account: +locked", said, re.MULTILINE)) == 3, said
    assert machine.show(SLEEPING, "Result") == "success"
    assert any("told 3 to lock" in line for line in machine.messages_of(SLEEPING))
    # And once more: nothing is kept of the first time.
    unlock(machine, opener)
    machine.systemctl("start", SUSPEND)
    assert is_locked(machine)


@case
def what_only_has_the_daemons_name_is_left_alone(machine):
    machine.must("sh", "-c", "mkdir -p /run/other; cp /bin/sleep /run/other/accountd")
    other = machine.container.start("/run/other/accountd", "60")
    machine.room.callback(other.kill)
    until(machine.daemons, what="its start")
    assert machine.must(HELPER, "all") == "told 0 to lock\n"
    assert other.poll() is None


@case
def a_session_that_is_locked_locks_its_users_store(machine):
    if not shutil.which("gdbus"):
        machine.skip("needs gdbus (libglib2.0-bin)")
    number, _ = has_session(machine, USER)
    foreign, _ = has_session(machine, OTHER)
    watches_sessions(machine, USER)
    token, opener = lockable(machine, USER)
    # Somebody else's session is nothing to this user.
    machine.must("loginctl", "lock-session", foreign)
    time.sleep(0.5)
    machine.must_have(token, user=USER)
    machine.must("loginctl", "lock-session", number)
    until(lambda: is_locked(machine, USER), what="the lock")
    unlock(machine, opener, USER)
    machine.must("loginctl", "unlock-session", number)
    time.sleep(0.3)
    machine.must_have(token, user=USER)


@case
def a_screen_that_says_it_is_locked_locks_the_store(machine):
    # A desktop locks its screen by itself, and tells the login manager.
    if not shutil.which("gdbus"):
        machine.skip("needs gdbus (libglib2.0-bin)")
    _, path = has_session(machine, USER)
    watches_sessions(machine, USER)
    token, opener = lockable(machine, USER)

    def tell(locked):
        result = machine.as_user(USER, "busctl", "--system", "call", LOGIN_MANAGER, path,
                                 f"{LOGIN_MANAGER}.Session", "SetLockedHint", "b", locked)
        assert result.returncode == 0, described(result)

    tell("true")
    until(lambda: is_locked(machine, USER), what="the lock")
    unlock(machine, opener, USER)
    tell("false")
    time.sleep(0.3)
    machine.must_have(token, user=USER)


@case
def the_helper_says_what_it_needs(machine):
    result = machine.run(HELPER)
    assert result.returncode == 2 and "usage: " in result.stderr, described(result)
    result = machine.run("env", "PATH=/nowhere", "/bin/sh", HELPER, "session")
    assert result.returncode == 3 and "libglib2.0-bin" in result.stderr, described(result)
