"""Leads a daemon through its life and scans its memory after each step."""

import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import time

from daemon import Daemon
from hostile_logins import refused_logins
from process_memory import Scan, found_in_file
import programs
from store_keys import HELD, keys_of
import wire

SPELLINGS = programs.ROOT / "Tests" / "Benchmarks" / "spellings.jsonl"
QUERIES = 10_000
# The loop has nothing left to do within this time after its last answer.
SETTLE_SECONDS = 0.05


class DaemonResidue:
    def __init__(self, mode, program, directory, options, wrapper, findings):
        self.mode = mode
        self.program = program
        self.directory = directory
        self.options = options
        self.wrapper = wrapper
        self.findings = findings
        self.secrets = {}
        # Of what may stand in locked memory while the store is open.
        self.open_keys = set(HELD)
        self.canary = f"canary-{secrets.token_hex(16)}"
        self.environment = {}
        self.daemon = None

    def start(self):
        self.daemon = Daemon(self.program, self.directory, *self.options,
                             wrapper=self.wrapper, environment=self.environment, verbose=True)
        self.findings.expect(
            self.daemon.call("GetStatus")["status"]["memory"] == self._expected_memory(),
            f"{self.mode}: GetStatus names the memory {self._expected_memory()}")

    def _expected_memory(self):
        return "memfd_secret" if self.mode == "secret-file" else "locked"

    def new_token(self, name):
        token = wire.made_up_token()
        self.secrets[name] = token.encode()
        return token

    def login(self, number, **more):
        token = self.new_token(f"access token {number}")
        refresh = self.new_token(f"refresh token {number}")
        self.daemon.login(token, refresh_token=refresh, screen_name=self.canary, **more)
        self.learn_keys(number)

    def learn_keys(self, number):
        """Most keys stay the same; those of a sealed file are new with every login."""
        known = set(self.secrets.values())
        for name, key in keys_of(self.daemon).items():
            if key not in known:
                fresh = name if name not in self.secrets else f"{name} of login {number}"
                self.secrets[fresh] = key

    # Scanning

    def scan(self, step, held=(), passing=(), sees_canary=True):
        """held: of these secrets exactly one copy stands in locked memory. passing: at most one
        may, while a message is under way. Keys may stand in locked memory; all else nowhere."""
        time.sleep(SETTLE_SECONDS)
        canaries = self.canaries(sees_canary)
        scan = Scan(self.daemon.pid, {**self.secrets, **canaries})
        step = f"{self.mode}: {step}"
        if canaries:
            seen = [copy for name in canaries for copy in scan.found(name)
                    if copy.mapping.name != "[stack]"]
            self.findings.expect(seen, f"{step}: the scan sees the heap")
        for name in self.secrets:
            self._judge(step, name, scan.found(name), name in held, name in passing)

    def canaries(self, sees_canary):
        """What is no secret and stands on the heap: the screen name, while there is an account."""
        return {"canary": self.canary.encode()} if sees_canary else {}

    def _judge(self, step, name, copies, is_held, is_passing):
        detail = "; ".join(map(str, copies[:6])) or "no copy"
        outside = [copy for copy in copies if not copy.mapping.is_locked_and_undumped]
        if self.mode == "secret-file":
            self.findings.expect(not copies, f"{step}: {name} is not found", detail)
        elif is_held:
            self.findings.expect(len(copies) == 1 and not outside,
                                 f"{step}: {name} stands once, in locked memory", detail)
        elif is_passing or name in self.open_keys:
            self.findings.expect(len(copies) <= 1 and not outside,
                                 f"{step}: {name} stands once in locked memory at most", detail)
        else:
            self.findings.expect(not copies, f"{step}: nothing of {name} is left", detail)

    def scan_dumps(self, step, held=()):
        """An ordinary core holds no secret, one of all pages no more than root's scan sees."""
        if self.mode != "locked":
            return
        if shutil.which("gcore") is None:
            self.findings.skip("core dumps: gdb is not installed")
            return
        for option in ((), ("-a",)):
            prefix = self.directory / "core"
            subprocess.run(["gcore", *option, "-o", prefix, str(self.daemon.pid)],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            core = pathlib.Path(f"{prefix}.{self.daemon.pid}")
            what = f"{self.mode}: {step}: gcore {' '.join(option)}".rstrip()
            if not core.exists():
                self.findings.expect(False, f"{what} writes a core")
                continue
            canary = {"canary": self.canary.encode()}
            found = found_in_file(core, {**self.secrets, **canary})
            core.unlink()
            self.findings.expect("canary" in found, f"{what}: the search sees the heap")
            allowed = {"canary", *held, *self.open_keys} if option else {"canary"}
            self.findings.expect(set(found) <= allowed, f"{what} holds no secret",
                                 ", ".join(sorted(set(found) - allowed)))

    # The steps of a life

    def ask_often(self):
        lines = SPELLINGS.read_bytes().splitlines()
        others = [wire.message(method) for method in ("GetAccount", "GetStatus", "CheckExpiry")]
        calls = [line + b"\0" for line in lines] + others
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(wire.CALL_SECONDS)
            peer.connect(str(self.daemon.socket))
            for query in range(QUERIES):
                peer.sendall(calls[query % len(calls)])
                while not peer.recv(65536).endswith(b"\0"):
                    continue

    def ask_without_reading(self):
        """Replies pile up until the daemon can send no more; then the peer is gone."""
        with socket.socket(socket.AF_UNIX) as peer:
            peer.setblocking(False)
            peer.connect(str(self.daemon.socket))
            call = wire.message("GetToken") * 100
            for _ in range(200):
                try:
                    peer.send(call)
                except OSError:
                    break
            time.sleep(SETTLE_SECONDS)

    def log_in_half(self, held):
        """Messages that stop in their middle: they may pass through locked memory, no more."""
        for padding in (0, 5_000, 40_000):
            name = f"half-sent token of {padding} bytes"
            call = wire.message("Login", wire.login_parameters(
                self.new_token(name), avatar_large="x" * padding))
            with socket.socket(socket.AF_UNIX) as peer:
                peer.connect(str(self.daemon.socket))
                peer.sendall(call[:-20])
                self.scan(f"half of a login is sent, {padding} bytes", held=held, passing=[name])
            self.scan(f"half of a login was sent, {padding} bytes", held=held)
        name = "token sent byte by byte"
        call = wire.message("Login", wire.login_parameters(self.new_token(name)))
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(self.daemon.socket))
            for byte in call[:-1]:
                peer.sendall(bytes([byte]))
        self.scan("a login came byte by byte and never ended", held=held)

    def log_in_badly(self, held):
        count = len(refused_logins("x" * 32))
        for index in range(count):
            # Each by itself, so that a failure names its cause.
            token = wire.made_up_token()
            name, call = list(refused_logins(token).items())[index]
            self.secrets[f"token of: {name}"] = token.encode()
            reply = wire.raw_exchange(self.daemon.socket, call)
            self.findings.expect(not reply or b'"error"' in reply,
                                 f"{self.mode}: a login with {name} is refused")
            self.findings.expect(token.encode() not in reply,
                                 f"{self.mode}: a login with {name} is not echoed")
            self.scan(f"login with {name}", held=held)
            del self.secrets[f"token of: {name}"]

    def check_outside(self):
        """Nothing in arguments, environment, log and files."""
        pid = self.daemon.pid
        places = [f"/proc/{pid}/cmdline", f"/proc/{pid}/environ", self.daemon.log]
        places += [path for path in self.daemon.state.rglob("*") if path.is_file()]
        for place in places:
            found = found_in_file(place, self.secrets)
            shown = str(place).replace(f"/proc/{pid}/", "").replace(str(self.directory) + "/", "")
            self.findings.expect(not found, f"{self.mode}: no secret in {shown}", ", ".join(found))
        with open(f"/proc/{pid}/limits") as file:
            line = next(line for line in file if line.startswith("Max core file size"))
        self.findings.expect(line.split()[4:6] == ["0", "0"],
                             f"{self.mode}: the daemon may write no core", line.strip())

    def run(self):
        try:
            self.live()
        finally:
            if self.daemon is not None:
                self.daemon.end()

    def live(self):
        self.start()
        self.scan("started without an account", sees_canary=False)
        self.login(1)
        held = ["access token 1", "refresh token 1"]
        self.scan("logged in", held=held)
        self.scan_dumps("logged in", held=held)
        self.ask_often()
        self.scan(f"{QUERIES:,} queries", held=held)
        exported = self.daemon.call("Export")
        self.findings.expect(exported["access_token"].encode() == self.secrets[held[0]],
                             f"{self.mode}: Export gives the token")
        self.scan("exported", held=held)
        self.ask_without_reading()
        self.scan("a peer did not read its replies", held=held)
        self.log_in_half(held)
        self.log_in_badly(held)
        self.daemon.call("UpdateProfile", {"screen_name": self.canary + "-2"})
        self.scan("profile updated", held=held)
        self.login(2)
        held = ["access token 2", "refresh token 2"]
        self.scan("logged in again", held=held)
        self.login(3, uid="77", replace=True)
        held = ["access token 3", "refresh token 3"]
        self.scan("logged in as another", held=held)
        self.check_outside()
        self.daemon.end()
        self.start()
        self.daemon.call("GetAccount")
        self.scan("restarted", held=held)
        self.daemon.call("GetToken")
        self.scan("restarted and asked", held=held)
        self.daemon.call("Logout")
        self.scan("logged out", sees_canary=False)
        self.scan_dumps_after_logout()
        self.login(4)
        held = ["access token 4", "refresh token 4"]
        self.scan("logged in after a logout", held=held)
        os.kill(self.daemon.pid, signal.SIGHUP)
        self.scan("SIGHUP", held=held)
        self.daemon.call("Logout", {"if_uid": "1234567890"})
        self.scan("logged out again", sees_canary=False)
        self.check_outside()

    def scan_dumps_after_logout(self, step="logged out"):
        # The canary went with the account; what it proved holds for the same dump before.
        if self.mode != "locked" or shutil.which("gcore") is None:
            return
        prefix = self.directory / "core"
        subprocess.run(["gcore", "-a", "-o", prefix, str(self.daemon.pid)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        core = pathlib.Path(f"{prefix}.{self.daemon.pid}")
        found = set(found_in_file(core, self.secrets)) - self.open_keys
        core.unlink()
        self.findings.expect(not found, f"{self.mode}: {step}: gcore -a holds no secret",
                             ", ".join(sorted(found)))
