"""Custom routes."""

from conformance.schema import (
    ANY,
    VOID,
    ArrayOf,
    Bad,
    Filter,
    Good,
    Nobodys,
    Operation,
    Others,
    Own,
    Parameter,
    Resource,
    listed,
    text,
    vars_,
)
from conformance.tables import phones

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
ROUTE = Resource(
    "Route",
    {"id": "id", "name": "text", "actions": "[object]", "vars": "object", "project_id": "id", "url": "text?"},
)


def maybe(kind):
    """The same type, for a field that may be absent."""
    return "~" + kind.lstrip("~") if isinstance(kind, str) else kind


EITHER = Resource(
    "Phone or Route",
    {
        name: kind if name in ROUTE.fields and kind == phones.PHONE_FIELDS.get(name) else maybe(kind)
        for name, kind in {**ROUTE.fields, **phones.PHONE_FIELDS}.items()
    },
)


def use(**more):
    """An action that uses a phone."""
    return {"type": "use_phone", "phone_ids": [Own("phone")], **more}


def when(*tests, **more):
    """An action with a condition."""
    return {"type": "condition", "conditions": list(tests), "actions": [use()], **more}


def test(kind="is", variable="to_number", value="+1500", **more):
    """One test of a condition."""
    return {"type": kind, "variable": variable, "value": value, **more}


SUBJECTS = ("to_number", "country", "message_type")
KINDS = ("is", "is_not", "starts_with", "does_not_start_with", "ends_with", "does_not_end_with")
IN_GROUP = {"type": "contact_is_in_group", "value": Own("group")}
GOOD = (
    [use()],
    [{"type": "use_phone", "phone_id": Own("phone")}],
    [use(pick="weight", weights=[1_000])],
    [use(pick="shortest_queue", offline_sec=1)],
    [use(pick="first", offline_sec=2_592_000)],
    [when(*(test(kind, subject) for kind in KINDS for subject in SUBJECTS)), use()],
    [when(IN_GROUP, {"type": "contact_not_in_group", "value": Own("group")}, op="and")],
    [when(test()), when(test(), if_mode="else_if"), when(if_mode="else")],
    [when(test(), actions=[when(test())])],
)
BAD = (
    Bad("a text", "x"),
    Bad("an object", {"a": "b"}),
    Bad("none", []),
    Bad("texts within", ["x"], "[0]"),
    Bad("no type", [{}], "[0][type]"),
    Bad("another type", [{"type": "fly"}], "[0][type]"),
    Bad("no phone", [{"type": "use_phone"}], "[0][phone_ids]"),
    Bad("no phones", [use(phone_ids=[])], "[0][phone_ids]"),
    Bad("another project's phone", [use(phone_ids=[Others("phone")])]),
    Bad("a phone of nothing", [use(phone_ids=[Nobodys("phone")])]),
    Bad("no phone's id", [use(phone_ids=["x"])], "[0][phone_ids][0]"),
    Bad("a number as id", [use(phone_ids=[17])], "[0][phone_ids][0]"),
    Bad("a phone twice", [use(phone_ids=[Own("phone"), Own("phone")])], "[0][phone_ids][1]"),
    Bad("51 phones", [use(phone_ids=["x"] * 51)], "[0][phone_ids]"),
    Bad("another pick", [use(pick="any")], "[0][pick]"),
    Bad("weights that do not fit", [use(pick="weight", weights=[1, 2])], "[0][weights]"),
    Bad("a weight of 0", [use(pick="weight", weights=[0])], "[0][weights][0]"),
    Bad("a weight of 1001", [use(pick="weight", weights=[1_001])], "[0][weights][0]"),
    Bad("weights for the first", [use(weights=[1])], "[0][weights]"),
    Bad("offline for 0 s", [use(offline_sec=0)], "[0][offline_sec]"),
    Bad("offline for ever", [use(offline_sec=2_592_001)], "[0][offline_sec]"),
    Bad("another member", [use(colour="red")], "[0][colour]"),
    Bad("no condition", [when()], "[0][conditions]"),
    Bad("another test", [when(test(kind="smells"))], "[0][conditions][0][type]"),
    Bad("another subject", [when(test(variable="mood"))], "[0][conditions][0][variable]"),
    Bad("no value", [when(test(value=""))], "[0][conditions][0][value]"),
    Bad("129 characters", [when(test(value="x" * 129))], "[0][conditions][0][value]"),
    Bad("another join", [when(test(), op="xor")], "[0][op]"),
    Bad("another mode", [when(test(), if_mode="unless")], "[0][if_mode]"),
    Bad("else of nothing", [when(if_mode="else")], "[0][if_mode]"),
    Bad("else on a condition", [when(test()), when(test(), if_mode="else")], "[1][conditions]"),
    Bad("51 tests", [when(*[test()] * 51)], "[0][conditions]"),
    Bad("no actions", [when(test(), actions=[])], "[0][actions]"),
    Bad("three deep", [when(test(), actions=[when(test(), actions=[when(test())])])], param=ANY),
    Bad("a group of nothing", [when({"type": "contact_is_in_group", "value": "no such group"})]),
    Bad("another project's group", [when({"type": "contact_is_in_group", "value": Others("group")})]),
    Bad("201 actions", [use()] * 201),
)
ONE = "/projects/{project_id}/routes/{route_id}"
NAME = text("name", 127, good=("A route", "x" * 127), bad=(Bad("empty", ""), Bad("blanks", "  ")), edge=False)
ACTIONS = tuple(Good(value, "not shown") for value in GOOD)
READ_ONLY = ("id", "project_id", "url")

OPERATIONS = (
    listed("/projects/{project_id}/routes", "view_routes", ROUTE, (Filter("name", "text", TEXT),), ("name",)),
    Operation(
        "POST",
        "/projects/{project_id}/routes",
        "edit_routes",
        ROUTE,
        base={"name": "A route", "actions": [use()]},
        parameters=(
            Parameter(NAME.name, NAME.good, NAME.bad, required=True),
            Parameter("actions", ACTIONS, BAD, required=True),
            vars_(),
        ),
        read_only=READ_ONLY,
    ),
    Operation("GET", ONE, "view_routes", ROUTE),
    Operation(
        "POST",
        ONE,
        "edit_routes",
        ROUTE,
        parameters=(
            Parameter(NAME.name, NAME.good, NAME.bad, null="refused"),
            Parameter("actions", ACTIONS, BAD, null="refused"),
            vars_(),
        ),
        read_only=READ_ONLY,
    ),
    Operation("DELETE", ONE, "edit_routes", VOID, fields=False),
    Operation("GET", "/projects/{project_id}/route_list", "view_routes", ArrayOf(EITHER)),
)
