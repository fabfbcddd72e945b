#!/usr/bin/env python3
"""Tests the completion of account in bash, zsh and fish, each on a terminal of its own.

    Tests/CommandLine/completions.py [WORD ...]

Installs by `make install` into a temporary directory, where each shell is told to look, and types
the lines of lines.py into it. WORDs choose cases by their names. ACCOUNTD_BIN names another
directory of programs. A shell that is missing is skipped.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))

import account_help
import cases
import lines
import programs
import shells

SHELLS = {"bash": shells.Bash, "bash alone": shells.PlainBash, "zsh": shells.Zsh,
          "zsh alone": shells.SourcedZsh, "fish": shells.Fish}
# Started for the topics below alone.
MORE_SHELLS = {"bash with whole words": shells.WholeBash}
WHOLE_WORDS = ("the words that an option takes are offered as its value",
               "an option that is given is not offered again, nor one that it excludes",
               "quotes and spaces in an argument do not confuse it")
INSTALLED = {"bash": "bash-completion/completions/account", "zsh": "zsh/site-functions/_account",
             "fish": "fish/vendor_completions.d/account.fish"}
# What these describe: bash shows none.
DESCRIBES = ("zsh", "zsh alone", "fish")
# fish offers options once their dash is typed.
OFFERS_UNDASHED = ("bash", "bash alone", "zsh", "zsh alone")
LOADER = pathlib.Path("/usr/share/bash-completion/bash_completion")


class Place:
    """A home with the completion installed, and the shells that were started there."""

    def __init__(self, directory):
        self.path = pathlib.Path(directory)
        self.share = self.path / "root/usr/share"
        subprocess.run(
            ["make", "-s", "install", f"DESTDIR={self.path}/root", "PREFIX=/usr",
             f"PROGRAMS={programs.binary('account').parent}"],
            cwd=programs.ROOT, check=True, timeout=120)
        self.account = account_help.Account()
        self.table = lines.table(self.account)
        self.started = {}

    def home(self, name):
        """A home, in whose PATH `account` is a program that tells when somebody runs it."""
        home = self.path / name.replace(" ", "-")
        work = home / "work"
        work.mkdir(parents=True)
        for file in lines.FILES:
            (work / file).touch()
        for directory in lines.DIRECTORIES:
            (work / directory).mkdir()
        (work / "store/socket").touch()
        stub = home / "bin/account"
        stub.parent.mkdir()
        stub.write_text(f"#!/bin/sh\necho \"$@\" >>{home}/was-run\n")
        stub.chmod(0o755)
        return home

    def shell(self, name):
        cases.needs_program(name.split()[0])
        if name == "bash" and not LOADER.exists():
            raise cases.Skip("needs the package bash-completion")
        if name not in self.started:
            self.started[name] = (SHELLS | MORE_SHELLS)[name](self.home(name), self.share)
        return self.started[name]

    def end(self):
        for shell in self.started.values():
            shell.end()


def plain(candidates, line):
    """The candidates without the joined option and the directory that were typed, which fish
    repeats."""
    typed = re.search(r"(--[\w-]+=|[^ ]*/|)[^ /]*$", line.partition("|")[0])
    return {word.removeprefix(typed[1]): text for word, text in candidates.items()}


def must_offer(place, name, half_typed):
    shell = place.shell(name)
    wrong = []
    for line, expected in half_typed:
        offered = set(plain(shell.candidates(line), line))
        if offered != expected:
            wrong.append(f"{line!r}: {sorted(offered - expected)} too many, "
                         f"{sorted(expected - offered)} missing")
    assert not wrong, "; ".join(wrong)


def must_complete(place, name):
    shell = place.shell(name)
    wrong = []
    for line, expected in lines.COMPLETED:
        # zsh adds its space before the one that stands there.
        found = re.sub(" +", " ", shell.completed(line))
        if found != expected:
            wrong.append(f"{line!r} became {found!r}, not {expected!r}")
    assert not wrong, "; ".join(wrong)


def must_describe(place, name):
    shell, account = place.shell(name), place.account
    assert shell.candidates("account ") == account.commands
    for command in account.commands:
        found = shell.candidates(f"account {command} --")
        options = {**account.options, **account.own[command]}
        assert found == {option.name: option.summary for option in options.values()}, found
        for option in account.own[command].values():
            if option.words:
                line = f"account {command} {option.name} "
                assert shell.candidates(line) == option.words
    for command in ("help", "completion"):
        assert all(shell.candidates(f"account {command} ").values())


def must_run_nothing(place, name):
    home = place.shell(name).home
    assert not (home / "was-run").exists(), (home / "was-run").read_text()
    assert not list(home.rglob("*.sealed")) and not (home / ".local/state").exists()


def must_parse(place, name):
    cases.needs_program(name)
    script = place.share / INSTALLED[name]
    assert script.read_text() == account_help.output_of("account", "completion", name)
    run = subprocess.run([name, "-n", script], text=True, capture_output=True, timeout=30)
    assert run.returncode == 0 and not run.stderr, run.stderr


def all_cases(place):
    """A case for each topic in each shell."""
    made = []

    def add(name, sentence, check, *arguments):
        def function(room):
            check(place, name, *arguments)
        function.__name__ = f"{name}: {sentence}"
        made.append(function)

    for name in INSTALLED:
        add(name, "what is installed is what is printed, and parses", must_parse)
    for name in SHELLS:
        for topic in place.table:
            add(name, topic, must_offer, place.table[topic])
        if name in OFFERS_UNDASHED:
            add(name, "options are offered before their dash where nothing else may stand",
                must_offer, lines.undashed(place.account))
        add(name, "the key completes the line, with the quotes that a name needs", must_complete)
        if name in DESCRIBES:
            add(name, "each word has the description that the help gives it", must_describe)
        # The last one: it looks back at all the others.
        add(name, "nothing was run and nothing was made", must_run_nothing)
    for topic in WHOLE_WORDS:
        add("bash with whole words", topic, must_offer, place.table[topic])
    return made


def main():
    with tempfile.TemporaryDirectory(prefix="accountd-completions-") as directory:
        place = Place(directory)
        try:
            return cases.run(sys.argv[1:], all_cases(place))
        finally:
            place.end()


if __name__ == "__main__":
    sys.exit(main())
