"""The description that the hub gives of itself has what the list of the interface has, and its examples succeed."""

import json
import re

import pytest

from conformance.engine import send
from conformance.interface import INTERFACE
from conformance.schema import LIST_PARAMETERS
from conformance.tables import OPERATIONS
from conformance.test_events import TOLD_OF
from conformance.world import PREFIXES

TABLES = {(operation.method, operation.path): operation for operation in OPERATIONS}
FREE = {"filters", "actions", "external_config", "route_params", "vars"}
"""Values whose members the description leaves open."""
EXAMPLE_ID = re.compile(r"\b([A-Z]{2})0{15}1\b")


@pytest.fixture(scope="module")
def document(world):
    """The document that the hub serves."""
    answer = world.caller.call("GET", "/openapi.json", authorized=False)
    assert answer.status == 200
    return answer.json


def find(document, schema):
    """Returns a schema, or the one that it refers to, without `null` and without PHP's empty array."""
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        elif is_nothing(schema.get("anyOf", [{}])[-1]):
            schema = schema["anyOf"][0]
        else:
            return schema


def is_nothing(schema):
    """Says whether a schema allows only what says nothing."""
    return schema.get("type") == "null" or schema.get("maxItems") == 0


def described(document, key):
    """Returns what the document says of an operation of the list."""
    method, path = key
    assert method.lower() in document["paths"].get(path, {}), f"the document lacks {method} {path}"
    return document["paths"][path][method.lower()]


def body_of(document, operation):
    """Returns the schemas of the members of the body."""
    content = operation.get("requestBody", {"content": {}})["content"]
    return find(document, content["application/json"]["schema"]).get("properties", {}) if content else {}


def taken(document, operation):
    """Returns the parameters of an operation by the subject that the list has them under."""
    found = {"takes": {}, "filters": {}, "sorts": {}}
    for parameter in operation.get("parameters", []):
        name, schema = parameter["name"], parameter["schema"]
        if parameter["in"] != "query" or name in LIST_PARAMETERS and name not in ("sort",):
            continue
        if name == "sort":
            found["sorts"] = {word: {} for word in schema["enum"] if word}
            continue
        found["takes"][name] = schema
    found["takes"] |= body_of(document, operation)
    if found["sorts"]:
        for name, schema in found.pop("takes").items():
            base, _, modifier = name.partition("[")
            found["filters"].setdefault(base, set())
            if modifier:
                found["filters"][base].add(modifier.rstrip("]"))
        found["takes"] = {}
    return found


def words_of(document, schema):
    """Returns the words that a text may be, also within an array."""
    schema = find(document, schema)
    if schema.get("type") == "array":
        schema = find(document, schema["items"])
    return set(schema.get("enum", ())) - {""}


@pytest.mark.parametrize("key", sorted(TABLES), ids=" ".join)
def test_an_operation_is_described_as_the_list_has_it(document, key):
    block, operation = INTERFACE.operations[key], described(document, key)
    found = taken(document, operation)
    problems = []
    for subject in ("takes", "filters", "sorts"):
        listed = {entry.name for entry in block.entries(subject, "now", "ours")} - {"fields"}
        listed = {"vars" if name.startswith("vars.") else name for name in listed}
        if listed != set(found[subject]):
            problems.append(f"{subject}: {sorted(listed ^ set(found[subject]))} in one of both")
    for entry in block.entries("filters", "now", "ours"):
        modifiers = found["filters"].get(entry.name, set())
        if entry.name != "vars" and modifiers != set(entry.modifiers) - {"eq"}:
            problems.append(f"filter {entry.name}: {sorted(modifiers ^ set(entry.modifiers))} in one of both")
    for name, schema in found["takes"].items():
        words = words_of(document, schema)
        here, listed = block.names(f"{name} =", "now", "ours"), block.names(f"{name} =")
        if words and listed and not here <= words <= listed:
            problems.append(f"words of {name}: {sorted(words ^ listed)} in one of both")
        items = find(document, schema)
        items = find(document, items["items"]) if items.get("type") == "array" else items
        members = set(items.get("properties", ()))
        listed = {one.name for mark in ("[]", "{}") for one in block.entries(name + mark, "now", "ours")}
        if name not in FREE and members and listed and members != listed:
            problems.append(f"members of {name}: {sorted(members ^ listed)} in one of both")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("key", sorted(TABLES), ids=" ".join)
def test_an_operation_needs_the_permission_of_its_table(document, key):
    assert f"`{TABLES[key].permission}`" in described(document, key)["description"]


@pytest.mark.parametrize("key", sorted(TABLES), ids=" ".join)
def test_the_example_of_an_operation_succeeds(world, document, key):
    operation = described(document, key)
    content = operation.get("requestBody", {"content": {}})["content"]
    given = [parameter for parameter in operation.get("parameters", []) if "example" in parameter]
    example = content.get("application/json", {}).get("example", {parameter["name"]: parameter["example"] for parameter in given})
    if TABLES[key].refuses:
        return
    kinds = {prefix: kind for kind, prefix in reversed(PREFIXES.items())}
    text = EXAMPLE_ID.sub(lambda found: world.own(kinds[found[1]])["id"], json.dumps(example))
    answer = send(world, TABLES[key], json.loads(unique(world, text)))
    assert answer.status == 200, answer.text


def unique(world, text):
    """Makes the names of an example names that nothing has."""
    return re.sub(r'"name": "([^"]+)"', lambda found: f'"name": "{world.name(found[1])}"', text)


@pytest.mark.parametrize("event", sorted(TOLD_OF))
def test_an_event_is_described_as_the_list_has_it(document, event):
    posted = document["webhooks"][event]["post"]["requestBody"]["content"]["application/x-www-form-urlencoded"]
    found = posted["schema"]["properties"]
    block, shown = INTERFACE.events[event], INTERFACE.objects[TOLD_OF[event][0]].names("shows", "now", "ours")
    assert block.names("tells", "now") - set(found) == set(), "these are not described"
    assert set(found) - block.names("tells", "now") - shown == set(), "these are never told"
    assert set(found.get("update_type", {}).get("enum", ())) == block.names("update_type =", "now")


def test_every_event_is_described(document):
    assert set(document["webhooks"]) == {*TOLD_OF, "alert"}
