"""Message templates: texts that are kept to use again."""

from conformance.schema import (
    HIDDEN,
    VOID,
    Bad,
    Case,
    Filter,
    Good,
    Name,
    Operation,
    Own,
    Parameter,
    Resource,
    boolean,
    listed,
    text,
    vars_,
)
from conformance.tables.messages import ADDRESS, DOT, ROUTE_PARAMS
from conformance.tables.scheduled import MEDIA_FIELDS, optional

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
TEMPLATE = Resource(
    "MessageTemplate",
    {
        "id": "id",
        "name": "text",
        "content": "text",
        "track_clicks": "bool",
        "readonly": "bool",
        "short_link_params": "object?",
        "attachments": [MEDIA_FIELDS],
        "route_params": "object?",
        "time_created": "time",
        "time_updated": "time",
        "vars": "object",
        "project_id": "id",
    },
)
MEDIUM = {name: None for name in MEDIA_FIELDS}
NAME = text("name", 127, good=(Name("a template"),), bad=(Bad("empty", ""), Bad("blanks", "  ")), edge=False)
CONTENT = text("content", 2_000, good=("See you, [[contact.name]]!",), bad=(Bad("empty", ""),))
OTHERS = (
    boolean("track_clicks"),
    Parameter(
        "short_link_params",
        (
            Good({"domain": "a.example", "expiration_sec": 60}),
            Good({"domain": "a.example"}, {"domain": "a.example", "expiration_sec": None}),
            Good({}, None),
        ),
        (
            Bad("a text", "x"),
            Bad("a number", 17),
            Bad("a number as domain", {"domain": 17}, "[domain]"),
            Bad("no seconds", {"expiration_sec": 0}, "[expiration_sec]"),
        ),
    ),
    Parameter(
        "attachments",
        (
            Good([{"url": ADDRESS}], [{**MEDIUM, "url": ADDRESS, "type": "image/jpeg"}]),
            Good(
                [{"url": ADDRESS, "type": "image/png", "filename": "map.png"}],
                [{**MEDIUM, "url": ADDRESS, "type": "image/png", "filename": "map.png"}],
            ),
            Good([{"file_id": Own("file")}], HIDDEN),
            Good([{"url": DOT}], HIDDEN),
            Good([], []),
        ),
        (
            Bad("a text", ADDRESS),
            Bad("a text within", [ADDRESS], "[0]"),
            Bad("nothing within", [{}], "[0][url]"),
            Bad("no file", [{"file_id": "x"}], "[0][file_id]"),
            Bad("a page", [{"url": "data:text/html,x"}], "[0][url]"),
            Bad("eleven", [{"url": ADDRESS}] * 11),
        ),
        form=False,
    ),
    Parameter(**{**ROUTE_PARAMS.__dict__, "instead_of": ()}),
    vars_(),
)
ONE = "/projects/{project_id}/message_templates/{template_id}"

OPERATIONS = (
    listed(
        "/projects/{project_id}/message_templates",
        "view_messages",
        TEMPLATE,
        (Filter("name", "text", TEXT), Filter("waba_id", "text", of=lambda rows, row: None, nothing=True)),
        ("name",),
    ),
    Operation(
        "POST",
        "/projects/{project_id}/message_templates",
        "send_messages",
        TEMPLATE,
        base={"name": Name("a template"), "content": "See you!"},
        parameters=(
            Parameter(**{**NAME.__dict__, "required": True}),
            Parameter(**{**CONTENT.__dict__, "required": True}),
            *OTHERS,
        ),
        cases=(
            Case(
                "what is new",
                {},
                shows={"track_clicks": False, "readonly": False, "attachments": [], "short_link_params": None},
            ),
        ),
    ),
    Operation("GET", ONE, "view_messages", TEMPLATE),
    Operation(
        "POST",
        ONE,
        "send_messages",
        TEMPLATE,
        parameters=(Parameter(**{**NAME.__dict__, "null": "refused"}), optional(CONTENT, null="refused"), *OTHERS),
        read_only=("id", "readonly", "waba_id", "whatsapp_template", "time_created", "time_updated", "project_id"),
    ),
    Operation("DELETE", ONE, "send_messages", VOID, fields=False),
)
