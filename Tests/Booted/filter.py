"""The list of system calls: nothing that the daemon does is missing from it.

The units answer a call that is not listed with ENOSYS, which hides what is missing. Here such a
call kills the daemon, so that each path that it survives is proved to need nothing else.
"""
import os
import signal
import socket

import wire
from machine import CREDENTIAL, SERVICE, SOCKET, case, described, until

STRICT = "SystemCallErrorNumber=kill\nRestart=no\nWatchdogSec=1s"
KEYS = "org.accountd.Keys"
KEY = "/var/lib/accountd-key/key"
DAMAGED, LOCKED, NO_ACCOUNT, REFUSED = 7, 4, 3, 9
# Connections beyond what the daemon takes of one user.
MANY = 200


def strict(machine, *more):
    machine.drop_in("\n".join((STRICT, *more)))
    machine.systemctl("start", SERVICE)
    return machine.main_pid()


def survived(machine, pid):
    """The process that was started is the one that still serves."""
    assert machine.main_pid() == pid and machine.account("status").returncode == 0, (
        machine.messages_of(SERVICE))


def stops(machine):
    machine.systemctl("stop", SERVICE)
    assert machine.show(SERVICE, "Result") == "success", machine.messages_of(SERVICE)


@case
def a_call_that_is_not_listed_kills(machine):
    # What the other cases rely on.
    machine.drop_in(f"{STRICT}\nSystemCallFilter=~sendto")
    assert machine.run("systemctl", "start", SERVICE).returncode != 0
    result, status = machine.show(SERVICE, "Result", "ExecMainStatus")
    assert (result, status) == ("signal", str(int(signal.SIGSYS)))
    machine.provoked_kills += 1


@case
def every_command_and_change_is_allowed(machine):
    pid = strict(machine)
    first = machine.login()
    for command in ("status", "show", "token", "header", "expires", "check", "doctor"):
        result = machine.account(command)
        assert result.returncode == 0, f"{command}: {described(result)}"
    second = machine.login()
    assert first != second
    machine.must_have(second)
    another = '{"access_token":"2.00Other","uid":"7","expires_in":86400}'
    assert machine.account("login", given=another).returncode != 0
    machine.login("--replace", uid="9900000002")
    assert machine.account("doctor", "--repair").returncode == 0
    assert machine.account("login", given="{").returncode == 8
    assert machine.account("logout", "--if-uid", "1").returncode != 0
    assert machine.account("logout").returncode == 0
    assert machine.account("token").returncode == NO_ACCOUNT
    machine.systemctl("reload", SERVICE)
    machine.login()
    survived(machine, pid)
    stops(machine)


@case
def its_methods_beside_those_of_the_commands_are_allowed(machine):
    pid = strict(machine)
    machine.login()
    path = machine.container.path(SOCKET)
    for method in ("Export", "Verify", "Repair", "GetAccount",
                   "org.varlink.service.GetInfo"):
        wire.call(path, method)
    wire.call(path, "UpdateProfile", {"screen_name": "made up"})
    wire.call(path, "org.varlink.service.GetInterfaceDescription",
              {"interface": wire.INTERFACE})
    survived(machine, pid)
    stops(machine)


@case
def all_that_is_done_with_keys_and_locks_is_allowed(machine):
    machine.must("mkdir", "-p", "-m", "700", os.path.dirname(CREDENTIAL))
    machine.must("sh", "-c", f"head -c 32 /dev/urandom | systemd-creds encrypt --with-key=host "
                 f"--name=accountd.key - {CREDENTIAL}")
    pid = strict(machine, 'Environment="ACCOUNTD_OPTIONS=--lock-after-idle 3s --lock-after 1h"')
    token = machine.login()
    machine.call(f"{KEYS}.AddSlot", {"kind": "keyfile"})
    machine.call(f"{KEYS}.AddSlot", {"kind": "passphrase", "passphrase": "made-up words"})
    code = machine.call(f"{KEYS}.NewRecoveryCode")
    machine.call(f"{KEYS}.AddSlot", {"kind": "recovery", **code})
    machine.call(f"{KEYS}.Rotate")
    machine.call(f"{KEYS}.FinishRotation")
    try:
        machine.call(f"{KEYS}.DeriveArchiveKey", {"name": "made up"})
        raise AssertionError("root is given the key of an archive of the service's user")
    except wire.Refused as refused:
        assert refused.name.endswith(".PermissionDenied"), refused
    for slot in machine.call(f"{KEYS}.ListSlots")["slots"]:
        if slot["kind"] == "credential":
            machine.call(f"{KEYS}.RemoveSlot", {"id": slot["id"]})
    assert machine.protection() == (["recovery", "passphrase"], "present")
    machine.call("Lock")
    for wrong in ({"passphrase": "other words"}, {}):
        try:
            machine.call("Unlock", wrong)
            raise AssertionError(f"{wrong} unlocks it")
        except wire.Refused as refused:
            assert refused.name.rsplit(".")[-1] in ("WrongKey", "Locked"), refused
    machine.call("Unlock", {"passphrase": "made-up words"})
    machine.systemctl("kill", "-s", "USR1", SERVICE)
    until(lambda: machine.protection()[1] == "locked", what="the lock by a signal")
    machine.call("Unlock", code)
    machine.must_have(token)
    until(lambda: machine.protection()[1] == "locked", what="the lock by time")
    survived(machine, pid)
    stops(machine)


@case
def a_damaged_store_and_its_repair_are_allowed(machine):
    token = machine.login()
    machine.login()
    machine.systemctl("stop", SERVICE)
    sealed = machine.container.path("/var/lib/private/accountd/store/account.plist.sealed")
    with open(sealed, "r+b") as file:
        file.truncate(100)
    pid = strict(machine)
    assert machine.account("token").returncode == DAMAGED
    assert machine.account("doctor").returncode != 0
    repaired = machine.account("doctor", "--repair")
    assert repaired.returncode == 0, described(repaired)
    machine.must_have(token)
    survived(machine, pid)
    stops(machine)


@case
def a_locked_store_is_allowed(machine):
    token = machine.login()
    machine.systemctl("stop", SERVICE)
    machine.must("mv", KEY, "/var/lib/accountd-key/away")
    pid = strict(machine)
    assert machine.account("token").returncode == LOCKED
    machine.must("mv", "/var/lib/accountd-key/away", KEY)
    assert machine.account("doctor", "--repair").returncode == 0
    machine.must_have(token)
    survived(machine, pid)
    stops(machine)


@case
def a_full_disk_is_allowed(machine):
    place = "/var/lib/private/accountd"
    machine.must("mkdir", "-p", "-m", "700", place)
    machine.must("mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "small", place)
    machine.room.callback(machine.run, "umount", place)
    machine.room.callback(machine.run, "systemctl", "stop", SERVICE)
    token = machine.login()
    machine.systemctl("stop", SERVICE)
    pid = strict(machine)
    machine.run("dd", "if=/dev/zero", f"of={place}/filler", "bs=1k")
    response = '{"access_token":"2.00NoRoomForIt","uid":"9900000001","expires_in":86400}'
    result = machine.account("login", given=response)
    assert result.returncode == REFUSED and "ENOSPC" in result.stderr, described(result)
    machine.must_have(token)
    machine.must("rm", f"{place}/filler")
    survived(machine, pid)
    stops(machine)


@case
def crowds_strangers_and_nonsense_are_allowed(machine):
    pid = strict(machine, 'Environment="ACCOUNTD_OPTIONS=--readers weibo --verbose"')
    machine.login()
    path = machine.container.path(SOCKET)
    peers = [wire.connect(path) for _ in range(MANY)]
    for peer in peers:
        peer.sendall(b'{"method":"org.accountd.Account.GetTo')
    survived(machine, pid)
    for peer in peers:
        peer.close()
    for nonsense in (b"\0", b"{}\0", b"{" * 100 + b"\0", b"x" * 70_000):
        with wire.connect(path) as peer:
            try:
                peer.sendall(nonsense)
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65_536):
                    pass
            except (BrokenPipeError, ConnectionResetError):
                pass
    assert machine.account("check", "--system", user="dave").returncode == 6
    assert machine.account("token", "--system", user="bob").returncode == 0
    # A second and more: records are flushed, the watchdog is fed.
    machine.must("sleep", "1.2")
    survived(machine, pid)
    stops(machine)


@case
def few_descriptors_and_locked_pages_are_allowed(machine):
    pid = strict(machine, "LimitNOFILE=80",
                 'Environment="ACCOUNTD_OPTIONS=--secret-memory locked"')
    machine.login()
    path = machine.container.path(SOCKET)
    peers = [wire.connect(path) for _ in range(MANY)]
    machine.must("sleep", "0.3")
    for peer in peers:
        peer.close()
    survived(machine, pid)
    stops(machine)


@case
def a_refused_start_is_allowed(machine):
    for more in ('Environment="ACCOUNTD_OPTIONS=--readers nosuchgroup"', "LimitMEMLOCK=0",
                 'Environment="ACCOUNTD_OPTIONS=--help"'):
        machine.drop_in(f"{STRICT}\n{more}")
        machine.run("systemctl", "start", SERVICE)
        status, code = machine.show(SERVICE, "ExecMainStatus", "ExecMainCode")
        assert code == "1", f"{more}: killed by signal {status}"
        machine.run("systemctl", "stop", SERVICE)
        machine.run("systemctl", "reset-failed", SERVICE)
