"""Scheduled messages, and what relative ones share with them."""

from conformance.schema import (
    HIDDEN,
    VOID,
    Bad,
    Case,
    Filter,
    Good,
    Number,
    Operation,
    Own,
    Parameter,
    Resource,
    Selection,
    Soon,
    ident,
    integer,
    listed,
    moment,
    number,
    one_of,
    text,
    zone,
)
from conformance.shapes import Maybe
from conformance.tables.messages import CONTENT, DATA, HOLDS, LATER, OWN, ROUTE_PARAMS, SENDING, TYPE, TYPES

MEDIA_FIELDS = {"url": "text", "type": "text?", "filename": "text?", "size": "int?", "file_id": "id?"}
PLANNED_FIELDS = {
    "id": "id",
    "content": "text?",
    "rrule": "text",
    "timezone_id": "text",
    "recipients_str": "text",
    "group_id": "id?",
    "contact_id": "id?",
    "to_number": "text?",
    "route_id": "id?",
    "service_id": "id?",
    "audio_url": "text?",
    "tts_lang": "text?",
    "tts_voice": "text?",
    "message_type": "=" + "|".join(TYPES),
    "time_created": "time",
    "end_time": "time?",
    "replace_variables": "bool",
    "track_clicks": "bool",
    "media": [MEDIA_FIELDS],
    "route_params": "object?",
    "vars": "object",
    "label_ids": "[id]",
    "project_id": "id",
    "is_template": "bool",
    # Additions of this hub.
    "on_unknown": "~text",
    "ttl_sec": "~int",
}
RECIPIENT_FIELDS = [
    {
        "type": "=phone_number|group|filter",
        "phone_number": "~text",
        "group_id": "~id",
        "group_name": "~text",
        "filter_type": "~=query_contacts|contact_ids",
        "filter_params": Maybe("object"),
    }
]
SCHEDULED_FIELDS = {
    **PLANNED_FIELDS,
    "recipients": RECIPIENT_FIELDS,
    "start_time": "int",
    "prev_time": "time?",
    "next_time": "time?",
    "occurrences": "int",
    "relative_scheduled_id": "id?",
    "error_message": "~text",
    **HOLDS,
}
SCHEDULED = Resource("ScheduledMessage", SCHEDULED_FIELDS)
FILTERS = (
    Filter("message_type", "one of", values=TYPES),
    Filter("time_created", "time", ("min", "max")),
    Filter("next_time", "time", ("min", "max", "exists")),
    Filter("relative_scheduled_id", "id"),
)
SORTS = ("next_time",)

YEAR = 366 * 86_400
RULES = (
    *("COUNT=1", "FREQ=DAILY;COUNT=3", "FREQ=MONTHLY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=WEEKLY;BYDAY=MO,FR"),
    *("FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", "FREQ=DAILY;UNTIL=19990101T000000Z"),
    *("FREQ=HOURLY;INTERVAL=6", "FREQ=MONTHLY;BYMONTHDAY=1,15;BYHOUR=9;BYMINUTE=30;WKST=SU"),
)
RULES_BAD = (
    *("nonsense", "FREQ=SECONDLY", "FREQ=MINUTELY", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=10001"),
    *("FREQ=DAILY;COUNT=0", "FREQ=DAILY;COUNT=10001", "FREQ=DAILY;BYEASTER=1", "FREQ=DAILY;FREQ=DAILY", "FREQ="),
    *("FREQ=WEEKLY;BYDAY=XX", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=YEARLY;BYMONTH=13", "COUNT=2;;", "FREQ=DAILY;X=1"),
)
RECURRING = (
    text(
        "rrule",
        500,
        good=(*RULES, Good("", "COUNT=1")),
        bad=tuple(Bad(rule, rule) for rule in RULES_BAD),
        edge=False,
    ),
    zone(),
    moment("end_time", (Soon(10 * YEAR),), needs={"rrule": "FREQ=DAILY"}),
    integer("end_time_offset", 0, 10 * YEAR, good=(9 * YEAR,), needs={"rrule": "FREQ=DAILY"}),
)
TO = number("to_number", required=True, bad=(Bad("a name", "POSTRIDER"),))
RECIPIENT = (
    TO,
    ident("contact_id", "contact", instead_of=("to_number",)),
    ident("group_id", "group", instead_of=("to_number",)),
)


def by_filter(other):
    """Contacts that a filter finds, in place of other recipients."""
    return (
        one_of(
            "filter_type",
            ("query_contacts",),
            ("query_messages", "message_ids"),
            needs={"filter_params": {"all": True}},
            instead_of=(other,),
            shown=HIDDEN,
        ),
        Parameter(
            "filter_params",
            ({"all": True},),
            (
                Bad("a text", "x"),
                Bad("nothing in it", {}, "[all]"),
                Bad("no filter of contacts", {"colour": "red"}, "[colour]"),
                Bad("ids", {"contact_ids": [Own("contact")]}, "[contact_ids]"),
            ),
            selections=(Selection({"send_blocked": False}, "query_contacts"),),
            needs={"filter_type": "query_contacts"},
            instead_of=(other,),
            shown=HIDDEN,
            form=False,
        ),
    )


def optional(row, **more):
    """The same row where nothing is required."""
    return Parameter(**{**row.__dict__, "required": False, **more})


SHARED = tuple(
    optional(row, shown=HIDDEN) if row.name in ("media", "media_urls", "simulated", "route_id") else row
    for row in SENDING
)
SHOWN_ROUTE = ident("route_id", "phone", good=(Own("phone"), Own("route")))
MESSAGE = (
    CONTENT,
    ROUTE_PARAMS,
    SHOWN_ROUTE,
    *(row for row in SHARED if row.name != "route_id"),
    *OWN,
    *LATER,
)

CHANGES = (
    *(optional(row, null="refused" if row is CONTENT else row.null) for row in MESSAGE if row is not ROUTE_PARAMS),
    Parameter("route_params", (), ROUTE_PARAMS.bad),
)

ONE = "/projects/{project_id}/scheduled/{scheduled_id}"
READ_ONLY = (
    *("id", "recipients", "recipients_str", "message_type", "time_created", "prev_time", "next_time", "occurrences"),
    *("waiting_for", "next_try_time", "error_message", "relative_scheduled_id", "project_id"),
)
CREATE = Operation(
    "POST",
    "/projects/{project_id}/scheduled",
    "send_messages",
    SCHEDULED,
    base={"to_number": Number(), "content": "later", "start_time_offset": 9 * YEAR - 5},
    idempotent=True,
    parameters=(
        TYPE,
        *MESSAGE,
        *RECIPIENT,
        *by_filter("to_number"),
        moment("start_time", (Soon(YEAR), Soon(-5)), instead_of=("start_time_offset",)),
        integer("start_time_offset", 0, 10 * YEAR, good=(10 * YEAR, YEAR), required=True, missing="start_time"),
        *RECURRING,
    ),
    cases=(
        Case("no start", {"to_number": Number(), "content": "x"}, 400, param="start_time", whole=True),
        Case("two starts", {"start_time": Soon(YEAR)}, 400, param="start_time_offset"),
        Case(
            "two ends",
            {"rrule": "FREQ=DAILY", "end_time": Soon(10 * YEAR), "end_time_offset": 10 * YEAR},
            400,
            param="end_time_offset",
        ),
        Case("an end of what does not recur", {"end_time": Soon(10 * YEAR)}, 400, param="end_time"),
        Case("an end before the start", {"rrule": "FREQ=DAILY", "end_time_offset": 5}, 400, param="end_time"),
        Case("two recipients", {"contact_id": Own("contact")}, 400, param="to_number"),
        Case("three recipients", {"contact_id": Own("contact"), "group_id": Own("group")}, 400, param="to_number"),
        Case("a dynamic group", {"group_id": Own("dynamic"), "content": "x", "start_time_offset": YEAR}, whole=True),
        Case(
            "a silent group",
            {"group_id": Own("silent"), "content": "x", "start_time_offset": YEAR},
            400,
            param="group_id",
            whole=True,
        ),
        Case(
            "a code",
            {"message_type": "ussd", "to_number": "*100#", "start_time_offset": YEAR},
            shows={"message_type": "ussd"},
            whole=True,
        ),
        Case(
            "a code for a group",
            {"message_type": "ussd", "group_id": Own("group"), "start_time_offset": YEAR},
            400,
            param="group_id",
            whole=True,
        ),
        Case(
            "a call",
            {"message_type": "call", "to_number": Number(), "start_time_offset": YEAR},
            shows={"message_type": "call"},
            whole=True,
        ),
        Case(
            "contacts by their ids",
            {"filter_type": "contact_ids", "filter_params": {"contact_ids": [Own("contact")]}, "content": "x", "start_time_offset": YEAR},
            shows={"recipients_str": "contacts by a filter"},
            whole=True,
        ),
        Case("two kinds of them", {"filter_type": "query_contacts", "filter_params": {"all": True}}, 400, param="filter_type"),
        Case("once", {}, shows={"rrule": "COUNT=1", "occurrences": 0, "prev_time": None, "end_time": None}),
        Case("the name of what mirrors it", {"replace_variables": True}, shows={"is_template": True}),
    ),
)
UPDATE = Operation(
    "POST",
    ONE,
    "send_messages",
    SCHEDULED,
    parameters=(
        *CHANGES,
        *(optional(row) for row in RECIPIENT),
        *by_filter("to_number"),
        moment("start_time", (Soon(YEAR),)),
        integer("start_time_offset", 0, 10 * YEAR, good=(10 * YEAR, YEAR)),
        *RECURRING,
    ),
    read_only=READ_ONLY,
    cases=(
        Case(
            "to contacts by their ids",
            {"filter_type": "contact_ids", "filter_params": {"contact_ids": [Own("contact")]}},
            shows={"to_number": None},
        ),
        Case("to a group", {"group_id": Own("group")}, shows={"to_number": None, "group_id": Own("group")}),
        Case("again and again", {"rrule": "FREQ=DAILY"}, shows={"rrule": "FREQ=DAILY"}),
        Case("data instead of a text", {"content": None, "route_params": DATA}, shows={"route_params": DATA}),
    ),
)

OPERATIONS = (
    listed("/projects/{project_id}/scheduled", "view_messages", SCHEDULED, FILTERS, SORTS),
    CREATE,
    Operation("GET", ONE, "view_messages", SCHEDULED),
    UPDATE,
    Operation("DELETE", ONE, "send_messages", VOID, fields=False),
)
