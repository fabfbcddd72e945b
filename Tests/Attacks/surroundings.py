"""Directories that the environment names and that are missing, closed, foreign or no directory."""

import os

from cases import case
from client import Home, response
from users import READER, STRANGER

STARTS = "starts"


def make(home, kind):
    """Makes one of these in the home: what the variable is to be."""
    path = home.path / kind
    owner, mode = {"foreign": (READER, 0o755), "root's": (0, 0o755), "read-only": (STRANGER, 0o500),
                   "closed": (STRANGER, 0), "group-writable": (STRANGER, 0o770)}.get(
                       kind, (STRANGER, 0o700))
    if kind == "unset":
        return None
    if kind == "empty":
        return ""
    if kind == "relative":
        path.mkdir()
        return kind
    if kind == "file":
        path.touch()
    elif kind == "link":
        (home.path / "real").mkdir()
        os.chown(home.path / "real", STRANGER, STRANGER)
        path.symlink_to("real")
    elif kind == "dangling":
        path.symlink_to("nowhere")
    elif kind == "loop":
        path.symlink_to(path)
    elif kind != "missing":
        path.mkdir()
        path.chmod(mode)
    if kind != "missing":
        os.chown(path, owner, owner, follow_symlinks=False)
    return str(path)


def holds(room, variable, wanted):
    """`wanted`: for each kind what login must do: start a daemon, or an exit status and words."""
    for kind, outcome in wanted.items():
        home = Home(room, user=STRANGER, usual=True)
        home.environment[variable] = make(home, kind)
        if outcome == STARTS:
            token = home.login(cwd=str(home.path))
            home.account("token").must_be(0, token + "\n")
            # The next one finds it all in the same places.
            home.end_daemon()
            home.account("token").must_be(0, token + "\n")
            home.daemon()
        else:
            status, *words = outcome
            for command in ("login", "token") if variable != "XDG_CONFIG_HOME" else ("login",):
                done = home.account(command, input=response()).must_be(status, "")
                assert all(word in done.err for word in words), (variable, kind, done.err)
                assert "account login" not in done.err, (variable, kind, done.err)
        home.end()


@case
def a_runtime_directory_that_is_not_the_user_s_own_is_passed_over(room):
    holds(room, "XDG_RUNTIME_DIR", {
        "unset": STARTS, "empty": STARTS, "relative": STARTS, "missing": STARTS, "foreign": STARTS,
        "root's": STARTS, "file": STARTS, "dangling": STARTS, "loop": STARTS, "link": STARTS,
        "group-writable": STARTS, "fine": STARTS,
        "read-only": (5, "read-only/account", "(EACCES)"),
        "closed": (6, "closed does not let even you in", "hint: chmod 0700 ")})


@case
def a_home_that_cannot_be_used_is_named(room):
    nobody = (5, "your home directory is not known", "hint: set HOME")
    holds(room, "HOME", {
        # The uid stands in no file.
        "unset": nobody, "empty": nobody, "relative": nobody,
        "missing": STARTS, "link": STARTS, "group-writable": STARTS,
        "foreign": (5, "is not yours"), "root's": (5, "(EACCES)"), "read-only": (5, "(EACCES)"),
        "file": (5, "is not a directory"), "dangling": (5, "does not exist"),
        "loop": (9, "(ELOOP)"),
        "closed": (6, "closed does not let even you in", "hint: chmod 0700 ")})


@case
def a_place_for_states_that_cannot_be_used_is_named(room):
    holds(room, "XDG_STATE_HOME", {
        "unset": STARTS, "empty": STARTS, "relative": STARTS, "missing": STARTS, "link": STARTS,
        "group-writable": STARTS,
        "foreign": (5, "is not yours"), "root's": (5, "(EACCES)"), "read-only": (5, "(EACCES)"),
        "file": (5, "is not a directory"), "dangling": (5, "does not exist"),
        "loop": (9, "(ELOOP)"),
        "closed": (6, "closed does not let even you in", "hint: chmod 0700 ")})


@case
def a_place_for_the_key_file_that_cannot_be_used_is_named_and_nothing_is_stored(room):
    holds(room, "XDG_CONFIG_HOME", {
        "unset": STARTS, "empty": STARTS, "relative": STARTS, "missing": STARTS, "link": STARTS,
        "group-writable": STARTS,
        "foreign": (9, "foreign/account/key", "(EACCES)"), "root's": (9, "account/key", "(EACCES)"),
        "read-only": (9, "account/key", "(EACCES)"), "closed": (9, "account/key", "(EACCES)"),
        "file": (9, "account/key", "(ENOTDIR)"), "dangling": (9, "account/key", "(ENOENT)"),
        "loop": (9, "account/key")})


@case
def a_store_that_is_closed_to_its_owner_is_no_reason_to_log_in(room):
    home = Home(room, user=STRANGER)
    token = home.login()
    home.state.chmod(0)
    for words in (["token"], ["header"], ["show"], ["check"], ["expires"], ["status"], ["login"],
                  ["logout"], ["doctor"]):
        for runs in (True, False):
            done = home.account(*words, "--timeout", "5", input=response())
            assert done.status == 6 and token not in done.out, (words, runs, done)
            assert f"{home.state} does not let even you in\nhint: chmod 0700 " in done.err, done.err
            assert "login" not in done.err and "readers" not in done.err, done.err
            if runs and words == ["token"]:
                home.end_daemon(9)
    home.state.chmod(0o700)
    home.account("token").must_be(0, token + "\n")
