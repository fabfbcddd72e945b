"""What account and accountd say of themselves: commands, options, values, exit statuses.

Read from `account help`, `account help COMMAND`, `account exit-codes` and `accountd --help`, as a
person would read them, so that the manual pages and the completion are held against the programs
themselves.
"""

import dataclasses
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))

import programs  # noqa: E402

# "  -h, --help      how the command is used": what stands left of a gap of two spaces or more.
OPTION = re.compile(
    r"^  (?:(?P<letter>-\w), )?(?P<name>--[\w-]+)(?: (?P<value>[A-Z]+))?\s{2,}(?P<text>\S.*)$")
COMMAND = re.compile(r"^  (?P<name>[a-z][\w-]*)\s{2,}(?P<text>\S.*)$")
WORD = re.compile(r"^([a-z][a-z0-9]*): (.*)$")


@dataclasses.dataclass
class Option:
    """An option as a help text shows it."""

    name: str
    value: str = ""
    letter: str = ""
    text: str = ""
    words: dict = dataclasses.field(default_factory=dict)

    @property
    def summary(self):
        """What it does, up to the first semicolon."""
        return self.text.split(";")[0].removesuffix(":")

    @property
    def spellings(self):
        return {self.name, self.letter} - {""}


def output_of(program, *words):
    """What a program prints, run where it can find no daemon and no store."""
    return subprocess.run(
        [programs.binary(program), *words], check=True, text=True, stdout=subprocess.PIPE,
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"}, timeout=20).stdout


def options_of(text):
    """The options that a help text lists, by their names."""
    options, last = {}, None
    for line in text.split("\n"):
        found = OPTION.match(line)
        if found:
            last = Option(found["name"], found["value"] or "", found["letter"] or "", found["text"])
            options[last.name] = last
        elif last and line.startswith("      "):
            word = WORD.match(line.strip())
            if word and last.text.endswith(":"):
                last.words[word[1]] = word[2]
            else:
                last.text += " " + line.strip()
        else:
            last = None
    return options


class Account:
    """The program `account`."""

    def __init__(self):
        overview = output_of("account", "help")
        self.options = options_of(overview)
        self.commands = {}
        for line in overview.split("\n"):
            found = COMMAND.match(line)
            if found:
                self.commands[found["name"]] = found["text"]
        self.help = {name: output_of("account", "help", name) for name in self.commands}
        self.own = {name: options_of(text) for name, text in self.help.items()}
        self.exit_statuses = {}
        for line in output_of("account", "exit-codes").splitlines():
            number, meaning = line.split(maxsplit=1)
            self.exit_statuses[int(number)] = meaning

    def usage(self, command):
        """What follows the command's name in its line of usage."""
        return self.help[command].split("\n")[0].removeprefix(f"usage: account {command}").strip()

    def operands(self, command):
        """The words that may follow a command, where they are a few fixed ones."""
        usage = self.usage(command)
        if usage == "[COMMAND]":
            return list(self.commands)
        first = usage.split(" ")[0]
        return first.split("|") if re.fullmatch(r"[a-z]+(\|[a-z]+)+", first) else []


def daemon_options():
    """The options of accountd."""
    return options_of(output_of("accountd", "--help"))
