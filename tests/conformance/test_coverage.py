"""Everything that the hub's sources read has a row; `test_interface.py` says what must have one at all."""

import pytest

from conformance.engine import Findings, judge_error, request, send
from conformance.schema import LIST_PARAMETERS
from conformance.sources import read_names, words
from conformance.tables import OPERATIONS

RUBBISH = {"rubbish": [["of", "no"], "type"]}
IN_A_QUERY = {"x": "rubbish"}
COMMON = {"api_key"}
INSIDE = {
    # Members of objects whose rows are with the object: `media[0][url]`, `items[0][value]`, `route_params[port]`.
    *("url", "file_id", "value", "label", "port", "data", "encoding"),
}


def test_every_name_that_the_sources_read_is_a_row():
    rows = COMMON | INSIDE | {name for operation in OPERATIONS for name in operation.names}
    rows |= {row.name for operation in OPERATIONS for row in operation.parameters}
    missing = {name: path for name, path in read_names().items() if name not in rows}
    assert not missing


def test_the_sources_are_understood():
    """The patterns find what they are meant for; add new ways of reading to them."""
    names = read_names()
    for name in ("to_number", "page_size", "lookup_key", "label_id", "track_clicks", "next_time", "start_date"):
        assert name in names, name
    assert len(names) > 90 and set(LIST_PARAMETERS) <= words()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.title)
def test_nothing_is_read_that_has_no_row(world, operation):
    """Every word of the sources that has no row here is sent with nonsense: what is read is refused by name."""
    findings = Findings()
    places = [""] + sorted({row.inside for row in operation.parameters if row.inside})
    for place in places:
        known = operation.names_inside(place) if place else operation.names
        others = sorted(words() - known - COMMON - {"metadata", "messages", "contacts"} - set(operation.base))
        rubbish, size = (IN_A_QUERY, 150) if operation.method == "GET" else (RUBBISH, 1_000)
        for first in range(0, len(others), size):
            given = {name: rubbish for name in others[first : first + size]}
            answer = send(world, operation, request(world, operation, given, inside=place))
            ignored = answer.status == 200
            if operation.refuses:
                ignored = not list(judge_error(answer, 400, "invalid_param", None))
            if not ignored:
                findings.note(f"within {place or 'the request'}", "reads what has no row", answer)
    findings.end()
