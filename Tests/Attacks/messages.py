"""What is sent: random bytes, deep nesting, endless messages, and calls one after another."""

import os
import random
import socket
import threading
import time

from cases import case
from users import READER, as_user
from wire import LOGIN, Closed, ask, error, is_closed, message, replies


@case
def random_bytes_get_an_error_or_the_end(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    chance = random.Random(7)
    whole = message("Login", LOGIN)
    for round in range(3000):
        kind = round % 3
        if kind == 0:
            data = chance.randbytes(chance.randrange(1, 300)) + b"\0"
        elif kind == 1:
            data = bytearray(whole)
            for _ in range(chance.randrange(1, 4)):
                data[chance.randrange(len(data) - 1)] = chance.randrange(1, 256)
        else:
            data = whole[:chance.randrange(len(whole))] + b"\0"
        with daemon.connect() as peer:
            peer.sendall(data)
            peer.shutdown(socket.SHUT_WR)
            while True:
                try:
                    if not peer.recv(65_536):
                        break
                except ConnectionResetError:
                    break
    assert daemon.status()["state"] == "present"
    if os.geteuid() == 0:
        assert daemon.descriptors() < 32
    daemon.end()


@case
def nesting_stops_at_sixteen(room):
    daemon = room.daemon()
    for depth in (15, 16, 17, 1000, 30_000):
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            if depth * len(opening) > 60_000:
                continue
            core = b"" if opening == b"[" else b"1"
            inner = opening * (depth - 1) + core + closing * (depth - 1)
            with daemon.connect() as peer:
                peer.sendall(b'{"method":"org.accountd.Account.GetStatus","x":' + inner + b"}\0")
                if depth <= 16:
                    assert "parameters" in replies(peer, 1)[0], depth
                else:
                    assert is_closed(peer, 5), depth
    daemon.end()


@case
def the_owner_is_heard_up_to_64_kibibytes(room):
    daemon = room.daemon()
    short = message("GetStatus")[:-2]
    for size, is_answered in ((65_535, True), (65_536, True), (65_537, False), (80_000, False)):
        for step in (size + 1, 1000):
            with daemon.connect() as peer:
                data = short + b" " * (size - len(short) - 1) + b"}\0"
                try:
                    for start in range(0, len(data), step):
                        peer.sendall(data[start:start + step])
                    answered = "parameters" in replies(peer, 1)[0]
                except (BrokenPipeError, ConnectionResetError, Closed):
                    answered = False
                assert answered == is_answered, (size, step)
    daemon.end()


@case
def a_foreign_user_is_heard_up_to_4_kibibytes(room):
    daemon = room.daemon("--readers", str(READER))

    def foreign():
        short = message("GetStatus")[:-2]
        found = {}
        for size in (4095, 4096, 4097, 60_000):
            for end in (b"}\0", b" "):
                with daemon.connect(3) as peer:
                    peer.sendall(short + b" " * (size - len(short) - 1) + end)
                    try:
                        replies(peer, 1)
                        found[f"{size} {end!r}"] = "answered"
                    except (Closed, ConnectionResetError):
                        found[f"{size} {end!r}"] = "closed"
                    except TimeoutError:
                        found[f"{size} {end!r}"] = "waiting"
        return found

    for sent, outcome in as_user(READER, foreign).items():
        size, ends = int(sent.split()[0]), "}" in sent
        wanted = ("answered" if ends else "waiting") if size <= 4096 else "closed"
        assert outcome == wanted, (sent, outcome)
    daemon.end()


@case
def a_gibibyte_without_an_end_is_cut_off(room):
    daemon = room.daemon()
    before = daemon.anonymous()
    with daemon.connect() as peer:
        sent, block = 0, b"x" * (1 << 20)
        try:
            while sent < 1 << 30:
                sent += peer.send(block)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent < 4 << 20, f"{sent} bytes were taken"
    assert daemon.anonymous() < before + (2 << 20)
    daemon.must_rest()
    daemon.end()


@case
def pipelined_calls_are_answered_in_order(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    minimum, calls, size = 0, [], 0
    while size < 65_000:
        calls.append(message("CheckExpiry", {"min_validity": minimum % 200_000}))
        size += len(calls[-1])
        minimum += 7919
    for split in (0, 3, 65_000):
        with daemon.connect() as peer:
            data = b"".join(calls)
            sender = threading.Thread(target=lambda: (
                peer.sendall(data[:split]), time.sleep(0.05), peer.sendall(data[split:])))
            sender.start()
            got = replies(peer, len(calls))
            sender.join()
        for number, reply in enumerate(got):
            left = reply["parameters"]["remaining"]
            assert reply["parameters"]["valid"] == (left >= number * 7919 % 200_000), number
    daemon.end()


@case
def calls_behind_a_login_wait_for_it_and_see_it(room):
    daemon = room.daemon()
    with daemon.connect() as peer, daemon.connect() as other:
        one = {**LOGIN, "access_token": "2.00One"}
        two = {**LOGIN, "access_token": "2.00Two"}
        peer.sendall(message("GetToken") + message("Login", one) + message("GetToken")
                     + message("Login", two, oneway=True) + message("GetToken")
                     + message("Nothing") + message("Logout") + message("GetToken"))
        other.sendall(message("Verify") + message("GetStatus"))
        got = replies(peer, 7)
        replies(other, 2)
    tokens = [reply.get("parameters", {}).get("access_token") or error(reply) for reply in got]
    assert tokens == ["NoAccount", "", "2.00One", "2.00Two", "MethodNotFound", "", "NoAccount"], got
    daemon.end()


@case
def oneway_is_never_answered_and_upgrade_is_refused(room):
    daemon = room.daemon()
    with daemon.connect() as peer:
        for method in ("GetStatus", "GetToken", "Nothing", "Login", "Logout", "Repair", "Export"):
            peer.sendall(message(method, oneway=True))
        assert "status" in ask(peer, "GetStatus")["parameters"]
        peer.sendall(message("GetStatus", upgrade=True))
        assert error(replies(peer, 1)[0]) == "InvalidParameter"
    daemon.end()
