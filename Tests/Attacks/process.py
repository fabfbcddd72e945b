"""The process: signals, what it inherits, what watches it, and what stands in its memory."""

import os
import signal
import socket
import subprocess
import time

import wire
from cases import case, needs_root
from faults import slow_disk
from wire import LOGIN, ask, message, replies


@case
def stop_and_continue_change_nothing(room):
    daemon = room.daemon()
    daemon.ask("Login", **LOGIN)
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


@case
def an_error_stream_that_nobody_reads_holds_nobody_up(room):
    reader, writer = os.pipe()
    daemon = room.daemon(verbose=True, stderr=writer)
    os.close(writer)
    with daemon.connect(3) as peer:
        for number in range(3000):
            ask(peer, "GetStatus" if number % 2 else "CheckExpiry")
    daemon.signal(signal.SIGHUP)
    daemon.status()
    os.close(reader)
    daemon.status()
    daemon.end()


@case
def a_ready_descriptor_that_is_not_open_is_refused(room):
    for number in range(3, 14):
        base = room.place()
        process = subprocess.Popen(
            [room.program, "--state", base / "state", "--key-file", base / "key", "--socket",
             base / "socket", "--ready-fd", str(number)], env={"HOME": str(base)},
            stderr=subprocess.DEVNULL)
        try:
            assert process.wait(3) == 2, number
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"it serves with --ready-fd {number}, which is not open") from None


@case
def a_passed_socket_outlives_the_daemon(room):
    base = room.place()
    passed = base / "passed"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(passed))
    listener.listen(100)

    def start(source):
        def pass_on():
            os.dup2(source.fileno(), 3)
            os.set_inheritable(3, True)
            os.execve(room.program,
                      [room.program, "--state", base / "state", "--key-file", base / "key"],
                      {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()), "HOME": str(base)})

        child = os.fork()
        if child == 0:
            try:
                os.dup2(os.open(base / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
                pass_on()
            finally:
                os._exit(99)
        room.callback(end_child, child)
        return child

    def end_child(child):
        try:
            if os.waitpid(child, os.WNOHANG) == (0, 0):
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
        except ChildProcessError:
            pass

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        _, status = os.waitpid(start(datagrams), 0)
    assert os.WEXITSTATUS(status) == 1
    first = start(listener)
    wire.call(passed, "Login", LOGIN)
    assert os.readlink(base / "state/socket") == str(passed)
    impatient = start(listener)
    time.sleep(0.4)
    begin = time.monotonic()
    os.kill(impatient, signal.SIGTERM)
    _, status = os.waitpid(impatient, 0)
    assert os.WEXITSTATUS(status) == 0 and time.monotonic() - begin < 1, "it waits for the store"
    second = start(listener)  # It waits for the store.
    os.kill(first, signal.SIGTERM)
    _, status = os.waitpid(first, 0)
    assert os.WEXITSTATUS(status) == 0
    assert wire.call(passed, "GetToken")["access_token"] == LOGIN["access_token"]
    os.kill(second, signal.SIGTERM)
    os.waitpid(second, 0)
    assert passed.exists()


@case
def the_watchdog_is_fed_while_the_disk_hangs(room):
    place = room.place()
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(f"{place}/notify")
    manager.settimeout(5)
    daemon = room.daemon(wrapper=slow_disk(0.5), environment={
        "NOTIFY_SOCKET": f"{place}/notify", "WATCHDOG_USEC": "400000"})
    with daemon.connect(20) as peer:
        while b"READY=1" not in manager.recv(4096):
            pass
        peer.sendall(message("Login", LOGIN))
        end = time.monotonic() + 1.5
        fed = 0
        while time.monotonic() < end:
            fed += manager.recv(4096) == b"WATCHDOG=1"
        assert 5 <= fed <= 12, fed
        replies(peer, 1)
    daemon.signal(signal.SIGTERM)
    daemon.wait()


@case
def a_token_in_the_wrong_field_stays_nowhere(room):
    needs_root()
    # Else a debug build, whose functions are looked up at their first call, has the dynamic linker
    # save the vector registers on the stack, and what memchr(3) left in them.
    daemon = room.daemon("--secret-memory", "locked", environment={"LD_BIND_NOW": "1"})
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

    daemon.ask("Login", **{**LOGIN, "access_token": token})
    assert found() == 1, "the scan does not find the token that is held"
    daemon.ask("Logout")
    for wrong in ({"uid": token}, {"uid": token * 40}, {"screen_name": token * 40},
                  {"avatar_large": token + " "}, {"avatar_large": token * 150},
                  {"access_token": token + " "}, {"access_token": token, "nonsense": token}):
        assert "error" in daemon.ask("Login", **{**LOGIN, **wrong})
    daemon.ask("Login", **{**LOGIN, "access_token": token, "expires_in": -1})
    daemon.ask(token)
    daemon.ask("GetToken", **{token: token})
    daemon.ask("Logout", if_uid=token)
    with daemon.connect() as peer:
        peer.sendall(message("Login", {**LOGIN, "access_token": token})[:-3])
        time.sleep(0.1)
    with daemon.connect() as peer:
        peer.sendall(b'{"method":"' + token.encode() + b"\0")
    time.sleep(0.1)
    assert found() == 0, f"{found()} copies stay behind"
    daemon.end()
