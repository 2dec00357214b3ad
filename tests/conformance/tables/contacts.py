"""Contacts, and the sub-lists of one."""

from conformance.schema import (
    HIDDEN,
    VOID,
    Bad,
    Case,
    Filter,
    Good,
    Name,
    Nobodys,
    Number,
    Operation,
    Others,
    Own,
    Parameter,
    Resource,
    boolean,
    ident,
    idents,
    listed,
    number,
    one_of,
    text,
    vars_,
)

CONTACT_FIELDS = {
    "id": "id",
    "name": "text?",
    "phone_number": "text?",
    "time_created": "time",
    "time_updated": "time",
    "send_blocked": "bool",
    "conversation_status": "=closed|active|handled",
    "last_message_time": "time?",
    "last_incoming_message_time": "time?",
    "last_outgoing_message_time": "time?",
    "message_count": "int",
    "incoming_message_count": "int",
    "outgoing_message_count": "int",
    "last_message_id": "id?",
    "default_route_id": "id?",
    "group_ids": "[id]",
    "vars": "object",
    "project_id": "id",
    "url": "text?",
}
CONTACT = Resource("Contact", CONTACT_FIELDS)
UPDATABLE = ("name", "phone_number", "send_blocked", "conversation_status", "default_route_id", "vars")
READ_ONLY = tuple(name for name in CONTACT_FIELDS if name not in UPDATABLE)

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
MOMENT = ("min", "max", "exists")
COUNT = ("ne", "min", "max")
FILTERS = (
    Filter("name", "text", TEXT),
    Filter("phone_number", "number", (*TEXT, "exists")),
    Filter("time_created", "time", ("min", "max")),
    Filter("last_message_time", "time", MOMENT),
    Filter("last_incoming_message_time", "time", MOMENT),
    Filter("last_outgoing_message_time", "time", MOMENT),
    Filter("incoming_message_count", "int", COUNT),
    Filter("outgoing_message_count", "int", COUNT),
    Filter("send_blocked", "bool"),
    Filter("vars", "vars", (*TEXT, "min", "max", "exists"), values=("city", "age", "joined")),
)
VARS = Filter("vars", "vars", (*TEXT, "min", "max", "exists"), values=("city",))
STATE_FILTERS = (Filter("id", "text", TEXT), VARS)
STATE = Resource("ContactServiceState", {"id": "text?", "contact_id": "id", "service_id": "id", "vars": "object"})
GROUP_ID = Filter("group_id", "id", of="group_ids")
SORTS = ("name", "phone_number", "last_message_time")

NAME = text("name", 127, good=("Ola Nordmann", Good("  blanks  ", "blanks"), "名前"))
PHONE_NUMBER = number("phone_number", bad=(Bad("a name", "POSTRIDER"),))
GROUPS = (
    idents("add_group_ids", "group", 20),
    idents("remove_group_ids", "group", 20),
)
OWN = (
    boolean("send_blocked"),
    one_of("conversation_status", ("active", "handled", "closed")),
    ident("default_route_id", "phone", good=(Own("phone"), Own("route"))),
    vars_(),
)
LOOKUP_KEYS = ("phone_number", "id", "none", "vars.code")
LOOKUP_BAD = tuple(
    Bad(word, word) for word in ("nonsense", "vars.", "vars.a b", "vars." + "a" * 33, "VARS.code", "x" * 65)
)


def lookup(*values, bad=()):
    """The ways to find a contact."""
    beside = {"phone_number": Number(), "name": Name("found"), "vars": {"code": Name("code")}}
    return text("lookup_key", 64, good=values, bad=(*LOOKUP_BAD, *bad), edge=False, needs=beside)


CREATE = Operation(
    "POST",
    "/projects/{project_id}/contacts",
    "edit_contacts",
    CONTACT,
    base={"phone_number": Number()},
    parameters=(
        NAME,
        Parameter(
            "phone_number", PHONE_NUMBER.good, (*PHONE_NUMBER.bad, Bad("empty, without a name", "")), required=True
        ),
        lookup("phone_number", "name", "none", "vars.code"),
        ident("id", "contact", needs={"lookup_key": "id"}, missing="id", required=True),
        *OWN,
        *GROUPS,
    ),
    read_only=tuple(name for name in READ_ONLY if name != "id"),
    cases=(
        Case(
            "the same number finds the same",
            {"phone_number": Own("friend", "phone_number")},
            shows={"id": Own("friend")},
        ),
        Case("its last digits do too", {"phone_number": Own("friend", "phone_number"), "name": Own("friend", "name")}),
        Case(
            "a name, without regard to case", {"name": Own("friend", "name")}, shows={"id": Own("friend")}, whole=True
        ),
        Case("by name", {"lookup_key": "name"}, 400, param="name"),
        Case("by id", {"lookup_key": "id", "id": Own("friend")}, shows={"id": Own("friend")}, whole=True),
        Case("by a variable that is not given", {"lookup_key": "vars.code"}, 400, param="vars[code]"),
        Case("a new one without number and name", {"lookup_key": "none"}, 400, param="phone_number", whole=True),
        Case(
            "nobody by a variable",
            {"lookup_key": "vars.code", "vars": {"code": Name()}},
            400,
            param="phone_number",
            whole=True,
        ),
        Case("a dynamic group", {"add_group_ids": [Own("dynamic")]}, 400, param="add_group_ids[0]"),
    ),
)
UPDATE = Operation(
    "POST",
    "/projects/{project_id}/contacts/{contact_id}",
    "edit_contacts",
    CONTACT,
    parameters=(NAME, PHONE_NUMBER, *OWN, *GROUPS),
    read_only=READ_ONLY,
    cases=(
        Case("no name", {"name": None}, shows={"name": None}),
        Case("no number", {"phone_number": None}, shows={"phone_number": None}),
        Case("no route", {"default_route_id": None}, shows={"default_route_id": None}),
        Case("into a group", {"add_group_ids": [Own("group")]}, shows={"group_ids": [Own("group")]}),
    ),
)
IMPORT = Operation(
    "POST",
    "/projects/{project_id}/import_contacts",
    "edit_contacts",
    Resource("imported contacts", {"contacts": [{"id": "id"}]}),
    base={"contacts": [{"phone_number": Number()}]},
    parameters=(
        Parameter(
            "contacts",
            (
                Good([{"phone_number": Number(), "name": "x"}], HIDDEN),
                Good([{"name": f"imported {n}"} for n in range(200)], HIDDEN),
            ),
            (
                Bad("a text", "x"),
                Bad("a number", 17),
                Bad("texts within", ["x"], "[0]"),
                Bad("nothing within", [None], "[0]"),
                Bad("one without number and name", [{}], "[0][phone_number]"),
                Bad("201 of them", [{"name": "x"}] * 201),
                Bad("an object", {"a": "b"}),
            ),
            required=True,
        ),
        lookup("phone_number", "id", "none", "vars.code", bad=(Bad("by name", "name"),)),
        idents("add_group_ids", "group", 5),
        idents("remove_group_ids", "group", 5),
        ident("default_route_id", "phone", good=(Own("phone"), Own("route"))),
        Parameter(
            "id",
            (Own("contact"),),
            (
                Bad("of nothing", Nobodys("contact")),
                Bad("another project's", Others("contact")),
                Bad("no id at all", "no id"),
                Bad("a number", 17),
                Bad("an array", ["x"]),
            ),
            inside="contacts",
            above={"lookup_key": "id"},
        ),
        NAME.within("contacts"),
        Parameter("phone_number", (Number(),), PHONE_NUMBER.bad, required=True, inside="contacts"),
        boolean("send_blocked").within("contacts"),
        one_of("conversation_status", ("active", "handled", "closed")).within("contacts"),
        ident("default_route_id", "phone", good=(Own("phone"), Own("route"))).within("contacts"),
        vars_().within("contacts"),
    ),
    cases=(
        Case(
            "by id",
            {"lookup_key": "id", "contacts": [{"id": Own("friend")}]},
            shows={"contacts": [{"id": Own("friend")}]},
        ),
        Case("a dynamic group", {"add_group_ids": [Own("dynamic")]}, 400, param="add_group_ids[0]"),
        Case("none at all", {"contacts": []}, shows={"contacts": []}),
    ),
)


def of_one(part, permission, resource, filters, sorts, **more):
    """A sub-list of a contact."""
    path = "/projects/{project_id}/contacts/{contact_id}/" + part
    return listed(path, permission, resource, filters, sorts, rows={"contact_id": "many messages"}, **more)


def sub_lists():
    """The sub-lists, whose tables are with their own resources."""
    from conformance.tables import data_tables, groups, messages, scheduled

    return (
        of_one("groups", "view_contacts", groups.GROUP, groups.FILTERS, groups.SORTS),
        of_one("messages", "view_messages", messages.MESSAGE, messages.FILTERS, ()),
        of_one("scheduled", "view_messages", scheduled.SCHEDULED, scheduled.FILTERS, scheduled.SORTS),
        of_one("rows", "view_data", data_tables.ROW, (Filter("time_created", "time", ("min", "max")),), ()),
        of_one("states", "view_contacts", STATE, STATE_FILTERS, (), empty=True),
    )


ONE = "/projects/{project_id}/contacts/{contact_id}"
OPERATIONS = (
    listed("/projects/{project_id}/contacts", "view_contacts", CONTACT, (GROUP_ID, *FILTERS), SORTS),
    CREATE,
    IMPORT,
    Operation("GET", ONE, "view_contacts", CONTACT),
    UPDATE,
    Operation("DELETE", ONE, "edit_contacts", VOID, fields=False),
    *sub_lists(),
)
