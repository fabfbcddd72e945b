"""Where the system's daemon keeps its files, as whom, and what it may do besides."""
import os
import stat

from machine import KEYS, LISTENER, SERVICE, SOCKET, STATE, case, until

# What a unit may have raised by mistake: the daemon's limits as the kernel has them.
LOCKED_LIMIT = str(8 << 20)


def owner_and_mode(machine, path):
    status = os.lstat(machine.container.path(path))
    return status.st_uid, stat.S_IMODE(status.st_mode)


def fields(machine, pid, name):
    """A file of /proc of the form `Name: value`."""
    lines = machine.container.read(f"proc/{pid}/{name}").splitlines()
    return {line.split(":")[0]: line.split(":", 1)[1].strip() for line in lines if ":" in line}


@case
def it_runs_as_a_user_of_its_own_who_owns_all_its_files(machine):
    machine.login()
    uid = int(fields(machine, machine.main_pid(), "status")["Uid"].split()[0])
    assert uid >= 61184, f"uid {uid} is none of systemd's dynamic users"
    for place in (STATE, KEYS):
        assert os.readlink(machine.container.path(place)) == f"private/{os.path.basename(place)}"
    assert owner_and_mode(machine, "/var/lib/private") == (0, 0o700)
    folders = [f"/var/lib/private/{name}" for name in
               ("accountd", "accountd/store", "accountd-key")]
    for folder in folders:
        assert owner_and_mode(machine, folder) == (uid, 0o700), folder
    files = [f"{folder}/{entry.name}" for folder in folders
             for entry in os.scandir(machine.container.path(folder))
             if entry.is_file(follow_symlinks=False)]
    names = {os.path.basename(name) for name in files}
    assert {"account.plist.sealed", "keyslots.plist", "key"} <= names, names
    for name in files:
        assert owner_and_mode(machine, name) == (uid, 0o600), name


@case
def the_key_is_outside_of_the_store(machine):
    machine.login()
    inside = os.listdir(machine.container.path("/var/lib/private/accountd/store"))
    assert "key" not in inside
    assert os.listdir(machine.container.path("/var/lib/private/accountd-key")) == ["key"]


@case
def the_account_survives_another_dynamic_user(machine):
    token = machine.login()
    machine.systemctl("stop", SERVICE)
    # As after a machine on which that uid was taken: systemd gives the files to the new one.
    machine.must("chown", "-R", "61999:61999", "/var/lib/private/accountd",
                 "/var/lib/private/accountd-key")
    machine.must_have(token)
    uid, _ = owner_and_mode(machine, "/var/lib/private/accountd/store/account.plist.sealed")
    assert uid == int(fields(machine, machine.main_pid(), "status")["Uid"].split()[0])


@case
def everybody_may_reach_the_socket_and_nothing_else(machine):
    machine.login()
    assert owner_and_mode(machine, os.path.dirname(SOCKET)) == (0, 0o755)
    assert owner_and_mode(machine, SOCKET) == (0, 0o666)
    assert os.readlink(machine.container.path(
        "/var/lib/private/accountd/store/socket")) == SOCKET
    for path in ("/var/lib/private", STATE + "/", KEYS + "/"):
        assert machine.as_user("dave", "ls", path).returncode != 0, path


@case
def it_has_no_right_that_it_does_not_need(machine):
    machine.login()
    pid = machine.main_pid()
    status = fields(machine, pid, "status")
    for capabilities in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[capabilities], 16) == 0, capabilities
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    assert int(status["VmLck"].split()[0]) >= 2048
    limits = machine.container.read(f"proc/{pid}/limits")
    core, locked = (next(line for line in limits.splitlines() if line.startswith(name)).split()
                    for name in ("Max core file size", "Max locked memory"))
    assert core[4:6] == ["0", "0"] and locked[3:5] == [LOCKED_LIMIT, LOCKED_LIMIT]
    own = {kind: os.readlink(machine.container.path(f"proc/{pid}/ns/{kind}"))
           for kind in ("net", "ipc", "mnt", "user")}
    machines = {kind: os.readlink(machine.container.path(f"proc/1/ns/{kind}")) for kind in own}
    apart = {kind for kind in own if own[kind] != machines[kind]}
    # A user namespace would make every peer's uid 65534.
    assert apart == {"net", "ipc", "mnt"}, apart


@case
def the_client_says_that_memory_is_locked_and_root_is_the_owner(machine):
    status = machine.must("account", "--system", "status")
    assert "role:         owner" in status and f"socket:       {SOCKET}" in status
    assert "2097152 bytes" in status
    doctor = machine.must("account", "--system", "doctor")
    assert "secrets are locked" in doctor, doctor


@case
def a_machine_that_starts_anew_has_the_account(machine):
    token = machine.login()
    machine.systemctl("stop", LISTENER, SERVICE)
    until(lambda: machine.main_pid() == 0, what="the end")
    # Nothing of /run outlives a boot.
    machine.must("rm", "-rf", "/run/accountd")
    machine.systemctl("start", LISTENER)
    machine.must_have(token)
