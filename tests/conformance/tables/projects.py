"""Projects."""

from conformance.schema import (
    ArrayOf,
    Bad,
    Case,
    Filter,
    Name,
    Operation,
    Own,
    Parameter,
    Resource,
    boolean,
    country,
    ident,
    integer,
    listed,
    text,
    vars_,
    zone,
)

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
PROJECT = Resource(
    "Project",
    {
        "id": "id",
        "name": "text",
        "timezone_id": "text",
        "country": "text?",
        "url_slug": "text?",
        "default_route_id": "id?",
        "auto_create_contacts": "bool",
        "message_retention_days": "int?",
        "short_link_scheme": "bool",
        "sms_parts_max": "int?",
        "vars": "object",
        "organization_id": "id",
        "url": "text?",
    },
)
USER = Resource("user", {"id": "id", "email": "text", "name": "text?"})
FILTERS = (Filter("name", "text", TEXT),)
SORTS = ("name",)
NAME = text(
    "name",
    127,
    good=(Name("a project"),),
    bad=(Bad("empty", ""), Bad("blanks", "  "), Bad("another's", "rows")),
    edge=False,
)
SLUGS_BAD = ("ab", "a" * 19, "With-Capitals", "with blank", "é" * 5, "a/b")
SETTINGS = (
    zone(),
    country(),
    text(
        "url_slug",
        18,
        bad=tuple(Bad(slug, slug) for slug in SLUGS_BAD),
        good=("conform", "a-b_c-0123456789ab"),
        edge=False,
    ),
    boolean("auto_create_contacts"),
    integer("message_retention_days", 1, 36_500),
    boolean("short_link_scheme"),
    integer("sms_parts_max", 1, 25),
    vars_(),
)
READ_ONLY = ("id", "organization_id", "url")
ONE = "/projects/{project_id}"
SLUG = next(row for row in SETTINGS if row.name == "url_slug")

OPERATIONS = (
    listed("/projects", "view_projects", PROJECT, FILTERS, SORTS, anywhere=True),
    listed("/organizations/{organization_id}/projects", "view_projects", PROJECT, FILTERS, SORTS, anywhere=True),
    Operation("GET", ONE, "view_projects", PROJECT),
    Operation(
        "POST",
        ONE,
        "edit_project",
        PROJECT,
        at={"project_id": Own("spare")},
        parameters=(
            Parameter(NAME.name, NAME.good, NAME.bad, null="refused"),
            *SETTINGS,
            ident("default_route_id", "phone", good=(Own("spare", "phone_id"),)),
        ),
        read_only=READ_ONLY,
        cases=(
            Case("no zone", {"timezone_id": None}, shows={"timezone_id": "UTC"}),
            Case("no slug", {"url_slug": None}, shows={"url_slug": None}),
            Case("everything is kept", {"message_retention_days": None}, shows={"message_retention_days": None}),
            Case("as many parts as phones send", {"sms_parts_max": None}, shows={"sms_parts_max": None}),
        ),
    ),
    Operation(
        "POST",
        "/organizations/{organization_id}/projects",
        "edit_organization",
        PROJECT,
        base={"name": Name("a project")},
        parameters=(
            Parameter(NAME.name, NAME.good, NAME.bad, required=True),
            *(row for row in SETTINGS if row.name != "url_slug"),
            Parameter("url_slug", (), SLUG.bad),
            Parameter(
                "default_route_id", (), (Bad("nobody's, it has no phone yet", Own("phone")), Bad("a number", 17))
            ),
        ),
        read_only=READ_ONLY,
        cases=(
            Case("a slug", {"url_slug": "of-its-own"}, shows={"url_slug": "of-its-own"}),
            Case(
                "the defaults",
                {},
                shows={"auto_create_contacts": True, "short_link_scheme": True, "timezone_id": "UTC"},
            ),
        ),
    ),
    Operation("GET", ONE + "/users", "view_projects", ArrayOf(USER)),
)
