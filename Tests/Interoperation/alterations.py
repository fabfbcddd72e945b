"""One JSON value with one thing in it changed, in every way that must not pass unnoticed."""

import copy


def alterations(value, path=""):
    """Pairs of what was changed and the value that came of it."""
    for where, change in _places(value, path):
        altered = copy.deepcopy({"root": value})
        change(altered)
        yield where, altered["root"]


def _places(value, path, keys=("root",)):
    for other in _others(value):
        yield f"{path} is {other!r}", _setting(keys, other)
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _places(member, f"{path}.{name}", (*keys, name))
            # One that is null may as well be left out.
            if member is not None:
                yield f"{path}.{name} is missing", _removing(keys, name)
        if len(keys) > 1:
            yield f"{path}.other is there", _setting((*keys, "other"), 1)
    elif isinstance(value, list):
        for place, element in enumerate(value):
            yield from _places(element, f"{path}[{place}]", (*keys, place))
        yield f"{path} is shorter", _removing(keys, len(value) - 1)
        yield f"{path} is longer", _setting(keys, [*value, copy.deepcopy(value[-1])])
        if value[0] != value[-1]:
            yield f"{path} is the other way round", _setting(keys, value[::-1])


def _others(value):
    """Values that are near to this one and are not it."""
    if value is None:
        return ["", 0]
    if isinstance(value, bool):
        return [not value, int(value), None]
    if isinstance(value, int):
        return [value + 1, value + 0.5, float(value), str(value), None]
    if isinstance(value, float):
        return [value + 2**-20, str(value), None]
    if isinstance(value, str):
        return [value + " ", value[:-1], value.swapcase() + "-", 1, None]
    return ["x", None]


def _setting(keys, new):
    def change(root):
        _holder(root, keys)[keys[-1]] = new
    return change


def _removing(keys, name):
    def change(root):
        del _holder(root, (*keys, name))[name]
    return change


def _holder(root, keys):
    for key in keys[:-1]:
        root = root[key]
    return root
