"""systemd's varlinkctl against a daemon. An error is its exit status, and its name is shown."""

import json
import time

from varlink import scanner

import states
import varlinkctl
import wire
from cases import case
from declared_types import shapes
from interface_cases import FILES, described, members_of
from python_client import SERVICE
from states import CODE, OTHER_CODE, OTHER_UID, UID

# A change is written to a disk that others may use.
EFFECT_SECONDS = 10


def said(*arguments):
    """What it prints; it must succeed and have nothing to say on standard error."""
    done = varlinkctl.run(*arguments)
    assert done.returncode == 0 and not done.stderr, done
    return done.stdout


def run_call(daemon, method, parameters=None, *options):
    """Calls a method: the status, what is shown, and what is said of it."""
    done = varlinkctl.run("call", "--json=short", *options, daemon.socket,
                          method if "." in method else f"{wire.INTERFACE}.{method}",
                          json.dumps(parameters or {}))
    # With --more it shows a sequence: RFC 7464.
    return done.returncode, json.loads(done.stdout.removeprefix("\x1e")), done.stderr.rstrip()


def call(daemon, method, parameters=None, *options):
    """Calls a method that must succeed: what is shown."""
    status, shown, stderr = run_call(daemon, method, parameters, *options)
    assert (status, stderr) == (0, ""), (status, shown, stderr)
    return shown


def must_fail(daemon, error, method, parameters=None, *options):
    """Calls: the status is not 0, the error is named. What is shown of its parameters."""
    status, shown, stderr = run_call(daemon, method, parameters, *options)
    assert status == 1 and stderr.endswith(f": {error}"), (status, shown, stderr)
    return shown


@case
def varlinkctl_validates_the_interface_files(room):
    for file in FILES.values():
        done = varlinkctl.run("validate-idl", file)
        assert done.returncode == 0 and not done.stderr, done
        broken = room.path / "broken.varlink"
        broken.write_text(file.read_text(encoding="utf-8").replace("\nmethod ", "\nmetod ", 1))
        assert varlinkctl.run("validate-idl", broken).returncode != 0


@case
def varlinkctl_shows_who_serves(room):
    daemon = room.daemon()
    info = json.loads(said("info", "--json=short", daemon.socket))
    assert info["product"] == "accountd" and set(info["interfaces"]) == {SERVICE, *FILES}
    assert "Product: accountd" in said("info", f"unix:{daemon.socket}")
    assert said("list-interfaces", daemon.socket).split() == [*FILES, SERVICE]
    for interface in described():
        methods = {f"{interface.name}.{each.name}"
                   for each in members_of(interface, scanner._Method)}
        assert set(said("list-methods", daemon.socket, interface.name).split()) == methods


@case
def varlinkctl_shows_every_description_as_it_is(room):
    daemon = room.daemon()
    for interface in described():
        shown = said("introspect", "--no-pager", daemon.socket, interface.name)
        assert shapes(scanner.Interface(shown)) == shapes(interface)
    shown = scanner.Interface(said("introspect", "--no-pager", daemon.socket, SERVICE))
    assert "PermissionDenied" in shapes(shown)


@case
def varlinkctl_calls_every_method(room):
    daemon = room.daemon()
    token = wire.made_up_token()
    assert call(daemon, "GetStatus")["status"]["state"] == "empty"
    login = wire.login_parameters(token, uid=UID, screen_name="Zoë 小")
    assert call(daemon, "Login", login)["account"]["screen_name"] == "Zoë 小"
    assert call(daemon, "GetToken", {"min_validity": 60})["access_token"] == token
    assert call(daemon, "CheckExpiry", {"min_validity": None})["valid"] is True
    assert call(daemon, "GetAccount")["account"]["uid"] == UID
    assert call(daemon, "Export")["access_token"] == token
    assert call(daemon, "UpdateProfile", {"screen_name": ""})["account"]["uid"] == UID
    assert call(daemon, "Verify") == {"findings": []}
    assert call(daemon, "Repair")["account"]["uid"] == UID
    assert call(daemon, "GetToken", {}, "--more")["uid"] == UID
    assert call(daemon, "GetToken", {}, "--collect")[0]["uid"] == UID
    assert call(daemon, f"{SERVICE}.GetInfo")["product"] == "accountd"
    assert call(daemon, "Unlock") == {}
    slots = call(daemon, f"{wire.KEYS}.ListSlots")["slots"]
    code = call(daemon, f"{wire.KEYS}.NewRecoveryCode", {}, "--collect")[0]["recovery_code"]
    added = call(daemon, f"{wire.KEYS}.AddSlot", {"kind": "recovery", "recovery_code": code})
    assert added["removed"] == [] and added["slot"]["kind"] == "recovery", added
    removed = call(daemon, f"{wire.KEYS}.RemoveSlot", {"id": slots[0]["id"], "rotate": None})
    assert removed == {"removed": slots[0]}
    assert call(daemon, "Lock") == {}
    assert call(daemon, "Unlock", {"recovery_code": code}) == {}
    rotated = call(daemon, f"{wire.KEYS}.Rotate", {}, "--more")
    assert rotated["retired"] == []
    assert call(daemon, f"{wire.KEYS}.FinishRotation") == rotated
    derived = call(daemon, f"{wire.KEYS}.DeriveArchiveKey", {"name": "草稿"})
    assert derived["key_id"] == rotated["key_id"] and len(derived["key"]) == 64, derived
    assert call(daemon, "Logout") == {"uid": UID}


@case
def varlinkctl_sends_oneway(room):
    daemon = states.present(room)
    assert said("call", "--oneway", daemon.socket, f"{wire.INTERFACE}.Logout", "{}") == ""
    # Queries do not wait for a change, and nothing says when this one is done.
    end = time.monotonic() + EFFECT_SECONDS
    while wire.error(daemon.ask("GetAccount")) != "NoAccount":
        assert time.monotonic() < end, "the account is still there"
        time.sleep(0.01)


@case
def varlinkctl_fails_with_the_errors_name(room):
    daemon = room.daemon()
    assert must_fail(daemon, f"{wire.INTERFACE}.NoAccount", "GetToken") == {}
    assert must_fail(daemon, f"{wire.INTERFACE}.NoAccount", "GetToken", {}, "--more") == {}
    assert must_fail(daemon, f"{SERVICE}.MethodNotFound", "Nothing") == {
        "method": f"{wire.INTERFACE}.Nothing"}
    assert must_fail(daemon, f"{SERVICE}.InterfaceNotFound", "org.example.Nothing") == {
        "interface": "org.example"}
    assert must_fail(daemon, f"{SERVICE}.InvalidParameter", "GetToken", {"x": 1}) == {
        "parameter": "x"}
    wrong = wire.login_parameters(uid="me")
    assert must_fail(daemon, f"{wire.INTERFACE}.InvalidField", "Login", wrong)["field"] == "uid"
    daemon = states.present(room)
    taken = must_fail(daemon, f"{wire.INTERFACE}.AccountExists", "Logout", {"if_uid": OTHER_UID})
    assert taken == {"uid": UID}
    late = must_fail(daemon, f"{wire.INTERFACE}.TokenExpired", "GetToken", {"min_validity": 10**9})
    assert late["remaining"] > 0
    assert must_fail(states.locked(room), f"{wire.INTERFACE}.Locked", "GetToken") == {}
    damaged = must_fail(states.damaged(room), f"{wire.INTERFACE}.StoreDamaged", "GetToken")
    assert "account.plist.sealed" in damaged["what"]
    failed = must_fail(states.without_store(room), f"{wire.INTERFACE}.StoreFailed", "Logout")
    assert failed["errno"] == 20


@case
def varlinkctl_fails_with_the_errors_name_for_keys_and_locks(room):
    daemon = states.present(room)
    assert must_fail(daemon, f"{wire.INTERFACE}.OpensByItself", "Lock") == {
        "protection": ["keyfile"]}
    slot = states.slots(daemon)[0]["id"]
    for method, parameters, error, shown in (
            ("RemoveSlot", {"id": "00x"}, f"{wire.KEYS}.NoSuchSlot", {"id": ""}),
            ("RemoveSlot", {"id": slot}, f"{wire.KEYS}.LastSlot", {}),
            ("RemoveSlot", {}, f"{SERVICE}.InvalidParameter", {"parameter": "id"}),
            ("DeriveArchiveKey", {"name": "a", "key_id": "0" * 32}, f"{wire.KEYS}.NoSuchKey",
             {"key_id": "0" * 32}),
            ("AddSlot", {"kind": "recovery"}, f"{SERVICE}.InvalidParameter",
             {"parameter": "recovery_code"})):
        assert must_fail(daemon, error, f"{wire.KEYS}.{method}", parameters) == shown, method
    daemon = states.lockable(room)
    call(daemon, "Lock")
    assert must_fail(daemon, f"{wire.INTERFACE}.Locked", f"{wire.KEYS}.Rotate") == {}
    wrong = must_fail(daemon, f"{wire.INTERFACE}.WrongKey", "Unlock",
                      {"recovery_code": OTHER_CODE}, "--more")
    assert wrong == {"retry_after_ms": 1000}
    call(daemon, "Unlock", {"recovery_code": CODE})


@case
def varlinkctl_takes_an_error_for_an_answer_where_it_is_told_to(room):
    error = f"{wire.INTERFACE}.NoAccount"
    status, shown, stderr = run_call(room.daemon(), "GetToken", {}, f"--graceful={error}")
    assert (status, shown) == (0, {}) and stderr.endswith(f"expected error: {error}"), stderr
