"""Logins and logouts that are killed, abandoned, interrupted or made over a damaged store."""

import os
import random
import signal
import socket
import time

from cases import case, needs_root
from faults import attach, slow_disk
from programs import end
from wire import LOGIN, error, is_closed, message, replies


@case
def two_hundred_logins_and_logouts_with_killed_clients_leave_one_whole_account(room):
    daemon = room.daemon()
    tokens = ["2.00" + "x" * length for length in (8, 40, 3000)]
    children = []
    for number in range(200):
        child = os.fork()
        if child == 0:
            try:
                with daemon.connect() as peer:
                    if number % 4 == 3:
                        peer.sendall(message("Logout"))
                    else:
                        peer.sendall(message("Login", {
                            **LOGIN, "access_token": tokens[number % 3], "replace": True,
                            "uid": str(number % 5 + 1)}))
                    if number % 2:
                        os.kill(os.getpid(), signal.SIGKILL)
                    replies(peer, 1)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    failed = 0
    for child in children:
        _, status = os.waitpid(child, 0)
        failed += os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0
    assert failed == 0, f"{failed} clients were not answered"
    assert daemon.ask("Login", **{**LOGIN, "replace": True}).get("error") is None
    left = [name for name in os.listdir(daemon.state) if name.startswith(".tmp-")]
    assert not left, left
    assert not daemon.ask("Verify")["parameters"]["findings"]
    room.must_have_kept(daemon, LOGIN["access_token"])


@case
def a_login_whose_sender_has_gone_is_stored_and_nothing_spins_meanwhile(room):
    daemon = room.daemon(wrapper=slow_disk(0.4))
    peer, waiting, half_closed = daemon.connect(), daemon.connect(), daemon.connect(20)
    peer.sendall(message("Login", LOGIN))
    time.sleep(0.2)
    waiting.sendall(message("Verify") * 3)
    half_closed.sendall(message("Verify"))
    half_closed.shutdown(socket.SHUT_WR)
    time.sleep(0.1)
    peer.close()
    waiting.close()
    daemon.must_rest(0.6)
    assert "status" in daemon.ask("GetStatus", seconds=0.3)["parameters"]
    replies(half_closed, 1)
    assert is_closed(half_closed, 2)
    assert daemon.token() == LOGIN["access_token"]
    daemon.signal(signal.SIGTERM)
    daemon.wait()
    following = room.daemon(after=daemon)
    assert following.status()["state"] == "present"
    following.end()


@case
def sigterm_ends_it_though_logins_go_on_and_on(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    peers = [daemon.connect() for _ in range(3)]
    for peer in peers:
        peer.setblocking(False)
    data = message("Login", LOGIN) * 50
    begin = time.monotonic()
    told = False
    rest = {peer: b"" for peer in peers}
    while time.monotonic() - begin < 6 and daemon.is_alive():
        for peer in peers:
            try:
                rest[peer] = rest[peer] or data
                rest[peer] = rest[peer][peer.send(rest[peer]):]
                peer.recv(1 << 20)
            except BlockingIOError:
                pass
            except OSError:
                time.sleep(0.001)
        if not told and time.monotonic() - begin > 0.5:
            daemon.signal(signal.SIGTERM)
            told = True
    assert daemon.process.poll() == 0, "it goes on"
    following = room.daemon(after=daemon)
    assert following.status()["state"] == "present"
    following.end()


@case
def sigterm_lets_a_change_in_hand_finish_and_answers_it(room):
    daemon = room.daemon(wrapper=slow_disk(0.3))
    with daemon.connect(20) as peer, daemon.connect(10) as other:
        peer.sendall(message("Login", LOGIN))
        time.sleep(0.2)
        other.sendall(message("Login", {**LOGIN, "uid": "9"}))
        time.sleep(0.1)
        daemon.signal(signal.SIGTERM)
        assert "account" in replies(peer, 1)[0]["parameters"]
        assert is_closed(other, 5)
    daemon.wait()
    following = room.daemon(after=daemon)
    assert following.call("GetAccount")["account"]["uid"] == LOGIN["uid"]
    following.end()


@case
def a_kill_at_any_moment_leaves_a_store_that_opens(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    chance = random.Random(3)
    for _ in range(12):
        peer = daemon.connect()
        peer.setblocking(False)
        peer.send(message("Login", {**LOGIN, "access_token": "2.00" + "k" * 900}) * 50)
        time.sleep(chance.random() * 0.1)
        daemon.signal(signal.SIGKILL)
        daemon.wait()
        peer.close()
        daemon = room.daemon(after=daemon)
        assert daemon.status()["state"] == "present"
        assert not [name for name in os.listdir(daemon.state) if name.startswith(".tmp-")]
    daemon.end()


@case
def a_login_that_replaces_a_damaged_store_mends_it(room):
    for damaged in ("keyslots.plist", "keyslots.plist~", "account.plist.sealed"):
        for removes in (False, True):
            daemon = room.daemon()
            daemon.ask("Login", **LOGIN)
            daemon.end()
            if removes:
                (daemon.state / damaged).unlink()
            else:
                with open(daemon.state / damaged, "r+b") as file:
                    file.write(b"garbage")
            daemon = room.daemon(after=daemon)
            reply = daemon.ask("Login", **{**LOGIN, "access_token": "2.00New", "replace": True})
            assert "error" not in reply, reply
            room.must_have_kept(daemon, "2.00New")


@case
def a_replacement_that_cannot_be_stored_leaves_the_locked_store_as_it_was(room):
    needs_root()
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    daemon.end()
    away = daemon.directory / "away"
    daemon.key.rename(away)
    before = sorted(os.listdir(daemon.state))
    for nth in (1, 2):
        daemon = room.daemon(after=daemon)
        tracer = attach(daemon.pid, "renameat", f"renameat:error=EIO:when={nth}")
        time.sleep(0.1)
        reply = daemon.ask("Login", **{**LOGIN, "access_token": "2.00New", "replace": True})
        assert error(reply) == "StoreFailed", reply
        daemon.end()
        tracer.wait()
        assert sorted(os.listdir(daemon.state)) == before
    away.rename(daemon.key)
    room.must_have_kept(room.daemon(after=daemon), LOGIN["access_token"])


@case
def a_replacement_whose_last_steps_fail_is_stored_and_says_so(room):
    needs_root()
    for nth in (3, 4):
        daemon = room.daemon()
        daemon.ask("Login", **LOGIN)
        daemon.end()
        daemon.key.rename(daemon.directory / "away")
        daemon = room.daemon(after=daemon)
        tracer = attach(daemon.pid, "renameat", f"renameat:error=EIO:when={nth}")
        reply = daemon.ask("Login", **{**LOGIN, "access_token": "2.00New", "replace": True})
        assert error(reply) == "StoreFailed", reply
        assert reply["parameters"]["message"].startswith("the account is stored, "), reply
        assert daemon.token() == "2.00New"
        end(tracer)
        room.must_have_kept(daemon, "2.00New")
        assert "keyslots.plist.next" not in os.listdir(daemon.state)
