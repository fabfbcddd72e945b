"""Where things are: directories and sockets that vanish, are swapped, full, closed or unsafe."""

import os
import shutil
import socket
import subprocess
import time

from cases import case, needs_root
from disks import fill, small_disk
from users import READER, at_once
from wire import LOGIN, error


@case
def a_state_directory_that_was_removed_is_made_again_whole(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    shutil.rmtree(daemon.state)
    daemon.must_rest(0.2)
    assert "account" in daemon.ask("Login", **{**LOGIN, "access_token": "2.00New"})["parameters"]
    assert (daemon.state / "socket").readlink() == daemon.socket
    room.must_have_kept(daemon, "2.00New")


@case
def a_store_put_in_the_place_of_another_is_not_written_over(room):
    one, two = room.daemon(), room.daemon()
    one.ask("Login", **{**LOGIN, "uid": "1"})
    two.ask("Login", **{**LOGIN, "uid": "2", "access_token": "2.00Two"})
    two.end()
    shutil.copy(two.key, one.key)
    one.state.rename(f"{one.state}.old")
    one.state.mkdir(0o700)
    for name in os.listdir(two.state):
        if name not in ("socket", "lock"):
            shutil.copy2(two.state / name, one.state)
    assert error(one.ask("UpdateProfile", screen_name="x")) == "StoreFailed"
    assert error(one.ask("Logout", if_uid="1")) == "StoreFailed"
    assert "error" not in one.ask("Verify")  # Which reads what is there.
    assert one.call("GetAccount")["account"]["uid"] == "2"
    room.must_have_kept(one, "2.00Two")


@case
def a_socket_that_was_taken_away_ends_it(room):
    for how in ("unlink", "replace", "directory"):
        place = room.place()
        daemon = room.daemon(socket=place / ("run/socket" if how == "directory" else "socket"))
        if how == "unlink":
            daemon.socket.unlink()
        elif how == "replace":
            with socket.socket(socket.AF_UNIX) as other:
                other.bind(f"{daemon.socket}2")
                os.rename(f"{daemon.socket}2", daemon.socket)
        else:
            shutil.rmtree(daemon.socket.parent)
        assert daemon.wait(5) == 1
        assert how != "replace" or daemon.socket.exists(), "another's socket was removed"
        room.daemon(after=daemon).end()


@case
def a_socket_spelt_in_another_way_is_still_the_socket(room):
    place = room.place()
    daemon = room.daemon(state=place / "state", socket=f"{place}/./state/socket")
    daemon.must_rest(0.2)
    daemon.status()
    daemon.end()


@case
def of_many_daemons_at_once_one_serves(room):
    first = room.daemon()
    first.end()
    for names in (["socket"] * 8, [f"socket{number}" for number in range(8)]):
        started = at_once([
            lambda name=name: room.daemon(
                after=first, socket=first.directory / name, must_start=False) for name in names])
        serving = [daemon for daemon in started if daemon.ready == "ready"]
        assert len(serving) == 1, [daemon.ready for daemon in started]
        serving[0].status()
        for daemon in started:
            daemon.end(expected=0 if daemon is serving[0] else 1)
    for _ in range(6):
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(first.socket))
        started = at_once([lambda: room.daemon(socket=first.socket, must_start=False)] * 6)
        time.sleep(0.2)
        alive = [daemon for daemon in started if daemon.is_alive()]
        assert len(alive) == 1, f"{len(alive)} daemons of different stores share a socket"
        alive[0].status()
        alive[0].end()


@case
def a_full_disk_and_a_read_only_one_are_said_and_survived(room):
    place = small_disk(room)
    daemon = room.daemon(state=place / "state")
    daemon.ask("Login", **LOGIN)
    full = fill(place)
    reply = daemon.ask("Login", **{**LOGIN, "access_token": "2.00" + "y" * 4000})
    assert error(reply) == "StoreFailed" and reply["parameters"]["errno"] == 28, reply
    assert daemon.token() == LOGIN["access_token"]
    full.unlink()
    assert "account" in daemon.ask("Login", **LOGIN)["parameters"]
    daemon.end()
    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
    refused = room.daemon(after=daemon, must_start=False)
    assert "Read-only" in refused.ready, refused.ready
    refused.wait()
    subprocess.run(["mount", "-o", "remount,rw", place], check=True)
    room.must_have_kept(room.daemon(after=daemon), LOGIN["access_token"])


@case
def a_state_directory_nobody_may_enter_is_said_and_survived(room):
    needs_root()
    daemon = room.daemon(user=READER)
    daemon.ask("Login", **LOGIN)
    daemon.state.chmod(0)
    reply = daemon.ask("Login", **LOGIN)
    assert error(reply) == "StoreFailed", reply
    assert daemon.token() == LOGIN["access_token"]
    daemon.state.chmod(0o700)
    assert "account" in daemon.ask("Login", **LOGIN)["parameters"]
    daemon.end()
    following = room.daemon(after=daemon, user=READER)
    assert following.status()["state"] == "present"
    following.end()


@case
def an_unsafe_place_is_refused_by_name(room):
    def refused(word, **others):
        daemon = room.daemon(must_start=False, **others)
        assert word in daemon.ready and daemon.ready != "ready", daemon.ready
        assert daemon.wait(5) == 1

    place = room.place()
    wide, real, link, file = (place / name for name in ("wide", "real", "link", "file"))
    wide.mkdir()
    wide.chmod(0o770)
    refused(str(wide), state=wide)
    real.mkdir(0o700)
    link.symlink_to("real")
    refused(str(link), state=link)
    file.touch()
    refused("file", state=real, socket=file)
    if os.geteuid() == 0:
        theirs, premade = place / "theirs", place / "premade"
        theirs.mkdir(0o700)
        os.chown(theirs, READER, READER)
        refused(str(theirs), state=theirs)
        other = socket.socket(socket.AF_UNIX)
        other.bind(str(premade))
        os.chown(premade, READER, READER)
        refused("premade", state=real, socket=premade)
