"""Each row of each operation: accepted values are accepted and shown, others are refused by name."""

import pytest

from conformance.caller import FORM, JSON
from conformance.engine import (
    Findings,
    as_form,
    judge_error,
    judge_success,
    refused,
    request,
    send,
    taken,
    without,
)
from conformance.schema import VOID
from conformance.tables import OPERATIONS

ROWS = [(operation, row) for operation in OPERATIONS for row in operation.parameters]
FIXED = [(operation, name) for operation in OPERATIONS for name in operation.read_only]
CASES = [(operation, case) for operation in OPERATIONS for case in operation.cases]


def title(value):
    """Names a test."""
    return getattr(value, "title", None) or getattr(value, "name", None) or getattr(value, "label", None) or str(value)


@pytest.mark.parametrize("operation, row", ROWS, ids=title)
def test_a_row_takes_what_it_says_and_refuses_the_rest(world, operation, row):
    findings = Findings()
    for value in row.good:
        answer, shown = taken(world, operation, row, value)
        for problem in judge_success(operation, row, answer, shown):
            findings.note(f"{value!r}"[:80], problem, answer)
    if operation.method != "GET" and row.form:
        for value in [value for value in row.good if as_form(value)][:1]:
            answer, _ = taken(world, operation, row, value, kind=FORM)
            for problem in judge_success(operation, None, answer, None):
                findings.note("as a form", problem, answer)
    for bad in row.bad:
        answer, param = refused(world, operation, row, bad)
        for problem in judge_error(answer, 400, "invalid_param", param):
            findings.note(bad.label, problem, answer)
    left_out(world, operation, row, findings)
    findings.end()


def left_out(world, operation, row, findings):
    """Leaves a parameter out, and gives it without a value."""
    inside = f"{row.inside}[0]" if row.inside else ""
    missing = row.missing or (f"{inside}[{row.name}]" if inside else row.name)
    answers = [("left out", without(world, operation, row))]
    if operation.method != "GET":
        given = {**(row.needs if row.required else {}), row.name: None}
        body = request(world, operation, given, inside=row.inside)
        answers.append(("null", send(world, operation, body, kind=JSON)))
    for label, answer in answers:
        if row.required or (label == "null" and row.null == "refused"):
            problems = judge_error(answer, 400, "invalid_param", missing)
        else:
            problems = judge_success(operation, None, answer, None)
        for problem in problems:
            findings.note(label, problem, answer)


@pytest.mark.parametrize("operation, name", FIXED, ids=title)
def test_what_can_only_be_read_is_refused_by_name(world, operation, name):
    findings = Findings()
    for value in ("x", 17, {"a": [1]}, None):
        answer = send(world, operation, request(world, operation, {name: value}))
        for problem in judge_error(answer, 400, "invalid_param", name):
            findings.note(repr(value), problem, answer)
    findings.end()


@pytest.mark.parametrize("operation, case", CASES, ids=title)
def test_a_case_that_no_row_says(world, operation, case):
    findings = Findings()
    body = request(world, operation, case.given, base=not case.whole)
    answer = send(world, operation, body, path=world.path(operation, **world.resolve(case.path)))
    if case.status == 200:
        problems = list(judge_success(operation, None, answer, None))
        for name, value in world.resolve(case.shows).items():
            found = answer.json.get(name) if isinstance(answer.json, dict) else None
            if operation.answer is not VOID and found != value:
                problems.append(f"{name} is {found!r} instead of {value!r}")
    else:
        problems = judge_error(answer, case.status, case.code or "invalid_param", case.param if case.param else ...)
    for problem in problems:
        findings.note(case.label, problem, answer)
    findings.end()
