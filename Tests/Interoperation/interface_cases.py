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

FILE = programs.ROOT / "Sources/AccountService/Interfaces/org.accountd.Account.varlink"


@case
def python_varlink_takes_the_interface_file(_):
    interface = scanner.Interface(FILE.read_text(encoding="utf-8"))
    assert interface.name == wire.INTERFACE
    members = interface.members.values()
    methods = {each.name for each in members if isinstance(each, scanner._Method)}
    expected = set(answers.ANSWERS) - {"GetInfo", "GetInterfaceDescription"}
    assert methods == expected, f"not in both: {methods ^ expected}"
    undocumented = [each.name for each in members if not each.doc.strip()]
    assert not undocumented, f"without a comment: {undocumented}"


@case
def the_interface_file_is_what_the_daemon_serves(room):
    client = Client(address(room.daemon()))
    assert client.get_interfaces() == [SERVICE, wire.INTERFACE]
    assert client.info["product"] == "accountd" and client.info["version"]
    served = client.get_interface(wire.INTERFACE)
    assert served.get_description() == FILE.read_text(encoding="utf-8")


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
    with connect(daemon) as account:
        said = refusal("MethodNotFound", ask, account, "Nothing")
        assert said == {"method": f"{wire.INTERFACE}.Nothing"}, said
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
def a_connection_serves_both_interfaces(room):
    daemon = room.daemon()
    client = Client(address(daemon))
    connection = client.open_connection()
    account = client.open(wire.INTERFACE, connection=connection)
    service = client.open(SERVICE, connection=connection)
    with account:
        for _ in range(3):
            assert service.GetInfo()["interfaces"] == [SERVICE, wire.INTERFACE]
            assert account.GetStatus()["status"]["connections"] == 1


def every_answer_was_given_and_every_field_seen(_):
    """To be run after all other cases of python-varlink's."""
    needs_root()
    interface = scanner.Interface(FILE.read_text(encoding="utf-8"))
    members = interface.members.values()
    fields = [(f"{each.name}()", each.out_type) for each in members
              if isinstance(each, scanner._Method)]
    fields += [(f"{interface.name}.{each.name}", each.type) for each in members
               if isinstance(each, scanner._Error)]
    missing = (answers.missing_answers(answers.ANSWERS)
               + answers.unexpected_answers(answers.ANSWERS)
               + answers.unseen_fields(interface, fields))
    assert not missing, "; ".join(missing)
    declared = {each.name for each in members if isinstance(each, scanner._Error)}
    given = {error for errors in answers.ANSWERS.values() for error in errors}
    assert declared <= given, f"no method gives {declared - given}"
