"""What every peer is: started, asked, told to forget."""

import dataclasses
import shutil
import subprocess


@dataclasses.dataclass
class Question:
    """One way of asking that is a whole process."""
    name: str
    words: list
    expected: bytes         # stands in what it prints
    stdin: bytes = b""


class Peer:
    """A daemon that holds a secret which was made up for it.

    A subclass says in `start` how it is started and given the secret, and leaves there:
    `processes`, whose memory may hold it, the daemon first; `secret`; `questions`.
    """

    name = ""
    packages = ()
    needs = ()
    deletion = ""           # the command, as people write it
    is_encrypted = False    # in its memory, under a key that is there as well

    def __init__(self, place):
        self.place = place
        self.processes = []
        self.secret = b""
        self.questions = []

    @classmethod
    def missing(cls):
        """Programs that are not here."""
        return [name for name in cls.needs if not shutil.which(name)]

    @classmethod
    def version(cls):
        """Names and versions of its packages."""
        if not shutil.which("dpkg-query"):
            return f"{cls.name} of unknown version"
        done = subprocess.run(
            ["dpkg-query", "-W", "-f=${Package} ${Version}, ", *cls.packages],
            capture_output=True, text=True)
        return done.stdout.strip(", ")

    def start(self):
        """Has it run and hold the secret."""
        raise NotImplementedError

    def forget(self):
        """Has it delete the secret, by the command that people use."""
        raise NotImplementedError

    def must_answer(self):
        """Each question is answered with what is held, so that what is timed is an answer."""
        for question in self.questions:
            printed = self.place.run(*question.words, stdin=question.stdin)
            if question.expected not in printed:
                raise RuntimeError(f"{question.name} does not answer: {printed[:200]!r}")

    def must_have_forgotten(self):
        """None of the questions is answered any more, so that what is left is a remnant."""
        for question in self.questions:
            try:
                printed = self.place.run(*question.words, stdin=question.stdin)
            except RuntimeError:
                continue
            if question.expected in printed:
                raise RuntimeError(f"{self.deletion} does not delete: {question.name} answers")
