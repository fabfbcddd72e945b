"""Other users: what they may ask for, how often, and how little else they get."""

import contextlib
import time

from cases import case
from users import NOBODY, OBSERVER, READER, STRANGER, as_user, crowd
from wire import LOGIN, Closed, ask, error, is_closed, message, replies


@case
def a_stranger_hears_permission_denied_once_and_no_more(room):
    daemon = room.daemon("--readers", "65499")
    daemon.ask("Login", **LOGIN)

    def stranger():
        for data in (message("GetToken"), message("Login", LOGIN), b"x" * 5000, b"\0"):
            with daemon.connect() as peer:
                peer.sendall(data)
                reply = replies(peer, 1)[0]
                assert reply["error"] == "org.varlink.service.PermissionDenied", reply
                assert is_closed(peer, 1)
        with daemon.connect() as peer:
            start = time.monotonic()
            assert is_closed(peer, 3) and time.monotonic() - start > 0.8, "silence"
        with daemon.connect() as peer:
            start = time.monotonic()
            try:
                while time.monotonic() - start < 5:
                    peer.send(b"x")
                    time.sleep(0.05)
            except OSError:
                pass
            assert time.monotonic() - start < 2, "a trickle"
        return True

    assert as_user(STRANGER, stranger)
    assert as_user(NOBODY, stranger)
    daemon.must_rest()
    daemon.end()


@case
def readers_and_observers_get_what_they_may_have(room):
    daemon = room.daemon("--readers", str(READER), "--observers", str(OBSERVER))
    daemon.ask("Login", **LOGIN)
    methods = ["GetStatus", "CheckExpiry", "GetAccount", "GetToken", "Export", "Logout", "Verify",
               "Repair", "UpdateProfile"]

    def allowed():
        return [method for method in methods if error(daemon.ask(method)) != "PermissionDenied"]

    assert as_user(READER, allowed) == methods[:4]
    assert as_user(STRANGER, allowed, groups=[READER]) == methods[:4]
    assert as_user(STRANGER, allowed, groups=[OBSERVER]) == methods[:2]
    assert as_user(STRANGER, allowed, groups=[OBSERVER, READER]) == methods[:4]
    assert as_user(NOBODY, allowed, groups=[READER]) == []
    daemon.ask("Login", **LOGIN)  # Which leaves a previous generation.
    daemon.end()
    with open(daemon.state / "account.plist.sealed", "r+b") as file:
        file.write(b"garbage")
    daemon = room.daemon("--observers", str(OBSERVER), after=daemon)
    assert LOGIN["uid"] in str(daemon.ask("CheckExpiry"))
    assert LOGIN["uid"] not in as_user(OBSERVER, lambda: str(daemon.ask("CheckExpiry")))
    daemon.end()


@case
def a_foreign_user_has_128_connections(room):
    daemon = room.daemon("--readers", str(READER))

    def many():
        peers = [daemon.connect() for _ in range(140)]
        open_ones = 0
        for peer in peers:
            try:
                ask(peer, "GetStatus")
                open_ones += 1
            except (Closed, OSError):
                pass
        return open_ones

    assert as_user(READER, many) == 128
    assert daemon.status()["connections"] == 1
    daemon.end()


@case
def half_sent_messages_of_one_foreign_user_do_not_shut_out_another(room):
    daemon = room.daemon("--readers", str(READER))

    def honest():
        with daemon.connect() as peer:
            for byte in message("GetStatus"):
                peer.send(bytes([byte]))
            return "parameters" in replies(peer, 1)[0]

    with contextlib.ExitStack() as crowds:
        for uid in range(65_510, 65_514):
            crowds.enter_context(crowd(daemon, uid, 128, b"x" * 4000))
        assert as_user(READER, honest)
        with daemon.connect() as owner:
            owner.sendall(b"{" + b" " * 60_000)
            time.sleep(0.1)
            owner.sendall(message("GetStatus")[1:])
            assert "parameters" in replies(owner, 1)[0]
    daemon.end()
