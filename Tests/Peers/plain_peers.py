"""git-credential-cache and Redis: secrets as they are, in ordinary memory."""

import shutil

from peer import Peer, Question
from place import wait_for_socket
import wire


class CredentialCache(Peer):
    """git-credential-cache(1)"""

    name = "git-credential-cache"
    packages = ("git",)
    needs = ("git",)
    deletion = "git credential-cache erase"
    request = b"protocol=https\nhost=example.invalid\nusername=made_up\n\n"

    def start(self):
        git = shutil.which("git")
        path = self.place.directory("git") / "socket"
        self.processes = [self.place.start(git, "credential-cache--daemon", path)]
        wait_for_socket(path)
        self.secret = wire.made_up_token().encode()
        self.command = [git, "credential-cache", f"--socket={path}"]
        self.place.run(*self.command, "store",
                       stdin=self.request[:-1] + b"password=" + self.secret + b"\n\n")
        fill = [git, "-c", f"credential.helper=cache --socket={path}", "credential", "fill"]
        self.questions = [
            Question("git credential-cache get", [*self.command, "get"], self.secret, self.request),
            Question("git credential fill", fill, self.secret, self.request)]

    def forget(self):
        self.place.run(*self.command, "erase", stdin=self.request)


class Redis(Peer):
    """redis-server(1)"""

    name = "redis"
    packages = ("redis-server", "redis-tools")
    needs = ("redis-server", "redis-cli")
    deletion = "redis-cli del"

    def start(self):
        directory = self.place.directory("redis")
        path = directory / "socket"
        self.processes = [self.place.start(
            "redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly",
            "no", "--daemonize", "no", "--dir", directory)]
        wait_for_socket(path)
        self.secret = wire.made_up_token().encode()
        self.command = [shutil.which("redis-cli"), "-s", str(path)]
        self.place.run(*self.command, "-x", "set", "token", stdin=self.secret)
        self.questions = [Question("redis-cli get", [*self.command, "get", "token"], self.secret)]

    def forget(self):
        self.place.run(*self.command, "del", "token")
