"""Holds what goes over the wire against the types that the interface file declares.

python-varlink parses the file; its own check turns floats into whole numbers and passes over fields
that it does not know. This one does neither: each field must be declared, each that is not optional
must be there, and each must have its very type.
"""

from varlink import scanner


class WrongType(AssertionError):
    """A value is not what the interface file says."""


class Seen:
    """Which methods gave which answers, and which fields were there or left out."""

    def __init__(self):
        self.answers = set()
        self.present = set()
        self.absent = set()
        self.enumerated = set()


def check(value, declared, interface, path, seen):
    """Holds a value against a type. `path` names it in a message, and in what was seen."""
    if isinstance(declared, scanner._CustomType):
        member = interface.members.get(declared.name)
        if not isinstance(member, scanner._Alias):
            raise WrongType(f"{path}: {declared.name} is not declared")
        # A type is the same wherever it is used; so is what was seen of it.
        return check(value, member.type, interface, declared.name, seen)
    if isinstance(declared, scanner._Maybe):
        return value is None or check(value, declared.element_type, interface, path, seen)
    if isinstance(declared, scanner._Struct):
        return _check_struct(value, declared, interface, path, seen)
    if isinstance(declared, scanner._Enum):
        _must(isinstance(value, str) and value in declared.fields, path, value, "one of its names")
        seen.enumerated.add((path, value))
    elif isinstance(declared, scanner._Array):
        _must(isinstance(value, list), path, value, "a list")
        for element in value:
            check(element, declared.element_type, interface, path + "[]", seen)
    elif isinstance(declared, scanner._Dict):
        _must(isinstance(value, dict), path, value, "a map")
        for element in value.values():
            check(element, declared.element_type, interface, path + "[]", seen)
    elif isinstance(declared, set):
        _must(isinstance(value, dict) and all(each == {} for each in value.values()), path, value,
              "a set")
    elif isinstance(declared, scanner._Object):
        _must(isinstance(value, dict), path, value, "an object")
    else:
        _check_basic(value, declared, path)


def _check_struct(value, declared, interface, path, seen):
    _must(isinstance(value, dict), path, value, "an object")
    for name, kind in declared.fields.items():
        field = f"{path}.{name}"
        if value.get(name) is not None:
            seen.present.add(field)
            check(value[name], kind, interface, field, seen)
            continue
        seen.absent.add(field)
        if not isinstance(kind, scanner._Maybe):
            raise WrongType(f"{field} is missing")
    unknown = set(value) - set(declared.fields)
    if unknown:
        raise WrongType(f"{path} has fields that are not declared: {sorted(unknown)}")


def _check_basic(value, declared, path):
    # In this order: True is an int to Python.
    if isinstance(declared, bool):
        _must(isinstance(value, bool), path, value, "true or false")
    elif isinstance(declared, int):
        _must(type(value) is int, path, value, "a whole number")
    elif isinstance(declared, float):
        _must(type(value) in (int, float), path, value, "a number")
    elif isinstance(declared, str):
        _must(isinstance(value, str), path, value, "a text")
    else:
        raise WrongType(f"{path}: the type {declared!r} is not known")


def _must(holds, path, value, kind):
    if not holds:
        raise WrongType(f"{path} is {value!r}, not {kind}")


def fields(declared, interface, path):
    """Every field below a type by its path, and whether it is optional."""
    if isinstance(declared, scanner._CustomType):
        yield from fields(interface.members[declared.name].type, interface, declared.name)
    elif isinstance(declared, (scanner._Maybe, scanner._Array, scanner._Dict)):
        ending = "" if isinstance(declared, scanner._Maybe) else "[]"
        yield from fields(declared.element_type, interface, path + ending)
    elif isinstance(declared, scanner._Struct):
        for name, kind in declared.fields.items():
            yield f"{path}.{name}", isinstance(kind, scanner._Maybe)
            yield from fields(kind, interface, f"{path}.{name}")


def enumerations(interface):
    """Every name of every enum among the fields of the interface's types, by the field's path."""
    for name, member in interface.members.items():
        if isinstance(member, scanner._Alias) and isinstance(member.type, scanner._Struct):
            for field, kind in member.type.fields.items():
                if isinstance(kind, scanner._Enum):
                    yield from ((f"{name}.{field}", word) for word in kind.fields)


def shape(declared, interface):
    """A type as something that compares: names of types and comments do not count."""
    if isinstance(declared, scanner._CustomType):
        return shape(interface.members[declared.name].type, interface)
    if isinstance(declared, scanner._Struct):
        return tuple((name, shape(kind, interface)) for name, kind in declared.fields.items())
    if isinstance(declared, scanner._Enum):
        return ("enum", tuple(declared.fields))
    if isinstance(declared, (scanner._Maybe, scanner._Array, scanner._Dict)):
        return (type(declared).__name__, shape(declared.element_type, interface))
    return type(declared).__name__


def shapes(interface):
    """The shapes of an interface's methods and errors by their names."""
    found = {}
    for name, member in interface.members.items():
        if isinstance(member, scanner._Method):
            found[name] = (shape(member.in_type, interface), shape(member.out_type, interface))
        elif isinstance(member, scanner._Error):
            found[name] = shape(member.type, interface)
    return found
