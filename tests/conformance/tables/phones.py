"""Phones: the basic routes."""

from conformance.schema import (
    HIDDEN,
    VOID,
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
    boolean,
    country,
    integer,
    listed,
    number,
    one_of,
    text,
    time_of_day,
    vars_,
    zone,
)
from conformance.shapes import Maybe, Nullable
from conformance.tables import messages

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
PROVIDERS = (
    *("twilio", "twilio_messaging_service", "twilio_shortcode", "twilio_caller_id", "nexmo", "nexmo_sender_id"),
    *("telesign", "infobip", "infobip_ussd", "africas_talking", "africas_talking_ussd"),
)
ANDROID = {
    "battery": "~int?",
    "charging": "~bool?",
    "internet_type": "~text?",
    "app_version": "~text?",
    "android_sdk": "~int?",
    "mccmnc": "~text?",
    "carrier": "~text?",
    "signal": "~int?",
    "forwarding": "~bool?",
    "queue": "~int?",
    "kinds": Maybe(
        [{"kind": "text", "queue": "int", "waiting_for": messages.WAITING_FOR + "?", "next_slot_time": "time?"}]
    ),
    "manufacturer": "~text?",
    "model": "~text?",
    "send_limit": "~int?",
    "send_limit_max": "~int?",
    "device_send_limit_max": "~int?",
    "silent_after": "~int?",
    "unknown_after": "~int?",
    "report_window": "~int?",
    "delivery_reports": "~bool",
    "shift_tables": "~[int]",
    "sim_changed": "~bool",
    "waiting_for": "~" + messages.WAITING_FOR + "?",
    "next_slot_time": "~time?",
}
SET_OF_ANDROID = (
    *("send_limit_max", "device_send_limit_max", "silent_after", "unknown_after", "report_window"),
    *("delivery_reports", "shift_tables"),
)
SETUP = ("incoming_message_url", "message_status_url", "incoming_call_url")
ACCOUNT = {
    "external_account_id": "~text?",
    "external_id": "~text?",
    "external_config": "~object",
    "external_setup": Maybe({name: "text?" for name in SETUP}),
}
RATES = {name: "text?" for name in ("per_part", "per_message", "per_minute")}
PHONE_FIELDS = {
    "id": "id",
    "name": "text",
    "phone_number": "text?",
    "phone_type": "=android|simulated|" + "|".join(PROVIDERS),
    "country": "text?",
    "send_paused": "bool",
    "time_created": "time",
    "last_active_time": "time?",
    "vars": "object",
    "project_id": "id",
    "url": "text?",
    **ANDROID,
    "validate_recipient_numbers": "bool",
    "allowed_recipient_countries": "[text]?",
    "sent_message_limit": "int?",
    "sent_message_count": "int",
    "sent_message_epoch": "time",
    "send_delay": "int",
    "timezone_id": "text",
    "quiet_mode": "=off|delay|confirm",
    "quiet_start": "text?",
    "quiet_end": "text?",
    "tariff": Nullable({"currency": "text", **RATES, "prefixes": "object"}),
    **ACCOUNT,
}
PHONE = Resource("Phone", PHONE_FIELDS)
FILTERS = (
    Filter("name", "text", TEXT),
    Filter("phone_number", "text", TEXT),
    Filter("last_active_time", "time", ("min", "max", "exists")),
)

NUMBER = number(
    "phone_number", good=(Number(), "MyBank"), bad=(Bad("a control character", "+1500\u00075550100"),), names=True
)
NAME = text("name", 127, good=("A phone", "x" * 127), bad=(Bad("empty", ""),), edge=False, null="refused")
PROVIDER = {"phone_type": "twilio"}
SETTINGS = (
    boolean("send_paused"),
    integer("sent_message_limit", 0, 4_294_967_295, good=(5, 4_294_967_295)),
    integer("send_delay", 0, 3_600),
    integer("send_limit_max", 1, 4_294_967_295, shown=HIDDEN),
    integer("device_send_limit_max", 1, 4_294_967_295, shown=HIDDEN),
    integer("silent_after", 30, 86_400, shown=HIDDEN),
    integer("unknown_after", 30, 86_400, shown=HIDDEN),
    integer("report_window", 3_600, 1_209_600, shown=HIDDEN),
    boolean("delivery_reports", shown=HIDDEN),
    Parameter(
        "shift_tables",
        ([1], [3, 1, 1], [], [13]),
        (
            Bad("a number", 1),
            Bad("no language", [1, 0], "[1]"),
            Bad("a language without tables", [14], "[0]"),
            Bad("a word", ["turkish"], "[0]"),
            Bad("nothing within", [None], "[0]"),
            Bad("four of them", [1, 2, 3, 4]),
            Bad("an object", {"a": 1}),
        ),
        shown=HIDDEN,
    ),
    Parameter(
        "tariff",
        (
            Good({"currency": "KES", "per_part": "0.8", "per_message": "1", "per_minute": "3.5", "prefixes": {}}, HIDDEN),
            Good({"currency": "KES", "per_part": 0.8, "per_message": 1, "per_minute": 3.5, "prefixes": {}}, HIDDEN),
            Good({"currency": "USD"}, HIDDEN),
        ),
        (
            Bad("a text", "x"),
            Bad("no currency", {"per_part": "1"}, "[currency]"),
            Bad("small letters", {"currency": "usd"}, "[currency]"),
            Bad("below nothing", {"currency": "USD", "per_part": "-1"}, "[per_part]"),
            Bad("seven places", {"currency": "USD", "per_message": "0.0000001"}, "[per_message]"),
            Bad("a number of seven places", {"currency": "USD", "per_message": 0.0000001}, "[per_message]"),
            Bad("a truth value", {"currency": "USD", "per_message": True}, "[per_message]"),
            Bad("another member", {"currency": "USD", "per_hour": "1"}, "[per_hour]"),
        ),
    ),
    boolean("validate_recipient_numbers"),
    Parameter(
        "allowed_recipient_countries",
        (["KE", "NO"], Good(["ke", "KE"], ["KE"]), Good([], None)),
        (
            Bad("a text", "KE"),
            Bad("no country", ["KE", "XX"], "[1]"),
            Bad("three letters", ["KEN"], "[0]"),
            Bad("a number within", [17], "[0]"),
            Bad("nothing within", [""], "[0]"),
            Bad("301 of them", ["KE"] * 301),
            Bad("an object", {"a": "KE"}),
        ),
    ),
    one_of("quiet_mode", ("off", "delay", "confirm"), needs={"quiet_start": "22:00", "quiet_end": "07:00"}),
    time_of_day("quiet_start", needs={"quiet_end": "05:05"}),
    time_of_day("quiet_end", needs={"quiet_start": "05:05"}),
    zone(),
    vars_(),
)


def provider(name, most, **more):
    """Only for phones at a provider."""
    return text(name, most, bad=(Bad("of a test route", "x", beside={"phone_type": "simulated"}),), **more)


SECRET = {
    "name": "external_secret",
    "most": 2_000,
    "good": ("a secret", ""),
    "shown": HIDDEN,
}
CONFIG_GOOD = ({"account_sid": "x", "n": 5}, {}, Good([], {}))
CONFIG_BAD = (Bad("a text", "x"), Bad("a number", 17), Bad("a full array", ["x"]), Bad("9 KiB", {"a": "x" * 9_000}))
ONE = "/projects/{project_id}/phones/{phone_id}"
MADE_WITH = ("phone_type",)
READ_ONLY = (
    *("id", "time_created", "last_active_time", "project_id", "url", "sent_message_count", "sent_message_epoch"),
    *("external_setup", *(name for name in ANDROID if name not in SET_OF_ANDROID)),
)
DOUBT = Case("silent after it is unknown", {"silent_after": 61, "unknown_after": 60}, 400, param="silent_after")
QUIET = (
    Case("quiet hours without a start", {"quiet_mode": "delay", "quiet_end": "07:00"}, 400, param="quiet_start"),
    Case("quiet hours without an end", {"quiet_mode": "delay", "quiet_start": "07:00"}, 400, param="quiet_end"),
    Case(
        "quiet all day", {"quiet_mode": "delay", "quiet_start": "07:00", "quiet_end": "07:00"}, 400, param="quiet_end"
    ),
)

CREATE = Operation(
    "POST",
    "/projects/{project_id}/phones",
    "edit_routes",
    PHONE,
    base={"phone_type": "simulated", "phone_number": Number()},
    parameters=(
        one_of("phone_type", ("simulated", *PROVIDERS), later=("android",), required=True),
        Parameter(**{**NUMBER.__dict__, "required": True}),
        country(),
        NAME,
        *SETTINGS,
        provider("external_account_id", 200, needs=PROVIDER),
        provider("external_id", 200, needs=PROVIDER),
        Parameter("external_config", CONFIG_GOOD, CONFIG_BAD, needs=PROVIDER, form=False),
        provider(**SECRET, needs=PROVIDER),
    ),
    read_only=READ_ONLY,
    cases=(
        *QUIET,
        DOUBT,
        Case("the project's zone", {}, shows={"timezone_id": "UTC", "quiet_mode": "off", "send_paused": False}),
        Case("its country, read off its number", {"phone_number": "+254700000000"}, shows={"country": "KE"}),
    ),
)
UPDATE = Operation(
    "POST",
    ONE,
    "edit_routes",
    PHONE,
    parameters=(
        NUMBER,
        country(),
        NAME,
        *SETTINGS,
        *(
            text(name, 200, good=(Good("", None),), bad=(Bad("of a test route", "x"),), edge=False)
            for name in ("external_account_id", "external_id")
        ),
        Parameter("external_config", (), CONFIG_BAD),
        Parameter("external_secret", (Good("", HIDDEN),), (*NAME.bad[:4], Bad("of a test route", "x"))),
    ),
    read_only=(*READ_ONLY, *MADE_WITH),
    cases=(
        *QUIET,
        DOUBT,
        Case("no number", {"phone_number": None}, shows={"phone_number": None}),
        Case("no country", {"country": None}, shows={"country": None}),
        Case("no limit", {"sent_message_limit": None}, shows={"sent_message_limit": None}),
        Case("a limit that is reached", {"sent_message_limit": 0}, shows={"send_paused": True}),
        Case("a provider's secret", {"external_secret": "new"}, path={"phone_id": Own("provider")}),
        Case(
            "a provider's account",
            {"external_account_id": "AC2", "external_id": "PN2"},
            path={"phone_id": Own("provider")},
            shows={"external_account_id": "AC2", "external_id": "PN2"},
        ),
        Case(
            "a provider's settings",
            {"external_config": {"region": "x"}},
            path={"phone_id": Own("provider")},
            shows={"external_config": {"region": "x"}},
        ),
    ),
)

OPERATIONS = (
    listed("/projects/{project_id}/phones", "view_routes", PHONE, FILTERS, ("name", "phone_number")),
    CREATE,
    Operation("GET", ONE, "view_routes", PHONE),
    UPDATE,
    Operation("DELETE", ONE, "edit_routes", VOID, fields=False),
    listed(ONE + "/messages", "view_messages", messages.MESSAGE, messages.FILTERS, (), {"phone_id": "first phone"}),
    Operation(
        "POST",
        ONE + "/release_quiet_hours",
        "edit_routes",
        VOID,
        fields=False,
        at={"phone_id": New("quiet")},
        cases=(Case("not in mode confirm", {}, 400, param="quiet_mode", path={"phone_id": Own("phone")}),),
    ),
    Operation("POST", ONE + "/reset_sent_message_count", "edit_routes", VOID, fields=False),
)
