"""Standard streams that are closed, full or of nobody, for each command that uses them."""

import re

from cases import case
from client import Home, response

COMMANDS = ("token", "token --json", "header", "show", "show --json", "check", "check --quiet",
            "expires", "status", "doctor", "help", "exit-codes", "--version")
# What counts on between two calls: "30 days" is "29 days 23 h" a second later.
COUNTING = re.compile(r'"remaining":-?\d+|\bin \d+ [a-z]+( \d+ [a-z]+)?')


def steady(text):
    return COUNTING.sub("", text)


@case
def output_that_is_lost_is_exit_9_and_what_was_changed_is_changed(room):
    home = Home(room)
    token = home.login()
    for lost, why in ((">/dev/full", "ENOSPC"), (">&-", "EBADF"), (">&- 2>&-", "EBADF")):
        new = "2.00" + why + "x" * len(lost)
        done = home.shell(f"account login {lost}", input=response(new)).must_be(9, "")
        assert new not in done.err, done
        if "2>" not in lost:
            assert done.err.count("\n") == 1 and f"({why})" in done.err, done.err
        home.account("token").must_be(0, new + "\n")
        done = home.shell(f"account logout {lost}").must_be(9, "")
        home.account("token").must_be(3, "")
        token = home.login()
        # It goes to no other descriptor that happens to be open.
        done = home.shell(f"exec 3>&1 4>&1; account token {lost}")
        assert token not in done.out + done.err, done


@case
def a_closed_or_full_error_stream_changes_neither_answer_nor_status(room):
    home = Home(room)
    for is_logged_in in (False, True):
        if is_logged_in:
            home.login()
        for command in COMMANDS:
            usual = home.shell(f"account {command}")
            for stream in ("2>&-", "2>/dev/full", "2>&- <&-", "<&-", "<&- 2>/dev/full"):
                done = home.shell(f"account {command} {stream}")
                assert done.status == usual.status, (command, stream, done)
                assert steady(done.out) == steady(usual.out), (command, stream, done, usual)
                assert done.err in ("", usual.err), (command, stream, done)
    home.shell("account login <&-").must_be(9, "")
    home.shell("account login </dev/null 2>&-").must_be(8, "")
    home.shell("account login --from /proc/self/mem").must_be(9, "")


@case
def zones_and_languages_change_nothing_in_either_program(room):
    answers = {}
    for variables in (
            {}, {"TZ": "America/St_Johns"}, {"TZ": "Europe/Berlin"}, {"TZ": "Pacific/Apia"},
            {"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}, {"TZ": "XXX-167:59:59"}, {"TZ": "\udcff"},
            {"TZ": ":/etc/passwd"}, {"TZ": "x" * 5000}, {"TZDIR": "/nowhere", "TZ": "UTC"},
            {"LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8"}, {"LC_ALL": "de_DE.ISO-8859-1"},
            {"LC_ALL": "no_SUCH.thing"}, {"LC_ALL": "../../etc"}, {"LC_ALL": "\udcff"},
            {"LANG": "ar_EG.UTF-8", "LANGUAGE": "ar", "LOCPATH": "/nowhere"}):
        # A home of its own each: the daemon is started under the same variables.
        home = Home(room)
        home.environment |= variables
        done = home.account("login", "--issued-at", "2026-03-29T00:59:59Z",
                            input=response("2.00x", expires_in=3650 * 86_400, screen_name="İıẞß"))
        assert not done.err, (variables, done.err)
        outputs = [done.out] + [home.account(*words).out for words in (
            ["show"], ["show", "--json"], ["expires"], ["expires", "--format", "unix"], ["check"],
            ["check", "--format", "json"], ["token"], ["help"], ["exit-codes"])]
        answers[str(variables)] = [COUNTING.sub("", out).replace(str(home.path), "")
                                   for out in outputs]
        home.end()
    usual = answers["{}"]
    assert "2036-03-26T00:59:59Z" in usual[1], usual[1]
    for variables, found in answers.items():
        assert found == usual, (variables, [pair for pair in zip(found, usual)
                                            if pair[0] != pair[1]])
