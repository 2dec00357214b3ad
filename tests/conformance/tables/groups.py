"""Groups, normal and dynamic, and their members."""

from conformance.schema import (
    VOID,
    Bad,
    Case,
    Filter,
    Name,
    New,
    Nobodys,
    Operation,
    Others,
    Own,
    Parameter,
    Resource,
    Selection,
    boolean,
    listed,
    text,
    vars_,
)

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
GROUP_FIELDS = {
    "id": "id",
    "name": "text",
    "dynamic": "bool",
    "filters": "object?",
    "num_members": "int?",
    "time_created": "time",
    "allow_sending": "bool",
    "add_time_variable": "text?",
    "vars": "object",
    "project_id": "id",
    "url": "text?",
}
GROUP = Resource("Group", GROUP_FIELDS)
FILTERS = (Filter("name", "text", TEXT), Filter("dynamic", "bool"))
SORTS = ("name",)

NAME = text("name", 127, good=(Name("a group"),), bad=(Bad("empty", ""), Bad("blanks", "   ")), edge=False)
NEW_NAME = Parameter(NAME.name, NAME.good, NAME.bad, required=True)
CHANGED_NAME = Parameter(NAME.name, NAME.good, NAME.bad, null="refused")
SETTINGS = (
    boolean("allow_sending"),
    text(
        "add_time_variable", 64, good=("joined", "a" * 32), bad=(Bad("a blank", "a b"), Bad("33", "a" * 33)), edge=False
    ),
    vars_(),
)

KEYS = {
    "vars.city": ("Oslo", {"prefix": "O"}, {"ne": "x"}, {"exists": True}, {"not_exists": 1}, 5, {"gte": 5, "lt": 9}),
    "vars": ({"city": "Oslo", "age": {"gt": 5}},),
    "id": (Own("contact"), {"ne": Own("contact")}),
    "name": ("Ola", 17, {"gt": "A", "lte": "Z"}, {"exists": False}),
    "phone_number": ("+15005550100", {"prefix": "+1500"}, {"not_exists": True}),
    "time_created": (1_700_000_000, {"gte": 1_700_000_000, "lt": 1_800_000_000}),
    "time_updated": ({"gt": 1_700_000_000},),
    "incoming_message_count": (5, {"gte": 1, "lte": 9}),
    "outgoing_message_count": ({"ne": 0},),
    "last_incoming_message_time": ({"lt": 1_800_000_000}, {"exists": True}),
    "last_outgoing_message_time": ({"exists": False},),
    "conversation_status": ("active", {"ne": "closed"}),
    "send_blocked": (True, {"ne": True}),
    "group": (Own("group"), [Own("group")] * 20),
    "not_group": (Own("group"), [Own("group")]),
    "q": ("ola", "one two three four five six seven eight nine ten"),
}
FILTERS_BAD = (
    Bad("a text", "x"),
    Bad("a number", 17),
    Bad("an array", ["x"]),
    Bad("nothing in it", {}),
    Bad("an unknown key", {"shoe_size": 5}, "[shoe_size]"),
    Bad("an unknown comparison", {"name": {"near": "x"}}, "[name][near]"),
    Bad("no comparison", {"name": {}}, "[name]"),
    Bad("an array as name", {"name": ["x"]}, "[name]"),
    Bad("a word as count", {"incoming_message_count": "many"}, "[incoming_message_count]"),
    Bad("a word as time", {"time_created": "now"}, "[time_created]"),
    Bad("a word as truth", {"send_blocked": "maybe"}, "[send_blocked]"),
    Bad("another status", {"conversation_status": "asleep"}, "[conversation_status]"),
    Bad("a status that begins", {"conversation_status": {"prefix": "a"}}, "[conversation_status][prefix]"),
    Bad("no variable's name", {"vars.a b": 1}, "[vars.a b]"),
    Bad("variables that are none", {"vars": 5}, "[vars]"),
    Bad("a nested variable", {"vars": {"a": {"b": {}}}}, "[vars][a][b]"),
    Bad("no contact's id", {"id": "x"}, "[id]"),
    Bad("no group's id", {"group": "x"}, "[group]"),
    Bad("a group of nothing", {"group": Nobodys("group")}),
    Bad("another project's group", {"not_group": Others("group")}),
    Bad("a dynamic group", {"group": Own("dynamic")}),
    Bad("no group", {"group": []}, "[group]"),
    Bad("21 groups", {"group": [Own("group")] * 21}, "[group]"),
    Bad("no word", {"q": " "}, "[q]"),
    Bad("eleven words", {"q": "a b c d e f g h i j k"}, "[q]"),
    Bad("51 conditions", {"vars": {f"v{n}": 1 for n in range(51)}}),
    Bad("a list", {"name": {"exists": "perhaps"}}, "[name][exists]"),
)


COMPARISONS = ("ne", "prefix", "gte", "lt", "gt", "lte", "exists", "not_exists")
CONDITIONS = (
    Filter("vars.city", "text", COMPARISONS),
    Filter("vars", "vars", COMPARISONS, values=("city",)),
    Filter("id", "id", COMPARISONS),
    Filter("name", "text", COMPARISONS),
    Filter("phone_number", "number", COMPARISONS),
    Filter("time_created", "time", COMPARISONS),
    Filter("time_updated", "time", COMPARISONS),
    Filter("incoming_message_count", "int", COMPARISONS),
    Filter("outgoing_message_count", "int", COMPARISONS),
    Filter("last_incoming_message_time", "time", COMPARISONS),
    Filter("last_outgoing_message_time", "time", COMPARISONS),
    Filter("conversation_status", "one of", COMPARISONS),
    Filter("send_blocked", "bool", COMPARISONS),
    Filter("group", "ids"),
    Filter("not_group", "ids"),
    Filter("q", "words"),
)


def filters(**more):
    """The conditions of a dynamic group."""
    good = tuple({key: value} for key, values in KEYS.items() for value in values)
    selections = (Selection({"send_blocked": False}, filters=CONDITIONS),)
    return Parameter("filters", good, FILTERS_BAD, selections=selections, **more)


ONE = "/projects/{project_id}/groups/{group_id}"
MEMBER = ONE + "/contacts/{contact_id}"
MEMBER_CASES = (
    Case("of a dynamic group", {}, 400, param="group_id", path={"group_id": Own("dynamic")}),
    Case("another project's contact", {}, 404, "not_found", path={"contact_id": Others("contact")}),
    Case("another project's group", {}, 404, "not_found", path={"group_id": Others("group")}),
)


def sub_lists():
    """The sub-lists, whose tables are with their own resources."""
    from conformance.tables import contacts, scheduled

    rows = {"group_id": "full group"}
    return (
        listed(
            ONE + "/contacts",
            "view_contacts",
            contacts.CONTACT,
            (contacts.GROUP_ID, *contacts.FILTERS),
            contacts.SORTS,
            rows,
        ),
        listed(ONE + "/scheduled", "view_messages", scheduled.SCHEDULED, scheduled.FILTERS, scheduled.SORTS, rows),
    )


OPERATIONS = (
    listed("/projects/{project_id}/groups", "view_contacts", GROUP, FILTERS, SORTS),
    Operation(
        "POST",
        "/projects/{project_id}/groups",
        "edit_contacts",
        GROUP,
        base={"name": Name("a group")},
        parameters=(NEW_NAME,),
        cases=(Case("a name that there is", {"name": Own("group", "name")}, shows={"id": Own("group")}),),
    ),
    Operation(
        "POST",
        "/projects/{project_id}/create_group",
        "edit_contacts",
        GROUP,
        base={"name": Name("a group")},
        parameters=(NEW_NAME, filters(), *SETTINGS),
        cases=(
            Case("a name that there is", {"name": Own("group", "name")}, 400, param="name"),
            Case("dynamic", {"filters": {"name": "x"}}, shows={"dynamic": True, "num_members": None}),
            Case("normal", {}, shows={"dynamic": False, "num_members": 0, "filters": None, "allow_sending": True}),
        ),
    ),
    Operation("GET", ONE, "view_contacts", GROUP),
    Operation(
        "POST",
        ONE,
        "edit_contacts",
        GROUP,
        at={"group_id": New("dynamic")},
        parameters=(CHANGED_NAME, filters(), *SETTINGS),
        read_only=("id", "dynamic", "num_members", "time_created", "project_id", "url"),
        cases=(
            Case(
                "conditions of a normal group",
                {"filters": {"name": "x"}},
                400,
                param="filters",
                path={"group_id": Own("group")},
            ),
            Case("another group's name", {"name": Own("group", "name")}, 400, param="name"),
            Case("no variable", {"add_time_variable": None}, shows={"add_time_variable": None}),
        ),
    ),
    Operation("DELETE", ONE, "edit_contacts", VOID, fields=False),
    Operation("PUT", MEMBER, "edit_contacts", VOID, fields=False, cases=MEMBER_CASES),
    Operation("DELETE", MEMBER, "edit_contacts", VOID, fields=False, cases=MEMBER_CASES),
    *sub_lists(),
)
