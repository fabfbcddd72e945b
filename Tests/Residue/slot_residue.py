"""Leads a daemon through locking, unlocking and changes of its slots, and scans it after each step.

The values to look for come from the independent program: Tests/Python/store_opening.py.
"""

import json
import pathlib
import secrets
import signal
import socket
import sys
import time

from daemon_residue import QUERIES, SETTLE_SECONDS, DaemonResidue
from hostile_unlocks import KEYS, refused_unlocks
from process_memory import Scan
import wire

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Python"))

# A scan takes less, even of a daemon that is traced.
IDLE_SECONDS = 4
# Argon2id, which takes three times as long at the least, is at work then, in that much memory.
DERIVING_SECONDS, DERIVING_BYTES = 0.15, 200 << 20
# What of a store's keys may stand in locked memory while it is open.
OPEN_KEYS = ("master key", "account key")


def store_opening():
    """The independent program; it needs modules that may be missing."""
    import store_opening as opening
    return opening


class SlotResidue(DaemonResidue):
    """The same look at the daemon's memory, with the secrets of all kinds of slots."""

    def __init__(self, mode, program, directory, options, wrapper, findings):
        super().__init__(mode, program, directory, options, wrapper, findings)
        self.opening = store_opening()
        self.known = {"passphrase": [], "recovery": [], "keyfile": []}
        self.held = []
        self.count = 0

    # What to look for

    def look_for(self, keys):
        """Takes over what is not looked for yet; what is the same as before keeps its name."""
        known = {value: name for name, value in self.secrets.items()}
        for name, value in keys.items():
            if value not in known:
                fresh = name if name not in self.secrets else f"{name} ({self.count})"
                self.secrets[fresh] = value
                known[value] = fresh
        return known

    def learn_keys(self, number=0):
        """All that leads to the account as the files stand now."""
        if self.daemon.key.exists():
            contents = self.daemon.key.read_bytes()
            self.known["keyfile"].append(contents)
            self.look_for({"key file": contents})
        keys = self.opening.keys_of_store(self.daemon.state, self.known)
        self.count += 1
        names = self.look_for(keys)
        self.open_keys = {names[keys[name]] for name in OPEN_KEYS}

    def new_passphrase(self, name, characters=32):
        """One whose spelling in JSON is another than its bytes."""
        text = f'\u00f1"{wire.made_up_token(characters)}"\u00f1'
        self.look_for({name: text.encode(), f"{name} in JSON": json.dumps(text).encode()})
        return text

    def look_for_code(self, name, code):
        plain = code.replace("-", "")
        secret = self.opening.recovery_bytes(code)
        self.look_for({name: code.encode(), f"{name} without hyphens": plain.encode(),
                       f"{name} as it is typed": self.typed(code).encode(),
                       f"{name}'s bytes": secret})
        return secret

    @staticmethod
    def typed(code):
        """As somebody may type it."""
        return code.lower().replace("-", " ")

    def learn_tried(self, secret, kind):
        """What is made of a wrong secret for each slot of its kind."""
        for slot in self.opening.read_slots(self.daemon.state)["slots"]:
            if slot["kind"] == kind:
                self.look_for({f"a wrong {kind}'s {name}": value for name, value in
                               self.opening.keys_of_secret(slot, secret).items()})

    # Scanning

    def scan_open(self, step):
        """What is held stands once in locked memory, and is seen there if anything can be seen."""
        self.scan(step, held=self.held, passing=self.open_keys)

    def scan_shut(self, step, passing=()):
        """Nothing of anything."""
        open_keys, self.open_keys = self.open_keys, set()
        self.scan(step, passing=passing, sees_canary=False)
        self.open_keys = open_keys

    def canaries(self, sees_canary):
        """A path that the daemon keeps on its heap, locked or not."""
        return {"path": str(self.daemon.key).encode(), **super().canaries(sees_canary)}

    # The steps

    def call(self, method, **parameters):
        return self.daemon.call(f"{KEYS}.{method}", parameters)

    def must_be_refused(self, name, what, method, **parameters):
        reply = self.daemon.ask(method, **parameters)
        self.findings.expect(wire.error(reply) == name, f"{self.mode}: {what}: {name}",
                             json.dumps(reply))

    def live(self):
        self.start()
        self.login(1)
        self.held = ["access token 1", "refresh token 1"]
        self.scan_open("logged in")
        self.add_slots()
        self.lock_and_unlock()
        self.try_wrong_secrets()
        self.send_what_is_refused()
        self.send_half()
        self.unlock_and_remove()
        self.check_outside()
        self.daemon.end()
        self.lock_by_time()
        self.check_outside()

    def add_slots(self):
        passphrase = self.new_passphrase("passphrase")
        self.known["passphrase"].append(passphrase.encode())
        self.passphrase = passphrase
        self.call("AddSlot", kind="passphrase", passphrase=passphrase)
        self.findings.expect(not self.daemon.key.exists(), f"{self.mode}: the key file is removed")
        self.learn_keys()
        self.scan_open("a passphrase took the place of the key file")
        unused = self.call("NewRecoveryCode")["recovery_code"]
        self.look_for_code("unused recovery code", unused)
        self.scan_open("a recovery code was drawn")
        self.code = self.call("NewRecoveryCode")["recovery_code"]
        self.known["recovery"].append(self.look_for_code("recovery code", self.code))
        self.call("AddSlot", kind="recovery", recovery_code=self.typed(self.code))
        self.learn_keys()
        self.scan_open("a recovery code was added")
        self.rotate_over_an_archive()

    def rotate_over_an_archive(self):
        """The earlier master key is kept, but wrapped alone."""
        self.call("Rotate")
        self.learn_keys()
        self.scan_open("rotated")
        archive = self.daemon.state / self.opening.ARCHIVES / f"made-up{self.opening.SUFFIX}"
        archive.parent.mkdir(mode=0o700, exist_ok=True)
        slots = self.opening.read_slots(self.daemon.state)
        archive.write_bytes(self.opening.form.clear_header(slots["current"], bytes(32)) + bytes(99))
        archive.chmod(0o600)
        retired = self.call("Rotate")["retired"]
        self.findings.expect(retired == [slots["current"].hex()],
                             f"{self.mode}: the key of an archive is kept", str(retired))
        self.learn_keys()
        self.scan_open("rotated, an archive being sealed by the key before")
        self.give_archive_keys(retired[0])
        archive.unlink()
        self.findings.expect(not self.call("FinishRotation")["retired"],
                             f"{self.mode}: keys of no archive are forgotten without a rotation")
        self.scan_open("a rotation was finished")
        self.findings.expect(not self.call("Rotate")["retired"],
                             f"{self.mode}: keys of no archive are forgotten")
        self.learn_keys()
        self.scan_open("rotated, the archive being gone")

    # The keys of archives

    def give_archive_keys(self, earlier):
        """Nothing stays of a key that was sent, nor of the name that it is for."""
        keys = self.opening.keys_of_store(self.daemon.state, self.known)
        for master, more in (("master key", {}), ("retired master key", {"key_id": earlier})):
            for text in (wire.made_up_token(), f'\u00f1"{wire.made_up_token()}"\u00f1'):
                key = self.learn_archive_key(f"{master}, {more}, {text[:2]}", keys[master], text)
                given = self.call("DeriveArchiveKey", name=text, **more)
                self.findings.expect(given["key"] == key.hex(),
                                     f"{self.mode}: the key of an archive is the one")
                self.scan_open(f"the key of an archive was given, {master}")
        self.scan_dumps("keys of archives were given", held=[*self.held, *self.open_keys])
        self.give_often()
        self.give_to_who_does_not_read(keys["master key"])
        self.name_something_else()

    def learn_archive_key(self, what, master, name):
        """Has the key, its digits and the name looked for; the key."""
        key = self.opening.form.derived(master, b"archive", name)
        self.look_for({f"archive key ({what})": key,
                       f"archive key's digits ({what})": key.hex().encode(),
                       f"archive's name ({what})": name.encode(),
                       f"archive's name in JSON ({what})": json.dumps(name).encode()})
        return key

    def give_often(self):
        """Ten thousand times, on one connection."""
        call = wire.message(f"{KEYS}.DeriveArchiveKey", {"name": wire.made_up_token()})
        with self.daemon.connect() as peer:
            for _ in range(QUERIES // 100):
                peer.sendall(call * 100)
                given = wire.replies(peer, 100)[0]["parameters"]["key"]
            self.look_for({"archive key that was given often": bytes.fromhex(given),
                           "the digits of that": given.encode()})
            self.scan_open(f"{QUERIES:,} keys of archives were given")
        self.scan_open(f"{QUERIES:,} keys of archives were given, and the peer is gone")

    def give_to_who_does_not_read(self, master):
        """The reply that nobody takes stands in locked memory, and goes with the connection."""
        name = "made up"
        key = self.opening.form.derived(master, b"archive", name)
        self.look_for({"archive key that nobody takes": key, "its digits": key.hex().encode()})
        call = wire.message(f"{KEYS}.DeriveArchiveKey", {"name": name}) * 100
        with self.daemon.connect() as peer:
            peer.setblocking(False)
            for _ in range(200):
                try:
                    peer.send(call)
                except OSError:
                    break
            time.sleep(SETTLE_SECONDS)
            self.scan("keys of archives are not read", held=self.held,
                      passing={"its digits", *self.open_keys})
            peer.setblocking(True)
            peer.recv(70)
        self.scan_open("keys of archives were not read")

    def name_something_else(self):
        """A token where a name or an id should be."""
        for what, parameters in (("a name", lambda token: {"name": token}),
                                 ("a name that is too long", lambda token: {"name": token * 9}),
                                 ("an id", lambda token: {"name": "a", "key_id": token}),
                                 ("another member", lambda token: {"name": "a", "token": token})):
            token = self.new_token(f"token in the place of {what}")
            reply = json.dumps(self.daemon.ask(f"{KEYS}.DeriveArchiveKey", **parameters(token)))
            self.findings.expect(token not in reply,
                                 f"{self.mode}: a token in the place of {what} is not echoed")
            self.scan_open(f"a token was in the place of {what}")

    def lock_and_unlock(self):
        self.daemon.call("Lock")
        self.scan_shut("locked")
        self.scan_dumps_when_shut("locked")
        self.daemon.call("Unlock", {"passphrase": self.passphrase})
        self.scan_open("unlocked by the passphrase")
        self.daemon.signal(signal.SIGUSR1)
        self.scan_shut("locked by SIGUSR1")
        self.daemon.call("Unlock", {"recovery_code": self.typed(self.code)})
        self.scan_open("unlocked by the recovery code")
        self.daemon.call("GetToken")
        self.scan_open("unlocked and asked")
        self.daemon.call("Lock")
        self.scan_shut("locked again")
        self.stop_while_it_derives()

    def stop_while_it_derives(self):
        """The passphrase is where it may be while Argon2id runs, and nowhere else."""
        with self.daemon.connect() as peer:
            peer.sendall(wire.message("Unlock", {"passphrase": self.passphrase}))
            time.sleep(DERIVING_SECONDS)
            self.daemon.signal(signal.SIGSTOP)
            # Of all that is looked for this may be had by then; the memory is large.
            names = ["passphrase", "passphrase in JSON"]
            scan = Scan(self.daemon.pid, {name: self.secrets[name] for name in names})
            self.findings.expect(scan.read > DERIVING_BYTES,
                                 f"{self.mode}: the scan sees Argon2id at work", str(scan.read))
            for name in names:
                self._judge(f"{self.mode}: while Argon2id runs", name, scan.found(name), False,
                            name == "passphrase")
            self.daemon.signal(signal.SIGCONT)
            wire.replies(peer, 1)
        self.scan_open("unlocked after a stop")
        self.daemon.call("Lock")
        self.scan_shut("locked after a stop")

    def try_wrong_secrets(self):
        wrong = self.new_passphrase("wrong passphrase")
        self.learn_tried(wrong.encode(), "passphrase")
        self.must_be_refused("WrongKey", "a wrong passphrase", "Unlock", passphrase=wrong)
        self.scan_shut("a wrong passphrase")
        self.scan_dumps_when_shut("a wrong passphrase")
        long = self.new_passphrase("long wrong passphrase", 400)
        self.must_be_refused("WrongKey", "a long wrong passphrase", "Unlock", passphrase=long)
        self.scan_shut("a long wrong passphrase")
        code = self.opening.recovery_code(secrets.token_bytes(20))
        self.learn_tried(self.look_for_code("wrong code", code), "recovery")
        self.must_be_refused("WrongKey", "a wrong code", "Unlock", recovery_code=code)
        self.scan_shut("a wrong code")
        mistyped = self.code[:-1] + ("0" if self.code[-1] != "0" else "1")
        self.must_be_refused("InvalidField", "a mistyped code", "Unlock", recovery_code=mistyped)
        self.scan_shut("a mistyped code")

    def send_what_is_refused(self):
        for index in range(len(refused_unlocks("x" * 32))):
            # Each by itself, so that a failure names its cause.
            secret = wire.made_up_token()
            name, call = list(refused_unlocks(secret).items())[index]
            self.secrets[f"secret of: {name}"] = secret.encode()
            reply = wire.raw_exchange(self.daemon.socket, call)
            self.findings.expect(not reply or b'"error"' in reply,
                                 f"{self.mode}: an unlock with {name} is refused", repr(reply))
            self.findings.expect(secret.encode() not in reply,
                                 f"{self.mode}: an unlock with {name} is not echoed")
            self.scan_shut(f"unlock with {name}")
            del self.secrets[f"secret of: {name}"]

    def send_half(self):
        """Calls that stop in their middle, by a passphrase and by a code that are right."""
        for padding in (0, 5_000, 40_000):
            for parameters in ({"passphrase": self.passphrase}, {"recovery_code": self.code}):
                call = wire.message("Unlock", parameters)[:-1] + b" " * padding
                what = f"{next(iter(parameters))} and {padding} bytes"
                passing = [name for name in self.secrets if self.is_of(name, parameters)]
                with socket.socket(socket.AF_UNIX) as peer:
                    peer.connect(str(self.daemon.socket))
                    peer.sendall(call)
                    self.scan_shut(f"half of an unlock is sent, {what}", passing=passing)
                self.scan_shut(f"half of an unlock was sent, {what}")
        call = wire.message("Unlock", {"passphrase": self.passphrase})
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(str(self.daemon.socket))
            for byte in call[:-1]:
                peer.sendall(bytes([byte]))
        self.scan_shut("an unlock came byte by byte and never ended")

    @staticmethod
    def is_of(name, parameters):
        """Whether that is a spelling of the secret that is under way."""
        begin = "passphrase" if "passphrase" in parameters else "recovery code"
        return name in (begin, f"{begin} in JSON")

    def unlock_and_remove(self):
        self.daemon.call("Unlock", {"passphrase": self.passphrase})
        self.scan_open("unlocked after all that was wrong")
        recovery = next(slot for slot in self.call("ListSlots")["slots"]
                        if slot["kind"] == "recovery")
        self.call("RemoveSlot", id=recovery["id"])
        self.learn_keys()
        self.scan_open("the recovery code was removed")
        self.scan_dumps("the recovery code was removed", held=[*self.held, *self.open_keys])
        self.daemon.call("Lock")
        self.scan_shut("locked after a removal")

    def lock_by_time(self):
        self.options = (*self.options, "--lock-after-idle", str(IDLE_SECONDS))
        self.start()
        self.scan_shut("started locked")
        self.daemon.call("Unlock", {"passphrase": self.passphrase})
        self.scan_open("unlocked for a while")
        time.sleep(IDLE_SECONDS + 0.5)
        self.findings.expect(self.daemon.status()["state"] == "locked",
                             f"{self.mode}: it locks when it is not used")
        self.scan_shut("locked by time")

    def scan_dumps_when_shut(self, step):
        open_keys, self.open_keys = self.open_keys, set()
        self.scan_dumps_after_logout(step)
        self.open_keys = open_keys
