"""Broadcasts: the specification's `send_broadcast` and "Broadcasts", with the fields that it leaves open."""

from conformance.schema import (
    HIDDEN,
    Bad,
    Case,
    Filter,
    Good,
    New,
    Number,
    Operation,
    Own,
    Parameter,
    Resource,
    ident,
    later,
    listed,
    one_of,
    text,
)
from conformance.shapes import Maybe
from conformance.tables.messages import CONTENT, DATA, HOLDS, LATER, OWN, ROUTE_PARAMS, SENDING, SOURCES, TYPES
from conformance.tables.scheduled import MEDIA_FIELDS, MESSAGE, RECIPIENT_FIELDS, by_filter

STATUSES = ("queued", "sent", "failed", "failed_queued", "delivered", "not_delivered", "cancelled")
BROADCAST = Resource(
    "Broadcast",
    {
        "id": "id",
        "recipients": RECIPIENT_FIELDS,
        "title": "text",
        "time_created": "time",
        "last_message_time": "time",
        "last_send_time": "time?",
        "status_counts": {status: "int" for status in STATUSES},
        "message_count": "int",
        "estimated_count": "int",
        "num_parts": "int",
        "message_type": "=" + "|".join(TYPES),
        "content": "text?",
        "audio_url": "text?",
        "tts_lang": "text?",
        "tts_voice": "text?",
        "replace_variables": "bool",
        "status": "=queuing|sending|complete|cancelled",
        "source": "=" + "|".join(SOURCES),
        "simulated": "bool",
        "track_clicks": "bool",
        "clicked_count": "int?",
        "label_ids": "[id]",
        "media": Maybe([MEDIA_FIELDS]),
        "vars": "object",
        "route_params": "object?",
        "price": "number?",
        "price_currency": "text?",
        "reply_count": "int",
        "last_reply_time": "time?",
        "route_id": "id?",
        "service_id": "id?",
        "url": "text?",
        "user_id": "id?",
        "project_id": "id",
        "is_template": "bool",
        "recipients_str": "text",
        # Additions of this hub.
        "exclude_contact_id": "id?",
        "exclude_group_id": "id?",
        "campaign_id": "id?",
        "scheduled_id": "id?",
        "error_message": "~text",
        "on_unknown": "~text",
        "ttl_sec": "~int",
        **HOLDS,
    },
)
MEDIUM = {name: None for name in MEDIA_FIELDS}
FILTERS = (
    Filter("time_created", "time", ("min", "max")),
    Filter("last_message_time", "time", ("min", "max")),
)
ONE = "/projects/{project_id}/broadcasts/{broadcast_id}"

TO_NUMBERS = Parameter(
    "to_numbers",
    (Good([Number(), Number()], HIDDEN), Good([f"+15005551{n:03d}" for n in range(500)], HIDDEN)),
    (
        Bad("a text", "+15005550100"),
        Bad("an empty array", []),
        Bad("a number", 15005550100),
        Bad("a number within", [15005550100], "[0]"),
        Bad("a word within", ["+15005550100", "x!"], "[1]"),
        Bad("nothing within", ["+15005550100", ""], "[1]"),
        Bad("501 of them", ["+15005550100"] * 501),
    ),
    required=True,
)
RECIPIENTS = (
    TO_NUMBERS,
    ident("group_id", "group", instead_of=("to_numbers",)),
    ident("exclude_contact_id", "contact", instead_of=("to_numbers",), needs={"group_id": Own("group")}),
)
CALLS = {"message_type": "call", "to_numbers": [Number()]}
TYPE = one_of("message_type", (Good("text", "sms"), "sms", "mms"), later=("ussd", "chat", "service"))

SEND = Operation(
    "POST",
    "/projects/{project_id}/send_broadcast",
    "send_messages",
    BROADCAST,
    base={"to_numbers": [Number()], "content": "hello"},
    idempotent=True,
    parameters=(
        TYPE,
        *MESSAGE,
        *RECIPIENTS,
        *by_filter("to_numbers"),
        text("title", 255),
        later("exclude_group_id", others=(Own("group"),), empty=("",)),
    ),
    cases=(
        Case("nobody", {"content": "x"}, 400, param="to_numbers", whole=True),
        Case("two kinds of recipients", {"group_id": Own("group")}, 400, param="to_numbers"),
        Case("a silent group", {"group_id": Own("silent"), "content": "x"}, 400, param="group_id", whole=True),
        Case("a dynamic group", {"group_id": Own("dynamic"), "content": "x"}, whole=True),
        Case("somebody left out of numbers", {"exclude_contact_id": Own("contact")}, 400, param="exclude_contact_id"),
        Case(
            "one number twice",
            {"to_numbers": ["+15005550100", "+1 500 555-0100"]},
            shows={"estimated_count": 1, "recipients_str": "+15005550100", "title": "+15005550100"},
        ),
        Case(
            "media",
            {"media_urls": ["https://files.example/a.jpg"]},
            shows={"media": [{**MEDIUM, "url": "https://files.example/a.jpg", "type": "image/jpeg"}]},
        ),
        Case("the name of what mirrors it", {"replace_variables": True}, shows={"is_template": True}),
        Case("calls", CALLS, shows={"message_type": "call", "content": None}, whole=True),
        Case(
            "contacts by their ids",
            {"filter_type": "contact_ids", "filter_params": {"contact_ids": [Own("contact")]}, "content": "x"},
            shows={"recipients_str": "contacts by a filter"},
            whole=True,
        ),
        Case("a filter and numbers", {"filter_type": "query_contacts", "filter_params": {"all": True}}, 400, param="filter_type"),
        Case("what is new", {}, shows={"status": "queuing", "message_count": 0, "source": "api"}),
    ),
)


def send_batch(path):
    """`send_batch` under one of its names."""
    return Operation(
        "POST",
        path,
        "send_messages",
        Resource("queued batch", {"count_queued": "int", "broadcast_id": "id"}),
        base={"to_numbers": [Number()], "content": "hello"},
        idempotent=True,
        parameters=(
            TYPE,
            CONTENT,
            *RECIPIENTS,
            *SENDING,
            *OWN,
            Parameter("route_params", (), ROUTE_PARAMS.bad, instead_of=("content",)),
            *LATER,
        ),
        cases=(
            Case("one number twice", {"to_numbers": ["+15005550100", "+1 500 555-0100"]}, shows={"count_queued": 1}),
            Case("a blocked number", {"to_numbers": [Own("blocked", "phone_number")]}, shows={"count_queued": 0}),
            Case("two kinds of recipients", {"group_id": Own("group")}, 400, param="to_numbers"),
            Case("calls", CALLS, shows={"count_queued": 1}, whole=True),
            Case("data", {"to_numbers": [Number()], "route_params": DATA}, shows={"count_queued": 1}, whole=True),
        ),
    )


CANCEL = Operation(
    "POST",
    ONE + "/cancel",
    "send_messages",
    BROADCAST,
    cases=(Case("one that waits", {}, path={"broadcast_id": New("waiting_broadcast")}, shows={"status": "cancelled"}),),
)

OPERATIONS = (
    listed("/projects/{project_id}/broadcasts", "view_messages", BROADCAST, FILTERS, ("last_message_time",)),
    SEND,
    send_batch("/projects/{project_id}/messages/send_batch"),
    send_batch("/projects/{project_id}/messages/outgoing_batch"),
    Operation("GET", ONE, "view_messages", BROADCAST),
    CANCEL,
)
