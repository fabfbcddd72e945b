"""Random calls, valid and invalid, from a small world of users and tokens that often meet."""

from replies import ACCOUNT_INTERFACE, KEYS_INTERFACE, SERVICE_INTERFACE
from spelling import Raw, Twice, spell
from unknown import code_of

# How often each method is called.
QUERIES = {"GetStatus": 4, "GetAccount": 5, "GetToken": 9, "CheckExpiry": 5, "Export": 3}
CHANGES = {"Login": 10, "UpdateProfile": 4, "Logout": 3, "Verify": 3, "Repair": 3}
LOCKS = {"Lock": 4, "Unlock": 8}
KEYS = {"ListSlots": 2, "AddSlot": 5, "RemoveSlot": 4.5, "Rotate": 2, "NewRecoveryCode": 1,
        "DeriveArchiveKey": 5, "FinishRotation": 2}
UIDS = ("1", "20", "20", "20", "99999999999999999999")
NAMES = ("", "made up", "名前", 'a "quoted" \\ name', "\x7f\x01line\n", "n" * 256, "é" * 128)
AVATARS = ("", "https://example.org/a.png", "a" * 2048)
BAD_TEXTS = ("", " ", "x y", "tab\there", "é", "\x7f", "t" * 4097, "1" * 21, "12a", "n" * 257,
             "é" * 129, "a" * 2049, "\U0001F600", "-1", "+5", "0x10")
NUMBERS = (0, 1, -1, 59, 60, 61, 3600, 86_400, 315_360_000, 315_360_001, 253_402_300_799,
           253_402_300_800, 2**31, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 10**30, Raw("-0"),
           Raw("1.0"), Raw("1e3"), Raw("1E400"), Raw("0.5"), Raw("1e-400"), Raw("9" * 400))
BAD_NUMBERS = tuple(map(Raw, ("01", "-", "+1", "1.", ".5", "1e", "0x1", "NaN", "Infinity", "--1")))
# The first is the one that a store has, most of the time.
PASSPHRASES = ("open sesame", "\u5bc6\u8a9e", 'q"\\ \t\x7f', "p" * 1024, "Open sesame")
BAD_PASSPHRASES = ("", "p" * 1025, "\u00e9" * 513)
CODES = tuple(code_of(bytes(range(start, start + 20))) for start in (0, 50, 236))
# An id of a slot that no seed can know: whoever sends the step puts it in. Which, how many digits.
SLOT = "@slot-{}-{}@"
# Ids of master keys, likewise: the last is 0, the one before it 1; in small letters or in capitals.
KEY, CAPITAL_KEY = "@key-{}@", "@KEY-{}@"
ARCHIVES = ("drafts", "drafts", "Drafts", "a", "\u8349\u7a3f/\u00e9", "\u8349\u7a3f/e\u0301",
            "..", '"\\\n', "n" * 180, "\u00e9" * 90, "", "n" * 181, "\u00e9" * 90 + "n")
SERVED = {**{f"{ACCOUNT_INTERFACE}.{name}": weight
             for name, weight in {**QUERIES, **CHANGES, **LOCKS}.items()},
          **{f"{KEYS_INTERFACE}.{name}": weight for name, weight in KEYS.items()},
          f"{SERVICE_INTERFACE}.GetInfo": 1, f"{SERVICE_INTERFACE}.GetInterfaceDescription": 1}
UNSERVED = (f"{KEYS_INTERFACE}.Nothing", f"{ACCOUNT_INTERFACE}.ListSlots", f"{KEYS_INTERFACE}.Lock",
            f"{ACCOUNT_INTERFACE}.Nothing", f"{SERVICE_INTERFACE}.Nothing", "GetToken", "",
            f"{ACCOUNT_INTERFACE}.gettoken", f"{ACCOUNT_INTERFACE}.", "org.example.Other.Method",
            f".{ACCOUNT_INTERFACE}.GetToken", f"{ACCOUNT_INTERFACE}.GetToken.", "a." + "b" * 130,
            "org.example." + "c" * 116, "2.00token", "é.x", f"{ACCOUNT_INTERFACE}.2.00token")


def token(random):
    """Printable ASCII of any length up to the limit, mostly short."""
    length = random.choice((1, 2, 32, 32, 32, 200, 4095, 4096))
    return "".join(chr(random.randint(0x21, 0x7E)) for _ in range(length))


class Calls:
    """Makes calls; `base` is the time around which tokens live, in seconds since 1970."""

    def __init__(self, random, base):
        self.random = random
        self.base = base

    def message(self, oddity=None, longest=65_536, alone=False):
        """The bytes of one message, its NUL included. `alone`: none comes with it."""
        random = self.random
        if oddity is None:
            oddity = random.choice((0, 0, 0.05, 0.5))
        text = spell(self.call(alone), random, oddity)
        if random.random() < 0.04:
            text = self._spoil(text)
        elif random.random() < 0.02:
            # As long as it may be, or one byte longer.
            text += b" " * (longest + random.choice((0, 0, 1)) - len(text))
        return text.replace(b"\0", b" ") + b"\0"

    def call(self, alone=False):
        """A call as a value, with what else may stand in it."""
        random = self.random
        pick = random.random()
        if pick < 0.03:
            return random.choice((None, [], "text", 5, {}, {"parameters": {}}, {"method": None},
                                  {"method": 7}, [{"method": next(iter(SERVED))}], Raw(""),
                                  Raw("}"), Raw("\ufeff{}")))
        method = random.choice(UNSERVED) if pick < 0.08 else self._method()
        parameters = self.parameters(method.rpartition(".")[2])
        call = {"method": method}
        if parameters or random.random() < 0.8:
            call["parameters"] = parameters
        self._add_members(call)
        if not alone and method.endswith("AddSlot"):
            # Which of several new slots is whose is only to be seen from the answers.
            call.pop("oneway", None)
        if not alone and method.endswith("DeriveArchiveKey") and type(parameters) is dict:
            # While a rotation is written both keys are there, and before and after it one is.
            parameters.pop("key_id", None)
        return call

    def _method(self):
        return self.random.choices(list(SERVED), list(SERVED.values()))[0]

    def _add_members(self, call):
        random = self.random
        if random.random() < 0.06:
            call["oneway"] = random.choice((True, True, True, False, None))
        if random.random() < 0.03:
            call["more"] = random.choice((True, False, None))
        if random.random() < 0.02:
            call["upgrade"] = random.choice((True, False, None))
        if random.random() < 0.01:
            call[random.choice(("oneway", "more", "upgrade", "parameters", "method"))] = (
                random.choice((1, "true", [], {}, Raw("-1"))))
        if random.random() < 0.03:
            call[random.choice(("id", "x" * 300, "Method", "é"))] = self._nested()

    def _nested(self):
        random = self.random
        depth = random.choice((0, 1, 3, 14, 15, 16, 40))
        value = random.choice((1, None, "x", {}, []))
        for _ in range(depth):
            value = [value] if random.random() < 0.5 else {"n": value}
        return value

    def parameters(self, name):
        """What a method takes, or nearly."""
        random = self.random
        given = {}
        if name in ("GetToken", "CheckExpiry") and random.random() < 0.6:
            given["min_validity"] = self._number((0, 1, 10, 60, 3600, 86_400, 10**6))
        elif name == "Login":
            given = self._login()
        elif name == "UpdateProfile":
            self._maybe(given, "screen_name", NAMES, 0.6)
            self._maybe(given, "avatar_large", AVATARS, 0.5)
        elif name == "Logout":
            self._maybe(given, "if_uid", UIDS, 0.4)
        elif name in ("Unlock", "AddSlot", "RemoveSlot", "DeriveArchiveKey"):
            given = {"Unlock": self._unlock, "AddSlot": self._slot, "RemoveSlot": self._id,
                     "DeriveArchiveKey": self._archive}[name]()
        elif name == "GetInterfaceDescription" and random.random() < 0.9:
            given["interface"] = random.choice(
                (ACCOUNT_INTERFACE, KEYS_INTERFACE, SERVICE_INTERFACE, "org.example.Other", "",
                 "2.00x", "é"))
        if random.random() < 0.06:
            given[random.choice(list(given) or ["min_validity"])] = random.choice(
                (None, None, True, False, "text", "1", [], {}, self._number(), self._nested()))
        if random.random() < 0.05:
            given[random.choice(("min_validty", "x", "é", "2.00token", "p" * 128, "p" * 129, "",
                                 "a-b_c.d9", "_a", "min_validity"))] = self._number()
        if given and random.random() < 0.01:
            pairs = list(given.items())
            return Twice([*pairs, (pairs[0][0], pairs[0][1])])
        return given

    def _maybe(self, given, name, values, chance):
        if self.random.random() < chance:
            given[name] = self.random.choice(values if self.random.random() < 0.92 else BAD_TEXTS)

    def _number(self, usual=NUMBERS):
        random = self.random
        pick = random.random()
        if pick < 0.02:
            return random.choice(BAD_NUMBERS)
        return random.choice(usual if pick < 0.8 else NUMBERS)

    def _login(self):
        random = self.random
        given = {"access_token": token(random), "uid": random.choice(UIDS)}
        how = random.random()
        if how < 0.55:
            given["expires_in"] = self._number((1, 60, 3600, 3600, 86_400, 2_592_000))
            if random.random() < 0.5:
                given["issued_at"] = self.base + random.choice((-86_400, -3600, -60, 0, 0, 0, 600))
        else:
            given["expires_at"] = self.base + random.choice(
                (-3600, -1, 0, 1, 60, 3600, 3600, 86_400, 86_400))
        if how > 0.97:
            given[random.choice(("expires_in", "issued_at", "expires_at"))] = self._number()
        self._maybe(given, "screen_name", NAMES, 0.4)
        self._maybe(given, "avatar_large", AVATARS, 0.3)
        if random.random() < 0.3:
            given["refresh_token"] = token(random)
        if random.random() < 0.35:
            given["replace"] = random.choice((True, True, True, False, None))
        if random.random() < 0.05:
            given[random.choice(("access_token", "uid", "refresh_token"))] = (
                random.choice(BAD_TEXTS))
        if random.random() < 0.02:
            del given[random.choice(("access_token", "uid"))]
        return given

    def _unlock(self):
        """What opens the store, or nearly, or not."""
        random = self.random
        pick = random.random()
        given = {}
        if 0.25 < pick < 0.65 or pick > 0.98:
            given["recovery_code"] = self._code()
        if pick > 0.65:
            given["passphrase"] = self._passphrase()
        return given

    def _slot(self):
        random = self.random
        kind = random.choices(("recovery", "passphrase", "keyfile", "credential", "", "Keyfile"),
                              (40, 30, 15, 4, 1, 1))[0]
        given = {"kind": kind}
        if kind == "recovery" or random.random() < 0.02:
            given["recovery_code"] = self._code()
        if kind == "passphrase" or random.random() < 0.02:
            given["passphrase"] = self._passphrase()
            if random.random() < 0.4:
                given["keep_keyfile"] = random.choice((True, True, False, None))
        if random.random() < 0.03:
            del given[random.choice(list(given))]
        return given

    def _passphrase(self):
        pick = self.random.random()
        return PASSPHRASES[0] if pick < 0.6 else self.random.choice(
            PASSPHRASES if pick < 0.96 else BAD_PASSPHRASES)

    def _code(self):
        """As it is shown, as people type it, or mistyped."""
        random = self.random
        code = random.choice((*CODES, CODES[0], CODES[0]))
        pick = random.random()
        if pick < 0.65:
            return code
        if pick < 0.9:
            code = random.choice((code.lower(), code.replace("-", ""), code.replace("-", "  "),
                                  f" {code.swapcase()}-"))
            return code.translate(random.choice((
                str.maketrans("01", "oI"), str.maketrans("01", "OL"), str.maketrans("1", "l"))))
        place = random.randrange(len(code))
        return random.choice((
            code[:place] + random.choice("0Z!U\u00e9\u0130 ") + code[place + 1:], code[:place],
            code + "7", "", " " * 257, code + "-" * 213))

    def _id(self):
        random = self.random
        given = {"id": SLOT.format(random.randrange(5), random.choice((16, 16, 16, 3, 1, 0)))}
        if random.random() < 0.1:
            given["id"] = random.choice(("", "x", "0" * 17, "0x00", "\u00e9", "\uff11", "-1"))
        if random.random() < 0.4:
            given["rotate"] = random.choice((False, False, True, None))
        if random.random() < 0.03:
            del given["id"]
        return given

    def _archive(self):
        random = self.random
        given = {"name": random.choice(ARCHIVES)}
        if random.random() < 0.5:
            given["key_id"] = random.choice((KEY, KEY, CAPITAL_KEY)).format(
                random.choice((0, 0, 1, 1, 2, 3)))
        if random.random() < 0.08:
            given["key_id"] = random.choice(
                ("", "0f" * 16, "0f" * 15, "0f" * 16 + "0", "0g" * 16, "\uff11" * 32, "2.00token",
                 None))
        if random.random() < 0.03:
            del given["name"]
        return given

    def _spoil(self, text):
        random = self.random
        data = bytearray(text)
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(data) + 1)
            how = random.randrange(4)
            if how == 0 and data:
                data[place - 1] ^= 1 << random.randrange(8)
            elif how == 1 and data:
                del data[place - 1]
            elif how == 2:
                data[place:place] = random.choice(
                    (b",", b"{", b"}", b'"', b"\\", b"\xff", b"\xc0\x80", b"\xed\xa0\x80",
                     b"\\ud800", b"\\u0000", b"\\x", b"\x01", b" ", b"[" * 20))
            else:
                del data[place:]
        return bytes(data)
