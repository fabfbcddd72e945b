"""Stops the client in the middle of its work and scans its memory."""

import fcntl
import json
import os
import pathlib
import plistlib
import signal
import subprocess
import time

from daemon import Daemon
from process_memory import Scan, found_in_file
import programs
import wire

F_SETPIPE_SZ = 1031
WAIT_SECONDS = 10


def wait_until_blocked(process, where):
    """Until the process sleeps in a kernel function whose name holds one of the words."""
    deadline = time.monotonic() + WAIT_SECONDS
    place = "?"
    while time.monotonic() < deadline:
        if process.poll() is not None:
            return f"it ended with {process.returncode}"
        place = pathlib.Path(f"/proc/{process.pid}/wchan").read_text()
        if any(word in place for word in where):
            return None
        time.sleep(0.01)
    return f"it is in {place}"


def full_pipe():
    """A pipe into which not one byte more goes."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, F_SETPIPE_SZ, os.sysconf("SC_PAGE_SIZE"))
    os.set_blocking(writing, False)
    filled = 0
    try:
        while True:
            filled += os.write(writing, b"." * 512)
    except BlockingIOError:
        pass
    os.set_blocking(writing, True)
    return reading, writing, filled


def judge(findings, what, pid, secret):
    scan = Scan(pid, {"token": secret})
    copies = scan.found("token")
    outside = [copy for copy in copies if not copy.mapping.is_locked_and_undumped]
    findings.expect(copies, f"{what}: the scan sees the token (else it proves nothing)")
    findings.expect(not outside, f"{what}: the token stands in locked, undumped memory only",
                    "; ".join(map(str, outside[:6])))
    for place in ("cmdline", "environ"):
        findings.expect(not found_in_file(f"/proc/{pid}/{place}", {"token": secret}),
                        f"{what}: no token in its {place}")
    with open(f"/proc/{pid}/limits") as file:
        line = next(line for line in file if line.startswith("Max core file size"))
    # The hard limit is not the client's to lower: `account exec` passes it on.
    findings.expect(line.split()[4] == "0", f"{what}: it writes no core", line.strip())


def check_output(daemon, client, token, words, expected, findings):
    what = f"account {' '.join(words)} at its write"
    reading, writing, filled = full_pipe()
    process = subprocess.Popen([client, *words, "--socket", daemon.socket], stdout=writing,
                               env=daemon.environment)
    os.close(writing)
    try:
        trouble = wait_until_blocked(process, ("pipe",))
        findings.expect(trouble is None, f"{what} can be stopped", trouble or "")
        if trouble is None:
            judge(findings, what, process.pid, token)
            printed = b""
            while part := os.read(reading, 65536):
                printed += part
            findings.expect(expected in printed[filled:], f"{what}: it prints what was asked")
    finally:
        os.close(reading)
        programs.end(process)


def check_login(daemon, client, findings):
    """The client waits for a daemon that is stopped, its login sent."""
    token = wire.made_up_token()
    response = (f'{{"access_token":"{token}","expires_in":604800,"remind_in":"604800",'
                '"uid":"1234567890"}').encode()
    os.kill(daemon.pid, signal.SIGSTOP)
    process = subprocess.Popen(
        [client, "login", "--from", "-", "--replace", "--no-input", "--socket", daemon.socket],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=daemon.environment)
    try:
        process.stdin.write(response)
        process.stdin.close()
        trouble = wait_until_blocked(process, ("unix", "poll", "skb", "sock"))
        time.sleep(0.2)
        findings.expect(trouble is None, "account login waits for the daemon", trouble or "")
        if trouble is None:
            judge(findings, "account login, the login sent", process.pid, token.encode())
        os.kill(daemon.pid, signal.SIGCONT)
        findings.expect(process.wait(WAIT_SECONDS) == 0, "account login succeeds in the end")
        held = daemon.call("GetToken")["access_token"]
        findings.expect(held == token, "the daemon has the token that was logged in")
    finally:
        os.kill(daemon.pid, signal.SIGCONT)
        programs.end(process)


# Called with a daemon that holds an account, the client and the findings: each stops `account`
# while it prompts, or has what was typed, and ends with `judge`.
PROMPTS = []


def archives(token):
    """An account in the forms that `account import` reads: by name, the file."""
    account = {"access_token": token, "uid": "1234567890", "expires_date": "2035-01-01T00:00:00Z"}
    return {
        "a binary property list": plistlib.dumps(account, fmt=plistlib.FMT_BINARY),
        "XML": plistlib.dumps(account),
        "XML in UTF-16": plistlib.dumps(account).decode().replace("UTF-8", "UTF-16")
        .encode("utf-16"),
        "JSON": json.dumps(account).encode(),
        "Android's preferences": (
            f'<map><string name="access_token">{token}</string><string name="uid">1234567890'
            '</string><long name="expires_in" value="2051222400000" /></map>').encode(),
    }


def check_import(daemon, client, form, content, token, directory, findings):
    """The importer waits for a daemon that is stopped, its login sent."""
    path = directory / "imported"
    path.write_bytes(content)
    os.kill(daemon.pid, signal.SIGSTOP)
    process = subprocess.Popen(
        [client, "import", path, "--replace", "--no-input", "--socket", daemon.socket],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=daemon.environment)
    try:
        trouble = wait_until_blocked(process, ("unix", "poll", "skb", "sock"))
        time.sleep(0.2)
        findings.expect(trouble is None, f"account import of {form} waits for the daemon",
                        trouble or "")
        if trouble is None:
            judge(findings, f"account import of {form}", process.pid, token.encode())
        os.kill(daemon.pid, signal.SIGCONT)
        findings.expect(process.wait(WAIT_SECONDS) == 0, f"account import of {form} succeeds")
        held = daemon.call("GetToken")["access_token"]
        findings.expect(held == token, f"the daemon has the token of {form}")
    finally:
        os.kill(daemon.pid, signal.SIGCONT)
        programs.end(process)


def check_client(program, client, directory, findings):
    token = wire.made_up_token()
    with Daemon(program, directory / "client") as daemon:
        daemon.login(token)
        secret = token.encode()
        check_output(daemon, client, secret, ["token"], secret, findings)
        check_output(daemon, client, secret, ["token", "--json"], secret, findings)
        check_output(daemon, client, secret, ["header"], b"Authorization: OAuth2 " + secret,
                     findings)
        check_login(daemon, client, findings)
        for form in archives(token):
            fresh = wire.made_up_token()
            check_import(daemon, client, form, archives(fresh)[form], fresh, directory, findings)
        for form in ("plist", "nskeyedarchiver", "json"):
            check_output(daemon, client, fresh.encode(),
                         ["export", "--format", form, "--output", "-", "--i-understand"],
                         fresh.encode(), findings)
        for check in PROMPTS:
            check(daemon, client, findings)
