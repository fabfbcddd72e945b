#!/usr/bin/env python3
"""Tests how account asks for passphrases: real pinentries and bare terminals, and whatever goes wrong.

    Tests/CommandLine/prompts.py [WORD ...]

Each case has a home with an account behind a passphrase that was made up for it, and types into
pseudo-terminals. WORDs choose cases by their names. ACCOUNTD_BIN names another directory of
programs. Where pinentry-tty or pinentry-curses is missing their cases are skipped.
"""
import contextlib
import json
import os
import pathlib
import re
import secrets
import select
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))

import cases
import programs
import terminal
from cases import case
from client import Home, response

FAKE = programs.ROOT / "Tests/Harness/fake_pinentry"
SECONDS = 30
# What stands before the field: of account itself, and of the programs that it runs.
ASKED = "(it is not shown): "
TTY, CURSES = "pinentry-tty", "pinentry-curses"


class Person(terminal.Terminal):
    """Somebody at a terminal, where a command runs in the foreground."""

    def __init__(self, home, *words, out=None, environment=None, program=None):
        self.shown = b""
        variables = {**home.environment, "TERM": "xterm", "LC_ALL": "C.UTF-8",
                     **(environment or {})}
        super().__init__([program or str(home.programs / "account"), *words], variables, "/")
        home.room.callback(self.hang_up)

    def hang_up(self):
        with contextlib.suppress(OSError):
            self.end()

    def read_some(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            new = os.read(self.master, 65536)
        except OSError:
            return False
        self.shown += new
        return bool(new)

    def text(self):
        text = terminal.ESCAPES.sub("", self.shown.decode(errors="replace"))
        return text.replace("\r\n", "\n")

    def wait_for(self, *markers):
        """Waits until all of this is shown, since the last such wait."""
        end = time.monotonic() + SECONDS
        while not all(marker in self.text() for marker in markers):
            left = end - time.monotonic()
            if left <= 0 or not self.read_some(left):
                raise AssertionError(f"{markers} was not shown, but: {self.text()!r}")
        seen, self.shown = self.text(), b""
        return seen

    def asked(self, *markers):
        """Waits for a question, and until the program has come to listen."""
        seen = self.wait_for(*(markers or (ASKED,)))
        end = time.monotonic() + SECONDS
        while self.echoes() and time.monotonic() < end:
            time.sleep(0.01)
        assert not self.echoes(), "the terminal shows what is typed"
        time.sleep(0.15)
        return seen

    def type(self, text):
        self.send(text + "\r")

    def echoes(self):
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def ends(self, status, *markers):
        """Waits for the end of the command; all that it has shown since the last wait."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None and time.monotonic() < end:
            self.read_some(0.05)
        while self.read_some(0.05):
            pass
        text = self.text()
        found = self.process.poll()
        assert found == status, f"exit {found}, not {status}: {text!r}"
        for marker in markers:
            assert marker in text, f"{marker!r} was not shown, but: {text!r}"
        assert self.echoes(), "the terminal is left without echo"
        return text


class Owner(Home):
    """A home with an account behind a passphrase, and the ways to be asked for it."""

    def __init__(self, room, pinentry=None, logs_in=True):
        super().__init__(room)
        self.passphrase = "Made up " + secrets.token_hex(8)
        self.pids, self.log = self.path / "pids", self.path / "log"
        self.environment["ACCOUNT_PINENTRY"] = pinentry or "/nonexistent/pinentry"
        if logs_in:
            self.token = self.login()
            self.account("key", "add", "passphrase", "--passphrase-fd", "0",
                         input=self.passphrase).must_be(0)
            self.lock()

    def lock(self):
        self.account("lock").must_be(0)

    def state_of_store(self):
        out = self.account("status", "--json").must_be(0).out
        return re.search('"state":"([a-z]*)"', out)[1]

    def must_be(self, state):
        found = self.state_of_store()
        assert found == state, f"{found}, not {state}"

    def person(self, *words, **others):
        return Person(self, *words, **others)

    def fake(self, **variables):
        """The fake in the place of the pinentry, with a display to show itself on."""
        return {"ACCOUNT_PINENTRY": str(FAKE), "DISPLAY": ":97", "FAKE_PID": str(self.pids),
                "FAKE_LOG": str(self.log),
                **{f"FAKE_{name}": value for name, value in variables.items()}}

    def started(self):
        """How many times the fake was started."""
        return len(self.pids.read_text().split()) if self.pids.exists() else 0

    def right(self):
        return f"echo 'D {self.passphrase}'; echo OK"

    def no_pinentry_left(self):
        for pid in self.pids.read_text().split() if self.pids.exists() else []:
            assert not os.path.exists(f"/proc/{pid}"), f"pinentry {pid} still runs"


def needs(pinentry):
    cases.needs_program(pinentry)
    return subprocess.run(["which", pinentry], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def pinentry_of(person):
    """The pinentry that a person's command has started: other cases have theirs."""
    return programs.only_child(person.process.pid)


def must_stand_nowhere(secret):
    """No process has it among its words or in its environment."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                data = (entry / name).read_bytes()
            except OSError:
                continue
            assert secret.encode() not in data, f"{entry / name} has the passphrase"


# MARK: Real pinentries

def opens(room, pinentry, marker):
    owner = Owner(room, needs(pinentry))
    person = owner.person("unlock")
    person.asked(marker)
    must_stand_nowhere(owner.passphrase)
    person.type(owner.passphrase)
    shown = person.ends(0, "Unlocked.")
    assert owner.passphrase not in shown
    owner.must_be("present")


@case
def pinentry_tty_asks_and_the_store_opens(room):
    opens(room, TTY, "Passphrase:")


@case
def pinentry_curses_asks_and_the_store_opens(room):
    opens(room, CURSES, "Passphrase:")


@case
def a_command_that_needs_the_store_asks_and_then_answers(room):
    owner = Owner(room, needs(TTY))
    for words in (["token"], ["check", "--quiet"], ["header"], ["show"], ["expires"],
                  ["key", "rotate"], ["logout", "--if-uid", "1"]):
        owner.lock()
        person = owner.person(*words)
        person.asked("Passphrase:")
        person.type(owner.passphrase)
        shown = person.ends(8 if words[0] == "logout" else 0)
        assert words != ["token"] or shown.strip().endswith(owner.token)
    owner.must_be("present")


@case
def a_login_asks_when_the_store_is_locked(room):
    owner = Owner(room, needs(TTY))
    file = owner.path / "response.json"
    file.write_text(response())
    person = owner.person("login", "--from", str(file))
    person.asked("Passphrase:")
    person.type(owner.passphrase)
    person.ends(0, "Logged in")


@case
def whoever_replaces_is_asked_before_a_locked_store_is_given_up(room):
    owner = Owner(room)
    other = owner.path / "other.json"
    other.write_text(json.dumps({"accessToken": "2.00MadeUp", "uid": "9900001002",
                                 "expirationDate": "2099-01-01T00:00:00Z"}))
    answer = owner.path / "response.json"
    answer.write_text(response())
    slots = owner.account("key", "list").must_be(0).out
    for words in (["import", str(other)], ["login", "--from", str(answer)]):
        owner.lock()
        person = owner.person(*words, "--replace")
        person.asked()
        person.send("\x04")
        person.ends(4, "cancelled", "--no-input with --replace")
        owner.must_be("locked")
        person = owner.person(*words, "--replace")
        person.asked()
        person.type(owner.passphrase)
        person.ends(0, "the token expires on")
        assert owner.account("key", "list").must_be(0).out == slots
    # Whoever has lost it asks not to be asked.
    owner.lock()
    owner.account("import", str(other), "--replace", "--no-input").must_be(0)
    assert "passphrase" not in owner.account("key", "list").must_be(0).out


@case
def nothing_but_the_token_is_on_stdout(room):
    owner = Owner(room, needs(TTY))
    person = owner.person("-c", 'account token >"$HOME/token"', program="/bin/sh")
    person.asked("Passphrase:")
    person.type(owner.passphrase)
    person.ends(0)
    assert (owner.path / "token").read_text() == owner.token + "\n"


@case
def a_cancelled_dialog_is_exit_4(room):
    owner = Owner(room, needs(CURSES))
    person = owner.person("unlock")
    person.asked("Passphrase:")
    # From the field to <OK>, then to <Cancel>.
    person.send("\t")
    time.sleep(0.1)
    person.send("\t")
    time.sleep(0.1)
    person.send("\r")
    person.ends(4, "account: cancelled: no passphrase was given")
    owner.must_be("locked")


def times_out(room, pinentry):
    owner = Owner(room, needs(pinentry))
    start = time.monotonic()
    person = owner.person("unlock", "--timeout", "2")
    person.asked("Passphrase:")
    person.ends(4, "no passphrase was given in time")
    assert time.monotonic() - start < 15
    owner.must_be("locked")


@case
def pinentry_tty_gives_up_in_time(room):
    times_out(room, TTY)


@case
def pinentry_curses_gives_up_in_time(room):
    times_out(room, CURSES)


def wrong_then_right(room, pinentry):
    owner = Owner(room, needs(pinentry))
    person = owner.person("unlock")
    person.asked("Passphrase:")
    person.type("wrong")
    person.asked("Wrong. Try again.", "Passphrase:")
    person.type(owner.passphrase)
    person.ends(0, "Unlocked.")


@case
def pinentry_tty_asks_again_after_a_wrong_passphrase(room):
    wrong_then_right(room, TTY)


@case
def pinentry_curses_asks_again_after_a_wrong_passphrase(room):
    wrong_then_right(room, CURSES)


@case
def three_wrong_passphrases_are_exit_6(room):
    owner = Owner(room, needs(TTY))
    person = owner.person("unlock")
    for _ in range(3):
        person.asked("Passphrase:")
        person.type("wrong")
    person.ends(6, "account: the passphrase is wrong")
    owner.must_be("locked")


@case
def pinentry_tty_has_a_new_passphrase_typed_twice(room):
    owner = Owner(room, needs(TTY), logs_in=False)
    owner.login()
    person = owner.person("key", "add", "passphrase")
    person.asked("Passphrase:")
    person.type("one and")
    person.asked("Once more:")
    person.type("another")
    person.asked("not the same", "Passphrase:")
    person.type(owner.passphrase)
    person.asked("Once more:")
    person.type(owner.passphrase)
    person.ends(0, "Added the passphrase slot", "Removed the keyfile slot")
    owner.lock()
    owner.account("unlock", "--passphrase-fd", "0", input=owner.passphrase).must_be(0)


def interrupted(room, pinentry, number, key=None):
    """Ends account while a dialog stands there: by a key of the terminal, or from elsewhere."""
    owner = Owner(room, needs(pinentry))
    person = owner.person("unlock")
    person.asked("Passphrase:")
    pid = pinentry_of(person)
    if key:
        person.send(key)
    else:
        person.process.send_signal(number)
    person.ends(-number)
    assert not os.path.exists(f"/proc/{pid}"), "the pinentry still runs"
    owner.must_be("locked")


@case
def the_interrupt_key_ends_pinentry_tty_and_account(room):
    interrupted(room, TTY, signal.SIGINT, "\x03")


@case
def a_signal_to_account_ends_pinentry_tty_first(room):
    interrupted(room, TTY, signal.SIGTERM)


@case
def a_signal_to_account_ends_pinentry_curses_first(room):
    interrupted(room, CURSES, signal.SIGTERM)


@case
def a_pinentry_that_is_killed_leaves_the_terminal_as_it_was(room):
    person = Owner(room, needs(TTY)).person("unlock")
    person.asked("Passphrase:")
    os.kill(pinentry_of(person), signal.SIGKILL)
    person.ends(4, "account: pinentry ended without an answer")


def stopped(room, pinentry, asked):
    owner = Owner(room, pinentry)
    person = owner.person("--norc", "--noprofile", "-i", program="/bin/bash",
                          environment={"PS1": "ready> "})
    person.wait_for("ready> ")
    person.type("account unlock")
    person.asked(asked)
    person.send("\x1a")
    person.wait_for("Stopped", "ready> ")
    person.type("fg")
    person.asked(asked)
    person.type(owner.passphrase)
    person.wait_for("Unlocked.", "ready> ")
    owner.must_be("present")


@case
def pinentry_tty_asks_anew_after_a_stop(room):
    stopped(room, needs(TTY), "Passphrase:")


@case
def the_terminal_asks_anew_after_a_stop(room):
    stopped(room, None, ASKED)


# MARK: The terminal alone

@case
def without_a_pinentry_the_terminal_asks_and_shows_nothing(room):
    owner = Owner(room)
    person = owner.person("unlock")
    seen = person.asked()
    assert "The account is locked." in seen
    must_stand_nowhere(owner.passphrase)
    person.type("wrong")
    seen = person.asked()
    assert "Wrong. Try again." in seen and "wrong" not in seen
    person.type("")
    assert "Nothing was typed." in person.asked()
    person.type(owner.passphrase)
    assert owner.passphrase not in person.ends(0, "Unlocked.")


@case
def the_end_of_the_input_cancels(room):
    person = Owner(room).person("unlock")
    person.asked()
    person.send("\x04")
    person.ends(4, "account: cancelled: no passphrase was given")


@case
def the_interrupt_key_ends_account(room):
    person = Owner(room).person("unlock")
    person.asked()
    person.send("\x03")
    person.ends(-signal.SIGINT)


@case
def the_terminal_gives_up_in_time(room):
    person = Owner(room).person("unlock", "--timeout", "1")
    person.asked()
    person.ends(4, "no passphrase was given in time")


@case
def a_new_passphrase_is_typed_twice_on_the_terminal(room):
    owner = Owner(room, logs_in=False)
    owner.login()
    person = owner.person("key", "add", "passphrase")
    person.asked()
    for first, second in (("one", "other"), (owner.passphrase, owner.passphrase)):
        person.type(first)
        person.asked("Once more: ")
        person.type(second)
        if first != second:
            assert "not the same" in person.asked()
    person.ends(0, "Added the passphrase slot")
    owner.lock()
    owner.account("unlock", "--passphrase-fd", "0", input=owner.passphrase).must_be(0)


@case
def two_that_differ_three_times_change_nothing(room):
    owner = Owner(room, logs_in=False)
    owner.login()
    person = owner.person("key", "add", "passphrase")
    for _ in range(3):
        person.asked()
        person.type("one")
        person.asked("Once more: ")
        person.type("other")
    person.ends(4, "nothing was changed")
    assert "passphrase" not in owner.account("key", "list").out


@case
def a_passphrase_too_long_is_exit_8(room):
    person = Owner(room).person("unlock")
    person.asked()
    person.type("q" * 1100)
    shown = person.ends(8, "longer than 1024 bytes")
    assert "qqq" not in shown


@case
def a_job_in_the_background_is_not_stopped_but_exits_with_4(room):
    owner = Owner(room)
    script = 'set -m; account token & wait $!; echo "it was $?"'
    person = owner.person("-c", script, program="/bin/bash")
    shown = person.ends(0, "it was 4", "a job in the background cannot ask for it")
    assert ASKED not in shown


@case
def no_input_asks_nobody(room):
    owner = Owner(room, needs(TTY))
    person = owner.person("unlock", "--no-input")
    person.ends(4, "--no-input forbids to ask for it")
    owner.account("token").must_be(4, "")


# MARK: The first login, and recovery codes

def first_login(room, passphrase):
    owner = Owner(room, logs_in=False)
    person = owner.person("login")
    person.asked("(it is not shown): ")
    person.type(response())
    seen = person.asked("Passphrase (it is not shown): ")
    assert "stolen disk" in seen and "key file" in seen
    person.type(passphrase)
    return owner, person


@case
def the_first_login_offers_a_passphrase_and_makes_no_key_file_with_it(room):
    owner, person = first_login(room, "made up")
    person.asked("Once more: ")
    person.type("made up")
    person.ends(0, "Logged in as")
    assert not owner.key.exists()
    assert '"protection":["passphrase"]' in owner.account("status", "--json").out
    owner.lock()
    owner.account("unlock", "--passphrase-fd", "0", input="made up").must_be(0)
    # The second one is not asked.
    person = owner.person("login")
    person.asked("(it is not shown): ")
    person.type(response())
    person.ends(0, "Logged in as")


@case
def the_first_login_takes_a_key_file_where_nothing_is_typed(room):
    owner, person = first_login(room, "")
    person.ends(0, "Logged in as")
    assert owner.key.exists()
    assert '"protection":["keyfile"]' in owner.account("status", "--json").out


@case
def a_first_login_that_is_cancelled_stores_nothing(room):
    owner = Owner(room, logs_in=False)
    person = owner.person("login")
    person.asked("(it is not shown): ")
    person.type(response())
    person.asked("Passphrase (it is not shown): ")
    person.send("\x04")
    person.ends(4, "cancelled")
    assert not owner.key.exists()
    owner.must_be("empty")


@case
def a_response_from_a_pipe_or_no_input_asks_nothing(room):
    owner = Owner(room, logs_in=False)
    file = owner.path / "response.json"
    file.write_text(response())
    owner.person("login", "--from", str(file)).ends(0, "Logged in as")
    assert owner.key.exists()


@case
def a_recovery_code_is_shown_once_and_typed_back(room):
    owner = Owner(room)
    owner.account("unlock", "--passphrase-fd", "0", input=owner.passphrase).must_be(0)
    person = owner.person("key", "recovery")
    seen = person.wait_for("Type it back: ")
    code = re.search(r"(?:[0-9A-Z]{4}-){8}[0-9A-Z]{4}", seen)[0]
    person.type(("0" if code[0] != "0" else "1") + code[1:])
    person.wait_for("That is not the code.", "Type it back: ")
    person.type(code.lower().replace("-", " "))
    person.ends(0, "Added the recovery slot")
    owner.lock()
    person = owner.person("unlock", "--recovery-code")
    person.asked()
    person.type(code[:-1] + ("0" if code[-1] != "0" else "1"))
    assert "mistyped" in person.asked()
    person.type(code)
    person.ends(0, "Unlocked.")


@case
def a_code_that_is_not_typed_back_adds_nothing(room):
    owner = Owner(room)
    owner.account("unlock", "--passphrase-fd", "0", input=owner.passphrase).must_be(0)
    person = owner.person("key", "add", "recovery")
    for _ in range(3):
        person.wait_for("Type it back: ")
        person.type("what code?")
    person.ends(8, "nothing was changed")
    assert "recovery" not in owner.account("key", "list").out


# MARK: Pinentries that fail

@case
def fifty_commands_that_find_the_store_locked_ask_once(room):
    owner = Owner(room)
    environment = owner.fake(GETPIN=f"sleep 1; {owner.right()}")
    processes = [owner.start("token", environment=environment) for _ in range(50)]
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert out.decode() == owner.token + "\n"
    assert owner.started() == 1, f"{owner.started()} dialogs"
    owner.no_pinentry_left()


@case
def who_waits_for_another_s_dialog_waits_no_longer_than_it_may(room):
    owner = Owner(room)
    slow = owner.start("token", environment=owner.fake(GETPIN="exec sleep 100"))
    while not owner.started():
        time.sleep(0.01)
    start = time.monotonic()
    run = owner.account("token", "--timeout", "1", environment=owner.fake())
    run.must_be(4, "")
    assert "another command has been asking" in run.err
    assert time.monotonic() - start < 10
    assert owner.started() == 1
    slow.terminate()
    assert slow.wait(20) == -signal.SIGTERM
    owner.no_pinentry_left()


@case
def a_dialog_is_told_what_it_is_for_and_gets_a_key_of_this_store(room):
    owner = Owner(room)
    owner.account("unlock", environment=owner.fake(GETPIN=owner.right())).must_be(0, "Unlocked.\n")
    log = owner.log.read_text()
    assert f"SETKEYINFO u/accountd:{owner.socket}\n" in log, log
    assert "OPTION display=:97\n" in log and "SETDESC The account is locked.\n" in log, log
    assert "ttyname" not in log and owner.passphrase not in log


FAILURES = {
    "dies": ("START", "exit 1", "ended without an answer"),
    "is killed": ("START", "kill -9 $$", "ended without an answer"),
    "dies in the middle": ("GETPIN", "kill -9 $$", "ended without an answer"),
    "says half and dies": ("GETPIN", "printf 'D half'; exit", "ended without an answer"),
    "talks garbage": ("START", "head -c 1000000 /dev/urandom", "not the Assuan protocol"),
    "talks garbage in the middle": ("GETPIN", "head -c 1000000 /dev/zero", "not the Assuan protocol"),
    "has no screen": ("GETPIN", "echo ERR 83918950 no screen", "refused with error 32870: no screen"),
    "closes its pipe and lives on": ("GETPIN", "exec >&- sleep 100", "ended without an answer"),
    "hangs": ("START", "exec sleep 100", "did not answer in time"),
    "hangs in the middle": ("GETPIN", "exec sleep 100", "in time"),
    "ignores every signal": ("GETPIN", "trap '' TERM INT HUP; exec sleep 100", "in time"),
}


def failing(name, place, script, reason):
    def function(room):
        owner = Owner(room)
        start = time.monotonic()
        run = owner.account("unlock", "--timeout", "2", environment=owner.fake(**{place: script}))
        run.must_be(4, "")
        assert reason in run.err and "hint: " in run.err, run.err
        assert time.monotonic() - start < 15
        owner.no_pinentry_left()
        owner.must_be("locked")
    function.__name__ = f"a_pinentry_that_{name.replace(' ', '_')}_is_exit_4_without_a_terminal"
    return case(function)


for the_name, the_fault in FAILURES.items():
    failing(the_name, *the_fault)


@case
def a_pinentry_that_is_missing_is_exit_4_without_a_terminal(room):
    owner = Owner(room)
    run = owner.account("unlock", environment={"DISPLAY": ":97"})
    run.must_be(4, "")
    assert "hint: " in run.err


@case
def the_terminal_takes_the_place_of_a_pinentry_that_cannot_ask(room):
    for place, script in (("START", "exit 1"), ("START", "head -c 9999 /dev/zero"),
                          ("GETPIN", "echo ERR 83918950 no screen")):
        owner = Owner(room)
        person = owner.person("unlock", environment=owner.fake(**{place: script}))
        person.asked()
        person.type(owner.passphrase)
        person.ends(0, "Unlocked.")
        owner.no_pinentry_left()


@case
def a_dialog_that_broke_off_is_not_asked_again_on_the_terminal(room):
    owner = Owner(room)
    person = owner.person("unlock", environment=owner.fake(GETPIN="exit"))
    shown = person.ends(4, "account: pinentry ended without an answer")
    assert ASKED not in shown


@case
def a_passphrase_stands_among_nobody_s_words_while_it_is_read(room):
    owner = Owner(room)
    read, write = os.pipe()
    process = owner.start("unlock", "--passphrase-fd", str(read), stdin=subprocess.DEVNULL,
                          pass_fds=[read])
    os.close(read)
    must_stand_nowhere(owner.passphrase)
    os.write(write, owner.passphrase.encode())
    must_stand_nowhere(owner.passphrase)
    os.close(write)
    for _ in range(20):
        must_stand_nowhere(owner.passphrase)
    assert process.wait(20) == 0


if __name__ == "__main__":
    sys.exit(cases.run(sys.argv[1:], workers=4, seconds=120))
