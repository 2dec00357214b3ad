"""Every list: its envelope, its order both ways, paging, counting, and each filter with each modifier."""

import re
from urllib.parse import quote

import pytest

from conformance.engine import Findings, judge_error, judge_shape
from conformance.filters import MODIFIERS, holds, operands
from conformance.rows import Rows
from conformance.tables import LISTS, OPERATIONS

FILTERS = [(operation, row) for operation in LISTS for row in operation.filters]
SORTS = [(operation, sort) for operation in LISTS for sort in operation.sorts]


@pytest.fixture(scope="module")
def rows(world):
    """The project whose rows are known."""
    return Rows(world)


def title(value):
    """Names a test."""
    return getattr(value, "path", None) or getattr(value, "name", None) or str(value)


def ids(page):
    """Returns the ids of a page."""
    return [row["id"] for row in page]


@pytest.mark.parametrize("operation", LISTS, ids=title)
def test_a_list_has_its_rows_in_an_envelope_and_counts_them(rows, operation):
    findings = Findings()
    path = rows.path(operation)
    answer = rows.caller.call("GET", path, {"page_size": 500})
    page = answer.json
    for problem in judge_shape(operation.answer, page):
        findings.note("shape", problem, answer)
    assert operation.empty == (page["data"] == []), "there are no rows to test with"
    assert (page["sort"], page["sort_dir"], page["truncated"]) == ("default", "asc", False)
    for count in ("1", "true", "True"):
        assert rows.caller.read(path, count=count) == {"count": len(page["data"])}
    assert "data" in rows.caller.read(path, count="0")
    unknown = rows.caller.read(path, no_such_filter="x", **{"also[no]": "such"}, page_size=500)
    assert unknown == page, "what a list does not know is ignored"
    findings.end()


ALONE = {operation.path for operation in OPERATIONS if operation.method == "GET" and operation.filters is None}


@pytest.mark.parametrize("operation", [one for one in LISTS if not one.empty], ids=title)
def test_a_row_of_a_list_is_shown_alone_as_it_is_there(rows, operation):
    kind = operation.path.rsplit("/", 1)[1]
    within = "" if kind in ("projects", "organizations") else "/projects/{project_id}"
    single = next(path for path in ALONE if re.search(re.escape(f"/{kind}/") + r"\{\w+_id\}$", path))
    single = single.replace("{project_id}", rows.project) if within else single
    for row in rows.caller.all(rows.path(operation)):
        table = single.replace("{table_id}", row["table_id"]) if row.get("table_id") else single
        alone = rows.caller.read(re.sub(r"\{\w+\}", row["id"], table))
        alone.pop("mms_parts", None)
        assert alone == row


@pytest.mark.parametrize("operation", LISTS, ids=title)
def test_what_all_lists_take_has_its_limits(rows, operation):
    findings = Findings()
    path = rows.path(operation)
    for name, good, bad in (
        ("page_size", (1, 50, 500), (0, 501, -1, "x", "1.5", "", "9" * 30)),
        ("offset", (0, 5, 1_000_000), (-1, 1_000_001, "x", "9" * 30)),
        ("sort", operation.sorts, ("nonsense", "id", "NAME", "default;")),
        ("sort_dir", ("asc", "desc"), ("up", "ASC", "1")),
        ("count", ("0", "false"), ("maybe", "2", "yes")),
        ("marker", ("",), ("nonsense", "A" * 1_025, "ÿ", "..")),
        ("fields", ("id", "", "a,b,c", "x" * 2_000), ("x" * 2_001,)),
    ):
        for value in good:
            answer = rows.caller.call("GET", path, {name: value})
            if answer.status != 200:
                findings.note(f"{name}={value}", "is refused", answer)
        for value in bad:
            answer = rows.caller.call("GET", path, {name: value})
            if (name, value) == ("page_size", ""):
                problems = judge_shape(operation.answer, answer.json)
            else:
                problems = judge_error(answer, 400, "invalid_param", name)
            for problem in problems:
                findings.note(f"{name}={value}"[:60], problem, answer)
        for within in ("a", "0"):
            answer = rows.caller.call("GET", path, {f"{name}[{within}]": "1"})
            for problem in judge_error(answer, 400, "invalid_param", name):
                findings.note(f"{name}[{within}]", problem, answer)
    findings.end()


@pytest.mark.parametrize("operation, sort", SORTS, ids=title)
def test_a_list_is_sorted_and_paged_both_ways(rows, operation, sort):
    path = rows.path(operation)
    ordered = {}
    for sort_dir in ("asc", "desc"):
        query = {"sort": sort, "sort_dir": sort_dir}
        whole = rows.caller.read(path, page_size=500, **query)
        assert (whole["sort"], whole["sort_dir"]) == (sort, sort_dir)
        ordered[sort_dir] = whole["data"]
        for size in (1, 2, 7, 50):
            if size > 1 or len(whole["data"]) < 60:
                assert paged(rows, path, size, query) == ids(whole["data"]), f"pages of {size}"
        half = len(whole["data"]) // 2
        assert ids(rows.caller.read(path, page_size=500, offset=half, **query)["data"]) == ids(whole["data"])[half:]
        if len(whole["data"]) > 1:
            first = rows.caller.read(path, page_size=1, **query)
            beside = rows.caller.read(path, page_size=500, marker=first["next_marker"], offset=1, **query)
            assert ids(beside["data"]) == ids(whole["data"])[1:], "an offset beside a marker does nothing"
    assert ids(ordered["desc"]) == ids(ordered["asc"])[::-1]
    name = "id" if sort == "default" else sort
    values = [row[name] for row in ordered["asc"] if row[name] is not None]
    if isinstance(values[0] if values else 0, str):
        values = [value.lower() for value in values]
    assert values == sorted(values), f"not in the order of {name}"


def paged(rows, path, size, query):
    """Reads a list page by page, and returns the ids in their order."""
    found, marker = [], None
    while True:
        more = {"marker": marker} if marker else {}
        page = rows.caller.read(path, page_size=size, **query, **more)
        assert len(page["data"]) <= size
        found += ids(page["data"])
        marker = page["next_marker"]
        assert page["truncated"] == (marker is not None) == (len(page["data"]) == size), "a full page is truncated"
        if not page["truncated"]:
            return found


@pytest.mark.parametrize("operation", [one for one in LISTS if len(one.sorts) > 1], ids=title)
def test_a_marker_of_another_order_is_refused(rows, operation):
    path = rows.path(operation)
    marker = rows.caller.read(path, page_size=1, sort=operation.sorts[1])["next_marker"]
    if marker is None:
        pytest.skip("one row has no second page")
    answer = rows.caller.call("GET", path, {"marker": marker})
    assert list(judge_error(answer, 400, "invalid_param", "marker")) == [], answer


@pytest.mark.parametrize("operation, row", FILTERS, ids=title)
def test_a_filter_finds_what_it_must_and_nothing_else(rows, operation, row):
    findings, told = Findings(), set()
    path = rows.path(operation)
    everything = rows.caller.all(path)
    for key in row.values if row.kind == "vars" else (None,):
        values = {one["id"]: value_of(rows, row, one, key) for one in everything}
        name = f"{row.name}[{key}]" if key else row.name
        for modifier in MODIFIERS:
            if modifier == "eq" or modifier in row.modifiers:
                if compare(rows, operation, row, name, modifier, values, findings):
                    told.add(modifier)
            else:
                answer = rows.caller.call("GET", path, {f"{name}[{modifier}]": "1"})
                for problem in judge_error(answer, 400, "invalid_param", f"{name}[{modifier}]"):
                    findings.note(f"{name}[{modifier}]", problem, answer)
        answer = rows.caller.call("GET", path, {f"{name}[near]": "1"})
        for problem in judge_error(answer, 400, "invalid_param", f"{name}[near]"):
            findings.note("an unknown modifier", problem, answer)
    untold = {"eq", *row.modifiers} - told
    if untold and not operation.rows and not row.nothing and len(everything) > 1:
        findings.note(f"{sorted(untold)}", "no row of the test tells these apart", path)
    refuse(rows, row, path, findings)
    findings.end()


def value_of(rows, row, one, key):
    """Returns a row's value for a filter."""
    if callable(row.of):
        return row.of(rows, one)
    if key:
        return one["vars"].get(key)
    return one[row.of or row.name]


def compare(rows, operation, row, name, modifier, values, findings):
    """Compares what a condition finds with what it must find; returns whether it found some rows and left others."""
    path, plain = rows.path(operation), []
    for value in values.values():
        plain += value if isinstance(value, list) else [value]
    tells = False
    for operand in operands(row.kind, modifier, plain, row.values):
        wanted = [
            one for one, value in values.items() if holds(value, row.kind, modifier, cased(row, modifier, operand))
        ]
        tells = tells or 0 < len(wanted) < len(values)
        for written in {name if modifier == "eq" else None, f"{name}[{modifier}]"} - {None}:
            query = {written: operand}
            answer = rows.caller.call("GET", path, {**query, "page_size": 500})
            if answer.status != 200:
                findings.note(f"{written}={quote(operand)}", "is refused", answer)
                continue
            found = ids(answer.json["data"])
            if found != wanted:
                findings.note(f"{written}={operand}", f"finds {len(found)} of {len(wanted)} rows", answer)
            count = rows.caller.read(path, count="1", **query)
            if count != {"count": len(wanted)}:
                findings.note(f"{written}={operand}", f"counts {count} instead of {len(wanted)}", answer)
    return tells


def cased(row, modifier, operand):
    """Ids are compared without regard to case."""
    return operand[:2].upper() + operand[2:].lower() if row.kind == "id" and modifier in ("eq", "ne") else operand


def refuse(rows, row, path, findings):
    """Values of the wrong type are refused by name."""
    wrong = {
        "int": ("x", "1.5", ""),
        "time": ("x", "-1", "2026-01-01"),
        "bool": ("maybe", "2"),
        "one of": ("nonsense",),
    }
    if row.kind in ("text", "number", "id"):
        wrong = {row.kind: ("x" * 4_097,)}
    for value in wrong.get(row.kind, ()):
        answer = rows.caller.call("GET", path, {row.name: value})
        problems = judge_error(answer, 400, "invalid_param", row.name)
        if value == "":
            problems = [] if answer.status == 200 else ["an empty filter is none"]
        for problem in problems:
            findings.note(f"{row.name}={value}"[:60], problem, answer)
    for modifier in ("exists", "null"):
        if modifier in row.modifiers and row.kind != "vars":
            answer = rows.caller.call("GET", path, {f"{row.name}[{modifier}]": "perhaps"})
            for problem in judge_error(answer, 400, "invalid_param"):
                findings.note(f"{row.name}[{modifier}]=perhaps", problem, answer)
