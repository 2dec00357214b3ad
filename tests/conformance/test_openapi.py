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
    """Returns a schema, or the one that it refers to, without `null`."""
    while True:
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        elif schema.get("anyOf", [{}])[-1].get("type") == "null":
            schema = schema["anyOf"][0]
        else:
            return schema


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


def operations(document):
    """Returns every operation by its name."""
    return {one["operationId"]: one for path in document["paths"].values() for one in path.values()}


def within(value, kind=dict):
    """Returns every object within a value, itself included."""
    found = [value] if isinstance(value, kind) else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return found + [one for part in inner for one in within(part, kind)]


def test_truth_values_are_boolean(document):
    parameters = [one for operation in operations(document).values() for one in operation.get("parameters", [])]
    assert {"type": "boolean"} in [one["schema"] for one in parameters if one["name"] == "count"]
    assert not [one["name"] for one in parameters if {"true", "", 1} & set(one["schema"].get("enum", ()))]
    assert not [one for one in within(document["components"]["schemas"]) if one.get("enum") == [0, 1]]


def test_a_body_is_an_object_with_a_name_of_its_own(document):
    schemas, names = document["components"]["schemas"], {}
    for name, operation in operations(document).items():
        for content in within(operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")):
            body = content["$ref"].rsplit("/", 1)[-1]
            names[name] = body
            assert schemas[body]["type"] == "object", name
            assert not [one for one in within(schemas[body]) if 0 in (one.get("maxItems"), one.get("maxProperties"))], name
    assert (names["sendMessage"], names["updateLabel"]) == ("NewMessage", "LabelUpdate")
    assert len(set(names.values())) >= len({name.removesuffix("Outgoing").removesuffix("Outgoing_batch") for name in names})


def test_values_of_variables_are_one_of_their_types(document):
    schemas = document["components"]["schemas"]
    shown = find(document, schemas["Contact"]["properties"]["vars"])["additionalProperties"]
    given = find(document, schemas["NewMessage"]["properties"]["vars"])["additionalProperties"]
    assert [one["type"] for one in shown["oneOf"]] == ["string", "number", "boolean"]
    assert [one["type"] for one in given["oneOf"]] == ["string", "number", "boolean", "null"]
    assert not [one for one in within(document) if isinstance(one.get("type"), list)]


def test_a_default_is_told_in_words_and_makes_no_member_one_that_must_be_given(document):
    schemas = document["components"]["schemas"]
    assert schemas["NewMessage"]["properties"]["priority"]["description"].endswith("Default: `1`.")
    assert not [one for one in within(schemas) if isinstance(one.get("default"), (str, int, float, list))]


def test_a_list_is_sampled_before_its_number(document):
    samples = operations(document)["listLabels"]["responses"]["200"]["content"]["application/json"]["examples"]
    first, second = [one["value"] for one in samples.values()]
    assert first["data"][0]["id"] == "LB0000000000000001"
    assert second == {"count": 0}


def test_what_has_no_body_is_said(document):
    told = {
        status: document["components"]["responses"][one["$ref"].rsplit("/", 1)[-1]]["description"]
        for status, one in operations(document)["listLabels"]["responses"].items()
        if "$ref" in one
    }
    assert {status for status, text in told.items() if "no body" in text} == {"414", "431"}
