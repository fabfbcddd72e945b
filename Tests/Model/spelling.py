"""JSON as nobody writes it: the same value in spellings that a strict reader must take."""

SHORT = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
         "\t": "\\t"}


class Raw(str):
    """Text that stands for itself: a number with an exponent, or something that is no JSON."""


class Twice(dict):
    """An object whose members are a list of pairs, in which a name may stand twice."""

    def __init__(self, pairs):
        super().__init__()
        self.pairs = pairs


def spell(value, random, oddity):
    """A text of the value. `oddity`: how often something is written in an unusual way, 0 to 1."""
    odd = lambda: random.random() < oddity  # noqa: E731

    def gap():
        return "".join(random.choices(" \t\n\r", k=random.randint(1, 3))) if odd() else ""

    def text(string):
        parts = []
        for letter in string:
            code = ord(letter)
            if letter in SHORT and (letter in '"\\' or code < 0x20):
                parts.append(SHORT[letter] if not odd() else f"\\u{code:04x}")
            elif code < 0x20:
                parts.append(f"\\u{code:04X}")
            elif odd():
                if code > 0xFFFF:
                    high, low = 0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code & 0x3FF)
                    parts.append(f"\\u{high:04x}\\u{low:04X}")
                else:
                    escape = SHORT.get(letter, "")
                    parts.append(escape if escape and odd() else f"\\u{code:04x}")
            else:
                parts.append(letter)
        return '"' + "".join(parts) + '"'

    def write(node):
        if isinstance(node, Raw):
            return str(node)
        if isinstance(node, str):
            return text(node)
        if node is None or isinstance(node, bool):
            return {None: "null", True: "true", False: "false"}[node]
        if isinstance(node, dict):
            pairs = node.pairs if isinstance(node, Twice) else list(node.items())
            if odd():
                random.shuffle(pairs)
            members = (f"{gap()}{text(name)}{gap()}:{gap()}{write(member)}{gap()}"
                       for name, member in pairs)
            return "{" + (",".join(members) or gap()) + "}"
        if isinstance(node, list):
            return "[" + ",".join(gap() + write(each) + gap() for each in node) + "]"
        return str(node)

    # Half a surrogate pair has no UTF-8: it is sent as the three bytes that it would have.
    return (gap() + write(value) + gap()).encode("utf-8", "surrogatepass")
