"""accountd and account, and the yardstick: a C client that asks a C server."""

from daemon import Daemon
from peer import Peer, Question
from place import wait_for_socket
import programs
import wire


class Ours(Peer):
    """As shipped: memfd_secret where the kernel has it."""

    name = "accountd"
    deletion = "account logout"
    options = ()

    def start(self):
        directory = self.place.directory(self.name.replace(" ", ""))
        user = self.place.user and self.place.user.pw_uid
        daemon = Daemon(programs.copy_of(programs.binary("accountd"), directory), directory,
                        *self.options, user=user)
        self.place.callback(daemon.kill)
        # Root sees what is locked, and not what stands in memfd_secret(2).
        self.copies_held = 0 if daemon.status()["memory"] == "memfd_secret" else 1
        token = daemon.login()
        self.daemon = daemon
        self.secret = token.encode()
        self.processes = [daemon.pid]
        client = programs.copy_of(programs.binary("account"), directory)
        self.command = [str(client), "--socket", str(daemon.socket)]
        self.questions = [
            Question("account token", [*self.command, "token"], self.secret + b"\n")]

    def forget(self):
        self.place.run(*self.command, "logout")


class OursLocked(Ours):
    """As on a kernel without memfd_secret. It is looked into, and not timed."""

    name = "accountd --secret-memory locked"
    options = ("--secret-memory", "locked")


class Yardstick(Peer):
    """A C client that asks a C server with a fixed reply of the length of the daemon's."""

    name = "C client, C server"

    def __init__(self, place, ours):
        super().__init__(place)
        self.ours = ours

    def start(self):
        path = self.place.directory("yardstick") / "socket"
        reply = wire.raw_exchange(self.ours.daemon.socket, wire.message("GetToken"))
        self.processes = [self.place.start(
            self.place.path / "reference_server", path, self.place.file("reply", reply))]
        wait_for_socket(path)
        self.secret = self.ours.secret
        self.questions = [Question(
            "reference_client", [str(self.place.path / "reference_client"), str(path)],
            self.secret)]
