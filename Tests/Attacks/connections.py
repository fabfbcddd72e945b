"""Those who connect: thousands of them, slow ones, and ones that leave in the middle."""

import array
import os
import signal
import socket
import time

import programs
from cases import case, needs_descriptors, needs_root
from faults import slow
from wire import LOGIN, ask, is_closed, message, replies


@case
def patience_ends_after_thirty_seconds_for_those_who_wait_alone(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    half, deaf, busy, idle = (daemon.connect() for _ in range(4))
    text = message("GetStatus")
    half.sendall(text[:10])
    start = time.monotonic()
    deaf.setblocking(False)
    sent = 0
    try:
        while sent < 16 << 20:
            sent += deaf.send(message("Export") * 100)
    except BlockingIOError:
        pass
    assert sent < 2 << 20, "a peer that reads nothing is heard on and on"
    # It always has a part of a message under way, and never the same one.
    busy.sendall(text[:10])
    daemon.must_rest()
    while time.monotonic() - start < 33:
        if time.monotonic() - start < 28 and half.fileno() >= 0:
            half.settimeout(0)
            try:
                assert half.recv(1), "closed too early"
            except BlockingIOError:
                pass
        busy.sendall(text[10:] + text[:10])
        replies(busy, 1)
        time.sleep(0.25)
    assert is_closed(half, 1), "a half-sent message stays"
    assert is_closed(deaf, 1), "an unread reply stays"
    ask(idle, "GetToken")
    daemon.end()


@case
def an_idle_daemon_takes_no_processor_time(room):
    # Whoever mounts something has it look after its socket: others must not, here.
    apart = ["unshare", "--mount", "--propagation", "private"] if os.geteuid() == 0 else []
    daemon = room.daemon(wrapper=apart, same_process=True)
    daemon.ask("Login", **LOGIN)
    peers = [daemon.connect() for _ in range(50)]
    peers[0].sendall(b'{"method"')
    time.sleep(0.2)
    used = programs.busy_seconds(daemon.pid)
    time.sleep(2)
    assert programs.busy_seconds(daemon.pid) == used, "it wakes up though nothing happens"
    for peer in peers:
        peer.close()
    daemon.end()


@case
def there_are_4096_connections_and_no_more(room):
    needs_descriptors(4300)
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    peers = [daemon.connect() for _ in range(4096)]
    for _ in range(100):
        count = ask(peers[-1], "GetStatus")["parameters"]["status"]["connections"]
        if count == 4096:
            break
        time.sleep(0.05)
    assert count == 4096, count
    with daemon.connect() as extra:
        assert is_closed(extra, 5)
    for peer in peers[::64]:
        assert "access_token" in ask(peer, "GetToken")["parameters"]
    for number, peer in enumerate(peers):
        if number % 2:
            peer.sendall(b'{"half')
    daemon.must_rest()
    for peer in peers[:100]:
        peer.close()
    time.sleep(0.5)
    assert daemon.status()["connections"] == 3997
    # With half-sent messages in thousands of queues, the end is as calm as ever.
    daemon.end(within=5)
    for peer in peers:
        peer.close()


@case
def slow_senders_hold_nobody_up(room):
    needs_descriptors(4300)
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    slow_ones = [daemon.connect() for _ in range(1000)]
    text, times, position = message("GetStatus"), [], 0
    end = time.monotonic() + 4
    with daemon.connect() as peer:
        while time.monotonic() < end:
            for one in slow_ones:
                one.send(text[position:position + 1])
            position = (position + 1) % len(text)
            for _ in range(20):
                start = time.monotonic()
                ask(peer, "GetToken")
                times.append(time.monotonic() - start)
            if position == 0:
                for one in slow_ones:
                    replies(one, 1)
    times.sort()
    late = times[len(times) * 99 // 100]
    assert late < 0.25, f"p99 {late * 1000:.0f} ms"
    for one in slow_ones:
        one.close()
    daemon.end()


@case
def whoever_leaves_half_way_leaves_nothing_behind(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
    whole = message("Login", LOGIN)

    def rounds(count):
        for round in range(count):
            peer = daemon.connect()
            kind = round % 4
            if kind == 0:
                peer.sendall(whole[:len(whole) // 2])
            elif kind == 1:
                peer.sendall(message("GetStatus") * 40)  # Replies stay unread: a reset.
            elif kind == 2:
                peer.sendall(whole[:30])
                peer.shutdown(socket.SHUT_WR)
            else:
                peer.sendall(message("Export") + whole[:5])
            peer.close()
        for _ in range(100):
            if daemon.status()["connections"] == 1:
                return
            time.sleep(0.05)
        raise AssertionError("connections stay")

    rounds(400)
    before = daemon.anonymous()
    open_before = daemon.descriptors() if os.geteuid() == 0 else 0
    rounds(2000)
    assert daemon.anonymous() < before + (512 << 10), "memory grows"
    if os.geteuid() == 0:
        assert daemon.descriptors() <= open_before + 1, "descriptors are left open"
    daemon.must_rest()
    daemon.end()


@case
def a_peer_that_only_stops_sending_gets_its_answers(room):
    daemon = room.daemon()
    for calls in ([message("GetStatus")], [message("Login", LOGIN), message("GetToken")],
                  [message("GetStatus")] * 700):
        with daemon.connect(20) as peer:
            peer.sendall(b"".join(calls) + b'{"half')
            peer.shutdown(socket.SHUT_WR)
            replies(peer, len(calls))
            assert is_closed(peer, 5)
    daemon.must_rest()
    daemon.end()


@case
def passed_descriptors_do_not_pile_up(room):
    needs_root()
    daemon = room.daemon()
    before = daemon.descriptors()
    with daemon.connect() as peer:
        for _ in range(100):
            peer.sendmsg([message("GetStatus")], [
                (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2] * 20))])
            replies(peer, 1)
        assert daemon.descriptors() <= before + 1
    daemon.end()


@case
def a_connection_of_the_first_moment_ends_when_it_is_closed(room):
    daemon = room.daemon(wrapper=slow("unshare", 0.5))
    peer = daemon.connect()
    ask(peer, "GetStatus")
    time.sleep(0.8)
    peer.sendall(b"nonsense\0")
    assert is_closed(peer, 2), "another thread keeps it open"
    peer.close()
    daemon.must_rest()
    daemon.signal(signal.SIGTERM)
    daemon.wait()
