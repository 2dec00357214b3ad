"""Campaigns: prepared for a group, and sent once or by a date of each contact."""

from conformance.schema import (
    HIDDEN,
    VOID,
    Bad,
    Case,
    Filter,
    Good,
    Name,
    New,
    Operation,
    Own,
    Parameter,
    Resource,
    Soon,
    ident,
    later,
    listed,
    moment,
    one_of,
    text,
    zone,
)
from conformance.tables.messages import ADDRESS, DATA, HOLDS, LATER, OWN, ROUTE_PARAMS, SENDING, TYPES
from conformance.tables.relative_scheduled import DATE_VARIABLE
from conformance.tables.scheduled import MEDIA_FIELDS, SHOWN_ROUTE, YEAR, optional

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
CAMPAIGN_TYPES = ("broadcast_text", "broadcast_call", "relative", "anniversary")
STATUSES = ("draft", "scheduled", "sent", "pending_review")
ITEM_FIELDS = {
    "offset_scale": "=I|D|W|M|Y",
    "offset_count": "int",
    "time_of_day": "text",
    "content": "text?",
    "media": [MEDIA_FIELDS],
}
CAMPAIGN = Resource(
    "Campaign",
    {
        "id": "id",
        "campaign_type": "=" + "|".join(CAMPAIGN_TYPES),
        "name": "text",
        "status": "=" + "|".join(STATUSES),
        "group_id": "id?",
        "exclude_group_id": "id?",
        "respondent_group_id": "id?",
        "clicked_group_id": "id?",
        "schedule_mode": "=immediate|at_time",
        "schedule_time": "time?",
        "timezone_id": "text",
        "date_variable": "text?",
        "items": [ITEM_FIELDS],
        "message_type": "=" + "|".join(TYPES),
        "content": "text?",
        "media": [MEDIA_FIELDS],
        "route_id": "id?",
        "route_params": "object?",
        "label_ids": "[id]",
        "track_clicks": "bool",
        "short_link_params": "object?",
        "service_id": "id?",
        "audio_url": "text?",
        "tts_lang": "text?",
        "tts_voice": "text?",
        "vars": "object",
        "broadcast_id": "id?",
        "estimated_count": "int?",
        "message_count": "int",
        "time_created": "time",
        "time_updated": "time",
        "url": "text?",
        "url_edit": "text?",
        "url_send": "text?",
        "user_id": "id?",
        "project_id": "id",
        # Additions of this hub.
        "error_message": "~text",
        "replace_variables": "bool",
        "is_template": "bool",
        "on_unknown": "~text",
        "ttl_sec": "~int",
        **HOLDS,
    },
)
FILTERS = (
    Filter("name", "text", TEXT),
    Filter("status", "one of", values=STATUSES, nothing=True),
    Filter("campaign_type", "one of", values=CAMPAIGN_TYPES),
    Filter("group_id", "id"),
    Filter("label_id", "id", of="label_ids"),
    Filter("time_created", "time", ("min", "max")),
    Filter("schedule_time", "time", ("min", "max")),
)
ONE = "/projects/{project_id}/campaigns/{campaign_id}"
NAME = text("name", 127, good=(Name("a campaign"),), bad=(Bad("empty", ""), Bad("blanks", "  ")), edge=False)
ITEM = {"time_of_day": "09:00", "content": "x"}
FULL_ITEM = {
    **ITEM,
    "offset_scale": "W",
    "offset_count": -2,
    "media": [{"url": ADDRESS, "type": "image/jpeg", "filename": "a.jpg"}, {"file_id": Own("file")}],
}
FULL_ITEMS = [FULL_ITEM, {**ITEM, "media_urls": [ADDRESS]}]
ITEMS_GOOD = ([ITEM], Good(FULL_ITEMS, HIDDEN), [])
ITEMS_BAD = (
    Bad("a text", "x"),
    Bad("a text within", ["x"], "[0]"),
    Bad("no time of day", [{"content": "x"}], "[0][time_of_day]"),
    Bad("another scale", [{**ITEM, "offset_scale": "C"}], "[0][offset_scale]"),
    Bad("too far", [{**ITEM, "offset_count": 100_001}], "[0][offset_count]"),
    Bad("a number as text", [{**ITEM, "content": 5}], "[0][content]"),
    Bad("no media", [{**ITEM, "media": [{}]}], "[0][media][0][url]"),
    Bad("no address", [{**ITEM, "media_urls": ["x"]}], "[0][media_urls][0]"),
    Bad("51 of them", [ITEM] * 51),
)
RELATIVE = {"campaign_type": "relative", "content": None}


def rows(needs):
    """What may be given of a campaign; `needs` is what goes with one by the dates of contacts."""
    shared = (row for row in SENDING if row.name not in ("route_id", "replace_variables", "is_template"))
    templates = (
        Parameter(**{**row.__dict__, "null": "is nothing"})
        for row in SENDING
        if row.name in ("replace_variables", "is_template")
    )
    return (
        ident("group_id", "group"),
        ident("exclude_group_id", "group", good=(Own("group"), Own("dynamic"))),
        ident("respondent_group_id", "group"),
        ident("clicked_group_id", "group"),
        zone(),
        one_of("schedule_mode", ("immediate", "at_time")),
        moment("schedule_time", (Soon(YEAR),)),
        text("content", 20_000, good=("hello [[contact.name]]", "é"), edge=False),
        Parameter(**{**ROUTE_PARAMS.__dict__, "instead_of": ()}),
        SHOWN_ROUTE,
        *(optional(row, shown=HIDDEN) if row.name in ("media", "media_urls", "simulated") else row for row in shared),
        *templates,
        *OWN,
        *LATER,
    ) + (
        (
            Parameter(**{**DATE_VARIABLE.__dict__, "needs": needs}),
            Parameter("items", ITEMS_GOOD, ITEMS_BAD, needs=needs, shown=HIDDEN, form=False),
        )
        if needs
        else (
            Parameter("date_variable", (), (Bad("of another type", "birthday"), Bad("a blank", "a b"))),
            Parameter("items", ([],), (*ITEMS_BAD, Bad("of another type", [ITEM])), form=False),
        )
    )


OPERATIONS = (
    listed(
        "/projects/{project_id}/campaigns", "view_messages", CAMPAIGN, FILTERS, ("name", "schedule_time")
    ),
    Operation(
        "POST",
        "/projects/{project_id}/campaigns",
        "send_messages",
        CAMPAIGN,
        base={"campaign_type": "broadcast_text"},
        parameters=(
            one_of("campaign_type", CAMPAIGN_TYPES, later=("broadcast_svc",), required=True),
            Parameter(**{**NAME.__dict__, "null": "refused"}),
            *rows(RELATIVE),
        ),
        cases=(
            Case("a dynamic group that is followed", {**RELATIVE, "group_id": Own("dynamic")}, 400, param="group_id"),
            Case("a dynamic group of answers", {"respondent_group_id": Own("dynamic")}, 400, param="respondent_group_id"),
            Case("a name that there is", {"name": Own("campaign", "name")}, 400, param="name"),
            Case("a text for all, by dates", {**RELATIVE, "content": "x"}, 400, param="content"),
            Case("a time for all, by dates", {**RELATIVE, "schedule_time": Soon(YEAR)}, 400, param="schedule_time"),
            Case("a date for one that is sent once", {"date_variable": "due"}, 400, param="date_variable"),
            Case("what is new", {}, shows={"status": "draft", "schedule_mode": "immediate", "message_count": 0}),
        ),
    ),
    Operation("GET", ONE, "view_messages", CAMPAIGN),
    Operation(
        "POST",
        ONE,
        "send_messages",
        CAMPAIGN,
        parameters=(Parameter(**{**NAME.__dict__, "null": "refused"}), *rows({})),
        read_only=(
            *("id", "campaign_type", "status", "error_message", "broadcast_id", "estimated_count", "message_count"),
            *("waiting_for", "next_try_time"),
            *("message_type", "time_created", "time_updated", "url", "url_edit", "url_send", "user_id", "project_id"),
        ),
        cases=(
            Case(
                "items and their date",
                {"items": FULL_ITEMS, "date_variable": "birthday"},
                path={"campaign_id": New("series")},
                shows={"date_variable": "birthday"},
            ),
            Case("data", {"route_params": DATA}, shows={"route_params": DATA}),
            Case(
                "one that was sent",
                {"content": "other"},
                400,
                param="status",
                path={"campaign_id": Own("sent_campaign")},
            ),
        ),
    ),
    Operation("DELETE", ONE, "send_messages", VOID, fields=False),
    Operation(
        "POST",
        ONE + "/send",
        "send_messages",
        CAMPAIGN,
        idempotent=True,
        cases=(
            Case("once more", {}, 400, param="status", path={"campaign_id": Own("sent_campaign")}),
            Case("one without items", {}, 400, param="date_variable", path={"campaign_id": New("series")}),
        ),
    ),
    Operation(
        "POST",
        ONE + "/unschedule",
        "send_messages",
        CAMPAIGN,
        at={"campaign_id": New("waiting_campaign")},
        cases=(Case("a draft", {}, 400, param="status", path={"campaign_id": New("campaign")}),),
    ),
)
