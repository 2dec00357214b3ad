"""What holds for every operation: keys and permissions, ids of others, methods, bodies, selected fields, repeats."""

import itertools
import re
import threading

import pytest

from conformance.caller import FORM, Caller, flattened, success
from conformance.engine import Findings, judge_error, judge_shape, request, send
from conformance.schema import ArrayOf, ListOf, Nobodys, Operation, Others, Own, Resource, VOID
from conformance.tables import OPERATIONS
from conformance.world import PREFIXES, kind_of_path, placeholders
from support import raw

PERMISSIONS = (
    *("view_messages", "send_messages", "delete_messages", "view_contacts", "edit_contacts", "view_routes"),
    *("edit_routes", "view_projects", "edit_project", "edit_organization", "view_billing", "manage_webhooks"),
    *("view_data", "edit_data", "view_stats"),
)
PATHS = sorted({operation.path for operation in OPERATIONS})


def title(value):
    """Names a test."""
    return value.title if isinstance(value, Operation) else str(value)


every = pytest.mark.parametrize("operation", OPERATIONS, ids=title)


@pytest.fixture(scope="module")
def lacking(world):
    """Callers with all permissions but one."""
    made = {}

    def caller(permission):
        if permission not in made:
            made[permission] = world.callers_without(permission, PERMISSIONS)
        return made[permission]

    yield caller
    for one in made.values():
        one.close()


@pytest.fixture(scope="module")
def one_project(world):
    """A caller whose key is only for the project `second`."""
    caller = world.one_project_key("second")
    yield caller
    caller.close()


def ask(caller, operation, path, body, **options):
    """Sends parameters by the method's way with another key."""
    if operation.method == "GET":
        return caller.call("GET", path, query=body, **options)
    return caller.call(operation.method, path, body=body, **options)


@every
def test_nobody_gets_in_without_a_key_and_its_permission(world, lacking, one_project, operation):
    findings = Findings()
    path, body = world.path(operation), request(world, operation)
    for label, header in (("no key", None), ("no such key", "Basic eDp4"), ("a bearer", "Bearer x"), ("nonsense", "x")):
        headers = {"Authorization": header} if header else {}
        answer = ask(world.caller, operation, path, body, headers=headers, authorized=False)
        for problem in judge_error(answer, 401, "unauthorized"):
            findings.note(label, problem, answer)
    answer = ask(lacking(operation.permission), operation, path, body)
    for problem in judge_error(answer, 401, "unauthorized"):
        findings.note(f"without {operation.permission}", problem, answer)
    assert operation.permission in answer.text.decode(), "the error names what is missing"
    if operation.path == "/organizations/{organization_id}" or operation.anywhere:
        findings.end()
        return
    for label, caller in (("another organization's key", world.foreigner), ("another project's key", one_project)):
        answer = ask(caller, operation, path, body)
        status = (401, 404) if operation.path.startswith("/organizations") and caller is one_project else (404,)
        if answer.status not in status:
            findings.note(label, "is let in", answer)
    findings.end()


@every
def test_an_id_of_another_project_is_like_one_of_nothing(world, operation):
    findings = Findings()
    for name in placeholders(operation.path):
        kind = kind_of_path(name)
        if kind not in PREFIXES:
            continue
        thing = operation.at.get(name, Own(kind)).kind
        thing = thing if thing in PREFIXES else kind
        theirs = world.own(kind if kind in PREFIXES else thing, "foreign")["id"]
        odd = [theirs, *world.resolve([Nobodys(kind), Own("webhook" if kind != "webhook" else "label")])]
        if kind not in ("project", "organization"):
            odd.append(world.resolve(Others(kind)))
        odd += ["x", "0", "-", odd[0].lower(), odd[0] + "0", "%00", "%2e%2e", "%F0%9F%98%80", "x" * 300, "'", "null"]
        told = set()
        for value in odd:
            answer = send(world, operation, request(world, operation), path=world.path(operation, **{name: value}))
            for problem in judge_error(answer, 404, "not_found"):
                findings.note(f"{name} {value}"[:60], problem, answer)
            told.add(re.sub(rb"[A-Z]{2}[0-9a-f]{16}", b"ID", answer.text))
        if len(told) > 1:
            findings.note(name, "tells what is another's from what is nothing", sorted(told))
    findings.end()


@pytest.mark.parametrize("path", PATHS)
def test_another_method_is_not_allowed(world, path):
    findings = Findings()
    operations = [operation for operation in OPERATIONS if operation.path == path]
    allowed = {operation.method for operation in operations}
    url = world.path(operations[0])
    for method in {"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"} - allowed:
        answer = world.caller.call(method, url)
        for problem in judge_error(answer, 405, "method_not_allowed"):
            findings.note(method, problem, answer)
        offered = {word.strip() for word in answer.headers.get("allow", "").split(",")}
        if not allowed <= offered:
            findings.note(method, f"offers {sorted(offered)}", answer)
    findings.end()


NO_BODY = (
    b"{",
    b"nonsense",
    b'{"a":1}x',
    b'{"a":1,"a":2}',
    b'{"a":1e999}',
    b'{"a":"\xff"}',
    b'{"a":"\\u0000"}',
    b"[" * 9_999,
)
NO_OBJECT = (b'"text"', b"17", b"true", b'["a"]', b'[{"a":1}]')


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.method != "GET"], ids=title)
def test_a_body_must_be_one(world, operation):
    findings = Findings()
    path = world.path(operation)
    for body in (*NO_BODY, *NO_OBJECT):
        answer = world.caller.call(operation.method, path, body=body)
        for problem in judge_error(answer, 400, "invalid_param"):
            findings.note(repr(body[:30]), problem, answer)
    for kind in (
        "text/plain",
        "application/xml",
        "multipart/form-data; boundary=x",
        "garbage",
        "application/json; charset=latin1",
    ):
        answer = world.caller.call(operation.method, path, body=b'{"a":1}', kind=kind)
        for problem in judge_error(answer, 415, "unsupported_media_type"):
            findings.note(kind, problem, answer)
    findings.end()


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.method != "GET"], ids=title)
def test_a_body_may_have_a_mebibyte_and_eight_with_media(world, operation):
    takes_media = any(row.name in ("media", "data", "attachments") and not row.later for row in operation.parameters)
    most = (8 if takes_media else 1) << 20
    headers = ["Content-Type: application/json", f"Content-Length: {most + 1}"]
    head = raw.request(operation.method, "/v1" + world.path(operation), world.key, headers, length=False)
    answer = raw.exchange(world.server.address, head)
    assert answer.status == 413 and answer.json()["error"]["code"] == "too_large", answer


@every
def test_nothing_in_every_form_is_no_parameters(world, operation):
    findings = Findings()
    if operation.method == "GET" or operation.base:
        bodies = (None,)
    else:
        bodies = (None, b"", b"null", b"[]", b"{}")
    for body in bodies:
        answer = world.caller.call(operation.method, world.path(operation), body=body)
        if operation.refuses or (operation.base and operation.method != "GET"):
            problems = judge_error(answer, 400, "invalid_param")
        elif operation.base:
            problems = []
        else:
            problems = judge_shape(operation.answer, answer.json) if answer.status == 200 else ["is refused"]
        for problem in problems:
            findings.note(repr(body), problem, answer)
    findings.end()


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.fields], ids=title)
def test_only_the_wanted_fields_are_shown(world, operation):
    resource = operation.answer.resource if isinstance(operation.answer, (ListOf, ArrayOf)) else operation.answer
    findings = Findings()
    names = sorted(resource.fields)
    for wanted in ([], names, names[:2], ["nothing_of_the_kind"], [names[-1], "id", names[0]]):
        text = {0: "", 2: " , ".join(wanted)}.get(len(wanted), ",".join(wanted))
        answer = send(world, operation, request(world, operation, {"fields": text}))
        if answer.status != 200:
            findings.note(text, "is refused", answer)
            continue
        items = answer.json
        items = items["data"] if isinstance(operation.answer, ListOf) else items
        for item in items if isinstance(items, list) else [items]:
            allowed = set(wanted) | {"id"} if wanted else set(resource.fields)
            if not set(item) <= allowed or ("id" in resource.fields and "id" not in item):
                findings.note(text[:60], f"shows {sorted(item)}", answer)
    for wrong in ("x" * 2_001, 17, ["id"]):
        if operation.method == "GET" and wrong == 17:
            continue
        answer = send(world, operation, request(world, operation, {"fields": wrong}))
        for problem in judge_error(answer, 400, "invalid_param", "fields"):
            findings.note(repr(wrong)[:40], problem, answer)
    findings.end()


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.idempotent], ids=title)
def test_the_same_request_with_the_same_key_is_answered_once(world, operation):
    findings = Findings()
    key = {"Idempotency-Key": world.name("key")}
    path, body = world.path(operation), request(world, operation)
    answers = [send(world, operation, body, path, headers=key) for _ in range(2)]
    assert success(answers[0]) == success(answers[1])
    other = send(world, operation, {**body, "vars": {"other": 1}}, path, headers=key)
    for problem in judge_error(other, 422, "idempotency_mismatch"):
        findings.note("another request", problem, other)
    for bad in ("", "x" * 256, "\u00ff", "x\u00a0"):
        answer = send(world, operation, body, path, headers={"Idempotency-Key": bad})
        for problem in judge_error(answer, 400, "invalid_param"):
            findings.note(repr(bad[:5]), problem, answer)
    findings.end()


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.method == "POST" and one.base], ids=title)
def test_a_parameter_given_twice_is_refused(world, operation):
    findings = Findings()
    path, body = world.path(operation), request(world, operation)
    pairs = [(name, value) for name, value in flattened(body) if value != ""]
    twice = "&".join(f"{name}={value}".replace("+", "%2B") for name, value in itertools.chain(pairs, pairs[:1]))
    answer = world.caller.call("POST", path, body=twice.encode(), kind=FORM)
    for problem in judge_error(answer, 400, "invalid_param"):
        findings.note("twice in a form", problem, answer)
    answer = world.caller.call("POST", path, query=dict(pairs[:1]), body=body)
    for problem in judge_error(answer, 400, "invalid_param"):
        findings.note("in the query and in the body", problem, answer)
    findings.end()


CHANGES = [
    operation
    for operation in OPERATIONS
    if operation.method == "POST" and operation.path.endswith("_id}") and "vars" in operation.names
]


@pytest.mark.parametrize("operation", CHANGES, ids=title)
def test_changes_at_the_same_moment_are_all_made(world, operation):
    path = world.path(operation)
    answers = []

    def change(who):
        caller = Caller(world.server.address, world.key)
        for n in range(8):
            answers.append(caller.call("POST", path, body={"vars": {f"v{who}_{n}": n}}))
        caller.close()

    threads = [threading.Thread(target=change, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer for answer in answers if answer.status != 200] == []
    kept = world.caller.read(path)["vars"]
    assert len(answers) == 32 and {f"v{who}_{n}" for who in range(4) for n in range(8)} <= kept.keys()


def test_the_tables_say_which_answers_have_fields():
    for operation in OPERATIONS:
        assert not (operation.fields and operation.answer is VOID), operation.title
        assert operation.fields or not isinstance(operation.answer, ListOf), operation.title
        assert isinstance(operation.answer, (Resource, ListOf, ArrayOf, str)), operation.title
