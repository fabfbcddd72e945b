"""Commands that find no daemon, a dead one, one that stands still, or one that loses its socket."""

import os
import signal
import time

from cases import case
from client import Home, response

# Every command that speaks to the daemon.
COMMANDS = (["token"], ["header"], ["show"], ["check"], ["expires"], ["status"], ["login"],
            ["logout"], ["doctor"], ["doctor", "--repair"])


def outcomes(processes):
    """Waits for each: exit statuses and outputs."""
    ended = [(process.communicate(timeout=30), process) for process in processes]
    return [(process.returncode, out.decode(), err.decode()) for (out, err), process in ended]


@case
def whatever_twenty_commands_find_they_leave_one_daemon_and_get_their_answer(room):
    for found in ("nothing", "a stale socket", "a socket without a daemon's lock", "no socket"):
        home = Home(room)
        token = home.login()
        home.end_daemon(signal.SIGTERM if found == "nothing" else signal.SIGKILL)
        if found == "a socket without a daemon's lock":
            (home.state / "lock").unlink()
        if found == "no socket":
            home.socket.unlink()
        words = [["token"], ["check"], ["header"], ["expires", "--format", "unix"]]
        started = [home.start(*words[number % 4]) for number in range(20)]
        for number, (status, out, err) in enumerate(outcomes(started)):
            assert status == 0 and not err, (found, words[number % 4], status, err)
            wanted = (token + "\n", "valid: ", f"Authorization: OAuth2 {token}\n", "1")[number % 4]
            assert out.startswith(wanted), (found, out)
        home.daemon()
        home.end()


@case
def whoever_asks_while_the_socket_is_taken_away_gets_an_answer(room):
    home = Home(room)
    token = home.login()
    taken = 0
    for number in range(12):
        started = [home.start("token") for _ in range(12)]
        # While some have been answered and others start daemons or wait for those of others.
        for pause in range(4):
            time.sleep(0.002 * number + 0.01 * pause)
            try:
                home.socket.unlink()
                taken += 1
            except FileNotFoundError:
                pass
        for status, out, err in outcomes(started):
            assert (status, out) == (0, token + "\n"), (status, out, err)
    assert taken > 12, "the socket was hardly ever there to be taken away"
    home.account("token").must_be(0, token + "\n")
    for _ in range(100):
        if len(home.daemons()) == 1:
            break
        time.sleep(0.05)
    home.daemon()


@case
def a_stopped_daemon_is_exit_10_for_every_command_in_its_time(room):
    home = Home(room)
    token = home.login()
    pid = home.daemon()
    os.kill(pid, signal.SIGSTOP)
    start = time.monotonic()
    started = [home.start(*words, "--timeout", "1", **(
        {"stdin": open_response(room)} if words == ["login"] else {})) for words in COMMANDS]
    for words, (status, out, err) in zip(COMMANDS, outcomes(started)):
        assert status == 10, (words, status, err)
        # The doctor says what else it has seen.
        assert not out or words[0] == "doctor", (words, out)
        assert len(err.splitlines()) == 2 and token not in out + err, (words, err)
    took = time.monotonic() - start
    assert 1 <= took < 8, f"{took:.1f} s for a timeout of 1 s"
    assert home.daemons() == [pid], "another daemon was started beside it"
    os.kill(pid, signal.SIGCONT)
    # What had been asked of it meanwhile nobody waits for; a change was not sent.
    home.account("token").must_be(0, token + "\n")
    assert home.daemons() == [pid]


def open_response(room):
    """A token response as standard input."""
    path = room.path / "response"
    path.write_text(response())
    return open(path, "rb")
