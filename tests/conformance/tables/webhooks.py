"""Webhook objects."""

from conformance.schema import VOID, Bad, Good, Operation, Parameter, Resource, listed, text, url

EVENTS = ("send_status", "send_broadcast", "contact_update", "message_metadata")
WEBHOOK = Resource(
    "Webhook",
    {"id": "id", "url": "text", "secret": "text?", "events": "[=" + "|".join(EVENTS) + "]", "project_id": "id"},
)
ONE = "/projects/{project_id}/webhooks/{webhook_id}"
URL = url("url")
PARAMETERS = (
    text("secret", 200, good=("a secret", Good("", None))),
    Parameter(
        "events",
        (["send_status"], list(EVENTS), Good(["send_status", "send_status"], ["send_status"]), []),
        (
            Bad("a text", "send_status"),
            Bad("another event", ["send_status", "rain"], "[1]"),
            Bad("a number within", [17], "[0]"),
            Bad("nothing within", [None], "[0]"),
            Bad("five", ["send_status"] * 5),
            Bad("an object", {"a": "send_status"}),
        ),
    ),
)
READ_ONLY = ("id", "project_id")

OPERATIONS = (
    listed("/projects/{project_id}/webhooks", "manage_webhooks", WEBHOOK, (), ()),
    Operation(
        "POST",
        "/projects/{project_id}/webhooks",
        "manage_webhooks",
        WEBHOOK,
        base={"url": "https://a.example/hook"},
        parameters=(Parameter("url", URL.good, (*URL.bad, Bad("empty", "")), required=True), *PARAMETERS),
        read_only=READ_ONLY,
    ),
    Operation("GET", ONE, "manage_webhooks", WEBHOOK),
    Operation(
        "POST",
        ONE,
        "manage_webhooks",
        WEBHOOK,
        parameters=(Parameter("url", URL.good, (*URL.bad, Bad("empty", "")), null="refused"), *PARAMETERS),
        read_only=READ_ONLY,
    ),
    Operation("DELETE", ONE, "manage_webhooks", VOID, fields=False),
)
