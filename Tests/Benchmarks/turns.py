"""Runs whole processes by turns, timed by turns.c."""

import statistics
import subprocess

from figures import median_ratio


class Turns:
    """`commands`: name to (file for the standard input, words). Every one of them must succeed."""

    def __init__(self, program, rounds, commands, **process):
        words = [program, rounds]
        for source, command in commands.values():
            words += [*(["--"] if len(words) > 2 else []), source, *command]
        lines = subprocess.run([str(word) for word in words], check=True, text=True,
                               stdout=subprocess.PIPE, **process).stdout.splitlines()
        columns = zip(*(map(float, line.split()) for line in lines))
        self.times = dict(zip(commands, columns))

    def microseconds(self, name):
        """The median of that command's times."""
        return statistics.median(self.times[name])

    def ratio(self, name, other):
        """The median over the rounds of how often the one takes the other's time."""
        return median_ratio(zip(self.times[name], self.times[other]))
