"""What the Makefile installs, where, and what becomes of it by an upgrade and the removal."""
import os

from machine import LISTENER, SERVICE, case, described

LOCAL = "/usr/local"
# Where nothing of this machine's own is changed while the case runs.
LOOKED_THROUGH = ("/usr/local/bin", "/usr/local/libexec", "/usr/local/lib/systemd",
                  "/usr/local/share")


def files(machine):
    """What there is below the places that `make install` writes to."""
    return machine.must("bash", "-c", f"find {' '.join(LOOKED_THROUGH)} -type f 2>/dev/null | sort"
                        "; true").splitlines()


@case
def a_replaced_program_takes_over_the_socket_and_the_account(machine):
    token = machine.login()
    before = machine.main_pid()
    program = machine.container.path("usr/libexec/accountd")
    inode = os.stat(program).st_ino
    machine.install()
    assert os.stat(program).st_ino != inode, "install(1) wrote into the running program"
    # The old one goes on until it is told; whoever waits is served by the new one.
    machine.must_have(token)
    waiting = machine.container.start("bash", "-c", "for i in $(seq 30); do "
                                      "account --system token >/dev/null || exit 1; done")
    machine.systemctl("daemon-reload")
    machine.systemctl("restart", SERVICE)
    assert waiting.wait(10) == 0, waiting.stderr.read()
    assert machine.main_pid() not in (0, before)
    assert os.stat(machine.container.path(f"proc/{machine.main_pid()}/exe")).st_ino != inode
    machine.must_have(token)


@case
def the_usual_prefix_is_served_and_removed_again(machine):
    before = files(machine)
    machine.install(LOCAL)
    machine.room.callback(machine.run, "systemctl", "daemon-reload")
    machine.room.callback(machine.make, "uninstall", "V=", LOCAL)
    machine.systemctl("daemon-reload")
    fragment, program = machine.show(SERVICE, "FragmentPath", "ExecStart")
    assert fragment == f"{LOCAL}/lib/systemd/system/{SERVICE}", fragment
    assert f"path={LOCAL}/libexec/accountd" in program, program
    token = machine.login()
    exe = os.readlink(machine.container.path(f"proc/{machine.main_pid()}/exe"))
    assert exe.endswith(f"{LOCAL}/libexec/accountd"), exe
    for name in sorted(set(files(machine)) - set(before)):
        mode = os.stat(machine.container.path(name)).st_mode & 0o777
        assert mode == (0o755 if "/bin/" in name or "/libexec/" in name else 0o644), name
    # A user's daemon too, by the unit and without it.
    machine.user_manager("alice")
    result = machine.account("check", user="alice")
    assert result.returncode == 3, described(result)
    exe = os.readlink(machine.container.path(f"proc/{machine.main_pid('alice')}/exe"))
    assert exe.endswith(f"{LOCAL}/libexec/accountd"), exe
    # So are the programs that account becomes.
    assert machine.account("archive", "list", user="alice").returncode == 0
    refused = machine.account("import", "/nonexistent", user="alice")
    assert refused.returncode == 9 and "cannot read /nonexistent" in refused.stderr, refused
    machine.systemctl("stop", LISTENER, SERVICE)
    machine.make("uninstall", "V=", LOCAL)
    assert files(machine) == before
    # The account stays, for whichever is installed next.
    machine.systemctl("daemon-reload")
    machine.systemctl("start", LISTENER)
    machine.must_have(token)
