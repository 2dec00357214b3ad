"""Types of fields, written as text, and a check that an answer has them.

`text`, `id`, `time`, `int`, `number`, `bool`, `object`, `any`, `=a|b` (one of these), `[T]` (an array of T), `{…}` for
the fields within; `?` behind for null, `~` before for a field that may be absent.
"""

import re
from dataclasses import dataclass
from typing import Any

ID = re.compile(r"[A-Z]{2}[0-9a-f]{16}")


@dataclass(frozen=True)
class Maybe:
    """A field that may be absent, if its type is not a text: `Maybe([{…}])`."""

    kind: Any


@dataclass(frozen=True)
class Nullable(Maybe):
    """A field that may be absent or null, if its type is not a text."""


def check_object(value, fields, where):
    """Yields what is wrong with an object."""
    if not isinstance(value, dict):
        yield f"{where} is no object: {value!r}"
        return
    for name, kind in fields.items():
        may_miss = isinstance(kind, Maybe) or (isinstance(kind, str) and kind.startswith("~"))
        if name in value:
            yield from check(value[name], kind, f"{where}.{name}")
        elif not may_miss:
            yield f"{where}.{name} is missing"
    for name in value.keys() - fields.keys():
        yield f"{where}.{name} is not in the table: {value[name]!r}"


def check(value, kind, where):
    """Yields what is wrong with a value."""
    if isinstance(kind, Nullable) and value is None:
        return
    if isinstance(kind, Maybe):
        kind = kind.kind
    if isinstance(kind, dict):
        yield from check_object(value, kind, where)
        return
    if isinstance(kind, list):
        if isinstance(value, list):
            for at, item in enumerate(value):
                yield from check(item, kind[0], f"{where}[{at}]")
        else:
            yield f"{where} is no array: {value!r}"
        return
    kind = kind.lstrip("~")
    if kind.endswith("?"):
        if value is None:
            return
        kind = kind[:-1]
    if kind.startswith("[") and kind.endswith("]"):
        yield from check(value, [kind[1:-1]], where)
    elif not is_one(value, kind):
        yield f"{where} is not {kind}: {value!r}"


def is_one(value, kind):
    """Returns whether a value has a simple type."""
    if kind.startswith("="):
        return value in kind[1:].split("|")
    is_int = isinstance(value, int) and not isinstance(value, bool)
    return {
        "any": lambda: True,
        "text": lambda: isinstance(value, str),
        "id": lambda: isinstance(value, str) and ID.fullmatch(value) is not None,
        "time": lambda: is_int and 1_500_000_000 < value < 253_402_300_800,
        "int": lambda: is_int,
        "number": lambda: is_int or isinstance(value, float),
        "bool": lambda: isinstance(value, bool),
        "object": lambda: isinstance(value, dict),
    }[kind]()
