"""File systems under the store and the key file: small, read-only, vanished, with odd options."""

import os
import signal
import subprocess
import time

from cases import Skip, case, needs_root
from client import Home, exit_status, response
from disks import LoopDisk, fill, small_disk


def mount(room, place, *arguments):
    """Mounts something, and unmounts it with the room."""
    needs_root()
    done = subprocess.run(["mount", *map(str, arguments), place], capture_output=True, text=True)
    if done.returncode:
        raise Skip(f"cannot mount: {done.stderr.strip()}")
    room.callback(subprocess.run, ["umount", "-l", place], stderr=subprocess.DEVNULL)


def remount(place, *options):
    subprocess.run(["mount", "-o", ",".join(["remount", *options]), place], check=True)


def detach(place):
    """Unmounts it though it is in use: whoever has it open keeps it."""
    subprocess.run(["umount", "-l", place], check=True)


@case
def a_daemon_ends_whose_socket_has_gone_with_its_file_system(room):
    for how in ("detached", "mounted over", "moved"):
        home = Home(room)
        place = room.place()
        mount(room, place, "-t", "tmpfs", "-o", "mode=700", "none")
        home.environment["ACCOUNT_STATE_DIR"] = str(place / "state")
        token = home.login()
        pid = home.daemon()
        if how == "detached":
            detach(place)
        elif how == "mounted over":
            mount(room, place, "-t", "tmpfs", "-o", "mode=700", "none")
        else:
            other = room.place()
            subprocess.run(["mount", "--make-private", place], check=True)
            subprocess.run(["mount", "--move", place, other], check=True)
            room.callback(subprocess.run, ["umount", "-l", other])
        # Else it would keep the token, and the file system, for nobody.
        assert exit_status(pid, within=5) == 1, how
        # There is another store at that place now, and it is empty.
        home.account("token").must_be(3, "")
        assert token not in home.account("doctor").must_be(0).out
        home.end()


@case
def a_state_directory_that_vanishes_is_followed_and_the_account_served(room):
    place = room.place()
    mount(room, place, "-t", "tmpfs", "-o", "mode=700", "none")
    daemon = room.daemon(state=place / "state")
    token = daemon.login()
    detach(place)
    assert daemon.is_alive() and daemon.token() == token
    daemon.must_rest()
    # What is written follows the path, and is whole there.
    token = daemon.login()
    room.must_have_kept(daemon, token)


@case
def mounts_elsewhere_leave_a_daemon_in_peace(room):
    daemon = room.daemon()
    token = daemon.login()
    for _ in range(20):
        place = room.place()
        mount(room, place, "-t", "tmpfs", "none")
        detach(place)
    assert daemon.token() == token
    daemon.must_rest()
    daemon.end()


@case
def a_key_file_s_disk_that_is_full_or_read_only_is_said(room):
    for kind in ("full", "read-only"):
        home = Home(room)
        place = small_disk(room, "64k")
        home.environment["XDG_CONFIG_HOME"] = str(place)

        def close():
            if kind == "full":
                fill(place)
            else:
                remount(place, "ro")

        def open_again():
            if kind == "full":
                (place / "full").unlink()
            else:
                remount(place, "rw")

        close()
        done = home.account("login", input=response()).must_be(9, "")
        assert "account/key" in done.err and "nothing was stored" in done.err, done.err
        assert ("(ENOSPC)" if kind == "full" else "(EROFS)") in done.err, done.err
        home.account("token").must_be(3, "")
        assert sorted(os.listdir(home.state)) == ["lock", "socket"]
        assert not (place / "account/key").exists(), "half a key stays"
        open_again()
        token = home.login()
        close()
        # The key is there: nothing more is written to its disk.
        home.end_daemon(signal.SIGKILL)
        home.account("token").must_be(0, token + "\n")
        token = home.login()
        home.account("token").must_be(0, token + "\n")
        home.end()


@case
def options_of_a_file_system_and_bind_mounts_make_no_difference(room):
    for options in ("noexec", "nosuid,nodev", "noatime,sync", "nosymfollow", "bind"):
        home = Home(room)
        home.state.mkdir(parents=True)
        home.state.chmod(0o700)
        if options == "bind":
            behind = room.place()
            behind.chmod(0o700)
            mount(room, home.state, "--bind", behind)
        else:
            mount(room, home.state, "-t", "tmpfs", "-o", f"{options},mode=700", "none")
        home.login()
        token = home.login()  # Which keeps the previous one.
        home.end_daemon(signal.SIGKILL)
        home.account("token").must_be(0, token + "\n")
        home.account("doctor").must_be(0)
        assert options != "bind" or (behind / "account.plist.sealed").exists()
        home.account("logout").must_be(0)
        home.account("token").must_be(3, "")
        home.end()


@case
def a_store_s_disk_that_freezes_holds_up_changes_alone(room):
    disk = LoopDisk(room)
    daemon = room.daemon(state=disk.place / "state")
    token = daemon.login()
    disk.freeze()
    try:
        peer = daemon.connect()
        peer.sendall(b'{"method":"org.accountd.Account.Logout"}\0')
        time.sleep(0.3)
        start = time.monotonic()
        for _ in range(50):
            assert daemon.token() == token
        assert time.monotonic() - start < 2
        daemon.must_rest()
    finally:
        disk.thaw()
    assert peer.recv(4096)
    peer.close()
    daemon.end()
