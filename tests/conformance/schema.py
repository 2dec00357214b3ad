"""The vocabulary of the tables: operations, parameters, filters, resources.

A parameter is a row: what it accepts (`good`), and what it refuses (`bad`) with the name that the error gives. The
functions make rows from types: `integer("priority", 1, 2)` accepts 1 and 2, and refuses 0, 3, texts, fractions, arrays.
"""

from dataclasses import dataclass, field
from typing import Any, Optional

SAME = "the value itself"
HIDDEN = "not shown"
ANY = "any parameter, or none"


@dataclass(frozen=True)
class Own:
    """The id (or another field) of something that the project has; `kind` is one that the world makes."""

    kind: str
    name: str = "id"


@dataclass(frozen=True)
class New(Own):
    """The same, for one that is made only for this request."""


@dataclass(frozen=True)
class Others(Own):
    """The same, in another project of the organization."""


@dataclass(frozen=True)
class Nobodys:
    """An id in the right form that does not exist."""

    kind: str


@dataclass(frozen=True)
class Number:
    """A phone number that no contact of the project has."""


@dataclass(frozen=True)
class Name:
    """A text that was not used before."""

    begins: str = "name"


@dataclass(frozen=True)
class Soon:
    """A time, so many seconds from now."""

    seconds: int


@dataclass(frozen=True)
class Good:
    """A value that is accepted, and what the answer then shows for it."""

    value: Any
    shown: Any = SAME


@dataclass(frozen=True)
class Bad:
    """A value that is refused; `at` follows the parameter's name in the error, `param` replaces it."""

    label: str
    value: Any
    at: str = ""
    param: Optional[str] = None
    beside: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Parameter:
    """One row of an operation: a parameter with what it accepts and refuses.

    `inside`: it belongs to the items of that array, and `above` stands beside the array. `choice`: it takes words that
    the list of the interface names; `later`: its feature does not exist yet, so it accepts only empty values;
    `selections`: it has filters.
    """

    name: str
    good: tuple = ()
    bad: tuple = ()
    required: bool = False
    null: str = "is nothing"
    needs: dict = field(default_factory=dict)
    instead_of: tuple = ()
    shown: Any = SAME
    missing: Optional[str] = None
    inside: str = ""
    above: dict = field(default_factory=dict)
    form: bool = True
    choice: bool = False
    later: bool = False
    selections: tuple = ()

    def within(self, place):
        """Returns the row as one for the items of `place`."""
        return Parameter(**{**self.__dict__, "inside": place, "shown": HIDDEN})


@dataclass(frozen=True)
class Case:
    """A request with its outcome, beyond rows. `status` is 200, or the error with its code and parameter."""

    label: str
    given: dict
    status: int = 200
    code: Optional[str] = None
    param: Any = None
    path: dict = field(default_factory=dict)
    shows: dict = field(default_factory=dict)
    whole: bool = False


@dataclass(frozen=True)
class Filter:
    """A filter of a list: on which field of the rows, with which modifiers."""

    name: str
    kind: str
    modifiers: tuple = ()
    values: tuple = ()
    of: Any = None
    nothing: bool = False


@dataclass(frozen=True)
class Selection:
    """Filters in a parameter, by which an operation finds what it works on.

    They are those of the list that `type`, a `filter_type`, stands for, or `filters`. `full` is one that says something,
    `beside` what else the request needs.
    """

    full: dict
    type: str = ""
    filters: tuple = ()
    beside: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Resource:
    """The fields of an object, each with its type (see `shapes`)."""

    name: str
    fields: dict


@dataclass(frozen=True)
class ListOf:
    """A page of a list."""

    resource: Resource


@dataclass(frozen=True)
class ArrayOf:
    """A bare array."""

    resource: Resource


VOID = Resource("nothing", {})


@dataclass(frozen=True)
class Operation:
    """A method of a URL. `empty`: a list that has no rows yet; `refuses`: it refuses everything for now."""

    method: str
    path: str
    permission: Optional[str]
    answer: Any
    base: dict = field(default_factory=dict)
    parameters: tuple = ()
    read_only: tuple = ()
    cases: tuple = ()
    at: dict = field(default_factory=dict)
    fields: bool = True
    filters: Optional[tuple] = None
    sorts: tuple = ()
    rows: dict = field(default_factory=dict)
    idempotent: bool = False
    anywhere: bool = False
    empty: bool = False
    refuses: bool = False

    @property
    def title(self):
        """The operation as a test's name."""
        return f"{self.method} {self.path}"

    @property
    def names(self):
        """Every name that is a row at the top of a request."""
        named = {row.name for row in self.parameters if not row.inside} | set(self.read_only)
        if self.filters is not None:
            named |= {row.name for row in self.filters} | set(LIST_PARAMETERS)
        return named | ({"fields"} if self.fields else set())

    def names_inside(self, place):
        """Every name that is a row of the items of `place`."""
        return {row.name for row in self.parameters if row.inside == place}


LIST_PARAMETERS = ("sort", "sort_dir", "page_size", "offset", "marker", "count", "fields")


def listed(path, permission, resource, filters, sorts, rows=None, **more):
    """A list: `rows` are the path's ids in the project with known rows."""
    sorts = ("default", *sorts)
    return Operation(
        "GET", path, permission, ListOf(resource), filters=tuple(filters), sorts=sorts, rows=rows or {}, **more
    )


# Types of parameters.

NOT_TEXT = (Bad("a number", 17), Bad("a boolean", True), Bad("an array", ["x"]), Bad("an object", {"a": "b"}))


def text(name, most=None, good=("some text",), bad=(), edge=True, **more):
    """A text of at most so many characters."""
    takes, refuses = list(good), [*NOT_TEXT, *bad]
    if most:
        refuses.append(Bad(f"{most + 1} characters", "x" * (most + 1)))
        if edge:
            takes.append("é" * most)
    return Parameter(name, tuple(takes), tuple(refuses), **more)


def integer(name, least, most, good=(), **more):
    """A whole number within bounds."""
    bad = [
        Bad("a text", "many"),
        Bad("a number in quotes", str(least)),
        Bad("a fraction", least + 0.5),
        Bad("a boolean", True),
        Bad("an array", [least]),
        Bad("an object", {"a": least}),
        Bad("too small", least - 1),
        Bad("too large", most + 1),
        Bad("huge", 10**30),
    ]
    return Parameter(name, tuple(good) or (least, most), tuple(bad), **more)


def boolean(name, **more):
    """A boolean."""
    bad = (
        Bad("a word", "maybe"),
        Bad("a word in quotes", "true"),
        Bad("two", 2),
        Bad("a fraction", 0.5),
        Bad("an array", [True]),
        Bad("an object", {"a": True}),
    )
    good = more.pop("good", (True, False, Good(1, True), Good(0, False)))
    return Parameter(name, good, bad, **more)


def one_of(name, values, later=(), **more):
    """One of some words; `later` are words that this hub will accept one day."""
    first = next(value.value if isinstance(value, Good) else value for value in values)
    bad = [
        Bad("another word", "nonsense"),
        Bad("a number", 17),
        Bad("an array", [first]),
        Bad("an object", {"a": first}),
        Bad("an empty array", []),
        *(Bad(f"{word}, which comes later", word) for word in later),
    ]
    if first.upper() != first:
        bad.append(Bad("in capitals", first.upper()))
    return Parameter(name, tuple(values), tuple(bad), choice=True, **more)


def vars_(**more):
    """Custom variables, with the rules of the specification's limits."""
    good = (
        {"city": "Oslo", "n": 5, "x": 1.5, "yes": True},
        {"a" * 32: "é" * 2048},
        Good({"gone": None}, {}),
        Good([], {}),
    )
    bad = (
        Bad("a text", "x"),
        Bad("a number", 17),
        Bad("a full array", ["x"]),
        Bad("a nested object", {"a": {"b": 1}}, "[a]"),
        Bad("a nested array", {"a": [1]}, "[a]"),
        Bad("a name of 33 characters", {"a" * 33: 1}, f"[{'a' * 32}]"),
        Bad("a name with a blank", {"a b": 1}, "[a b]"),
        Bad("a name with a letter beyond ASCII", {"é": 1}, "[é]"),
        Bad("an empty name", {"": 1}, "[]"),
        Bad("4097 bytes", {"a": "é" * 2048 + "x"}, "[a]"),
        Bad("101 variables", {f"v{n}": n for n in range(101)}),
    )
    return Parameter(more.pop("name", "vars"), good, bad, form=False, **more)


def ident(name, kind, good=None, **more):
    """The id of something in the project; another project's id is as unknown as one that does not exist."""
    bad = (
        Bad("another project's", Others(kind)),
        Bad("of nothing", Nobodys(kind)),
        Bad("of another kind", Own("webhook")),
        Bad("no id at all", "no id"),
        Bad("35 characters", "C" * 35),
        Bad("a number", 17),
        Bad("a boolean", True),
        Bad("an array", ["x"]),
        Bad("an object", {"a": "b"}),
    )
    return Parameter(name, tuple(good or (Own(kind),)), bad, **more)


def idents(name, kind, most, count=None, **more):
    """At most so many ids of things in the project."""
    bad = (
        Bad("a text", "x"),
        Bad("a number", 17),
        Bad("an id, not in an array", Own(kind)),
        Bad("another project's", [Own(kind), Others(kind)], "[1]"),
        Bad("of nothing", [Nobodys(kind)], "[0]"),
        Bad("no id at all", ["no id"], "[0]"),
        Bad("an empty id", [""], "[0]"),
        Bad("a number within", [17], "[0]"),
        Bad("an array within", [["x"]], "[0]"),
        Bad(f"{most + 1} of them", [Own(kind)] * (most + 1)),
        Bad("an object", {"a": "b"}),
    )
    good = ([Own(kind)], Good([], []), Good([Own(kind)] * most, [Own(kind)]))
    return Parameter(name, good, bad, **more)


def moment(name, good, **more):
    """A UNIX timestamp in seconds."""
    bad = (
        Bad("a text", "tomorrow"),
        Bad("a date", "2027-01-01"),
        Bad("a boolean", True),
        Bad("an array", [1]),
        Bad("an object", {"a": 1}),
        Bad("before 1970", -1),
        Bad("after 9999", 253_402_300_800),
        Bad("huge", 10**30),
    )
    return Parameter(name, tuple(good), bad, **more)


def number(name, good=(), bad=(), names=False, **more):
    """A phone number; `names`: or the name of a sender."""
    refuses = (
        *(() if names else (Bad("a word", "somebody!"),)),
        Bad("a number, not a text", 15005550199),
        Bad("an array", ["+15005550199"]),
        Bad("an object", {"a": "b"}),
        Bad("65 characters", "+" + "1" * 64),
        Bad("too long for a number", "+150055501990000000000"),
        *bad,
    )
    return Parameter(name, tuple(good) or (Number(),), refuses, **more)


def zone(name="timezone_id", **more):
    """A zone of the tz database."""
    bad = (*NOT_TEXT, Bad("no zone", "Mars/Olympus"), Bad("65 characters", "x" * 65))
    return Parameter(name, ("Africa/Nairobi", "UTC", Good("europe/oslo", "Europe/Oslo")), bad, **more)


def country(name="country", **more):
    """Two letters of a country."""
    bad = (*NOT_TEXT, Bad("no country", "XX"), Bad("three letters", "KEN"))
    return Parameter(name, ("KE", Good("no", "NO")), bad, **more)


def time_of_day(name, good=("06:30", "00:00", "23:59"), **more):
    """HH:MM."""
    words = ("24:00", "12:60", "noon", "1230", "-1:00", "12:30:00.000")
    bad = (*NOT_TEXT, *(Bad(word, word) for word in words))
    return Parameter(name, tuple(good), bad, **more)


def url(name, most=2_048, **more):
    """An http or https address."""
    words = ("no address", "ftp://files.example/x", "javascript:alert(1)", "//a.example", "http://")
    bad = (*NOT_TEXT, *(Bad(word, word) for word in words), Bad("too long", "https://a.example/" + "x" * most))
    return Parameter(name, ("https://a.example/x?y=1", "http://a.example"), bad, **more)


def later(name, default=None, others=(True,), empty=("", [], {}), **more):
    """A parameter whose feature does not exist yet: accepted if it says nothing, else refused by name."""
    good = tuple(value for value in (default, *empty) if value is not None)
    bad = tuple(Bad(f"{value!r}, which comes later"[:60], value) for value in others)
    return Parameter(name, tuple(Good(value, HIDDEN) for value in good), bad, form=False, later=True, **more)
