"""python-varlink's command line, as a person types it.

An error goes to its standard error, and its status is 0 all the same: so what it says is held.
"""

import json
import shlex
import subprocess
import sys

import wire
from cases import case
from interface_cases import FILES
from python_client import SERVICE, address
import states
from states import CODE, OTHER_CODE, UID

SECONDS = 20


def varlink(*arguments):
    """Its standard output; it must have nothing to say on standard error."""
    done = run(*arguments)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def run(*arguments):
    """Runs it."""
    return subprocess.run([sys.executable, "-m", "varlink.cli", *arguments], capture_output=True,
                          text=True, timeout=SECONDS)


@case
def the_command_line_shows_who_serves(room):
    daemon = room.daemon()
    lines = varlink("info", address(daemon)).splitlines()
    assert lines[:2] == ["Vendor: accountd", "Product: accountd"], lines
    assert [line.strip() for line in lines[-3:]] == [SERVICE, *FILES], lines


@case
def the_command_line_shows_the_descriptions(room):
    daemon = room.daemon()
    for name, file in FILES.items():
        shown = varlink("help", f"{address(daemon)}/{name}")
        assert shown.rstrip("\n") == file.read_text(encoding="utf-8").rstrip("\n")


@case
def the_command_line_calls_with_and_without_more(room):
    where = f"{address(states.present(room))}/{wire.INTERFACE}"
    asked = varlink("call", f"{where}.GetToken", '{"min_validity": 60}')
    assert json.loads(asked)["uid"] == UID
    assert json.loads(varlink("call", "-m", f"{where}.CheckExpiry"))["valid"] is True
    changed = varlink("call", f"{where}.UpdateProfile", '{"screen_name": "Zoë 小"}')
    assert json.loads(changed)["account"]["screen_name"] == "Zoë 小"


@case
def the_command_line_changes_keys_locks_and_unlocks(room):
    daemon = states.lockable(room)

    def call(method, *parameters):
        shown = varlink("call", f"{address(daemon)}/{method}", *map(json.dumps, parameters))
        # Of a reply without parameters it shows nothing.
        return json.loads(shown or "{}")

    added = call(f"{wire.KEYS}.AddSlot", {"kind": "recovery", "recovery_code": OTHER_CODE})["slot"]
    assert added in call(f"{wire.KEYS}.ListSlots")["slots"]
    assert call(f"{wire.INTERFACE}.Lock") == {}
    assert call(f"{wire.INTERFACE}.Unlock", {"recovery_code": CODE}) == {}
    rotated = call(f"{wire.KEYS}.Rotate")
    assert rotated["retired"] == [] and call(f"{wire.KEYS}.FinishRotation") == rotated
    derived = call(f"{wire.KEYS}.DeriveArchiveKey", {"name": "made up"})
    assert derived["key_id"] == rotated["key_id"] and len(derived["key"]) == 64
    assert call(f"{wire.KEYS}.RemoveSlot", {"id": added["id"]}) == {"removed": added}
    assert len(call(f"{wire.KEYS}.NewRecoveryCode")["recovery_code"]) == len(CODE)


@case
def the_command_line_shows_errors(room):
    where = f"{address(room.daemon())}/{wire.INTERFACE}"
    for call, error in (
            (("GetToken",), f"{wire.INTERFACE}.NoAccount"),
            (("GetToken", '{"min_validity": "1"}'), f"{SERVICE}.InvalidParameter"),
            (("Nothing",), f"{SERVICE}.MethodNotFound"),
            (("GetToken", '{"min_validity": -1}'), f"{wire.INTERFACE}.InvalidField")):
        done = run("call", f"{where}.{call[0]}", *call[1:])
        assert error in done.stderr and not done.stdout, f"{call}: {done}"
    where = address(states.present(room))
    for method, parameters, error in (
            (f"{wire.INTERFACE}.Lock", "{}", f"{wire.INTERFACE}.OpensByItself"),
            (f"{wire.KEYS}.RemoveSlot", '{"id": "x"}', f"{wire.KEYS}.NoSuchSlot"),
            (f"{wire.KEYS}.AddSlot", '{"kind": "x"}', f"{wire.INTERFACE}.InvalidField")):
        done = run("call", f"{where}/{method}", parameters)
        assert error in done.stderr and not done.stdout, f"{method}: {done}"


@case
def the_command_line_goes_over_a_bridge(room):
    daemon = states.present(room)
    bridge = shlex.join([sys.executable, "-m", "varlink.cli", "bridge", "--connect",
                         address(daemon)])
    asked = varlink("--bridge", bridge, "call", f"{wire.INTERFACE}.GetToken")
    assert json.loads(asked)["uid"] == UID


@case
def python_varlink_starts_a_daemon_on_a_socket_of_its_own(room):
    place = room.place("activated-")
    daemon = shlex.join([str(room.program), "--state", str(place / "state"), "--key-file",
                         str(place / "key")])
    asked = varlink("--activate", daemon, "call", f"{wire.INTERFACE}.GetStatus")
    assert json.loads(asked)["status"]["state"] == "empty"
