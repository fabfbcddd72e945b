"""gnome-keyring, asked by secret-tool over a message bus of its own."""

import os
import shutil
import time

from peer import Peer, Question
from place import START_SECONDS, wait_for_socket
import wire


class Keyring(Peer):
    """gnome-keyring-daemon(1)"""

    name = "gnome-keyring"
    packages = ("gnome-keyring", "libsecret-tools", "dbus-daemon")
    needs = ("gnome-keyring-daemon", "secret-tool", "dbus-daemon")
    deletion = "secret-tool clear"
    attributes = ("service", "made-up")

    def start(self):
        home = self.place.directory("keyring")
        bus = home / "bus"
        self.place.environment.update(
            DBUS_SESSION_BUS_ADDRESS=f"unix:path={bus}",
            **{f"XDG_{kind}_HOME": str(home / kind) for kind in ("DATA", "CONFIG", "CACHE")})
        self.place.start("dbus-daemon", "--session", "--nofork", f"--address=unix:path={bus}")
        wait_for_socket(bus)
        # Its password comes on standard input. It makes a keyring under it and opens that.
        self.processes = [self.place.start(
            "gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets",
            f"--control-directory={home}", stdin=wire.made_up_token().encode())]
        wait_for_socket(home / "control")
        self.tool = shutil.which("secret-tool")
        self.secret = wire.made_up_token().encode()
        self._store()
        self.questions = [
            Question("secret-tool lookup", [self.tool, "lookup", *self.attributes], self.secret)]

    def _store(self):
        """The daemon listens before it has taken its name on the bus."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                self.place.run(self.tool, "store", "--label=made up", *self.attributes,
                               stdin=self.secret)
                return
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def forget(self):
        self.place.run(self.tool, "clear", *self.attributes)
