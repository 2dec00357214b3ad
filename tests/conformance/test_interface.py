"""The tables contain exactly what the list of the interface contains.

That the hub serves the URLs of the list is shown by `route-hub/tests/api/interface.rs`.
"""

import pytest

from conformance.compare import object_problems, operation_problems, resources
from conformance.interface import INTERFACE, Interface
from conformance.schema import LIST_PARAMETERS
from conformance.tables import OPERATIONS

HERE = {key for key, block in INTERFACE.operations.items() if block.mark != "later"}
TABLES = {(operation.method, operation.path): operation for operation in OPERATIONS}
SHOWN = resources(OPERATIONS)


def fail_with(found):
    """Fails with the findings, one a line."""
    found = "\n".join(found)
    assert not found, found


def test_every_operation_of_the_list_has_a_table():
    assert sorted(HERE - TABLES.keys()) == [], "these have no table"
    assert sorted(TABLES.keys() - HERE) == [], "the list lacks these, or says that they come later"
    assert len(TABLES) == len(OPERATIONS), "an operation has two tables"


@pytest.mark.parametrize("key", sorted(HERE & TABLES.keys()), ids=" ".join)
def test_an_operations_table_has_what_the_list_has(key):
    found = operation_problems(TABLES[key], INTERFACE.operations[key], INTERFACE.objects, INTERFACE.every)
    fail_with(found)


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_an_objects_table_has_the_fields_of_the_list(name):
    blocks = [INTERFACE.objects[one] for one in name.split(" or ")]
    for fields in SHOWN[name]:
        fail_with(object_problems(fields, blocks))


def test_every_object_of_the_list_that_is_here_has_a_table():
    here = {name for name, block in INTERFACE.objects.items() if any(entry.here for entry in block.entries("shows"))}
    assert sorted(here - SHOWN.keys()) == []


def test_what_all_lists_and_requests_take_is_that_of_the_list():
    every_list = INTERFACE.every["list"].names("takes") | INTERFACE.every["object"].names("takes")
    assert every_list == set(LIST_PARAMETERS)
    assert INTERFACE.every["request"].names("takes") == {"api_key"}


GOOD = "now GET /a: list of Thing\n  now filters: name[ne prefix]\n  later (rain) filters: colour\n"


def test_a_line_is_read_with_its_mark_and_modifiers():
    block = Interface([("a.txt", GOOD)]).operations["GET", "/a"]
    assert [(entry.name, entry.here, entry.modifiers) for entry in block.entries("filters")] == [
        ("name", True, ("ne", "prefix")),
        ("colour", False, ()),
    ]


@pytest.mark.parametrize(
    "line",
    (
        *("some words", "now GET a: Thing", "now GET /a: Thing", "later GET /b: Thing", "now (rain) GET /b: Thing"),
        *("  now filters: name", "  soon takes: x", "  later takes: x", "  now takes: x x", "  now takes: x, y"),
        *("  now takes:", "  now takes x", "  now filters: a[ne", "  now filters as: GET /nothing"),
    ),
)
def test_a_line_that_is_not_understood_is_not_passed_over(line):
    with pytest.raises(ValueError, match="a.txt, line 4"):
        Interface([("a.txt", GOOD + line)])
