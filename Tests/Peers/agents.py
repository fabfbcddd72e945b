"""ssh-agent and gpg-agent: they keep secrets encrypted under a key in the same process."""

import base64
import shutil

from peer import Peer, Question
from place import end_orphans, wait_for_socket
import wire

ED25519_BYTES = 32


class SshAgent(Peer):
    """ssh-agent(1). It never gives the key away; what it is asked for is a signature, or a list."""

    name = "ssh-agent"
    packages = ("openssh-client",)
    needs = ("ssh-agent", "ssh-add", "ssh-keygen")
    deletion = "ssh-add -D"
    is_encrypted = True

    def start(self):
        directory = self.place.directory("ssh")
        path, key = directory / "socket", directory / "key"
        self.place.environment["SSH_AUTH_SOCK"] = str(path)
        self.processes = [self.place.start("ssh-agent", "-D", "-a", path)]
        wait_for_socket(path)
        self.place.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "made up", "-f", key)
        self.place.run("ssh-add", "-q", key)
        self.secret = seed_of(key)
        # What signs is then the agent alone.
        key.unlink()
        self.questions = [
            Question("ssh-add -l", [shutil.which("ssh-add"), "-l"], b"ED25519"),
            Question("ssh-keygen -Y sign", [
                shutil.which("ssh-keygen"), "-q", "-Y", "sign", "-n", "made-up", "-f",
                f"{key}.pub"], b"BEGIN SSH SIGNATURE", b"made up")]

    def forget(self):
        self.place.run("ssh-add", "-q", "-D")


def seed_of(path):
    """The 32 secret bytes in an unencrypted private key; they stand before the public ones."""
    text = "".join(path.read_text().split("\n")[1:-2])
    public = base64.b64decode(path.with_suffix(".pub").read_text().split()[1])[-ED25519_BYTES:]
    contents = base64.b64decode(text)
    start = bytes([0, 0, 0, 2 * ED25519_BYTES])
    for position in range(len(contents)):
        seed = contents[position + len(start):position + len(start) + ED25519_BYTES]
        if contents.startswith(start + seed + public, position):
            return seed
    raise RuntimeError("the private key has an unknown form")


class GpgAgent(Peer):
    """gpg-agent(1), with a passphrase in its cache."""

    name = "gpg-agent"
    packages = ("gpg-agent",)
    needs = ("gpg-agent", "gpg-connect-agent")
    deletion = "CLEAR_PASSPHRASE"
    is_encrypted = True
    preset = "/usr/lib/gnupg/gpg-preset-passphrase"
    cache_id = "0123456789ABCDEF0123456789ABCDEF01234567"

    @classmethod
    def missing(cls):
        return super().missing() + ([] if shutil.which(cls.preset) else [cls.preset])

    def start(self):
        home = self.place.directory("gnupg")
        self.place.environment["GNUPGHOME"] = str(home)
        # It leaves a daemon behind, which is told from the one of anybody else by its directory.
        self.place.start("gpg-agent", "--daemon", "--allow-preset-passphrase",
                         "--disable-scdaemon")
        wait_for_socket(home / "S.gpg-agent")
        self.ask = [shutil.which("gpg-connect-agent"), "--no-autostart"]
        printed = self.place.run(*self.ask, "GETINFO pid", "/bye").split()
        self.processes = [int(printed[1])]
        self.place.callback(end_orphans, self.processes)
        self.secret = wire.made_up_token().encode()
        self.place.run(self.preset, "--preset", self.cache_id, stdin=self.secret)
        self.questions = [Question(
            "gpg-connect-agent get_passphrase",
            [*self.ask, f"GET_PASSPHRASE --no-ask --data {self.cache_id} X X X", "/bye"],
            self.secret)]

    def forget(self):
        self.place.run(*self.ask, f"CLEAR_PASSPHRASE --mode=normal {self.cache_id}", "/bye")
