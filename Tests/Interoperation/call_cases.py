"""How python-varlink may call: more, oneway, one after the other without waiting, wrongly."""

import time

import varlink
from varlink import scanner

import users
import wire
from answers import hand_over, take_over
from cases import case, needs_root
from method_cases import CHANGES, NEED_ACCOUNT
from python_client import SERVICE, Client, address, ask, connect, receive, refusal, send
import states
from states import CODE, OTHER_CODE, UID

QUERIES = {"GetStatus": {}, **{name: NEED_ACCOUNT[name] for name in
                               ("GetAccount", "GetToken", "CheckExpiry", "Export")}}
# Logout last: the others want an account. Lock is undone by Unlock.
ALL = {**QUERIES, **{name: parameters for name, parameters in CHANGES.items() if name != "Logout"},
       "Lock": {}, "Unlock": {"recovery_code": CODE}, "Logout": {}}
# RemoveSlot is for itself: it wants the id of a slot.
ALL_OF_KEYS = {"ListSlots": {}, "NewRecoveryCode": {}, "Rotate": {}, "FinishRotation": {},
               "DeriveArchiveKey": {"name": "made up"},
               "AddSlot": {"kind": "recovery", "recovery_code": OTHER_CODE},
               "RemoveSlot": {"id": "0"}}
ALL_OF = {wire.INTERFACE: ALL, wire.KEYS: ALL_OF_KEYS, SERVICE: {}}
# One value of each kind that JSON has, null aside.
KINDS = {"a text": "x", "a number": 1, "a fraction": 1.5, "true": True, "a list": [],
         "an object": {}}
NAMES = ["made up", "Zoë", "小明", "\U0001F600", '"\\/', "\u00a0\u2028", "x" * 256]
READER_MAY = {"GetStatus", "GetAccount", "GetToken", "CheckExpiry"}
OBSERVER_MAY = {"GetStatus", "CheckExpiry"}


@case
def a_call_with_more_has_one_reply_of_every_method(room):
    daemon = states.lockable(room)
    before = states.slots(daemon)
    for interface in (wire.KEYS, wire.INTERFACE):
        with connect(daemon, interface) as connection:
            for method, parameters in ALL_OF[interface].items():
                if method == "RemoveSlot":
                    [added] = [slot for slot in states.slots(daemon) if slot not in before]
                    parameters = {"id": added["id"]}
                replies = list(getattr(connection, method)(**parameters, _more=True))
                assert len(replies) == 1, f"{method}: {len(replies)} replies"


@case
def an_error_ends_a_call_with_more(room):
    with connect(room.daemon()) as account:
        refusal("NoAccount", lambda: list(account.GetToken(_more=True)))
        assert account.GetStatus()["status"]["state"] == "empty"


@case
def a_oneway_call_has_no_reply_and_its_effect(room):
    with connect(states.present(room)) as account:
        for method, parameters in QUERIES.items():
            assert getattr(account, method)(**parameters, _oneway=True) is None
        account.GetToken(10**9, _oneway=True)
        account.UpdateProfile(screen_name="oneway", _oneway=True)
        assert account.GetAccount()["account"]["screen_name"] == "oneway"
        account.Logout(_oneway=True)
        refusal("NoAccount", account.GetAccount)


@case
def a_oneway_call_for_keys_and_locks_has_no_reply_and_its_effect(room):
    daemon = states.lockable(room)
    with connect(daemon, wire.KEYS) as keys, connect(daemon) as account:
        before = keys.ListSlots()
        for method in ("ListSlots", "NewRecoveryCode", "Rotate", "FinishRotation"):
            assert getattr(keys, method)(_oneway=True) is None
        assert keys.DeriveArchiveKey("made up", _oneway=True) is None
        keys.AddSlot(kind="recovery", recovery_code=OTHER_CODE, _oneway=True)
        keys.RemoveSlot(id=before["slots"][0]["id"], rotate=False, _oneway=True)
        # The connection's next change: what was asked before it has been done.
        assert keys.AddSlot(kind="recovery", recovery_code=CODE)["removed"] == []
        after = keys.ListSlots()
        assert len(after["slots"]) == 2 and before["slots"][0] not in after["slots"], after
        assert after["key_id"] != before["key_id"]
        account.Lock(_oneway=True)
        refusal("Locked", account.GetToken)
        account.Unlock(recovery_code=OTHER_CODE, _oneway=True)
        assert account.UpdateProfile(screen_name="oneway")["account"]["screen_name"] == "oneway"


@case
def a_oneway_call_that_is_wrong_has_no_reply_either(room):
    with connect(room.daemon()) as account:
        send(account, "Nothing", oneway=True)
        send(account, "GetToken", {"nothing": 1}, oneway=True)
        send(account, "GetToken", oneway=True, upgrade=True)
        assert account.GetStatus()["status"]["state"] == "empty"
    daemon = states.present(room)
    with connect(daemon, wire.KEYS) as keys, connect(daemon) as account:
        account.Lock(_oneway=True)
        assert account.GetStatus()["status"]["state"] == "present"
        send(keys, "RemoveSlot", {"id": "x"}, oneway=True)
        send(keys, "RemoveSlot", {"id": states.slots(daemon)[0]["id"]}, oneway=True)
        send(keys, "AddSlot", {"kind": "nothing"}, oneway=True)
        assert len(keys.ListSlots()["slots"]) == 1
    daemon = states.lockable(room)
    with connect(daemon) as account:
        account.Lock()
        start = time.monotonic()
        account.Unlock(recovery_code=OTHER_CODE, _oneway=True)
        assert account.GetStatus()["status"]["state"] == "locked"
        # It counts all the same: the next attempt waits.
        account.Unlock(recovery_code=CODE)
        assert time.monotonic() - start > 0.45, "a oneway call guesses faster"


@case
def calls_that_are_sent_together_are_answered_in_their_order(room):
    with connect(room.daemon()) as account:
        token = wire.made_up_token()
        calls = [("GetStatus", {}), ("Login", wire.login_parameters(token, uid=UID)),
                 ("GetToken", {}), ("UpdateProfile", {"screen_name": "later"}),
                 ("GetAccount", {}), ("Logout", {"if_uid": UID}), ("GetStatus", {})]
        for method, parameters in calls:
            send(account, method, parameters)
        replies = [receive(account, method) for method, _ in calls]
        assert replies[0]["status"]["state"] == "empty"
        assert replies[2]["access_token"] == token
        assert replies[4]["account"]["screen_name"] == "later"
        assert replies[5] == {"uid": UID} and replies[6]["status"]["state"] == "empty"


@case
def a_hundred_calls_are_answered_each(room):
    with connect(states.present(room)) as account:
        for minimum in range(100):
            send(account, "CheckExpiry", {"min_validity": minimum * 10_000})
        valid = [receive(account, "CheckExpiry")["valid"] for _ in range(100)]
        # A week is good for sixty times 10,000 seconds, and not for sixty-one.
        assert valid == [True] * 61 + [False] * 39, valid


@case
def a_name_in_any_script_comes_back_as_it_was_sent(room):
    # Python's JSON writes all but ASCII as escapes, and pairs of them; the reply has none.
    with connect(states.present(room)) as account:
        for name in NAMES:
            assert account.UpdateProfile(screen_name=name)["account"]["screen_name"] == name
            assert account.GetAccount()["account"]["screen_name"] == name


@case
def whole_numbers_are_exact_to_64_bits_and_no_further(room):
    with connect(states.present(room)) as account:
        refusal("TokenExpired", account.GetToken, 2**63 - 1)
        assert refusal("InvalidField", account.GetToken, -2**63)["field"] == "min_validity"
        for beyond in (2**63, -2**63 - 1, 10**30):
            said = refusal("InvalidParameter", ask, account, "GetToken", {"min_validity": beyond})
            assert said == {"parameter": "min_validity"}, said


@case
def a_parameter_of_another_type_is_named(room):
    daemon = states.present(room)
    for interface in (wire.INTERFACE, wire.KEYS):
        with connect(daemon, interface) as connection:
            for name, member in methods_of(connection):
                for field, kind in member.in_type.fields.items():
                    for what, value in wrong_values(kind):
                        parameters = {**ALL_OF[interface][name], field: value}
                        said = refusal("InvalidParameter", ask, connection, name, parameters)
                        assert said == {"parameter": field}, f"{name}, {field} is {what}: {said}"


@case
def a_parameter_that_is_missing_is_named_and_an_optional_one_may_be_null(room):
    daemon = states.lockable(room)
    for interface in (wire.INTERFACE, wire.KEYS):
        with connect(daemon, interface) as connection:
            for name, member in methods_of(connection):
                _leave_out_each_parameter(connection, name, member, ALL_OF[interface][name])


def _leave_out_each_parameter(connection, name, member, parameters):
    optional = [field for field, kind in member.in_type.fields.items()
                if isinstance(kind, scanner._Maybe)]
    for field in set(member.in_type.fields) - set(optional):
        for wrong in without(parameters, field):
            said = refusal("InvalidParameter", ask, connection, name, wrong)
            assert said == {"parameter": field}, f"{name} without {field}: {said}"
    # Login and UpdateProfile want at least one of theirs.
    given = {**dict.fromkeys(optional), **parameters}
    if name == "RemoveSlot":
        # The store has one slot more by now.
        given["id"] = connection.ListSlots()["slots"][-1]["id"]
    if name != "Logout":
        ask(connection, name, given)


@case
def a_parameter_that_is_not_declared_is_named(room):
    daemon = states.present(room)
    for interface in ALL_OF:
        with connect(daemon, interface) as connection:
            for name, _ in methods_of(connection):
                parameters = {**ALL_OF[interface].get(name, {}), "unknown": 1}
                if name == "GetInterfaceDescription":
                    parameters["interface"] = SERVICE
                said = refusal("InvalidParameter", ask, connection, name, parameters)
                assert said == {"parameter": "unknown"}, f"{name}: {said}"


@case
def an_upgrade_is_refused_by_every_method(room):
    daemon = states.present(room)
    for interface in (wire.KEYS, wire.INTERFACE):
        with connect(daemon, interface) as connection:
            for name, parameters in ALL_OF[interface].items():
                said = refusal("InvalidParameter", ask, connection, name, parameters, upgrade=True)
                assert said == {"parameter": "upgrade"}, f"{name}: {said}"
            # The connection is as before.
            assert ask(connection, next(iter(ALL_OF[interface])))


@case
def python_varlink_can_have_its_replies_as_objects(room):
    daemon = states.present(room)
    account = varlink.Client(address(daemon)).open(wire.INTERFACE, namespaced=True)
    with account:
        assert account.GetStatus().status.role == "owner"
        assert account.GetAccount().account.uid == UID
        try:
            account.Login(**wire.login_parameters(uid=states.OTHER_UID))
        except varlink.VarlinkError as refused:
            assert refused.parameters(namespaced=True).uid == UID
    keys = varlink.Client(address(daemon)).open(wire.KEYS, namespaced=True)
    with keys:
        assert keys.ListSlots().slots[0].kind == "keyfile"
        try:
            keys.RemoveSlot("0x")
        except varlink.VarlinkError as refused:
            assert refused.parameters(namespaced=True).id == ""


@case
def every_role_is_told_what_it_may_not_do(room):
    needs_root()
    daemon = room.daemon("--readers", str(users.READER), "--observers", str(users.OBSERVER))
    # Others reach the socket alone: the store below has a mode of its own.
    daemon.directory.chmod(0o755)
    daemon.login(uid=UID)
    for uid, may in ((users.READER, READER_MAY), (users.OBSERVER, OBSERVER_MAY)):
        take_over(users.as_user(uid, lambda may=may: _try_all(daemon, may)))
    for interface in ALL_OF:
        with connect(daemon, interface) as connection:
            known = connection._interface
            for name, _ in methods_of(connection):
                take_over(users.as_user(
                    users.STRANGER, lambda name=name: _try_as_stranger(daemon, known, name)))
    # Whoever may not call one of them does not hear what is wrong with the call either.
    assert len(states.slots(daemon)) == 1 and daemon.status()["state"] == "present"


def _try_all(daemon, may):
    for interface in (wire.INTERFACE, wire.KEYS):
        with connect(daemon, interface) as connection:
            for name, parameters in ALL_OF[interface].items():
                if name in may:
                    ask(connection, name, parameters)
                    continue
                for given in (parameters, {"unknown": 1}):
                    assert refusal("PermissionDenied", ask, connection, name, given) == {}
    return hand_over()


def _try_as_stranger(daemon, interface, name):
    # It has one call, and cannot ask for the description before.
    client = Client(address(daemon))
    client.add_interface(interface)
    with client.open(interface.name) as connection:
        parameters = ALL_OF[interface.name].get(name)
        assert refusal("PermissionDenied", ask, connection, name, parameters) == {}
    return hand_over()


def methods_of(connection):
    """The methods of a connection's interface."""
    return [(name, member) for name, member in connection._interface.members.items()
            if isinstance(member, scanner._Method)]


def wrong_values(declared):
    """Each kind of value that a type is not."""
    if isinstance(declared, scanner._Maybe):
        declared = declared.element_type
    right = {bool: "true", int: "a number", str: "a text", scanner._Enum: "a text"}[type(declared)]
    return [(what, value) for what, value in KINDS.items() if what != right]


def without(parameters, field):
    """The parameters with one of them left out, and with null for it."""
    left = {name: value for name, value in parameters.items() if name != field}
    return [left, {**left, field: None}]
