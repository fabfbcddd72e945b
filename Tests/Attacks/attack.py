#!/usr/bin/env python3
"""Attacks a running accountd the way a hostile or careless neighbour would.

    Tests/Attacks/attack.py PATH-OF-ACCOUNTD [WORD ...]

Each attack is a function whose name is the sentence that must hold. WORDs choose those whose name
holds one of them. Every daemon lives in a temporary directory of its own and is ended by its own
process id; nothing but Unix sockets is used, and every loop has an end. What needs root, a mount
or strace is skipped, with the reason, where that is missing. Exit status 1 if an attack succeeds.
"""
import array
import contextlib
import json
import os
import random
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

LOGIN = {"access_token": "2.00TokenOfTheAttack", "uid": "123456", "expires_in": 100_000}
READER, OBSERVER, NOBODY = 65_500, 65_501, 65_534
ATTACKS = []


class Skip(Exception):
    """What an attack needs is not here."""


class Closed(Exception):
    """The daemon has closed the connection."""


def attack(function):
    ATTACKS.append(function)
    return function


def needs_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


# MARK: The daemon


class Daemon:
    """An accountd in a directory of its own, or in that of the daemon before it."""

    def __init__(self, *arguments, after=None, state=None, where=None, environment=None,
                 stderr=None, prepare=None, wrapper=(), uid=None):
        self.base = after.base if after else tempfile.mkdtemp(prefix="attack-", dir=ROOM)
        self.state = state or (after.state if after else self.base + "/state")
        self.where = os.path.join(self.base, where or (after.where if after else "socket"))
        if uid:
            os.chown(self.base, uid, uid)
        else:
            os.chmod(self.base, 0o755)
        self.log = self.base + "/log"
        ready, tell = os.pipe()
        os.set_inheritable(tell, True)
        command = [*wrapper, ACCOUNTD, "--state", self.state, "--key-file", self.base + "/key",
                   "--socket", self.where, "--ready-fd", str(tell), *arguments]

        def before():
            if uid:
                os.setgroups([])
                os.setgid(uid)
                os.setuid(uid)
            if prepare:
                prepare()

        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                command, env={"PATH": os.environ["PATH"], "HOME": self.base, **(environment or {})},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr or log,
                pass_fds=(tell,), preexec_fn=before)
        os.close(tell)
        with os.fdopen(ready) as pipe:
            readable, _, _ = select.select([pipe], [], [], 15)
            self.ready = pipe.readline().strip() if readable else "nothing within 15 s"
        self.pid = self.process.pid
        if wrapper and self.ready == "ready":
            with open(f"/proc/{self.pid}/task/{self.pid}/children") as children:
                self.pid = int(children.read().split()[0])
        DAEMONS.append(self)

    def connect(self, timeout=10):
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(timeout)
        peer.connect(self.where)
        return peer

    def call(self, method, timeout=10, **parameters):
        with self.connect(timeout) as peer:
            return ask(peer, method, **parameters)

    def status(self):
        return self.call("GetStatus")["parameters"]["status"]

    def busy_seconds(self):
        """Time for which its threads ran, or would have run on a machine that is not so busy."""
        nanoseconds = 0
        for thread in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{thread}/schedstat") as statistics:
                ran, waited, _ = statistics.read().split()
            nanoseconds += int(ran) + int(waited)
        return nanoseconds / 1e9

    def kibibytes(self):
        with open(f"/proc/{self.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def must_rest(self, seconds=0.5):
        used = self.busy_seconds()
        time.sleep(seconds)
        used = self.busy_seconds() - used
        assert used <= seconds / 4, f"busy for {used:.2f} s of {seconds} s of rest"

    def signal(self, number):
        os.kill(self.pid, number)

    def wait(self, timeout=10):
        return self.process.wait(timeout)

    def end(self, expected=0, within=5):
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
        try:
            status = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"SIGTERM did not end it within {within} s") from None
        assert status == expected, f"exit status {status}: {self.errors()}"

    def errors(self):
        with open(self.log, errors="replace") as log:
            return log.read()[-2000:]

    def must_have_kept(self, token):
        """Ends it, and has the next one find that token in the store."""
        self.end()
        following = Daemon(after=self)
        got = following.call("GetToken")
        assert got.get("parameters", {}).get("access_token") == token, got
        following.end()


# MARK: The wire


def message(method, members=None, **parameters):
    if "." not in method:
        method = "org.accountd.Account." + method
    call = {"method": method, **(members or {})}
    if parameters:
        call["parameters"] = parameters
    return json.dumps(call).encode() + b"\0"


def replies(peer, count):
    """So many replies; what comes beyond them is a fault."""
    data = b""
    while data.count(b"\0") < count:
        try:
            part = peer.recv(65_536)
        except ConnectionResetError:
            part = b""
        if not part:
            raise Closed(f"after {data.count(0)} of {count} replies")
        data += part
    parts = data.split(b"\0")
    assert parts.pop() == b"" and len(parts) == count, "more replies than calls"
    return [json.loads(part) for part in parts]


def ask(peer, method, **parameters):
    peer.sendall(message(method, **parameters))
    return replies(peer, 1)[0]


def error(reply):
    return reply.get("error", "").rsplit(".", 1)[-1]


def is_closed(peer, within):
    """Whether the daemon closes the connection in that time, whatever it says before."""
    peer.settimeout(within)
    try:
        while peer.recv(65_536):
            pass
        return True
    except (ConnectionResetError, BrokenPipeError):
        return True
    except TimeoutError:
        return False


def as_user(uid, body, groups=()):
    """Runs `body` in a child of another user; what it returns comes back, as does its failure."""
    needs_root()
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(list(groups))
            os.setgid(uid)
            os.setuid(uid)
            answer = {"value": body()}
        except BaseException as fault:
            answer = {"fault": f"{type(fault).__name__}: {fault}"}
        os.write(into, json.dumps(answer).encode())
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    answer = json.loads(text)
    assert "fault" not in answer, answer["fault"]
    return answer["value"]


def at_once(functions):
    """Calls each in a thread of its own; what they return, in the order in which they are done."""
    results = []
    threads = [threading.Thread(target=lambda each=each: results.append(each()))
               for each in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@contextlib.contextmanager
def crowd(daemon, uid, count, data=b""):
    """A process of that user, a reader, that holds connections on which it has sent some bytes."""
    needs_root()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(READER)
            os.setuid(uid)
            held = [daemon.connect() for _ in range(count)]
            for peer in held:
                if data:
                    peer.sendall(data)
        except OSError:
            pass
        os.write(tell, b".")
        time.sleep(30)
        os._exit(0)
    os.read(told, 1)
    os.close(told)
    os.close(tell)
    time.sleep(0.2)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def slow(calls, seconds):
    """A wrapper that makes each of these system calls take that long."""
    needs_root()
    if not shutil.which("strace"):
        raise Skip("needs strace")
    return ["strace", "-f", "-qq", "-o", "/dev/null", "--seccomp-bpf", "-e", f"trace={calls}",
            "-e", f"inject={calls}:delay_enter={int(seconds * 1e6)}"]


def slow_disk(seconds):
    return slow("fsync,fdatasync", seconds)


def allow_descriptors(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count:
        raise Skip(f"needs {count} descriptors, may have {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


# MARK: Messages


@attack
def random_bytes_get_an_error_or_the_end():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    chance = random.Random(7)
    whole = message("Login", **LOGIN)
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
    assert daemon.descriptors() < 32
    daemon.end()


@attack
def nesting_stops_at_sixteen():
    daemon = Daemon()
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


@attack
def the_owner_is_heard_up_to_64_kibibytes():
    daemon = Daemon()
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


@attack
def a_foreign_user_is_heard_up_to_4_kibibytes():
    daemon = Daemon("--readers", str(READER))

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

    for case, outcome in as_user(READER, foreign).items():
        size, ends = int(case.split()[0]), "}" in case
        wanted = ("answered" if ends else "waiting") if size <= 4096 else "closed"
        assert outcome == wanted, (case, outcome)
    daemon.end()


@attack
def a_gibibyte_without_an_end_is_cut_off():
    daemon = Daemon()
    before = daemon.kibibytes()
    with daemon.connect() as peer:
        sent, block = 0, b"x" * (1 << 20)
        try:
            while sent < 1 << 30:
                sent += peer.send(block)
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert sent < 4 << 20, f"{sent} bytes were taken"
    assert daemon.kibibytes() < before + 2048
    daemon.must_rest()
    daemon.end()


@attack
def pipelined_calls_are_answered_in_order():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    minimum, calls, size = 0, [], 0
    while size < 65_000:
        calls.append(message("CheckExpiry", min_validity=minimum % 200_000))
        size += len(calls[-1])
        minimum += 7919
    for split in (0, 3, 65_000):
        with daemon.connect(30) as peer:
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


@attack
def calls_behind_a_login_wait_for_it_and_see_it():
    daemon = Daemon()
    with daemon.connect() as peer, daemon.connect() as other:
        one = {**LOGIN, "access_token": "2.00One"}
        two = {**LOGIN, "access_token": "2.00Two"}
        peer.sendall(message("GetToken") + message("Login", **one) + message("GetToken")
                     + message("Login", {"oneway": True}, **two) + message("GetToken")
                     + message("Nothing") + message("Logout") + message("GetToken"))
        other.sendall(message("Verify") + message("GetStatus"))
        got = replies(peer, 7)
        replies(other, 2)
    tokens = [reply.get("parameters", {}).get("access_token") or error(reply) for reply in got]
    assert tokens == ["NoAccount", "", "2.00One", "2.00Two", "MethodNotFound", "", "NoAccount"], got
    daemon.end()


@attack
def oneway_is_never_answered_and_upgrade_is_refused():
    daemon = Daemon()
    with daemon.connect() as peer:
        for method in ("GetStatus", "GetToken", "Nothing", "Login", "Logout", "Repair", "Export"):
            peer.sendall(message(method, {"oneway": True}))
        assert "status" in ask(peer, "GetStatus")["parameters"]
        peer.sendall(message("GetStatus", {"upgrade": True}))
        assert error(replies(peer, 1)[0]) == "InvalidParameter"
    daemon.end()


# MARK: Connections


@attack
def an_idle_daemon_takes_no_processor_time():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    peers = [daemon.connect() for _ in range(50)]
    peers[0].sendall(b'{"method"')
    time.sleep(0.2)
    used = daemon.busy_seconds()
    time.sleep(2)
    assert daemon.busy_seconds() == used, "it wakes up though nothing happens"
    for peer in peers:
        peer.close()
    daemon.end()


@attack
def there_are_4096_connections_and_no_more():
    allow_descriptors(4300)
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
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
    daemon.end()
    for peer in peers:
        peer.close()


@attack
def slow_senders_hold_nobody_up():
    allow_descriptors(4300)
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    slow = [daemon.connect() for _ in range(1000)]
    text, times, position = message("GetStatus"), [], 0
    end = time.monotonic() + 4
    with daemon.connect() as peer:
        while time.monotonic() < end:
            for one in slow:
                one.send(text[position:position + 1])
            position = (position + 1) % len(text)
            for _ in range(20):
                start = time.monotonic()
                ask(peer, "GetToken")
                times.append(time.monotonic() - start)
            if position == 0:
                for one in slow:
                    replies(one, 1)
    times.sort()
    late = times[len(times) * 99 // 100]
    assert late < 0.25, f"p99 {late * 1000:.0f} ms"
    for one in slow:
        one.close()
    daemon.end()


@attack
def whoever_leaves_half_way_leaves_nothing_behind():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    whole = message("Login", **LOGIN)

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
    before, open_before = daemon.kibibytes(), daemon.descriptors()
    rounds(2000)
    assert daemon.kibibytes() < before + 512, "memory grows"
    assert daemon.descriptors() <= open_before + 1, "descriptors are left open"
    daemon.must_rest()
    daemon.end()


@attack
def patience_ends_after_thirty_seconds_for_those_who_wait_alone():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
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
    deaf.settimeout(1)
    assert is_closed(deaf, 1), "an unread reply stays"
    ask(idle, "GetToken")
    daemon.end()


@attack
def a_peer_that_only_stops_sending_gets_its_answers():
    daemon = Daemon()
    for calls in ([message("GetStatus")], [message("Login", **LOGIN), message("GetToken")],
                  [message("GetStatus")] * 700):
        with daemon.connect(20) as peer:
            peer.sendall(b"".join(calls) + b'{"half')
            peer.shutdown(socket.SHUT_WR)
            replies(peer, len(calls))
            assert is_closed(peer, 5)
    daemon.must_rest()
    daemon.end()


@attack
def passed_descriptors_do_not_pile_up():
    daemon = Daemon()
    before = daemon.descriptors()
    with daemon.connect() as peer:
        for _ in range(100):
            peer.sendmsg([message("GetStatus")], [
                (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2] * 20))])
            replies(peer, 1)
        assert daemon.descriptors() <= before + 1
    daemon.end()


@attack
def a_connection_of_the_first_moment_ends_when_it_is_closed():
    daemon = Daemon(wrapper=slow("unshare", 0.5))
    peer = daemon.connect()
    ask(peer, "GetStatus")
    time.sleep(0.8)
    peer.sendall(b"nonsense\0")
    assert is_closed(peer, 2), "another thread keeps it open"
    peer.close()
    daemon.must_rest()
    daemon.signal(signal.SIGTERM)
    daemon.wait()


@attack
def few_descriptors_leave_room_for_the_owner_and_the_disk():
    needs_root()

    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160))

    daemon = Daemon("--readers", str(READER), prepare=few)
    assert daemon.ready == "ready", daemon.ready
    with crowd(daemon, READER, 200):
        assert "account" in daemon.call("Login", **LOGIN)["parameters"]
    peers = [daemon.connect() for _ in range(250)]
    time.sleep(0.2)
    daemon.must_rest(1)
    assert "account" in ask(peers[0], "Login", **LOGIN)["parameters"]
    for peer in peers:
        peer.close()
    daemon.status()
    daemon.end()


@attack
def no_descriptor_at_all_is_no_reason_to_spin():
    needs_root()
    daemon = Daemon()
    before = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (5, before[1]))
    peers = [daemon.connect() for _ in range(3)]
    daemon.must_rest(1)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, before)
    for peer in peers[1:]:
        try:
            ask(peer, "GetStatus")
        except (Closed, OSError):
            pass  # Refused by means of the spare descriptor.
    daemon.status()
    daemon.end()


@attack
def full_secret_memory_leaves_the_account_usable():
    daemon = Daemon("--readers", str(READER))
    daemon.call("Login", **LOGIN)
    with crowd(daemon, 65_510, 100, b"x" * 4000), crowd(daemon, 65_511, 100, b"x" * 4000):
        peers = []
        for size in (60_000, 30_000, 15_000, 7000, 3000, 1500, 700, 300, 100, 50):
            for _ in range(60):
                peers.append(daemon.connect())
                peers[-1].sendall(b"{" + b" " * size)
        for method, parameters in (("GetToken", {}), ("Login", LOGIN), ("Export", {}),
                                   ("Verify", {}), ("GetAccount", {})):
            reply = daemon.call(method, **parameters)
            assert "error" not in reply, reply
    daemon.end()


# MARK: Changes


@attack
def two_hundred_logins_and_logouts_with_killed_clients_leave_one_whole_account():
    daemon = Daemon()
    tokens = ["2.00" + "x" * length for length in (8, 40, 3000)]
    children = []
    for number in range(200):
        child = os.fork()
        if child == 0:
            try:
                with daemon.connect(30) as peer:
                    if number % 4 == 3:
                        peer.sendall(message("Logout"))
                    else:
                        peer.sendall(message("Login", **{
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
    assert daemon.call("Login", **{**LOGIN, "replace": True}).get("error") is None
    left = [name for name in os.listdir(daemon.state) if name.startswith(".tmp-")]
    assert not left, left
    assert not daemon.call("Verify")["parameters"]["findings"]
    daemon.must_have_kept(LOGIN["access_token"])


@attack
def a_login_whose_sender_has_gone_is_stored_and_nothing_spins_meanwhile():
    daemon = Daemon(wrapper=slow_disk(0.4))
    assert daemon.ready == "ready", daemon.ready
    peer, waiting, half_closed = daemon.connect(), daemon.connect(), daemon.connect(20)
    peer.sendall(message("Login", **LOGIN))
    time.sleep(0.2)
    waiting.sendall(message("Verify") * 3)
    half_closed.sendall(message("Verify"))
    half_closed.shutdown(socket.SHUT_WR)
    time.sleep(0.1)
    peer.close()
    waiting.close()
    daemon.must_rest(0.6)
    assert "status" in daemon.call("GetStatus", timeout=0.3)["parameters"]
    replies(half_closed, 1)
    assert is_closed(half_closed, 2)
    assert daemon.call("GetToken")["parameters"]["access_token"] == LOGIN["access_token"]
    daemon.signal(signal.SIGTERM)
    daemon.wait()
    following = Daemon(after=daemon)
    assert following.status()["state"] == "present"
    following.end()


@attack
def sigterm_ends_it_though_logins_go_on_and_on():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    peers = [daemon.connect() for _ in range(3)]
    for peer in peers:
        peer.setblocking(False)
    data = message("Login", **LOGIN) * 50
    begin = time.monotonic()
    told = False
    rest = {peer: b"" for peer in peers}
    while time.monotonic() - begin < 6 and daemon.process.poll() is None:
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
    following = Daemon(after=daemon)
    assert following.status()["state"] == "present"
    following.end()


@attack
def sigterm_lets_a_change_in_hand_finish_and_answers_it():
    daemon = Daemon(wrapper=slow_disk(0.3))
    with daemon.connect(20) as peer, daemon.connect() as other:
        peer.sendall(message("Login", **LOGIN))
        time.sleep(0.2)
        other.sendall(message("Login", **{**LOGIN, "uid": "9"}))
        time.sleep(0.1)
        daemon.signal(signal.SIGTERM)
        assert "account" in replies(peer, 1)[0]["parameters"]
        assert is_closed(other, 5)
    daemon.wait()
    following = Daemon(after=daemon)
    assert following.call("GetAccount")["parameters"]["account"]["uid"] == LOGIN["uid"]
    following.end()


@attack
def a_kill_at_any_moment_leaves_a_store_that_opens():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    chance = random.Random(3)
    for round in range(12):
        peer = daemon.connect()
        peer.setblocking(False)
        peer.send(message("Login", **{**LOGIN, "access_token": "2.00" + "k" * 900}) * 50)
        time.sleep(chance.random() * 0.1)
        daemon.signal(signal.SIGKILL)
        daemon.wait()
        peer.close()
        daemon = Daemon(after=daemon)
        assert daemon.ready == "ready", daemon.ready
        assert daemon.status()["state"] == "present"
        assert not [name for name in os.listdir(daemon.state) if name.startswith(".tmp-")]
    daemon.end()


@attack
def a_login_that_replaces_a_damaged_store_mends_it():
    for damaged in ("keyslots.plist", "keyslots.plist~", "account.plist.sealed"):
        for removes in (False, True):
            daemon = Daemon()
            daemon.call("Login", **LOGIN)
            daemon.end()
            if removes:
                os.unlink(f"{daemon.state}/{damaged}")
            else:
                with open(f"{daemon.state}/{damaged}", "r+b") as file:
                    file.write(b"garbage")
            daemon = Daemon(after=daemon)
            reply = daemon.call("Login", **{**LOGIN, "access_token": "2.00New", "replace": True})
            assert "error" not in reply, reply
            daemon.must_have_kept("2.00New")


@attack
def a_replacement_that_cannot_be_stored_leaves_the_locked_store_as_it_was():
    if not shutil.which("strace"):
        raise Skip("needs strace")
    needs_root()
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    daemon.end()
    os.rename(daemon.base + "/key", daemon.base + "/away")
    before = sorted(os.listdir(daemon.state))
    for nth in (1, 2, 3):
        daemon = Daemon(after=daemon)
        tracer = subprocess.Popen([
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=renameat",
            "-e", f"inject=renameat:error=EIO:when={nth}", "-p", str(daemon.pid)])
        for _ in range(100):
            with open(f"/proc/{daemon.pid}/status") as status:
                if "TracerPid:\t0" not in status.read():
                    break
            time.sleep(0.02)
        time.sleep(0.1)
        reply = daemon.call("Login", **{**LOGIN, "access_token": "2.00New", "replace": True})
        assert error(reply) == "StoreFailed", reply
        daemon.end()
        tracer.wait()
        assert sorted(os.listdir(daemon.state)) == before
    os.rename(daemon.base + "/away", daemon.base + "/key")
    daemon = Daemon(after=daemon)
    daemon.must_have_kept(LOGIN["access_token"])


# MARK: The place


@attack
def a_state_directory_that_was_removed_is_made_again_whole():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    shutil.rmtree(daemon.state)
    daemon.must_rest(0.2)
    assert "account" in daemon.call("Login", **{**LOGIN, "access_token": "2.00New"})["parameters"]
    assert os.readlink(daemon.state + "/socket") == daemon.where
    daemon.must_have_kept("2.00New")


@attack
def a_store_put_in_the_place_of_another_is_not_written_over():
    one, two = Daemon(), Daemon()
    one.call("Login", **{**LOGIN, "uid": "1"})
    two.call("Login", **{**LOGIN, "uid": "2", "access_token": "2.00Two"})
    two.end()
    shutil.copy(two.base + "/key", one.base + "/key")
    os.rename(one.state, one.state + ".old")
    os.mkdir(one.state, 0o700)
    for name in os.listdir(two.state):
        if name not in ("socket", "lock"):
            shutil.copy2(f"{two.state}/{name}", one.state)
    assert error(one.call("UpdateProfile", screen_name="x")) == "StoreFailed"
    assert error(one.call("Logout", if_uid="1")) == "StoreFailed"
    assert "error" not in one.call("Verify")  # Which reads what is there.
    assert one.call("GetAccount")["parameters"]["account"]["uid"] == "2"
    one.must_have_kept("2.00Two")


@attack
def a_socket_that_was_taken_away_ends_it():
    for how in ("unlink", "replace", "directory"):
        daemon = Daemon(where="run/socket") if how == "directory" else Daemon()
        if how == "unlink":
            os.unlink(daemon.where)
        elif how == "replace":
            other = socket.socket(socket.AF_UNIX)
            other.bind(daemon.where + "2")
            os.rename(daemon.where + "2", daemon.where)
        else:
            shutil.rmtree(os.path.dirname(daemon.where))
        assert daemon.wait(5) == 1
        assert how != "replace" or os.path.exists(daemon.where), "another's socket was removed"
        following = Daemon(after=daemon)
        assert following.ready == "ready", following.ready
        following.end()


@attack
def a_socket_spelt_in_another_way_is_still_the_socket():
    daemon = Daemon(where="./state/socket")
    assert daemon.ready == "ready", daemon.ready
    daemon.must_rest(0.2)
    daemon.status()
    daemon.end()


@attack
def of_many_daemons_at_once_one_serves():
    first = Daemon()
    first.end()
    for sockets in (["socket"] * 8, [f"socket{number}" for number in range(8)]):
        started = at_once([lambda name=name: Daemon(after=first, where=name) for name in sockets])
        serving = [daemon for daemon in started if daemon.ready == "ready"]
        assert len(serving) == 1, [daemon.ready for daemon in started]
        serving[0].status()
        for daemon in started:
            daemon.end(expected=0 if daemon is serving[0] else 1)
    for _ in range(6):
        stale = socket.socket(socket.AF_UNIX)
        stale.bind(first.where)
        stale.close()
        started = at_once([lambda: Daemon(where=first.where)] * 6)
        time.sleep(0.2)
        alive = [daemon for daemon in started if daemon.process.poll() is None]
        assert len(alive) == 1, f"{len(alive)} daemons of different stores share a socket"
        alive[0].status()
        alive[0].end()


@attack
def a_full_disk_and_a_read_only_one_are_said_and_survived():
    needs_root()
    place = tempfile.mkdtemp(prefix="attack-", dir=ROOM)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=700", "none", place],
                             capture_output=True)
    if mounted.returncode:
        raise Skip("needs to mount a tmpfs")
    try:
        daemon = Daemon(state=place + "/state")
        daemon.call("Login", **LOGIN)
        with open(place + "/full", "wb", 0) as file:
            try:
                while file.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        reply = daemon.call("Login", **{**LOGIN, "access_token": "2.00" + "y" * 4000})
        assert error(reply) == "StoreFailed" and reply["parameters"]["errno"] == 28, reply
        assert daemon.call("GetToken")["parameters"]["access_token"] == LOGIN["access_token"]
        os.unlink(place + "/full")
        assert "account" in daemon.call("Login", **LOGIN)["parameters"]
        daemon.end()
        subprocess.run(["mount", "-o", "remount,ro", place], check=True)
        refused = Daemon(after=daemon)
        assert "Read-only" in refused.ready, refused.ready
        refused.wait()
        subprocess.run(["mount", "-o", "remount,rw", place], check=True)
        following = Daemon(after=daemon)
        assert following.call("GetToken")["parameters"]["access_token"] == LOGIN["access_token"]
        following.end()
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@attack
def a_state_directory_nobody_may_enter_is_said_and_survived():
    needs_root()
    os.chmod(ROOM, 0o711)
    daemon = Daemon(uid=READER)
    assert daemon.ready == "ready", daemon.ready
    daemon.call("Login", **LOGIN)
    os.chmod(daemon.state, 0)
    reply = daemon.call("Login", **LOGIN)
    assert error(reply) == "StoreFailed", reply
    assert daemon.call("GetToken")["parameters"]["access_token"] == LOGIN["access_token"]
    os.chmod(daemon.state, 0o700)
    assert "account" in daemon.call("Login", **LOGIN)["parameters"]
    daemon.end()
    following = Daemon(after=daemon, uid=READER)
    assert following.status()["state"] == "present"
    following.end()


@attack
def an_unsafe_place_is_refused_by_name():
    def refused(word, *arguments, **others):
        daemon = Daemon(*arguments, **others)
        assert word in daemon.ready and daemon.ready != "ready", daemon.ready
        assert daemon.wait(5) == 1
        return daemon

    place = tempfile.mkdtemp(prefix="attack-", dir=ROOM)
    os.mkdir(place + "/wide", 0o770)
    os.chmod(place + "/wide", 0o770)
    refused(place + "/wide", state=place + "/wide")
    os.mkdir(place + "/real", 0o700)
    os.symlink("real", place + "/link")
    refused(place + "/link", state=place + "/link")
    with open(place + "/file", "w"):
        pass
    refused("file", state=place + "/real", where=place + "/file")
    if os.geteuid() == 0:
        os.mkdir(place + "/theirs", 0o700)
        os.chown(place + "/theirs", READER, READER)
        refused(place + "/theirs", state=place + "/theirs")
        other = socket.socket(socket.AF_UNIX)
        other.bind(place + "/premade")
        os.chown(place + "/premade", READER, READER)
        refused("premade", state=place + "/real", where=place + "/premade")


# MARK: Who asks


@attack
def a_stranger_hears_permission_denied_once_and_no_more():
    daemon = Daemon("--readers", "65499")
    daemon.call("Login", **LOGIN)

    def stranger():
        for data in (message("GetToken"), message("Login", **LOGIN), b"x" * 5000, b"\0"):
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

    assert as_user(65_502, stranger)
    assert as_user(NOBODY, stranger)
    daemon.must_rest()
    daemon.end()


@attack
def readers_and_observers_get_what_they_may_have():
    daemon = Daemon("--readers", str(READER), "--observers", str(OBSERVER))
    daemon.call("Login", **LOGIN)
    methods = ["GetStatus", "CheckExpiry", "GetAccount", "GetToken", "Export", "Logout", "Verify",
               "Repair", "UpdateProfile"]

    def allowed():
        return [method for method in methods if error(daemon.call(method)) != "PermissionDenied"]

    assert as_user(READER, allowed) == methods[:4]
    assert as_user(65_502, allowed, groups=[READER]) == methods[:4]
    assert as_user(65_502, allowed, groups=[OBSERVER]) == methods[:2]
    assert as_user(65_502, allowed, groups=[OBSERVER, READER]) == methods[:4]
    assert as_user(NOBODY, allowed, groups=[READER]) == []
    daemon.call("Login", **LOGIN)  # Which leaves a previous generation.
    daemon.end()
    with open(daemon.state + "/account.plist.sealed", "r+b") as file:
        file.write(b"garbage")
    daemon = Daemon("--observers", str(OBSERVER), after=daemon)
    assert LOGIN["uid"] in str(daemon.call("CheckExpiry"))
    assert LOGIN["uid"] not in as_user(OBSERVER, lambda: str(daemon.call("CheckExpiry")))
    daemon.end()


@attack
def a_foreign_user_has_128_connections():
    daemon = Daemon("--readers", str(READER))

    def crowd():
        peers = [daemon.connect() for _ in range(140)]
        open_ones = 0
        for peer in peers:
            try:
                ask(peer, "GetStatus")
                open_ones += 1
            except (Closed, OSError):
                pass
        return open_ones

    assert as_user(READER, crowd) == 128
    assert daemon.status()["connections"] == 1
    daemon.end()


@attack
def half_sent_messages_of_one_foreign_user_do_not_shut_out_another():
    daemon = Daemon("--readers", str(READER))

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


# MARK: The process


@attack
def stop_and_continue_change_nothing():
    daemon = Daemon()
    daemon.call("Login", **LOGIN)
    peer = daemon.connect()
    for _ in range(20):
        daemon.signal(signal.SIGSTOP)
        peer.sendall(message("GetToken"))
        daemon.signal(signal.SIGCONT)
        replies(peer, 1)
        daemon.signal(signal.SIGHUP)
        daemon.signal(signal.SIGUSR1)
    daemon.must_rest()
    daemon.end()


@attack
def an_error_stream_that_nobody_reads_holds_nobody_up():
    reader, writer = os.pipe()
    daemon = Daemon("--verbose", stderr=writer)
    os.close(writer)
    with daemon.connect(3) as peer:
        for number in range(3000):
            ask(peer, "GetStatus" if number % 2 else "CheckExpiry")
    daemon.signal(signal.SIGHUP)
    daemon.status()
    os.close(reader)
    daemon.status()
    daemon.end()


@attack
def a_ready_descriptor_that_is_not_open_is_refused():
    for number in range(3, 14):
        base = tempfile.mkdtemp(prefix="attack-", dir=ROOM)
        process = subprocess.Popen(
            [ACCOUNTD, "--state", base + "/state", "--key-file", base + "/key", "--socket",
             base + "/socket", "--ready-fd", str(number)], env={"HOME": base},
            stderr=subprocess.DEVNULL)
        try:
            assert process.wait(3) == 2, number
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"it serves with --ready-fd {number}, which is not open") from None


@attack
def a_passed_socket_outlives_the_daemon():
    base = tempfile.mkdtemp(prefix="attack-", dir=ROOM)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(base + "/passed")
    listener.listen(100)

    def start(kind="stream", count=1):
        source = listener if kind == "stream" else socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

        def pass_on():
            os.dup2(source.fileno(), 3)
            os.set_inheritable(3, True)
            os.execve(ACCOUNTD, [ACCOUNTD, "--state", base + "/state", "--key-file", base + "/key"],
                      {"LISTEN_FDS": str(count), "LISTEN_PID": str(os.getpid()), "HOME": base})

        child = os.fork()
        if child == 0:
            try:
                os.dup2(os.open(base + "/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
                pass_on()
            finally:
                os._exit(99)
        return child

    def ask_it(method, **parameters):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(15)
            peer.connect(base + "/passed")
            return ask(peer, method, **parameters)

    child = start("datagram")
    _, status = os.waitpid(child, 0)
    assert os.WEXITSTATUS(status) == 1
    first = start()
    ask_it("Login", **LOGIN)
    assert os.readlink(base + "/state/socket") == base + "/passed"
    impatient = start()
    time.sleep(0.4)
    begin = time.monotonic()
    os.kill(impatient, signal.SIGTERM)
    _, status = os.waitpid(impatient, 0)
    assert os.WEXITSTATUS(status) == 0 and time.monotonic() - begin < 1, "it waits for the store"
    second = start()  # It waits for the store.
    os.kill(first, signal.SIGTERM)
    _, status = os.waitpid(first, 0)
    assert os.WEXITSTATUS(status) == 0
    assert ask_it("GetToken")["parameters"]["access_token"] == LOGIN["access_token"]
    os.kill(second, signal.SIGTERM)
    os.waitpid(second, 0)
    assert os.path.exists(base + "/passed")


@attack
def the_watchdog_is_fed_while_the_disk_hangs():
    needs_root()
    place = tempfile.mkdtemp(prefix="attack-", dir=ROOM)
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(place + "/notify")
    manager.settimeout(5)
    daemon = Daemon(wrapper=slow_disk(0.5), environment={
        "NOTIFY_SOCKET": place + "/notify", "WATCHDOG_USEC": "400000"})
    with daemon.connect(20) as peer:
        while b"READY=1" not in manager.recv(4096):
            pass
        peer.sendall(message("Login", **LOGIN))
        end = time.monotonic() + 1.5
        fed = 0
        while time.monotonic() < end:
            fed += manager.recv(4096) == b"WATCHDOG=1"
        assert 5 <= fed <= 12, fed
        replies(peer, 1)
    daemon.signal(signal.SIGTERM)
    daemon.wait()


@attack
def a_token_in_the_wrong_field_stays_nowhere():
    needs_root()
    # Else a debug build, whose functions are looked up at their first call, has the dynamic linker
    # save the vector registers on the stack, and what memchr(3) left in them.
    daemon = Daemon("--secret-memory", "locked", environment={"LD_BIND_NOW": "1"})
    token = "2.00CanaryOfTheAttack"

    def found():
        count = 0
        place = f"/proc/{daemon.pid}/"
        with open(place + "maps") as maps, open(place + "mem", "rb", 0) as memory:
            for line in maps:
                if "r" not in line.split()[1] or "[v" in line:
                    continue
                start, end = (int(part, 16) for part in line.split()[0].split("-"))
                try:
                    memory.seek(start)
                    count += memory.read(end - start).count(token.encode())
                except OSError:
                    pass
        return count

    daemon.call("Login", **{**LOGIN, "access_token": token})
    assert found() == 1, "the scan does not find the token that is held"
    daemon.call("Logout")
    for wrong in ({"uid": token}, {"uid": token * 40}, {"screen_name": token * 40},
                  {"avatar_large": token + " "}, {"avatar_large": token * 150},
                  {"access_token": token + " "}, {"access_token": token, "nonsense": token}):
        assert "error" in daemon.call("Login", **{**LOGIN, **wrong})
    daemon.call("Login", **{**LOGIN, "access_token": token, "expires_in": -1})
    daemon.call(token)
    daemon.call("GetToken", **{token: token})
    daemon.call("Logout", if_uid=token)
    with daemon.connect() as peer:
        peer.sendall(message("Login", **{**LOGIN, "access_token": token})[:-3])
        time.sleep(0.1)
    with daemon.connect() as peer:
        peer.sendall(b'{"method":"' + token.encode() + b"\0")
    time.sleep(0.1)
    assert found() == 0, f"{found()} copies stay behind"
    daemon.end()


@attack
def a_storm_of_calls_leaves_no_memory_behind():
    daemon = Daemon("--verbose", stderr=subprocess.DEVNULL)
    daemon.call("Login", **LOGIN)

    def storm(count):
        for number in range(count):
            with daemon.connect() as peer:
                ask(peer, ("GetToken", "GetAccount", "Verify", "Export", "Nothing")[number % 5])

    storm(300)
    before = daemon.kibibytes()
    storm(1500)
    time.sleep(1.2)
    assert daemon.kibibytes() < before + 512, f"{daemon.kibibytes() - before} KiB more"
    daemon.must_rest()
    daemon.end()


def main(arguments):
    global ACCOUNTD, ROOM
    if not arguments or not os.access(arguments[0], os.X_OK):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    ACCOUNTD = os.path.abspath(arguments[0])
    passed = failed = 0
    for function in ATTACKS:
        name = function.__name__.replace("_", " ")
        if arguments[1:] and not any(word in function.__name__ for word in arguments[1:]):
            continue
        DAEMONS.clear()
        ROOM = tempfile.mkdtemp(prefix="accountd-attack-")
        os.chmod(ROOM, 0o711)
        start = time.monotonic()
        try:
            function()
            outcome, passed = "ok", passed + 1
        except Skip as reason:
            outcome = f"skipped: {reason}"
        except Exception as fault:
            outcome, failed = f"FAILED: {type(fault).__name__}: {fault}", failed + 1
        finally:
            for daemon in DAEMONS:
                if daemon.process.poll() is None:
                    try:
                        os.kill(daemon.pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                    daemon.process.kill()
                    daemon.process.wait()
        print(f"{name}: {outcome} ({time.monotonic() - start:.1f} s)", flush=True)
        shutil.rmtree(ROOM, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


DAEMONS = []
ACCOUNTD = ROOM = ""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
