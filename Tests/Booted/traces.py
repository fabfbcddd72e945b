"""What all that ran before has left behind: no token, no core, no call that was refused."""
import os
import re
import signal

from machine import SERVICE, case

CORE_PLACES = ("/var/lib/systemd/coredump", "/var/crash", "/", "/root", "/run")


@case
def the_journal_holds_no_token(machine):
    machine.must_have(machine.login())
    machine.systemctl("stop", SERVICE)
    machine.run("journalctl", "--sync")
    # All fields of all units, binary ones too.
    text = machine.must("journalctl", "--output=export", "--no-pager", "--all")
    assert "ACCOUNTD_METHOD=org.accountd.Account.GetToken" in text
    for token in machine.tokens:
        assert token not in text, "a token is in the journal"
    folder = machine.container.path("var/log/journal")
    for place, _, names in os.walk(folder):
        for name in names:
            with open(f"{place}/{name}", "rb") as file:
                data = file.read()
            for token in machine.tokens:
                assert token.encode() not in data, f"a token is in {name}"


@case
def the_crashes_left_no_core(machine):
    token = machine.login()
    machine.signal(machine.main_pid(), signal.SIGSEGV)
    machine.must_have(token)
    for place in CORE_PLACES:
        path = machine.container.path(place)
        if os.path.isdir(path):
            found = [name for name in os.listdir(path) if re.match(r"core(\.|$)", name)]
            assert not found, f"{place}: {found}"
    said = machine.must("journalctl", "--no-pager", "--output=cat")
    assert re.search(r"accountd.service: Main process exited, code=killed, status=11/SEGV", said)
    assert "code=dumped" not in said


@case
def only_the_provoked_call_was_refused(machine):
    said = machine.must("journalctl", "--no-pager", "--output=cat")
    killed = re.findall(r".*status=31/SYS.*", said)
    assert len(killed) == machine.provoked_kills, killed
    assert "SECCOMP" not in said
