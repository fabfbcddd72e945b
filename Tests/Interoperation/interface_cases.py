"""The interface files: what python-varlink's parser makes of them, and org.varlink.service."""

import pathlib

import varlink
from varlink import scanner

import answers
import programs
import wire
from cases import case, needs_root
from declared_types import shapes
from python_client import SERVICE, Client, address, ask, connect, refusal

FILES = {name: programs.ROOT / f"Sources/AccountService/Interfaces/{name}.varlink"
         for name in (wire.INTERFACE, wire.KEYS)}


def described():
    """The interfaces as python-varlink reads their files."""
    return [scanner.Interface(file.read_text(encoding="utf-8")) for file in FILES.values()]


def members_of(interface, kind):
    """Its methods, its types or its errors."""
    return [each for each in interface.members.values() if isinstance(each, kind)]


@case
def python_varlink_takes_the_interface_files(_):
    methods = set()
    for interface, name in zip(described(), FILES, strict=True):
        assert interface.name == name
        methods |= {each.name for each in members_of(interface, scanner._Method)}
        undocumented = [each.name for each in interface.members.values() if not each.doc.strip()]
        assert not undocumented, f"without a comment: {undocumented}"
    expected = set(answers.ANSWERS) - {"GetInfo", "GetInterfaceDescription"}
    assert methods == expected, f"not in both: {methods ^ expected}"


@case
def the_interface_files_are_what_the_daemon_serves(room):
    daemon = room.daemon()
    client = Client(address(daemon))
    assert client.get_interfaces() == [SERVICE, *FILES]
    assert client.info["product"] == "accountd" and client.info["version"]
    for name, file in FILES.items():
        reply = daemon.ask(f"{SERVICE}.GetInterfaceDescription", interface=name)
        assert reply["parameters"]["description"].encode() == file.read_bytes(), name
        assert client.get_interface(name).get_description() == file.read_text(encoding="utf-8")


@case
def org_varlink_service_is_as_python_varlink_knows_it(room):
    ours = shapes(Client(address(room.daemon())).get_interface(SERVICE))
    file = pathlib.Path(varlink.__file__).parent / f"{SERVICE}.varlink"
    theirs = shapes(scanner.Interface(file.read_text(encoding="utf-8")))
    # Newer ones have more errors.
    differing = {name for name in theirs if ours.get(name) != theirs[name]}
    assert not differing, f"{differing}: {ours} against {theirs}"


@case
def what_is_not_served_is_named(room):
    daemon = room.daemon()
    for interface in FILES:
        with connect(daemon, interface) as connection:
            said = refusal("MethodNotFound", ask, connection, "Nothing")
            assert said == {"method": f"{interface}.Nothing"}, said
    # A method is its own interface's.
    assert wire.error(daemon.ask(f"{wire.KEYS}.GetToken")) == "MethodNotFound"
    assert wire.error(daemon.ask(f"{wire.INTERFACE}.Rotate")) == "MethodNotFound"
    with connect(daemon, SERVICE) as service:
        said = refusal("InterfaceNotFound", service.GetInterfaceDescription, "org.example.nothing")
        assert said == {"interface": "org.example.nothing"}, said
        assert refusal("InvalidParameter", ask, service, "GetInterfaceDescription")
    try:
        Client(address(daemon)).open("org.example.nothing")
        raise AssertionError("an interface that is not served was opened")
    except varlink.InterfaceNotFound as refused:
        assert refused.parameters() == {"interface": "org.example.nothing"}


@case
def a_connection_serves_every_interface(room):
    daemon = room.daemon()
    client = Client(address(daemon))
    connection = client.open_connection()
    account = client.open(wire.INTERFACE, connection=connection)
    keys = client.open(wire.KEYS, connection=connection)
    service = client.open(SERVICE, connection=connection)
    with account:
        for _ in range(3):
            assert service.GetInfo()["interfaces"] == [SERVICE, *FILES]
            assert keys.ListSlots() == {"slots": [], "retired": []}
            assert account.GetStatus()["status"]["connections"] == 1


def every_answer_was_given_and_every_field_seen(_):
    """To be run after all other cases of python-varlink's."""
    needs_root()
    missing = (answers.missing_answers(answers.ANSWERS)
               + answers.unexpected_answers(answers.ANSWERS))
    declared = set()
    for interface in described():
        errors = members_of(interface, scanner._Error)
        fields = [(f"{each.name}()", each.out_type)
                  for each in members_of(interface, scanner._Method)]
        fields += [(f"{interface.name}.{each.name}", each.type) for each in errors]
        missing += answers.unseen_fields(interface, fields)
        declared |= {each.name for each in errors}
    assert not missing, "; ".join(missing)
    given = {error for errors in answers.ANSWERS.values() for error in errors}
    assert declared <= given, f"no method gives {declared - given}"
