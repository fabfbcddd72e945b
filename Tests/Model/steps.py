"""Sequences of steps from a seed.

A sequence is data: tuples of a name and what it needs. So it can be printed, cut down and replayed.
"""

import random

import peers
from calls import CHANGES, CODES, KEY, KEYS, LOCKS, PASSPHRASES, Calls
from files import ACCOUNT, ARCHIVES, NEXT, OTHER_SEALED, SLOTS, SLOTS_COPY, SPARE
from replies import KEYS_INTERFACE
from unknown import code_of
from wire import message

# What a damaged file is: the weights favour what can be mended.
DAMAGE = ("flip", "flip", "cut", "extend", "empty", "junk", "huge", "remove", "remove", "remove",
          "symlink", "directory", "mode", "owner", "restore", "restore", "restore", "copy")
ARCHIVE = f"{ARCHIVES}2027.plist.sealed"
DAMAGED = (ACCOUNT, ACCOUNT, ACCOUNT, SPARE, SLOTS, SLOTS, SLOTS_COPY, NEXT, "key", "key",
           OTHER_SEALED, ARCHIVE)
BASE = 1_800_000_000
# The last two lead to 1970 and beyond the year 9999; none leads before 1970.
CLOCK_STEPS = (0, 1, 1, 30, 59, 60, 61, 3599, 3600, 86_400, -1, -60, -3600, -86_400, 10**7, -10**7,
               -BASE + 5, 253_402_300_800 - BASE)
# Files that mean nothing, or nothing any more, and what may become of them.
STRAY = (ARCHIVE, f"{ARCHIVES}notes", "account.plist.sealed.damaged-7", "notes",
         "keyslots.plist.damaged-1800000000", "account.plist.sealed.damaged-1800000000",
         ".tmp-0123456789abcdef", ".tmp-0123", f"{ARCHIVES}.tmp-0123456789abcdef")
# How often there is a step of each kind.
KINDS = {"connect": 4, "send": 60, "keys": 12, "reopen": 4, "fill": 0.5, "guess": 0.8,
         "pipeline": 8, "half": 5, "close": 3, "half-close": 2, "clock": 7, "wait": 5,
         "restart": 2, "signal": 1, "damage": 12, "burst": 8, "killed": 2, "ended": 1,
         "command": 3, "directory": 3, "flood": 2, "last-words": 2, "hit-and-run": 3,
         "second": 0.5, "socket-gone": 0.5, "stray": 4, "evict": 1.5, "finish": 4}


def generate(seed, count):
    """So many steps, the first of which says what kind of daemon it is."""
    return Generator(random.Random(seed)).steps(count)


class Generator:
    """Makes steps. A connection is named for its user and a number; it is made where it lacks."""

    def __init__(self, source):
        self.random = source
        self.calls = Calls(source, BASE)
        # Seconds after which the daemon locks the store: idle, and in any case.
        self.times = (None, None)

    def steps(self, count):
        """The whole sequence."""
        random = self.random
        owner = random.choice((peers.OWNER, peers.OWNER, peers.OTHER_OWNER))
        if random.random() < 0.25:
            self.times = random.choice(((60, None), (None, 3600), (30, 90)))
        is_cheap = random.random() < 0.98
        steps = [("daemon", owner, random.random() < 0.3, self.times, is_cheap)]
        # Something to lose, most of the time.
        if random.random() < 0.8:
            steps.append(("send", "root-1", self._login(), 1))
        # A store that can be locked, half of the time, and at times one that must be unlocked.
        if random.random() < 0.5:
            steps.append(("send", "root-1", message(f"{KEYS_INTERFACE}.AddSlot", random.choice((
                {"kind": "recovery", "recovery_code": CODES[0]},
                {"kind": "passphrase", "passphrase": PASSPHRASES[0]}))), 1))
        while len(steps) < count:
            kind = random.choices(list(KINDS), list(KINDS.values()))[0]
            made = getattr(self, f"_{kind.replace('-', '_')}")()
            steps += made if isinstance(made, list) else [made]
        return steps

    def _login(self):
        return message("Login", self.calls.parameters("Login"))

    def _connect(self):
        return ("connect", self._peer())

    def _peer(self):
        random = self.random
        user = random.choice((*peers.NAMES, "root", "root", "root", "root", "reader", "observer"))
        return f"{user}-{random.randint(1, 3 if user == 'root' else 1)}"

    @staticmethod
    def _longest(name):
        return 65_536 if name.startswith(("root", "second")) else 4096

    def _send(self):
        name = self._peer()
        return ("send", name, self.calls.message(longest=self._longest(name), alone=True),
                self.random.choice((1, 1, 1, 2, 5)))

    def _keys(self):
        """What an owner does to the key, without oddities."""
        random = self.random
        methods = {**LOCKS, **KEYS}
        method = random.choices(list(methods), list(methods.values()))[0]
        return ("send", f"root-{random.randint(1, 3)}", self._plain(method), 1)

    def _reopen(self):
        """Locks the store and opens it, or not."""
        methods = ("Lock", *self.random.choices(("GetToken", "Verify", "Repair", "Login"), k=1),
                   "Unlock", *self.random.choices(("GetToken", "Rotate", "AddSlot", "Unlock"), k=2))
        return ("send", f"root-{self.random.randint(1, 3)}",
                b"".join(map(self._plain, methods)), 1)

    def _evict(self):
        """Removes a slot whose secret is then tried."""
        add = [message(f"{KEYS_INTERFACE}.AddSlot", {"kind": "recovery", "recovery_code": code})
               for code in CODES]
        unlock = [message("Unlock", {"recovery_code": code}) for code in CODES]
        remove = self._plain("RemoveSlot")
        self.random.shuffle(unlock)
        return [("send", "root-1", self._plain("Unlock") + b"".join(add), 1),
                ("send", "root-1", remove + b"".join(
                    message("Lock") + each for each in unlock), 1)]

    def _finish(self):
        """Rotates while files are sealed by the key, which are gone, or are not, at the end."""
        random = self.random
        names = (ARCHIVE, f"{ARCHIVES}other.sealed~")
        # The account as it was written last.
        keep = [("damage", name, "restore", -1) for name in names if random.random() < 0.8]
        if random.random() < 0.3:
            # By a writer of archives that was killed.
            keep.append(("damage", f"{ARCHIVES}.tmp-0123456789abcdef", "restore", -1))
        rotate = self._plain(random.choice(("Rotate", "Rotate", "RemoveSlot")))
        derive = b"".join(message(f"{KEYS_INTERFACE}.DeriveArchiveKey",
                                  {"name": "drafts", "key_id": KEY.format(number)})
                          for number in (0, 1))
        # A spare that a rotation has not come to remove, or one that it leaves.
        spare = random.choice((
            [], [("damage", SPARE, "restore", -2)], [("damage", SPARE, "restore", -2)],
            [("damage", SPARE, "restore", -random.randint(1, 3))],
            [("send", "root-1", self._login(), 1)]))
        gone = [("damage", name, "remove", 0) for name in names if random.random() < 0.7]
        finish = self._plain("FinishRotation")
        return [*keep, ("send", "root-1", self._plain("DeriveArchiveKey") + rotate, 1), *spare,
                ("send", "root-2", derive, 1), *gone,
                ("send", f"root-{random.randint(1, 2)}", derive + finish + derive + finish, 1)]

    def _guess(self):
        """Wrong secrets one after another, which is held up more and more."""
        user = self.random.choice(("root-1", "second-1"))
        guess = message("Unlock", self.random.choice((
            {"recovery_code": code_of(b"?" * 20)}, {"passphrase": "Open sesame"})))
        return ("send", user, message("Lock") + guess * self.random.choice((2, 3, 7)), 1)

    def _plain(self, method):
        parameters = self.calls.parameters(method)
        return message(f"{KEYS_INTERFACE}.{method}" if method in KEYS else method, parameters)

    def _fill(self):
        """As many slots as there may be, and one more."""
        return ("send", "root-1", b"".join(
            message(f"{KEYS_INTERFACE}.AddSlot",
                    {"kind": "recovery", "recovery_code": code_of(bytes([number]) * 20)})
            for number in self.random.sample(range(20), k=17)), 1)

    def _pipeline(self):
        name = self._peer()
        count = self.random.choice((2, 3, 8, 40))
        data = b"".join(self.calls.message(longest=4096) for _ in range(count))
        return ("send", name, data, self.random.choice((1, 1, 3)))

    def _half(self):
        name = self._peer()
        data = self.calls.message(longest=self._longest(name))
        return ("send", name, data[:self.random.randrange(len(data))], 1)

    def _close(self):
        return ("close", self._peer())

    def _half_close(self):
        return ("half-close", self._peer())

    def _clock(self):
        random = self.random
        seconds = random.choice(CLOCK_STEPS)
        usual = abs(seconds) * 1000 if abs(seconds) < 10**6 else 0
        passed = random.choice((usual, usual, 0, 1, 999, 1000, 29_999, 30_000))
        return ("clock", seconds, passed)

    def _wait(self):
        """Nearly as long as the store stays open, with or without a use of it half-way."""
        random = self.random
        seconds = self.times[0] or self.times[1]
        if seconds is None:
            return self._clock()
        opens = (self._plain("Unlock") + message("Unlock", {"recovery_code": CODES[0]})
                 + message(f"{KEYS_INTERFACE}.AddSlot",
                           {"kind": "recovery", "recovery_code": CODES[0]}))
        asks = self._plain(random.choice(("CheckExpiry",) * 4 + ("GetStatus", "ListSlots",
                                          "GetToken", "GetAccount", "Export", "Verify",
                                          "DeriveArchiveKey", "FinishRotation")))
        return [("send", "root-1", opens, 1), ("clock", 0, 500 * seconds),
                ("send", "root-2", asks, 1),
                ("clock", 0, 500 * seconds - random.choice((0, 0, 1)))]

    def _restart(self):
        return ("restart", self.random.choice(("SIGTERM", "SIGTERM", "SIGINT", "SIGKILL")))

    def _signal(self):
        return ("signal", self.random.choice(("SIGHUP", "SIGUSR1", "SIGUSR1", "SIGSTOP")))

    def _damage(self):
        return ("damage", self.random.choice(DAMAGED), self.random.choice(DAMAGE),
                self.random.randrange(10**6))

    def _stray(self):
        return ("damage", self.random.choice(STRAY), self.random.choice(("junk", "copy", "remove")),
                self.random.randrange(10**6))

    def _last_words(self):
        return ("last-words", *self._pipeline()[1:])

    def _hit_and_run(self):
        return ("hit-and-run", self._peer(), self._change())

    def _second(self):
        return ("second",)

    def _socket_gone(self):
        return ("socket-gone",)

    def _directory(self):
        return ("directory", self.random.choice(("save", "remove", "empty", "restore", "restore")))

    def _flood(self):
        return ("flood", self._peer(), self.random.choice(("read", "late", "leave")))

    def _burst(self):
        random = self.random
        names = {self._peer() for _ in range(random.randint(2, 4))}
        sends = tuple((name, b"".join(self.calls.message(longest=4096)
                                      for _ in range(random.randint(1, 4))))
                      for name in sorted(names))
        return ("burst", sends, random.random() < 0.5)

    def _change(self):
        methods = {**dict.fromkeys(CHANGES, 4), "Unlock": 1, "AddSlot": 4, "RemoveSlot": 3,
                   "Rotate": 4, "FinishRotation": 3}
        return self._plain(self.random.choices(list(methods), list(methods.values()))[0])

    def _killed(self):
        return ("killed", self._peer(), self._change(), self.random.choice(
            (0, 50, 100, 200, 300, 500, 800, 1200, 3000)))

    def _ended(self):
        return ("ended", self._peer(), self._change())

    def _command(self):
        random = self.random
        user = random.choice((*peers.NAMES, "root", "root", "root"))
        minimum = ["--min-validity", str(random.choice((0, 1, 60, 3600, 10**6)))]
        words = random.choice((
            ["token", *minimum], ["token", "--json"], ["header"],
            ["check", "--format", "json", *minimum], ["check", "--quiet"], ["status", "--json"],
            ["expires", "--format", "unix"], ["show", "--json"], ["logout", "--if-uid", "20"],
            ["logout"],
            ["login", "--issued-at", str(BASE), *random.choice(([], ["--replace"]))]))
        response = None
        if words[0] == "login":
            response = ('{"access_token":"2.00%d","expires_in":%d,"uid":"%s"}' % (
                random.randrange(10**9), random.choice((60, 3600, 86_400)),
                random.choice(("1", "20"))))
        return ("command", user, tuple(words), response)
