"""A filter by which something is sent, changed or deleted says something: each kind refuses what is empty, by its name."""

import pytest

from conformance.caller import FORM, JSON
from conformance.engine import Findings, judge_error, request, send
from conformance.interface import INTERFACE
from conformance.schema import ANY, Operation
from conformance.tables import LISTS, OPERATIONS

EMPTY = ("", "  ", "\u00a0\t", None, [], {})
EMPTY_IN_FORMS = ("", "  ")
NO_NUMBERS = ("+", "( - )")
LIST_OF = {
    "query_contacts": "/projects/{project_id}/contacts",
    "query_messages": "/projects/{project_id}/messages",
    "query_rows": "/projects/{project_id}/tables/{table_id}/rows",
}
FILTERS_OF = {operation.path: operation.filters for operation in LISTS}
SELECTING = [
    (operation, row)
    for operation in OPERATIONS
    for row in operation.parameters
    if operation.method != "GET" and "filter" in row.name and row.name != "filter_type"
]
SELECTIONS = [(operation, row, selection) for operation, row in SELECTING for selection in row.selections]


def filters_of(selection):
    """Returns the filters of a selection."""
    return FILTERS_OF[LIST_OF[selection.type]] if selection.type else selection.filters


FILTERS = [(*found, one) for found in SELECTIONS for one in filters_of(found[2])]


def title(value):
    """Names a test."""
    if isinstance(value, Operation):
        return value.title
    return getattr(value, "type", None) or getattr(value, "name", None) or "conditions"


def compared(one, value, brackets):
    """Yields each way to compare with a value, as the place that an error names and the member that is given."""
    name, keys = one.name, [one.name]
    if one.kind == "vars":
        name, keys = f"{one.name}[{one.values[0]}]", [one.name, one.values[0]]
    place = "".join(f"[{key}]" for key in keys)
    yield place, nested(keys, value)
    if one.kind in ("ids", "words"):
        return
    for modifier in ("eq", *one.modifiers):
        yield f"{place}[{modifier}]", nested([*keys, modifier], value)
        if brackets:
            yield f"{place}[{modifier}]", {f"{name}[{modifier}]": value}


def nested(keys, value):
    """Returns objects within each other."""
    for key in reversed(keys):
        value = {key: value}
    return value


class Asking:
    """Sends a selection's operation with one filter after the other; refused ones change nothing."""

    def __init__(self, world, operation, row, selection):
        self.world, self.operation, self.row = world, operation, row
        self.beside = {**row.needs, **selection.beside}
        if selection.type:
            self.beside["filter_type"] = selection.type
        self.path = world.path(operation)
        self.findings = Findings()

    def refuses(self, given, place, kind=JSON):
        """Notes it if what is given, as a parameter or under a name of its own, is not refused with this place."""
        drop = (*self.row.instead_of, self.row.name)
        body = request(self.world, self.operation, {**self.beside, **given}, drop=drop)
        answer = send(self.world, self.operation, body, self.path, kind)
        param = self.row.name + place if place is not ANY else ANY
        for problem in judge_error(answer, 400, "invalid_param", param):
            self.findings.note("", problem, answer)


@pytest.mark.parametrize("operation, row, selection, one", FILTERS, ids=title)
def test_a_filter_that_says_nothing_is_refused(world, operation, row, selection, one):
    asking = Asking(world, operation, row, selection)
    for value in EMPTY + (NO_NUMBERS if one.kind == "number" else ()):
        for place, member in compared(one, value, brackets=selection.type and value in ("", None)):
            asking.refuses({row.name: member}, place)
            # A form has such a name by its objects: filter_params[name][eq].
            if value in EMPTY_IN_FORMS and not any("[" in name for name in member):
                asking.refuses({row.name: member}, place, kind=FORM)
            if value in ("", None) and one.name not in selection.full:
                asking.refuses({row.name: {**selection.full, **member}}, place)
    if one.kind == "vars":
        for value in EMPTY:
            asking.refuses({row.name: {one.name: value}}, f"[{one.name}]")
        for name in ("", " ", "a b"):
            for value in ("x", {"exists": False}, {"ne": "x"}):
                asking.refuses({row.name: {one.name: {name: value}}}, f"[{one.name}][{name}]")
        for kind in (JSON, FORM):
            asking.refuses({f"{row.name}[{one.name}][][exists]": False}, f"[{one.name}]", kind)
    asking.findings.end()


@pytest.mark.parametrize("operation, row, selection", SELECTIONS, ids=title)
def test_no_filter_at_all_is_refused(world, operation, row, selection):
    asking = Asking(world, operation, row, selection)
    for value in EMPTY:
        if selection.type:
            asking.refuses({row.name: value}, ANY)
            asking.refuses({row.name: {"all": value}}, "[all]")
        elif value is not None:
            asking.refuses({row.name: value}, "")
    if selection.type:
        asking.refuses({}, "")
    asking.findings.end()


@pytest.mark.parametrize("operation, row", SELECTING, ids=title)
def test_a_parameter_with_filters_says_which(operation, row):
    block = INTERFACE.operations[operation.method, operation.path]
    types = {name for name in block.names("filter_type =", "now", "ours") if name.startswith("query_")}
    assert {selection.type for selection in row.selections} == (types or {""})
    for selection in row.selections:
        if not selection.type:
            named = {"vars.NAME" if one.name.startswith("vars.") else one.name for one in selection.filters}
            assert named == block.names("filters{}", "now", "ours")
            assert {name for one in selection.filters for name in one.modifiers} == block.names("filters{}{}", "now", "ours")
