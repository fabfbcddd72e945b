"""Text from elsewhere that would like to be more than text, in every output there is."""

import json
import os
import pty
import re
import subprocess

from cases import case
from client import Home, response

NAMES = {
    "a shell's quote": "'; touch x #", "a substitution": "$(touch x)`touch y`",
    "a line's end": "a\nuid:  1\nok\r\n", "escape sequences": "\x1b[31m\x1b]0;title\x07\x1b[2J",
    "a bell": "\x07", "backspaces": "abc\b\b\bxyz\x7f", "marks of direction": "a\u202edcb\u2066x",
    "C1": "\u009b31m\u0085\u0090q\u009c", "combining": "a" + "\u0301" * 100,
    "JSON": '"},{"uid":"1","x":"', "a label": 'a"} 1\naccount_fake{x="', "backslashes": "\\n\\",
    "separators": "a\u2028b\u2029c\x0b\x0c", "nearly too long": "é" * 128}
UNUSABLE = {"a NUL": "a\0b", "10,000 characters": "x" * 10_000, "257 bytes": "x" * 257}
# C0 but for the line's end, DEL, C1, line separators, and marks of direction.
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e"
                    "\u2066-\u2069]")
FOR_PEOPLE = (["show"], ["status"], ["doctor"], ["expires"], ["expires", "--format", "relative"],
              ["check"], ["doctor", "--repair"])
AS_JSON = (["show", "--json"], ["status", "--json"], ["doctor", "--json"], ["token", "--json"],
           ["check", "--format", "json"])


def pairs(items):
    """Refuses a name that stands twice."""
    assert len(dict(items)) == len(items), items
    return dict(items)


@case
def a_screen_name_is_data_in_every_output(room):
    home = Home(room)
    home.login()
    usual = {tuple(words): len(home.account(*words).must_be(0).out.splitlines())
             for words in FOR_PEOPLE}
    for kind, name in NAMES.items():
        done = home.account("login", "--replace", input=response(screen_name=name)).must_be(0)
        assert done.out.startswith("Logged in as ") and done.out.count("\n") == 1, (kind, done)
        outputs = done.out + done.err
        for words in FOR_PEOPLE:
            done = home.account(*words).must_be(0)
            assert len(done.out.splitlines()) == usual[tuple(words)], (kind, words, done.out)
            outputs += done.out + done.err
        assert not OBEYED.search(outputs), (kind, outputs)
        for words in AS_JSON:
            done = home.account(*words).must_be(0)
            assert done.out.count("\n") == 1 and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]",
                                                               done.out), (kind, done.out)
            document = json.loads(done.out, object_pairs_hook=pairs)
            if words[0] == "show":
                assert document["screen_name"] == name, (kind, document)
        # Another account: the refusal tells them apart.
        done = home.account("login", input=response(uid="7", screen_name=name))
        assert done.status == 8 and len(done.err.splitlines()) == 2, (kind, done)
        assert not OBEYED.search(done.err), (kind, done.err)


@case
def a_screen_name_that_cannot_be_one_is_left_out_and_said(room):
    home = Home(room)
    for kind, name in UNUSABLE.items():
        done = home.account("login", input=response(screen_name=name)).must_be(0)
        assert done.out.startswith("Logged in as uid 9900001001; "), (kind, done)
        assert done.err == "account: warning: screen_name is not usable and was left out\n", done
        # By the option it is a fault of the caller's.
        if "\0" not in name:
            done = home.account("login", "--screen-name", name, input=response())
            assert done.status in (2, 8) and name not in done.err, (kind, done)


@case
def a_terminal_gets_nothing_that_it_obeys(room):
    home = Home(room)
    for name in NAMES.values():
        home.account("login", "--replace", input=response(screen_name=name)).must_be(0)
        for words in (*FOR_PEOPLE, ["expires", "--format", "\x1b[2J\x9b"], [name], ["show", name],
                      ["token", "--socket", f"/{name}/x"],
                      ["token", "--state", f"/dev/null/{name}"],
                      ["login", "--from", f"/nowhere/{name}"]):
            shown = on_a_terminal(home, words)
            assert shown and not OBEYED.search(shown.replace("\r\n", "\n")), (words, shown)


def on_a_terminal(home, words):
    """What `account` writes when it stands at a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([home.programs / "account", *words], stdin=theirs, stdout=theirs,
                               stderr=theirs, **home.options(None))
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # EIO: the last one has closed it.
            break
        if not part:
            break
        shown += part
    os.close(ours)
    process.wait()
    return shown.decode(errors="replace")
