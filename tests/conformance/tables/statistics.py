"""Statistics of messages, contacts, rows and airtime, by intervals of days."""

from conformance.schema import HIDDEN, Bad, Case, Good, Operation, Others, Own, Parameter, Resource

DAYS_BAD = tuple(Bad(word, word) for word in ("yesterday", "2026-13-01", "2026-02-30", "1-1-1", "20260101"))
BOUNDS = {"start_time": "time", "end_time": "time", "start_date": "text", "end_date": "text"}
GROUPS = [{"properties": "object", "metrics": "object"}]
OF_MESSAGES = Resource("message statistics", {"intervals": [{**BOUNDS, "groups": GROUPS}]})
OF_AIRTIME = Resource("airtime statistics", {"intervals": [{**BOUNDS, "groups": GROUPS}]})
OF_ROWS = Resource("data table statistics", {"intervals": [{**BOUNDS, "values": "object"}]})
OF_CONTACTS = Resource("contact statistics", {"intervals": [{**BOUNDS, "values": "object"}]})
BASE = {"start_date": "2026-01-01", "end_date": "2026-01-31"}
DATES = (
    Parameter("start_date", ("2026-01-01",), DAYS_BAD, required=True, shown=HIDDEN),
    Parameter("end_date", ("2026-01-31",), DAYS_BAD, required=True, shown=HIDDEN),
)
ROLLUPS = ("day", "week", "month", "year")
PROPERTIES = (
    *("org_id", "org_name", "org_industry", "project_id", "project_name", "user_id", "user_email", "user_name"),
    *("phone_id", "phone_name", "phone_type", "direction", "source", "status", "network_code", "network_name"),
    *("message_type", "service_id", "service_name", "simulated", "link"),
)
WRONG_WAY = Case("the other way round", {"start_date": "2026-02-01", "end_date": "2026-01-01"}, 400, param="end_date")
DAYS = Case("1,001 days", {"start_date": "2023-01-01", "end_date": "2025-09-27"}, 400, param="rollup")
MESSAGE_ROWS = (
    *DATES,
    Parameter("rollup", (*ROLLUPS, "all"), (Bad("something else", "decade"),), shown=HIDDEN),
    Parameter(
        "properties",
        (*PROPERTIES, ""),
        (Bad("something else", "shoe"), Bad("one of two", "status,shoe"), Bad("capitals", "STATUS")),
        shown=HIDDEN,
    ),
    Parameter(
        "metrics",
        ("count", "num_parts", "duration", "price.USD"),
        (Bad("something else", "shoe"), Bad("empty", ""), Bad("no currency", "price.usd")),
        required=True,
        shown=HIDDEN,
    ),
    Parameter(
        "filters",
        (
            Good({"direction": "outgoing", "source": "api", "status": "sent", "message_type": "sms"}, HIDDEN),
            Good({"phone_id": Own("phone"), "simulated": "true", "network_code": "24201"}, HIDDEN),
            Good({"user_id": "UR0000000000000001", "service_id": "SV0000000000000001"}, HIDDEN),
        ),
        (
            Bad("a text", "x"),
            Bad("another filter", {"shoe": "x"}, "[shoe]"),
            Bad("no direction", {"direction": "up"}, "[direction]"),
            Bad("no phone's id", {"phone_id": "x"}, "[phone_id]"),
        ),
        shown=HIDDEN,
    ),
)
SERIES_ROWS = (
    *DATES,
    Parameter("rollup", ROLLUPS, (Bad("something else", "decade"), Bad("all", "all")), shown=HIDDEN),
    Parameter("cumulative", ("1", "0", "true"), (Bad("a word", "maybe"), Bad("two", 2)), shown=HIDDEN),
)
AIRTIME_PROPERTIES = ("country", "operator_name", "product_id", "provider_id", "provider_category", "category_name")
AIRTIME_ROWS = (
    *DATES,
    Parameter("rollup", (*ROLLUPS, "all"), (Bad("something else", "decade"),), shown=HIDDEN),
    Parameter(
        "properties",
        (*AIRTIME_PROPERTIES, ""),
        (Bad("something else", "shoe"), Bad("one of messages", "status")),
        shown=HIDDEN,
    ),
    Parameter(
        "metrics",
        ("count", "value.USD", "price.USD"),
        (Bad("something else", "shoe"), Bad("empty", ""), Bad("no currency", "price.usd"), Bad("no value", "value")),
        required=True,
        shown=HIDDEN,
    ),
    Parameter(
        "filters",
        (Good({name: "x" for name in AIRTIME_PROPERTIES}, HIDDEN),),
        (Bad("a text", "x"), Bad("another filter", {"shoe": "x"}, "[shoe]")),
        shown=HIDDEN,
    ),
)

OPERATIONS = (
    Operation(
        "GET",
        "/projects/{project_id}/message_stats",
        "view_stats",
        OF_MESSAGES,
        base={**BASE, "metrics": "count"},
        parameters=MESSAGE_ROWS,
        cases=(WRONG_WAY, DAYS),
    ),
    Operation(
        "GET",
        "/organizations/{organization_id}/message_stats",
        "view_stats",
        OF_MESSAGES,
        base={**BASE, "metrics": "count"},
        parameters=MESSAGE_ROWS,
        cases=(WRONG_WAY, DAYS),
    ),
    Operation(
        "GET",
        "/projects/{project_id}/contact_stats",
        "view_stats",
        OF_CONTACTS,
        base=BASE,
        parameters=(
            *SERIES_ROWS,
            Parameter(
                "series",
                ("total", Own("group"), ""),
                (
                    Bad("something else", "shoe"),
                    Bad("another project's group", Others("group")),
                    Bad("a dynamic group", Own("dynamic")),
                    Bad("eleven", ",".join(["total"] * 11)),
                ),
                shown=HIDDEN,
            ),
        ),
        cases=(WRONG_WAY, DAYS),
    ),
    Operation(
        "GET",
        "/projects/{project_id}/data_table_stats",
        "view_stats",
        OF_ROWS,
        base={**BASE, "series": Own("table")},
        parameters=(
            *SERIES_ROWS,
            Parameter(
                "series",
                (Own("table"), Own("view")),
                (
                    Bad("something else", "shoe"),
                    Bad("empty", ""),
                    Bad("total", "total"),
                    Bad("another project's table", Others("table")),
                    Bad("another project's view", Others("view")),
                    Bad("eleven", ",".join(["DT0000000000000001"] * 11)),
                ),
                required=True,
                shown=HIDDEN,
            ),
        ),
        cases=(WRONG_WAY, DAYS),
    ),
    Operation(
        "GET",
        "/projects/{project_id}/airtime_stats",
        "view_stats",
        OF_AIRTIME,
        base={**BASE, "metrics": "count"},
        parameters=AIRTIME_ROWS,
        cases=(WRONG_WAY, DAYS),
    ),
)
