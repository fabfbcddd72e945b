"""python-varlink's client, with each reply held against the interface file that is served."""

import json

import varlink
from varlink import scanner

import declared_types
import wire

SERVICE = "org.varlink.service"
SECONDS = 20


class Handler(varlink.SimpleClientInterfaceHandler):
    """Checks every message that comes before python-varlink makes something of it."""

    seen = declared_types.Seen()
    called = None

    def _call(self, method_name, *arguments, **named):
        self.called = method_name
        return super()._call(method_name, *arguments, **named)

    def _call_more(self, method_name, *arguments, **named):
        self.called = method_name
        return super()._call_more(method_name, *arguments, **named)

    def _next_message(self):
        for text in super()._next_message():
            check_reply(json.loads(text, object_pairs_hook=_without_repetition), self._interface,
                        self.called, self.seen)
            yield text


class Client(varlink.Client):
    """Waits for no reply for ever."""

    handler = Handler

    def open_connection(self):
        connection = super().open_connection()
        connection.settimeout(SECONDS)
        return connection


def check_reply(reply, interface, method, seen):
    """Holds one reply against the interface that the method is of."""
    assert set(reply) <= {"parameters", "error", "continues"}, f"{method} gave {sorted(reply)}"
    parameters = reply.get("parameters", {})
    error = reply.get("error")
    if error is None:
        declared = interface.get_method(method).out_type
        declared_types.check(parameters, declared, interface, f"{method}()", seen)
    else:
        namespace, _, name = error.rpartition(".")
        if not _described:
            # The very call that asks for the description: python-varlink says what it was.
            return
        known = {interface.name, SERVICE}
        # Those of org.accountd.Account are given by org.accountd.Keys too.
        known |= {wire.INTERFACE} if interface.name == wire.KEYS else set()
        assert namespace in known, f"{method} gave an error of {namespace}"
        owner = _described[namespace]
        member = owner.members.get(name)
        assert isinstance(member, scanner._Error), f"{error} is not declared"
        declared_types.check(parameters, member.type, owner, error, seen)
    seen.answers.add((method, error and error.rpartition(".")[2]))


# The interfaces as the daemon describes them; its org.varlink.service has errors that
# python-varlink's own file lacks. `connect` asks for them.
_described = {}


def address(daemon):
    """Where python-varlink finds the daemon."""
    return f"unix:{daemon.socket}"


def connect(daemon, interface=wire.INTERFACE):
    """A connection with the interface's methods, for a `with` statement."""
    client = Client(address(daemon))
    for name in () if _described else client.get_interfaces():
        _described[name] = client.get_interface(name)
    return client.open(interface)


def refusal(error, method, *arguments, **named):
    """Calls, and holds the error's name. Gives back the error's parameters."""
    try:
        answer = method(*arguments, **named)
    except varlink.VarlinkError as refused:
        assert refused.error().endswith("." + error), f"{refused.error()}, not {error}"
        return refused.parameters()
    raise AssertionError(f"{answer!r}, not {error}")


def send(connection, method, parameters=None, **members):
    """One call as it is, unlike python-varlink's own, which leaves out what is not declared."""
    interface = connection._interface.name
    call = {"method": f"{interface}.{method}", **members}
    if parameters is not None:
        call["parameters"] = parameters
    connection._send_message(json.dumps(call).encode())


def receive(connection, method):
    """The parameters of the next reply, which must be the only one to its call."""
    connection.called = method
    parameters, continues = connection._next_varlink_message()
    assert not continues, f"{method}: another reply is to follow"
    return parameters


def ask(connection, method, parameters=None, **members):
    """Sends one call as it is, and gives back its one reply's parameters."""
    send(connection, method, parameters, **members)
    return receive(connection, method)


def _without_repetition(members):
    names = [name for name, _ in members]
    assert len(set(names)) == len(names), f"a name twice: {names}"
    return dict(members)
