"""What schemathesis is told besides the description: what the hub takes beyond it, and addresses that are too long for HTTP."""

import copy

import schemathesis
from urllib.parse import urlencode

URL_BYTES_MAX = 60_000
BOOLEANS = ["", "1", "0", "true", "false", "True", "False"]
EMPTY_ARRAY = {"type": "array", "maxItems": 0}
EMPTY_OBJECT = {"type": "object", "maxProperties": 0}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Puts in what is taken and not described, so that bad requests are bad ones for the hub, too."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "query":
                    parameter["schema"] = in_query(parameter["schema"])
            if "requestBody" in operation:
                widen_body(raw_schema, operation["requestBody"])


def in_query(schema):
    """An empty value in a query string says nothing, and a truth value has several names."""
    if schema.get("type") == "boolean":
        return {**schema, "type": "string", "enum": BOOLEANS}
    if "enum" in schema:
        return {**schema, "enum": ["", *schema["enum"]]}
    if "properties" in schema:
        return {**schema, "properties": {name: in_query(one) for name, one in schema["properties"].items()}}
    return schema


def widen_body(document, body):
    """A body without which a request says nothing may be `null` and `[]`, too."""
    content = body["content"]["application/json"]
    name = content["schema"]["$ref"].rsplit("/", 1)[-1]
    described = document["components"]["schemas"][name]
    wide = copy.deepcopy(described)
    wide["properties"] = {name: in_body(one) for name, one in described.get("properties", {}).items()}
    content["schema"] = wide if body["required"] else {"anyOf": [wide, {"type": "null"}, EMPTY_ARRAY]}


def in_body(schema):
    """PHP's clients write an empty object as an empty array, and 1 for true."""
    schema = dict(schema)
    # A value may be of two of them then: 1 is a number and says true.
    if "oneOf" in schema:
        schema["anyOf"] = schema.pop("oneOf")
    if "anyOf" in schema:
        schema["anyOf"] = [in_body(one) for one in schema["anyOf"]]
    for one in ("items", "additionalProperties"):
        if isinstance(schema.get(one), dict):
            schema[one] = in_body(schema[one])
    if "properties" in schema:
        schema["properties"] = {name: in_body(one) for name, one in schema["properties"].items()}
    if schema.get("type") == "boolean":
        return {"anyOf": [schema, {"type": "integer", "enum": [0, 1]}]}
    if schema.get("type") == "object":
        return {"anyOf": [schema, EMPTY_ARRAY, EMPTY_OBJECT]}
    return schema


@schemathesis.hook
def filter_case(context, case):
    """Keeps a case whose query string the hub can read."""
    return len(urlencode(case.query or {}, doseq=True)) < URL_BYTES_MAX
