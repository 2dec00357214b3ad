"""Messages: the specification's "Messages", with the full parameter lists that it leaves open."""

from conformance.schema import (
    HIDDEN,
    VOID,
    ArrayOf,
    Bad,
    Case,
    Filter,
    Good,
    New,
    Nobodys,
    Number,
    Operation,
    Others,
    Own,
    Parameter,
    Resource,
    boolean,
    idents,
    ident,
    integer,
    later,
    listed,
    number,
    one_of,
    text,
    url,
    vars_,
)
from conformance.shapes import Maybe

TYPES = ("sms", "mms", "ussd", "ussd_session", "call", "chat", "service")
SOURCES = ("phone", "provider", "web", "api", "service", "webhook", "scheduled", "integration", "mcp")
STATUSES = (
    *("ignored", "processing", "received", "sent", "queued", "failed", "failed_queued", "cancelled", "delivered"),
    *("not_delivered", "read"),
)
WAITING_FOR = (
    "=phone_offline|paused|sim_changed|send_limit|sent_message_limit|quiet_hours|queue|radio|no_service|frozen"
    "|project_stopped|retry|no_permission|plan_suspended"
)
HOLDS = {"waiting_for": "=queue|frozen|project_stopped|plan_suspended|plan_limit?", "next_try_time": "time?"}

PART = {"cid": "text?", "type": "text", "filename": "text?", "size": "int", "url": "text?"}
MEDIUM = {"url": "text", "type": "text?", "filename": "text?", "size": "int?"}
SHORT_URL = {
    "short_url": "text",
    "link_type": "=redirect|media",
    "time_clicked": "time?",
    "expiration_time": "time?",
    "destination_url": "~text",
    "media_index": "~int",
}
MESSAGE_FIELDS = {
    "id": "id",
    "direction": "=incoming|outgoing",
    "status": "=" + "|".join(STATUSES),
    "message_type": "=" + "|".join(TYPES),
    "source": "=" + "|".join(SOURCES),
    "time_created": "time",
    "time_sent": "time?",
    "time_updated": "time",
    "from_number": "text?",
    "to_number": "text?",
    "content": "text?",
    "starred": "bool",
    "simulated": "bool",
    "label_ids": "[id]",
    "route_params": "object?",
    "vars": "object",
    "priority": "~int",
    "send_attempts": "~int",
    "error_message": "~text",
    "error_code": "~text",
    "external_id": "text?",
    "num_parts": "int?",
    "price": "number?",
    "price_currency": "text?",
    "duration": "~number?",
    "ring_time": "~number?",
    "in_progress": "~bool",
    "audio_url": "~text",
    "tts_lang": "~text",
    "tts_voice": "~text",
    "track_clicks": "bool",
    "short_urls": Maybe([SHORT_URL]),
    "network_code": "text?",
    "media": Maybe([MEDIUM]),
    "mms_parts": Maybe([PART]),
    "time_clicked": "~time",
    "service_id": "id?",
    "phone_id": "id",
    "contact_id": "id?",
    "route_id": "id?",
    "broadcast_id": "id?",
    "scheduled_id": "id?",
    "user_id": "id?",
    "project_id": "id",
    "url": "text?",
    # Additions of this hub.
    "waiting_for": "~" + WAITING_FOR + "?",
    "next_slot_time": "~time?",
}
MESSAGE = Resource("Message", MESSAGE_FIELDS)
MMS_PART = Resource("MMS part", PART)
UPDATABLE = ("starred", "error_message", "vars")

FILTERS = (
    Filter("label_id", "id", of="label_ids"),
    Filter("direction", "one of", values=("incoming", "outgoing")),
    Filter("message_type", "one of", values=TYPES),
    Filter("source", "one of", values=SOURCES),
    Filter("starred", "bool"),
    Filter("status", "one of", values=STATUSES),
    Filter("time_created", "time", ("min", "max")),
    Filter("external_id", "text", ("ne", "exists"), nothing=True),
    Filter("contact_id", "id", ("ne", "exists")),
    Filter("phone_id", "id"),
    Filter("broadcast_id", "id", ("ne", "exists")),
    Filter("scheduled_id", "id", ("ne", "exists")),
    Filter("group_id", "id", of=lambda rows, row: rows.groups_of.get(row["contact_id"], [])),
)

LATER = (
    later("service_id", others=("SV0000000000000001", 17), empty=("",)),
    later("audio_url", others=("https://a.example/x.mp3", 17), empty=("",)),
    later("tts_lang", "en-US", others=("fr-FR", "xx", 17), empty=("",)),
    later("tts_voice", "female", others=("male", 17), empty=("",)),
)
ADDRESS = "https://files.example/a.jpg"
DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
MEDIA = (
    Parameter(
        "media_urls",
        ([ADDRESS], [ADDRESS, "http://files.example/b"], [], [ADDRESS] * 10, [DOT]),
        (
            Bad("a text", ADDRESS),
            Bad("a number", 17),
            Bad("a number within", [17], "[0]"),
            Bad("no address", ["x"], "[0]"),
            Bad("a page", ["data:text/html,x"], "[0]"),
            Bad("a picture that is a page", ["data:image/png;base64,PHN2Zy8+"], "[0]"),
            Bad("an address with a line break", [ADDRESS + "\nx"], "[0]"),
            Bad("an address beside none", [ADDRESS, ""], "[1]"),
            Bad("eleven", [ADDRESS] * 11),
            Bad("an object", {"a": ADDRESS}),
        ),
        shown=HIDDEN,
    ),
    Parameter(
        "media",
        (
            [{"url": ADDRESS}],
            [{"url": ADDRESS, "type": "image/jpeg", "filename": "a.jpg"}],
            [{"url": DOT, "filename": "dot.gif"}],
            [{"url": DOT.replace("image/gif", "application/octet-stream"), "type": "image/gif"}],
            [{"file_id": Own("file")}],
            [],
        ),
        (
            Bad("a text", ADDRESS),
            Bad("texts within", [ADDRESS], "[0]"),
            Bad("no address", [{"url": "x"}], "[0][url]"),
            Bad("no url", [{"type": "image/jpeg"}], "[0][url]"),
            Bad("a number as url", [{"url": 17}], "[0][url]"),
            Bad("a file that is not there", [{"file_id": "FI0000000000000001"}], "[0][file_id]"),
            Bad("a number as type", [{"url": ADDRESS, "type": 17}], "[0][type]"),
            Bad("a word as type", [{"url": ADDRESS, "type": "picture"}], "[0][type]"),
            Bad("a page", [{"url": DOT, "type": "text/html"}], "[0][type]"),
            Bad("a line break in a name", [{"url": ADDRESS, "filename": "a\nb"}], "[0][filename]"),
            Bad("beside media_urls", [{"url": ADDRESS}], beside={"media_urls": [ADDRESS]}),
            Bad("eleven", [{"url": ADDRESS}] * 11),
        ),
        shown=HIDDEN,
    ),
)

# What messages have in common, wherever they are sent or planned.
CONTENT = text(
    "content",
    20_000,
    good=("hello", "é", "😀", "x" * 1_600),
    bad=(Bad("26 parts", "x" * (153 * 25 + 1)), Bad("empty", "")),
    edge=False,
    required=True,
)
TEMPLATE = (
    boolean("replace_variables", shown=HIDDEN, needs={"content": "Dear [[contact.name]]"}),
    boolean("is_template", shown=HIDDEN, needs={"content": "Dear [[contact.name|default('friend')]]"}),
)
ROUTE = (
    ident("route_id", "phone", good=(Good(Own("phone"), HIDDEN), Good(Own("route"), HIDDEN))),
    ident("phone_id", "phone", good=(Good(Own("phone"), Own("phone")),), shown=HIDDEN),
)
DATA = {"port": 16_000, "data": "AP8=", "encoding": "base64"}
ROUTE_PARAMS = Parameter(
    "route_params",
    (
        DATA,
        Good({"port": 1, "data": "00ff", "encoding": "hex"}, {"port": 1}),
        Good({"port": 65_535, "data": "AA=="}, {"port": 65_535}),
    ),
    (
        Bad("a text", "x"),
        Bad("a number", 17),
        Bad("a full array", ["x"]),
        Bad("without a port", {"data": "AA=="}, "[port]"),
        Bad("port 0", {"port": 0, "data": "AA=="}, "[port]"),
        Bad("port 65536", {"port": 65_536, "data": "AA=="}, "[port]"),
        Bad("a port that is a text", {"port": "many", "data": "AA=="}, "[port]"),
        Bad("without data", {"port": 1}, "[data]"),
        Bad("no base64", {"port": 1, "data": "?"}, "[data]"),
        Bad("134 bytes", {"port": 1, "data": "00" * 134, "encoding": "hex"}, "[data]"),
        Bad("another encoding", {"port": 1, "data": "00", "encoding": "utf8"}, "[encoding]"),
        Bad("another member", {"quick_replies": ["a"]}, "[quick_replies]"),
    ),
    instead_of=("content",),
)
SENDING = (
    *ROUTE,
    *TEMPLATE,
    *MEDIA,
    idents("label_ids", "label", 5),
    boolean("simulated", good=(True, Good(1, True))),
    one_of("on_unknown", ("report", "resend")),
    integer("ttl_sec", 1, 2_592_000),
    boolean("track_clicks", needs={"content": "See https://a.example/page"}),
    Parameter(
        "short_link_params",
        ({"expiration_sec": 60}, {"domain": "", "expiration_sec": None}, {}),
        (
            Bad("a text", "x"),
            Bad("a number", 17),
            Bad("a number as domain", {"domain": 17}, "[domain]"),
            Bad("a domain that nobody registered", {"domain": "a.example"}, "[domain]"),
            Bad("no seconds", {"expiration_sec": 0}, "[expiration_sec]"),
        ),
        shown=HIDDEN,
    ),
)
OWN = (
    url("status_url"),
    text("status_secret", 200, good=("", "a secret")),
    vars_(),
    integer("priority", 1, 2),
)

TYPE = one_of(
    "message_type",
    (Good("text", "sms"), "sms", "mms"),
    later=("chat", "service"),
)
TO = number("to_number", bad=(Bad("a name", "POSTRIDER"), Bad("a name of a bank", "MyBank 24")), required=True)

SEND = Operation(
    "POST",
    "/projects/{project_id}/messages/send",
    "send_messages",
    MESSAGE,
    base={"to_number": Number(), "content": "hello"},
    idempotent=True,
    parameters=(
        TYPE,
        CONTENT,
        TO,
        ident("contact_id", "contact", instead_of=("to_number",)),
        ROUTE_PARAMS,
        *SENDING,
        *OWN,
        *LATER,
        later("broadcast_id", others=(Own("broadcast"),), empty=("",)),
        later("broadcast_title", others=("A title",), empty=("",)),
    ),
    cases=(
        Case("neither a number nor a contact", {"content": "x"}, 400, param="to_number", whole=True),
        Case(
            "a contact with its own number",
            {"contact_id": Own("friend"), "to_number": Own("friend", "phone_number")},
            shows={"contact_id": Own("friend")},
        ),
        Case("a contact with another's number", {"contact_id": Own("contact")}, 400, param="contact_id"),
        Case("a blocked contact", {"contact_id": Own("blocked"), "content": "x"}, 400, param="contact_id", whole=True),
        Case("a blocked number", {"to_number": Own("blocked", "phone_number")}, 400, param="to_number"),
        Case("a short code", {"to_number": "12345"}),
        Case("a call", {"message_type": "call", "to_number": Number()}, shows={"message_type": "call"}, whole=True),
        Case("a call with a text", {"message_type": "call"}, 400, param="content"),
        Case(
            "a call to a short code", {"message_type": "call", "to_number": "112"}, 400, param="to_number", whole=True
        ),
        Case("a code", {"message_type": "ussd", "to_number": "*100#"}, shows={"message_type": "ussd"}, whole=True),
        Case("a code with a text", {"message_type": "ussd", "to_number": "*100#"}, 400, param="content"),
        Case("no code", {"message_type": "ussd", "to_number": "+15005550199"}, 400, param="to_number", whole=True),
        Case("a code for nobody", {"message_type": "ussd"}, 400, param="to_number", whole=True),
        Case(
            "a code for a contact",
            {"message_type": "ussd", "to_number": "*100#", "contact_id": Own("contact")},
            *(400, None, "contact_id"),
            whole=True,
        ),
        Case(
            "a call with data",
            {"message_type": "call", "to_number": Number(), "route_params": DATA},
            *(400, None, "route_params"),
            whole=True,
        ),
        Case("links below no text", {"content": "", "media_urls": [ADDRESS]}, shows={"content": ADDRESS}),
        Case("links below a text", {"media_urls": [ADDRESS]}, shows={"content": f"hello\n{ADDRESS}"}),
        Case(
            "a template",
            {"contact_id": New("contact"), "content": "[[contact.name | upper]]!", "replace_variables": True},
            whole=True,
        ),
        Case("an unknown filter", {"content": "[[contact.name|shout]]", "is_template": True}, 400, param="content"),
        Case("a template that is empty", {"content": "[[contact.vars.x]]", "is_template": True}, 400, param="content"),
        Case("brackets that are none", {"content": "[[contact.name]]"}, shows={"content": "[[contact.name]]"}),
        Case(
            "a provider's phone",
            {"route_id": Own("provider")},
            shows={"status": "failed", "error_code": "no_connector"},
        ),
    ),
)

SEND_MULTI = Operation(
    "POST",
    "/projects/{project_id}/send_multi",
    "send_messages",
    Resource(
        "sent messages", {"messages": [{"id": "id?", "status": "text?", "error_message": "~text"}], "broadcast_id": "~id"}
    ),
    base={"messages": [{"to_number": Number(), "content": "hello"}]},
    idempotent=True,
    parameters=(
        Parameter(
            "messages",
            (
                Good([{"to_number": Number(), "content": "x"}], HIDDEN),
                Good([{"to_number": Number(), "content": "x"}] * 100, HIDDEN),
            ),
            (
                Bad("a text", "x"),
                Bad("a number", 17),
                Bad("an empty array", []),
                Bad("texts within", ["x"], "[0]"),
                Bad("nothing within", [None], "[0]"),
                Bad("numbers within", [{"to_number": "+15005550100", "content": "x"}, 17], "[1]"),
                Bad("101 of them", [{"to_number": "+15005550100", "content": "x"}] * 101),
            ),
            required=True,
        ),
        one_of("message_type", ("text", "sms", "mms"), later=("ussd", "chat", "service")),
        CONTENT.within("messages"),
        TO.within("messages"),
        Parameter(
            "contact_id",
            (Own("contact"),),
            (Bad("no id at all", "no id"), Bad("of another kind", Own("webhook")), Bad("a number", 17)),
            instead_of=("to_number",),
            inside="messages",
        ),
        *SENDING,
        *OWN,
        *(row.within("messages") for row in OWN),
        Parameter("route_params", (), ROUTE_PARAMS.bad, instead_of=("content",)),
        *LATER,
        *(row.within("messages") for row in LATER),
        ident("broadcast_id", "broadcast"),
        text("broadcast_title", 255, good=("A title", "")),
        *(
            Parameter(name, (), (Bad("not of one message alone", value),), inside="messages")
            for name, value in {
                "route_id": Own("phone"),
                "phone_id": Own("phone"),
                "message_type": "sms",
                "track_clicks": True,
                "short_link_params": {"expiration_sec": 60},
                "route_params": DATA,
                "simulated": True,
                "replace_variables": True,
                "is_template": True,
                "media": [{"url": ADDRESS}],
                "media_urls": [ADDRESS],
                "label_ids": [Own("label")],
                "broadcast_id": Own("broadcast"),
                "broadcast_title": "A title",
                "on_unknown": "resend",
                "ttl_sec": 60,
            }.items()
        ),
    ),
    cases=(
        Case(
            "a blocked contact among others",
            {"messages": [{"to_number": Own("blocked", "phone_number"), "content": "x"}]},
            shows={"messages": [{"id": None, "status": None}]},
        ),
        *(
            Case(
                label,
                {"messages": [{"contact_id": contact, "content": "x"}]},
                shows={
                    "messages": [
                        {"id": None, "status": None, "error_message": "contact_id is not a contact with this number"}
                    ]
                },
            )
            for label, contact in (("another's contact", Others("contact")), ("no contact", Nobodys("contact")))
        ),
        Case(
            "a bad one among good ones",
            {"messages": [{"to_number": Number(), "content": "x"}, {}]},
            400,
            param="messages[1][to_number]",
        ),
        Case("a broadcast of nothing", {"broadcast_id": Nobodys("broadcast")}, 400, param="broadcast_id"),
        Case("one that was cancelled", {"broadcast_id": Own("cancelled_broadcast")}, 400, param="broadcast_id"),
        Case("an existing one", {"broadcast_id": Own("broadcast")}, shows={"broadcast_id": Own("broadcast")}),
        Case("data for all", {"route_params": DATA, "messages": [{"to_number": Number()}]}),
        Case("calls", {"message_type": "call", "messages": [{"to_number": Number()}]}),
    ),
)


RECEIVE = Operation(
    "POST",
    "/projects/{project_id}/messages/receive",
    "send_messages",
    MESSAGE,
    base={"from_number": "+15005550101", "content": "came in", "phone_id": Own("phone")},
    idempotent=True,
    parameters=(
        text("content", 39_015, good=("hello", "x" * 39_015), bad=(Bad("empty", ""),), edge=False, required=True),
        one_of("message_type", ("sms", "call"), later=("chat", "ussd", "mms")),
        text(
            "from_number",
            64,
            good=("+15005550101", "MyBank", "12345"),
            bad=(Bad("empty", ""),),
            edge=False,
            required=True,
        ),
        ident("phone_id", "phone", required=True),
        number(
            "to_number",
            good=("+15005550102", "MyBank"),
            bad=(Bad("a control character", "+1500\u00075550100"),),
            names=True,
        ),
        boolean("simulated", good=(True, False, Good(1, True), Good(0, False))),
        boolean("starred"),
        idents("label_ids", "label", 5),
        vars_(),
        *MEDIA,
    ),
    cases=(
        Case(
            "media without a text",
            {"from_number": "+15005550101", "phone_id": Own("phone"), "media_urls": [ADDRESS]},
            shows={"content": None, "media": [{"url": ADDRESS, "type": "image/jpeg", "filename": None, "size": None}]},
            whole=True,
        ),
        Case("media of a call", {"message_type": "call", "media_urls": [ADDRESS]}, 400, param="media_urls"),
        Case(
            "the phone's number by default",
            {},
            shows={"to_number": Own("phone", "phone_number"), "direction": "incoming"},
        ),
        Case(
            "a call without content",
            {"message_type": "call", "from_number": "+15005550101", "phone_id": Own("phone")},
            shows={"message_type": "call", "content": None},
            whole=True,
        ),
    ),
)

ONE = "/projects/{project_id}/messages/{message_id}"
UPDATE = Operation(
    "POST",
    ONE,
    "send_messages",
    MESSAGE,
    parameters=(
        boolean("starred"),
        text("error_message", 1_000),
        vars_(),
        Parameter("media_urls", (), (Bad("an address", [ADDRESS]),), null="refused", form=False),
    ),
    read_only=tuple(name for name in MESSAGE_FIELDS if name not in UPDATABLE),
)
RESEND = Operation(
    "POST",
    ONE + "/resend",
    "send_messages",
    MESSAGE,
    at={"message_id": New("held")},
    idempotent=True,
    parameters=(ident("route_id", "phone", good=(Good(Own("phone"), HIDDEN), Good(Own("route"), Own("route")))),),
    cases=(
        Case("a queued one stays itself", {}, path={"message_id": Own("held")}, shows={"id": Own("held")}),
        Case("an incoming one", {}, 400, param="message_id", path={"message_id": Own("incoming")}),
    ),
)
CANCEL = Operation(
    "POST",
    ONE + "/cancel",
    "send_messages",
    MESSAGE,
    at={"message_id": New("held")},
    cases=(
        Case("a queued one", {}, shows={"status": "cancelled"}),
        Case("one that came in", {}, 400, "not_cancellable", path={"message_id": Own("incoming")}),
    ),
)

def of_whatsapp(call):
    """A call that is only for incoming WhatsApp messages."""
    path = {"message_id": Own("incoming")}
    incoming = Case("one that came in otherwise", {}, 400, param="message_id", path=path)
    return Operation("POST", f"{ONE}/{call}", "send_messages", VOID, fields=False, refuses=True, cases=(incoming,))


OPERATIONS = (
    listed("/projects/{project_id}/messages", "view_messages", MESSAGE, FILTERS, ()),
    SEND,
    Operation(**{**SEND.__dict__, "path": "/projects/{project_id}/messages/outgoing"}),
    SEND_MULTI,
    RECEIVE,
    Operation("GET", ONE, "view_messages", MESSAGE),
    UPDATE,
    Operation("DELETE", ONE, "delete_messages", VOID, fields=False),
    RESEND,
    CANCEL,
    Operation("GET", ONE + "/mms_parts", "view_messages", ArrayOf(MMS_PART)),
    of_whatsapp("send_read_receipt"),
    of_whatsapp("send_typing_indicator"),
)
