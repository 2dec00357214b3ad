"""Organizations: their data, billing and usage."""

from conformance.schema import HIDDEN, Bad, Case, Filter, Operation, Parameter, Resource, listed, text, zone

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
ORGANIZATION = Resource("Organization", {"id": "id", "name": "text", "timezone_id": "text"})
USAGE_TYPES = (
    *("contacts", "phones", "active_services", "users", "stored_messages", "service_invocations_day"),
    *("api_requests_day", "projects", "data_rows", "script_module_mb", "stored_file_mb", "custom_actions", "groups"),
    *("custom_contact_fields", "external_messages_day", "external_messages_period", "ai_chat_credits_day"),
)
FEATURES = (
    *("direct_connectivity", "airtime_transfer", "click_tracking", "custom_gateway", "custom_logo", "custom_domain"),
    *("soft_limits", "auto_resend", "export_storage", "static_ip_address", "script_modules", "service_templates"),
    *("single_sign_on", "contact_sync", "external_airtime_providers", "wire_payments", "custom_dashboards"),
    *("branded_short_links", "custom_solutions"),
)
BILLING = Resource(
    "billing details",
    {
        "balance": "text",
        "balance_currency": "text",
        "plan_name": "text",
        "plan_price": "text",
        "plan_currency": "text",
        "plan_rrule": "text?",
        "plan_paid": "bool",
        "plan_start_time": "time?",
        "plan_end_time": "time?",
        "plan_suspend_time": "time?",
        # Messages are limited by the day or by the plan's period.
        "plan_limits": {name: "~int?" if name.startswith("external") else "int?" for name in USAGE_TYPES},
        "plan_features": {name: "bool" for name in FEATURES},
        "overage_rates": "~object",
        "minimum_usage_fees": "[object]",
        "recurring_billing_enabled": "bool",
        "auto_refill_enabled": "bool",
        "usage": "~object",
    },
)
HISTORY = Resource(
    "usage history",
    {
        "timezone_id": "text",
        "usage_type": "text",
        "history": [{"date": "text", "usage": "int", "current": "~bool"}],
    },
)
ONE = "/organizations/{organization_id}"
DAYS_BAD = tuple(
    Bad(word, word) for word in ("yesterday", "2026-13-01", "2026-02-30", "1-1-1", "2026-01-01T00", "20260101")
)

OPERATIONS = (
    listed("/organizations", "view_projects", ORGANIZATION, (Filter("name", "text", TEXT),), ("name",), anywhere=True),
    Operation("GET", ONE, "view_projects", ORGANIZATION),
    Operation(
        "POST",
        ONE,
        "edit_organization",
        ORGANIZATION,
        parameters=(
            text("name", 127, good=("Ours", "x" * 127), bad=(Bad("empty", ""),), edge=False, null="refused"),
            zone(),
        ),
        read_only=("id",),
        cases=(Case("no zone", {"timezone_id": None}, shows={"timezone_id": "UTC"}),),
    ),
    Operation(
        "GET",
        ONE + "/billing",
        "view_billing",
        BILLING,
        parameters=(
            Parameter(
                "usage", ("true", "1", "0", "false", "True"), shown=HIDDEN, bad=(Bad("a word", "maybe"), Bad("two", 2))
            ),
        ),
    ),
    Operation(
        "GET",
        ONE + "/usage/{usage_type}",
        "view_billing",
        "int",
        fields=False,
        at={"usage_type": "contacts"},
        cases=(
            *(Case(name, {}, path={"usage_type": name}) for name in (*USAGE_TYPES, "messages_day")),
            Case("something else", {}, 404, "not_found", path={"usage_type": "shoes"}),
        ),
    ),
    Operation(
        "GET",
        ONE + "/usage_history",
        "view_billing",
        HISTORY,
        base={"usage_type": "contacts", "start_date": "2026-01-01", "end_date": "2026-01-02"},
        parameters=(
            Parameter("usage_type", USAGE_TYPES, (Bad("something else", "shoes"), Bad("empty", "")), required=True),
            Parameter("start_date", ("2026-01-01",), DAYS_BAD, required=True, shown=HIDDEN),
            Parameter("end_date", ("2026-01-31",), DAYS_BAD, required=True),
        ),
        cases=(
            Case("the other way round", {"start_date": "2026-02-01", "end_date": "2026-01-01"}, 400, param="end_date"),
            Case("501 days", {"start_date": "2024-01-01", "end_date": "2025-05-15"}, 400, param="start_date"),
            Case("500 days", {"start_date": "2024-01-01", "end_date": "2025-05-14"}),
        ),
    ),
)
