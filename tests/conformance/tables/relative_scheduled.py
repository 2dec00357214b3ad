"""Messages that are scheduled by a date of each contact."""

from conformance.schema import (
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
    integer,
    listed,
    one_of,
    text,
    time_of_day,
)
from conformance.tables.messages import DATA, TYPES
from conformance.tables.scheduled import CHANGES, MESSAGE, PLANNED_FIELDS, RECIPIENT, RECURRING, optional

RELATIVE_FIELDS = {
    **PLANNED_FIELDS,
    "time_of_day": "text",
    "date_variable": "text",
    "offset_scale": "=I|D|W|M|Y",
    "offset_count": "int",
    "campaign_id": "id?",
}
RELATIVE = Resource("RelativeScheduledMessage", RELATIVE_FIELDS)
FILTERS = (
    Filter("message_type", "one of", values=TYPES),
    Filter("time_created", "time", ("min", "max")),
    Filter("group_id", "id"),
    Filter("contact_id", "id"),
)
DATE_VARIABLE = text(
    "date_variable",
    64,
    good=("birthday", "a" * 32, Good("contact.vars.birthday", "birthday")),
    bad=(Bad("a blank", "a b"), Bad("33 characters", "a" * 33)),
    edge=False,
)
TIMING = (
    one_of("offset_scale", ("D", "W", "M", "Y", "I")),
    integer("offset_count", -100_000, 100_000, good=(0, -100_000, 100_000)),
)
TYPE = one_of("message_type", (Good("text", "sms"), "sms", "mms"), later=("chat", "service"))
ONE = "/projects/{project_id}/relative_scheduled/{relative_scheduled_id}"
WHOLE = {"content": "x", "time_of_day": "09:00", "date_variable": "birthday"}

OPERATIONS = (
    listed("/projects/{project_id}/relative_scheduled", "view_messages", RELATIVE, FILTERS, ()),
    Operation(
        "POST",
        "/projects/{project_id}/relative_scheduled",
        "send_messages",
        RELATIVE,
        base={"to_number": "+15005550104", **WHOLE},
        idempotent=True,
        parameters=(
            TYPE,
            *MESSAGE,
            *RECIPIENT,
            Parameter(**{**time_of_day("time_of_day").__dict__, "required": True}),
            Parameter(**{**DATE_VARIABLE.__dict__, "required": True}),
            *TIMING,
            *RECURRING,
        ),
        cases=(
            Case("a dynamic group", {"group_id": Own("dynamic"), **WHOLE}, 400, param="group_id", whole=True),
            Case("a silent group", {"group_id": Own("silent"), **WHOLE}, 400, param="group_id", whole=True),
            Case("nobody", WHOLE, 400, param="to_number", whole=True),
            Case(
                "a code",
                {"message_type": "ussd", "to_number": "*100#", "time_of_day": "09:00", "date_variable": "d"},
                400,
                param="message_type",
                whole=True,
            ),
            Case("two recipients", {"group_id": Own("group")}, 400, param="to_number"),
            Case(
                "a call",
                {"message_type": "call", "to_number": Number(), "time_of_day": "09:00", "date_variable": "d"},
                shows={"message_type": "call", "content": None},
                whole=True,
            ),
            Case("the day itself", {}, shows={"offset_scale": "D", "offset_count": 0, "rrule": "COUNT=1"}),
        ),
    ),
    Operation("GET", ONE, "view_messages", RELATIVE),
    Operation(
        "POST",
        ONE,
        "send_messages",
        RELATIVE,
        parameters=(
            *CHANGES,
            *(optional(row) for row in RECIPIENT),
            time_of_day("time_of_day"),
            DATE_VARIABLE,
            *TIMING,
            *RECURRING,
        ),
        read_only=("id", "recipients_str", "message_type", "time_created", "project_id"),
        cases=(Case("data instead of a text", {"content": None, "route_params": DATA}, shows={"route_params": DATA}),),
    ),
    Operation("DELETE", ONE, "send_messages", VOID, fields=False),
)
