"""Makes requests from rows, and judges the answers."""

import copy

from conformance.caller import JSON, flattened
from conformance.schema import ANY, HIDDEN, SAME, VOID, ArrayOf, Good, ListOf, Resource
from conformance.shapes import check, check_object


class Findings(list):
    """The findings of one row's cases; a row reports all of them at once."""

    def note(self, label, problem, answer):
        """Adds one finding."""
        self.append(f"{label}: {problem}\n  {answer!r}")

    def end(self):
        """Fails if there are any."""
        assert not self, f"{len(self)} wrong\n\n" + "\n\n".join(self)


def request(world, operation, given=None, drop=(), inside="", base=True, above=None):
    """Returns the parameters of a request with ids filled in: the valid ones of the table, overridden by `given`."""
    body = {**(operation.base if base else {}), **(above or {})}
    body = world.resolve({name: value for name, value in body.items() if inside or name not in drop})
    if inside:
        item = body[inside][0]
        for name in drop:
            item.pop(name, None)
        item.update(world.resolve(given or {}))
    else:
        body.update(world.resolve(given or {}))
    return copy.deepcopy(body)


def send(world, operation, body, path=None, kind=JSON, **options):
    """Sends the parameters the way the method takes them."""
    path = path or world.path(operation)
    if operation.method == "GET":
        return world.caller.call("GET", path, query=body, **options)
    return world.caller.call(operation.method, path, body=body, kind=kind, **options)


def taken(world, operation, row, value, kind=JSON):
    """Sends a value that must be accepted; returns the answer and what it must show."""
    shown = row.shown
    if isinstance(value, Good):
        shown = value.shown if row.shown is SAME else row.shown
        value = value.value
    given = {**row.needs, row.name: value}
    body = request(world, operation, given, drop=row.instead_of, inside=row.inside, above=row.above)
    sent = body[row.inside][0][row.name] if row.inside else body[row.name]
    answer = send(world, operation, body, kind=kind)
    if shown is SAME:
        shown = sent
    elif callable(shown):
        shown = shown(sent)
    else:
        shown = world.resolve(shown)
    return answer, shown


def judge_success(operation, row, answer, shown):
    """Yields what is wrong with an answer that should be a success."""
    if answer.status != 200:
        yield "is refused"
        return
    wrong = list(judge_shape(operation.answer, answer.json))
    yield from wrong
    if row is None or wrong or shown == HIDDEN or row.inside or not isinstance(operation.answer, Resource):
        return
    fields = operation.answer.fields
    if row.name in fields and row.name in answer.json and not shows(answer.json[row.name], shown):
        yield f"{row.name} is shown as {answer.json[row.name]!r} instead of {shown!r}"


def shows(value, wanted):
    """Returns whether a field shows what was given; for an object, at least its members."""
    if isinstance(wanted, dict) and isinstance(value, dict):
        return all(value.get(name) == member for name, member in wanted.items() if member is not None)
    return value == wanted


def judge_shape(expected, json):
    """Yields what is wrong with the shape of a success."""
    if isinstance(expected, ListOf):
        yield from judge_page(expected, json)
    elif isinstance(expected, ArrayOf):
        yield from check(json, [expected.resource.fields], expected.resource.name)
    elif isinstance(expected, str):
        yield from check(json, expected, "answer")
    elif expected is VOID:
        if json != {}:
            yield f"is not empty: {json!r}"
    else:
        yield from check_object(json, expected.fields, expected.name)


def judge_page(expected, json):
    """Yields what is wrong with a page of a list."""
    envelope = {"data": "any", "truncated": "bool", "next_marker": "text?", "sort": "text", "sort_dir": "=asc|desc"}
    yield from check_object(json, envelope, "page")
    for at, item in enumerate(json.get("data", [])):
        yield from check_object(item, expected.resource.fields, f"{expected.resource.name} {at}")


def judge_error(answer, status, code=None, param=...):
    """Yields what is wrong with an answer that should be an error."""
    if answer.status != status:
        yield f"has the status {answer.status} instead of {status}"
        return
    json = answer.json
    inside = json.get("error")
    if set(json) != {"error"} or not isinstance(inside, dict):
        yield "is not the envelope of an error"
        return
    for name in ("message", "code"):
        if not isinstance(inside.get(name), str) or not inside[name]:
            yield f"has no {name}"
    if inside.get("code") == "invalid_param" and "param" not in inside:
        yield "has no param"
    if code is not None and inside.get("code") != code:
        yield f"has the code {inside.get('code')} instead of {code}"
    if param not in (..., ANY) and inside.get("param") != param:
        yield f"names {inside.get('param')} instead of {param}"


def refused(world, operation, row, bad):
    """Sends a value that must be refused; returns the answer and the name that its error must give."""
    given = {**row.needs, **bad.beside, row.name: bad.value}
    body = request(world, operation, given, drop=row.instead_of, inside=row.inside, above=row.above)
    return send(world, operation, body), bad.param or named(row) + bad.at


def named(row):
    """Returns a parameter's name as errors write it."""
    return f"{row.inside}[0][{row.name}]" if row.inside else row.name


def without(world, operation, row):
    """Sends a request that leaves a parameter out."""
    given, above = (row.needs, row.above) if row.required else ({}, {})
    body = request(world, operation, given, drop=(row.name,), inside=row.inside, above=above)
    return send(world, operation, body)


def as_form(value):
    """Returns whether a value can be written in a form: nothing empty, nothing null."""
    if isinstance(value, Good):
        value = value.value
    return all(text not in ("", None) for _, text in flattened({"x": value})) and value not in ([], {})
