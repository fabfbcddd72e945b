"""Sockets at paths that are long, or have bytes in them that paths seldom have."""

import os
import re
import subprocess

from cases import case
from client import Home, response

# sun_path has room for 107 bytes and a NUL. unix(7)
LONGEST = 107
NAMES = {
    "spaces": "  a b  ", "a line's end": "a\nb", "UTF-8": "İ中文é", "quotes": "a'b\"c",
    "a substitution": "$(touch x)`touch y`;&|", "an escape sequence": "a\x1b[31mb\x07",
    "options": "--socket=x", "dots": "...", "a backslash": "a\\nb", "a percent sign": "%s%n"}
NOT_UTF8 = "a\udcffb"


def is_served_at(room, socket):
    """Logs in and asks there, by both ways of naming the socket."""
    home = Home(room)
    daemon = room.daemon(socket=socket)
    token = home.login(None, "--socket", str(socket))
    home.account("token", "--socket", str(socket)).must_be(0, token + "\n")
    home.account("token", f"--socket={socket}").must_be(0, token + "\n")
    shown = home.account("status", environment={"ACCOUNT_SOCKET": str(socket)}).must_be(0)
    line = shown.out.splitlines()[1]
    assert line.startswith("socket:") and not re.search(r"[\x00-\x1f\x7f-\x9f]", line), line
    assert home.daemons() == [], "another daemon was started"
    daemon.end()


@case
def a_socket_works_at_a_path_of_every_length(room):
    for length in (LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 2, 300, 1000):
        place = room.place("p-")
        rest = length - len(str(place)) - len("/socket")
        while rest > 201:
            place /= "d" * 200
            rest -= 201
        if rest > 1:
            place /= "e" * (rest - 1)
        place.mkdir(parents=True, exist_ok=True)
        socket = place / "socket"
        assert len(str(socket)) in (length, length - 1), len(str(socket))
        is_served_at(room, socket)


@case
def a_socket_s_name_may_have_107_bytes(room):
    is_served_at(room, room.place() / ("n" * LONGEST))
    is_served_at(room, room.place() / ("é" * (LONGEST // 2)))
    long = room.place() / ("n" * (LONGEST + 1))
    refused = room.daemon(socket=long, must_start=False)
    assert "108 bytes, more than 107" in refused.ready and str(long) in refused.ready
    assert refused.wait() == 1
    Home(room).account("token", "--socket", str(long)).must_be(5, "")


@case
def a_socket_s_name_may_have_any_character(room):
    for name in NAMES.values():
        is_served_at(room, room.place() / name)


@case
def a_path_that_is_not_utf_8_is_refused_and_nobody_else_is_asked(room):
    home = Home(room)
    token = home.login()
    path = str(room.place() / NOT_UTF8)
    for words, variables in (
            (["--socket", path], {}), ([f"--socket={path}"], {}), (["--state", path], {}),
            ([], {"ACCOUNT_SOCKET": path}), ([], {"ACCOUNT_STATE_DIR": path}),
            ([], {"ACCOUNT_STATE_DIR": None, "XDG_RUNTIME_DIR": path}),
            ([], {"ACCOUNT_STATE_DIR": None, "XDG_STATE_HOME": path}),
            ([], {"ACCOUNT_STATE_DIR": None, "HOME": path})):
        for command in ("token", "login", "logout", "status", "doctor"):
            done = home.account(command, *words, environment=variables, input=response())
            assert done.status == 2 and "is not UTF-8" in done.err, (words, variables, done)
            assert token not in done.out and "\udcff" not in done.err and "\ufffd" not in done.err
    # A key file at another place would be as wrong as another store.
    home.end_daemon()
    for variable in ("XDG_CONFIG_HOME", "HOME"):
        done = home.account("token", environment={variable: path})
        assert done.status == 2 and f"{variable} is not UTF-8" in done.err, done
    assert home.daemons() == []
    for option in ("--socket", "--state", "--key-file"):
        done = home.run([str(home.programs / "accountd"), option, path])
        assert done.status == 2 and "argument 2 is not UTF-8" in done.err, done
    assert not os.listdir(os.path.dirname(path)), "something was made beside it"


@case
def a_command_that_is_shown_to_be_copied_survives_a_shell(room):
    for name in NAMES.values():
        if re.search(r"[\x00-\x1f]", name):
            continue  # Shown escaped, which no shell reads.
        place = room.place()
        home = Home(room)
        path = str(place / name)
        done = home.account("token", "--socket", path).must_be(5, "")
        command = done.err.splitlines()[1].split("start it there: ")[1]
        assert words_of(command, place) == ["accountd", "--socket", path], command
        # The daemon cannot start on a file; the hint names state and socket.
        (place / name).write_text("")
        done = home.account("token", "--state", path + "/state").must_be(5, "")
        command = done.err.splitlines()[1].split("by itself: ")[1]
        assert words_of(command, place)[1:] == [
            "--verbose", "--state", path + "/state", "--socket", path + "/state/socket"], command
        assert sorted(os.listdir(place)) == [name], "the shell ran something"


def words_of(command, place):
    """The words that a shell makes of a command."""
    done = subprocess.run(["/bin/sh", "-c", f"printf '%s\\0' {command}"], cwd=place, check=True,
                          capture_output=True)
    return done.stdout.decode().split("\0")[:-1]
