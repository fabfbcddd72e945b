"""The Varlink code of accountd under org.varlink.certification, as service and as client."""

import contextlib
import io
import os
import pathlib
import subprocess
import sys
import time
import unittest

from varlink import scanner
from varlink.tests import test_certification

import programs
import wire
from alterations import alterations
from altering_proxy import AlteringProxy
from cases import case
from declared_types import shapes

SECONDS = 20
INTERFACE = "org.varlink.certification"
STEPS = ["Start", *(f"Test{number:02}" for number in range(1, 12)), "End"]
MODES = {"Test10": {"more": True}, "Test11": {"oneway": True}}
REPLIES = 10
# What reaches a client: GetInfo's answer, one for each step, more for one, none for another.
MESSAGES = 1 + len(STEPS) - 1 + REPLIES - 1


def program():
    """The service and the client under test."""
    place = os.environ.get("CERTIFICATION_BIN") or programs.ROOT / ".build" / "debug"
    path = pathlib.Path(place).absolute() / "certification"
    if not path.is_file():
        sys.exit(f"{path} is missing: swift build --product certification")
    return path


def our_service(room):
    """The path of a socket on which it serves."""
    path = room.path / "certification"
    service = subprocess.Popen([program(), "serve", path], stdout=subprocess.PIPE, text=True)
    room.callback(service.stdout.close)
    room.callback(programs.end, service)
    assert service.stdout.readline() == "ready\n"
    return path


def our_client(path):
    """Certifies the service there: the exit status, and what it said."""
    done = subprocess.run([program(), "call", path], capture_output=True, text=True,
                          timeout=SECONDS)
    return done.returncode, done.stdout + done.stderr


@case
def python_varlink_certifies_our_service(room):
    done = subprocess.run(
        [sys.executable, "-m", "varlink.tests.test_certification", "--client",
         f"--varlink=unix:{our_service(room)}"], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0 and "Certification passed" in done.stdout, done.stderr


@case
def our_service_passes_the_unit_tests_of_python_varlinks(room):
    class Ours(test_certification.TestService):
        address = f"unix:{our_service(room)}"

        @classmethod
        def setUpClass(cls):
            """It serves already."""

        @classmethod
        def tearDownClass(cls):
            """The room ends it."""

    tests = unittest.defaultTestLoader.loadTestsFromTestCase(Ours)
    said = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()):
        result = unittest.TextTestRunner(stream=said).run(tests)
    assert result.wasSuccessful() and result.testsRun >= 2, said.getvalue()


@case
def our_client_certifies_python_varlinks_service(room):
    path = room.path / "theirs"
    service = subprocess.Popen(
        [sys.executable, "-m", "varlink.tests.test_certification", f"--varlink=unix:{path}"],
        stdout=subprocess.DEVNULL)
    room.callback(programs.end, service)
    end = time.monotonic() + SECONDS
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    for _ in range(3):
        status, said = our_client(path)
        assert (status, said) == (0, "passed\n"), said


@case
def our_description_says_the_same_as_python_varlinks(_):
    ours = subprocess.run([program(), "description"], capture_output=True, text=True, check=True)
    folder = pathlib.Path(test_certification.__file__).parent
    theirs = (folder / f"{INTERFACE}.varlink").read_text(encoding="utf-8")
    assert shapes(scanner.Interface(ours.stdout)) == shapes(scanner.Interface(theirs))


class Chain:
    """The calls one after the other, each with what the one before has given."""

    def __init__(self, path, until):
        self.peer = wire.connect(path, SECONDS)
        self.id = self.ask("Start", {})["parameters"]["client_id"]
        self.given = {}
        for step in STEPS[1:STEPS.index(until)]:
            self.make(step)

    def parameters(self):
        """Of the call that is due."""
        return {"client_id": self.id, **self.given}

    def send(self, step, parameters, **mode):
        """One call. What was sent, as an error must give it back."""
        message = wire.message(f"{INTERFACE}.{step}", parameters, **mode)
        self.peer.sendall(message)

    def ask(self, step, parameters, **mode):
        """One call and its one reply, whatever it is."""
        self.send(step, parameters, **mode)
        return wire.replies(self.peer, 1)[0]

    def make(self, step):
        """The call as it must be, with what it gives."""
        self.send(step, self.parameters(), **MODES.get(step, {}))
        replies = wire.replies(self.peer, {"Test10": REPLIES, "Test11": 0}.get(step, 1))
        if step == "Test10":
            assert [reply.get("continues", False) for reply in replies] == [True] * 9 + [False]
            self.given = {"last_more_replies": [each["parameters"]["string"] for each in replies]}
        else:
            self.given = replies[0]["parameters"] if replies else {}

    def must_be_over(self, step):
        """After a wrong call the chain is forgotten, and the connection is as it was."""
        reply = self.ask(step, self.parameters())
        assert reply == {"error": f"{INTERFACE}.ClientIdError", "parameters": {}}, reply
        self.peer.close()


@case
def our_service_refuses_every_value_that_is_not_the_one_that_is_due(room):
    path = our_service(room)
    tried = 0
    for step in STEPS[1:]:
        right = Chain(path, step).parameters()
        del right["client_id"]
        wrong = list(alterations(right, step)) if right else []
        for where, altered in [*wrong, (f"{step}.other is there", {**right, "other": 1})]:
            if altered is None or not isinstance(altered, dict):
                continue
            chain = Chain(path, step)
            sent = {"client_id": chain.id, **altered}
            if step == "Test11":
                chain.send(step, sent, **MODES[step])
            else:
                must_be_refused(chain.ask(step, sent, **MODES.get(step, {})), step, sent,
                                chain.parameters(), where)
            chain.must_be_over(step)
            tried += 1
    assert tried > 100, tried


def must_be_refused(reply, step, sent, due, where, came=None, mode=None):
    """By a CertificationError that says which call was due and which one came."""
    assert reply.get("error") == f"{INTERFACE}.CertificationError", f"{where}: {reply}"
    mode = MODES.get(step, {}) if mode is None else mode
    got = {"method": f"{INTERFACE}.{came or step}", "parameters": sent, **mode}
    assert reply["parameters"]["got"] == got, f"{where}: {reply}"
    wants = reply["parameters"]["wants"]
    assert wants["method"] == f"{INTERFACE}.{step}", f"{where}: {reply}"
    assert wants["parameters"] == due, f"{where}: {reply}"


@case
def our_service_refuses_a_call_out_of_turn_and_in_another_mode(room):
    path = our_service(room)
    for step in STEPS[1:]:
        for other in STEPS[1:]:
            chain = Chain(path, step)
            due = chain.parameters()
            if other != step:
                reply = chain.ask(other, due)
                must_be_refused(reply, step, due, due, f"{other} for {step}", came=other, mode={})
            else:
                mode = {"more": True} if step != "Test10" else {}
                must_be_refused(chain.ask(step, due, **mode), step, due, due, "mode", mode=mode)
            chain.must_be_over(step)
    chain = Chain(path, "Test01")
    assert chain.ask("Test01", {"client_id": "x"})["error"] == f"{INTERFACE}.ClientIdError"
    assert chain.ask("Test01", {})["error"] == f"{INTERFACE}.ClientIdError"
    upgrade = chain.ask("Test01", chain.parameters(), upgrade=True)
    assert upgrade == {"error": "org.varlink.service.InvalidParameter",
                       "parameters": {"parameter": "upgrade"}}, upgrade
    assert chain.ask("Test01", chain.parameters()) == {"parameters": {"bool": True}}


@case
def our_client_notices_every_reply_that_is_not_as_it_must_be(room):
    service = our_service(room)
    proxy = AlteringProxy(service, room.path / "proxy")
    room.callback(proxy.close)
    status, said = our_client(proxy.path)
    assert (status, said) == (0, "passed\n"), said
    assert len(proxy.passed) == MESSAGES, len(proxy.passed)
    # The first two give what is new each time, but must have its shape.
    shaped = [(0, {"parameters": {"interfaces": ["org.varlink.service"]}}),
              (1, {"parameters": {"client_id": 1}}), (1, {"parameters": {}})]
    altered = list(shaped)
    for place, reply in enumerate(proxy.passed):
        altered += [(place, {"error": f"{INTERFACE}.CertificationError", "parameters": {}}),
                    (place, {**reply, "continues": not reply.get("continues", False)}),
                    (place, [reply]), (place, None)]
        if place >= 2:
            altered += [(place, {**reply, "parameters": value}) for _, value in
                        alterations(reply["parameters"]) if value is not None and value != "x"]
    for place, reply in altered:
        proxy.alter(place, reply)
        status, said = our_client(proxy.path)
        assert status == 1, f"message {place} as {reply}: {said}"
        assert said.startswith("certification: "), said
    assert len(altered) > 150, len(altered)
