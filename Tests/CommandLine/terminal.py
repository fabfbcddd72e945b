"""An interactive program on a pseudo-terminal, driven by its keys."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

ROWS, COLUMNS = 100, 250
SECONDS = 30
# Control sequences, and the two-byte ones that choose a character set or a keypad.
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78M])")


class Terminal:
    """Runs a command as the leader of a session whose terminal is ours."""

    def __init__(self, command, environment, directory):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=directory,
            preexec_fn=lambda: (os.setsid(), fcntl.ioctl(0, termios.TIOCSCTTY, 0)))
        os.close(slave)

    def send(self, text):
        os.write(self.master, text.encode())

    def read_until(self, marker):
        """What is shown up to the marker, without control sequences."""
        deadline, shown = time.monotonic() + SECONDS, b""
        while marker.encode() not in shown:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise TimeoutError(f"{marker!r} was not shown; what was: {shown[-2000:]!r}")
            try:
                shown += os.read(self.master, 65536)
            except OSError:
                raise EOFError(f"the program ended; it showed {shown[-2000:]!r}") from None
        text = shown.decode(errors="replace").split(marker)[0]
        return ESCAPES.sub("", text).replace("\r\n", "\n").replace("\x0f", "")

    def end(self):
        """Hangs up, as a terminal does that is closed."""
        os.close(self.master)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
