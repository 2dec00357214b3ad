"""Deliveries of events."""

from conformance.schema import Filter, Operation, Resource, listed

EVENTS = ("send_status", "send_broadcast", "contact_update", "message_metadata", "incoming_message", "alert")
STATUSES = ("waiting", "delivered", "given_up", "over_cap")
DELIVERY = Resource(
    "WebhookDelivery",
    {
        "id": "id",
        "header_id": "text",
        "event": "=" + "|".join(EVENTS),
        "status": "=" + "|".join(STATUSES),
        "url": "text",
        "attempts": [{"time": "time", "outcome": "text", "http_status": "int?"}],
        "body": "text",
        "webhook_id": "id?",
        "message_id": "id?",
        "time_created": "time",
        "project_id": "id",
    },
)
ONE = "/projects/{project_id}/webhook_deliveries/{webhook_delivery_id}"
FILTERS = (
    Filter("event", "one of", values=EVENTS),
    Filter("status", "one of", values=STATUSES, nothing=True),
    Filter("webhook_id", "id"),
    Filter("message_id", "id"),
    Filter("time_created", "time", ("min", "max")),
)

OPERATIONS = (
    listed("/projects/{project_id}/webhook_deliveries", "manage_webhooks", DELIVERY, FILTERS, ()),
    Operation("GET", ONE, "manage_webhooks", DELIVERY),
    Operation("POST", ONE + "/replay", "manage_webhooks", DELIVERY),
)
