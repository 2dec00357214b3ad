"""Data tables, their rows, fields and views."""

from conformance.schema import (
    HIDDEN,
    VOID,
    Bad,
    Case,
    Filter,
    Good,
    Name,
    Nobodys,
    Operation,
    Others,
    Own,
    Parameter,
    Resource,
    Selection,
    boolean,
    ident,
    listed,
    text,
    vars_,
)
from conformance.tables import fields

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
COMPARISONS = ("ne", "prefix", "gte", "lt", "gt", "lte", "exists", "not_exists")
PROJECT = "/projects/{project_id}/"
ONE = PROJECT + "tables/{table_id}"
ROW_PATH = ONE + "/rows/{row_id}"
VIEW_PATH = ONE + "/views/{view_id}"
KEPT = {"table_id": Own("table")}
"""The table that keeps its rows and views: only what stands below it is changed."""

TABLE = Resource(
    "DataTable",
    {
        **{"id": "id", "name": "text", "num_rows": "int", "show_add_row": "bool", "show_stats": "bool"},
        **{"show_contact_columns": "bool", "vars": "object", "project_id": "id", "url": "text?"},
    },
)
ROW = Resource(
    "DataRow",
    {
        **{"id": "id", "contact_id": "id?", "from_number": "text?", "vars": "object", "time_created": "time"},
        **{"time_updated": "time", "table_id": "id", "project_id": "id"},
    },
)
VIEW = Resource(
    "DataView",
    {
        **{"id": "id", "name": "text", "num_rows": "int?", "filters": "object", "table_id": "id", "project_id": "id"},
        "url": "text?",
    },
)
NAME = text("name", 127, good=(Name("a table"),), bad=(Bad("empty", ""), Bad("blanks", "  ")), edge=False)
VIEW_NAME = text("name", 64, good=(Name("a view"),), bad=(Bad("empty", ""), Bad("blanks", "  ")), edge=False)
ROW_FILTERS = (
    Filter("time_created", "time", ("min", "max")),
    Filter("contact_id", "id"),
    Filter("vars", "vars", (*TEXT, "min", "max", "exists"), values=("city", "age")),
)
ROW_PARAMETERS = (
    ident("contact_id", "contact"),
    text("from_number", 64, good=("+15005550107", "12345", Good("", None))),
    vars_(),
)
ROW_READ_ONLY = ("id", "time_created", "time_updated", "table_id", "project_id")
LOOKUP_BAD = tuple(
    Bad(word, word) for word in ("nonsense", "name", "vars.", "vars.a b", "vars." + "a" * 33, "VARS.code", "x" * 65)
)
FILTERS = Parameter(
    "filters",
    (
        Good({"vars.answer": "yes"}, HIDDEN),
        Good({"vars": {"answer": {"ne": "no"}}, "contact_name": {"prefix": "A"}}, HIDDEN),
        Good({"id": Own("row"), "time_created": {"gt": 1}, "time_updated": {"lt": 9_000_000_000}}, HIDDEN),
        Good({"contact_id": Own("contact"), "from_number": "+15005550107"}, HIDDEN),
        Good({"contact_name": {"gte": "A", "lte": "B", "exists": True}, "vars.x": {"not_exists": True}}, HIDDEN),
    ),
    (
        Bad("a text", "x"),
        Bad("a number", 17),
        Bad("nothing in it", {}),
        Bad("another field", {"shoe": 1}, "[shoe]"),
        Bad("another operator", {"from_number": {"like": "x"}}, "[from_number][like]"),
    ),
    selections=(
        Selection(
            {"id": Own("row")},
            filters=(
                Filter("vars.answer", "text", COMPARISONS),
                Filter("vars", "vars", COMPARISONS, values=("answer",)),
                Filter("id", "id", COMPARISONS),
                Filter("time_created", "time", COMPARISONS),
                Filter("time_updated", "time", COMPARISONS),
                Filter("contact_id", "id", COMPARISONS),
                Filter("contact_name", "text", COMPARISONS),
                Filter("from_number", "number", COMPARISONS),
            ),
        ),
    ),
    required=True,
)


OPERATIONS = (
    listed(PROJECT + "tables", "view_data", TABLE, (Filter("name", "text", TEXT),), ("name",)),
    Operation(
        "POST",
        PROJECT + "tables",
        "edit_data",
        TABLE,
        base={"name": Name("a table")},
        parameters=(Parameter(NAME.name, NAME.good, NAME.bad, required=True),),
        cases=(Case("a name that there is", {"name": Own("table", "name")}, shows={"id": Own("table")}),),
    ),
    Operation("GET", ONE, "view_data", TABLE),
    Operation(
        "POST",
        ONE,
        "edit_data",
        TABLE,
        parameters=(
            Parameter(NAME.name, NAME.good, NAME.bad, null="refused"),
            *(boolean(name) for name in ("show_add_row", "show_stats", "show_contact_columns")),
            vars_(),
        ),
        read_only=("id", "num_rows", "project_id", "url"),
        cases=(Case("another table's name", {"name": Own("table", "name")}, 400, param="name"),),
    ),
    Operation("DELETE", ONE, "edit_data", VOID, fields=False),
    listed(ONE + "/rows", "view_data", ROW, ROW_FILTERS, (), {"table_id": "full table"}),
    Operation("POST", ONE + "/rows", "edit_data", ROW, at=KEPT, parameters=ROW_PARAMETERS),
    Operation("GET", ROW_PATH, "view_data", ROW, at=KEPT),
    Operation("POST", ROW_PATH, "edit_data", ROW, at=KEPT, parameters=ROW_PARAMETERS, read_only=ROW_READ_ONLY),
    Operation("DELETE", ROW_PATH, "edit_data", VOID, fields=False, at=KEPT),
    Operation(
        "POST",
        ONE + "/import_rows",
        "edit_data",
        Resource("imported rows", {"rows": [{"id": "id"}]}),
        at=KEPT,
        base={"rows": [{"vars": {"answer": "yes", "code": "x"}}]},
        parameters=(
            Parameter(
                "rows",
                (
                    Good([{"vars": {"answer": "no"}, "from_number": "+15005550107"}], HIDDEN),
                    Good([{"contact_id": Own("contact")}], HIDDEN),
                    Good([{}] * 200, HIDDEN),
                ),
                (
                    Bad("a text", "x"),
                    Bad("a number", 17),
                    Bad("texts within", ["x"], "[0]"),
                    Bad("nothing within", [None], "[0]"),
                    Bad("201 of them", [{}] * 201),
                    Bad("an object", {"a": "b"}),
                ),
                required=True,
            ),
            text("lookup_key", 64, good=("none", "contact_id", "vars.code", ""), bad=LOOKUP_BAD, edge=False),
            Parameter(
                "id",
                (Own("row"),),
                (
                    Bad("of nothing", Nobodys("row")),
                    Bad("another project's", Others("row")),
                    Bad("no id at all", "no id"),
                    Bad("a number", 17),
                    Bad("an array", ["x"]),
                ),
                inside="rows",
                above={"lookup_key": "id"},
            ),
            *(row.within("rows") for row in ROW_PARAMETERS),
        ),
        cases=(
            Case(
                "by id",
                {"lookup_key": "id", "rows": [{"id": Own("row")}]},
                shows={"rows": [{"id": Own("row")}]},
            ),
            Case("none at all", {"rows": []}, shows={"rows": []}),
        ),
    ),
    Operation(
        "GET",
        ONE + "/count_rows_by_value",
        "view_data",
        "object",
        fields=False,
        at=KEPT,
        base={"variable": "answer"},
        parameters=(
            Parameter(
                "variable",
                ("answer", "a" * 32),
                (Bad("empty", ""), Bad("a blank", "a b"), Bad("33 characters", "a" * 33), Bad("65", "a" * 65)),
                required=True,
            ),
        ),
    ),
    *fields.operations("tables/{table_id}/fields", ("view_data", "edit_data"), ("readonly", "lookup_key"), "table", KEPT),
    listed(ONE + "/views", "view_data", VIEW, (Filter("name", "text", TEXT),), ("name",), {"table_id": "full table"}),
    Operation(
        "POST",
        ONE + "/views",
        "edit_data",
        VIEW,
        at=KEPT,
        base={"name": Name("a view"), "filters": {"vars.answer": "yes"}},
        parameters=(Parameter(VIEW_NAME.name, VIEW_NAME.good, VIEW_NAME.bad, required=True), FILTERS),
        cases=(Case("a name that there is", {"name": Own("view", "name")}, 400, param="name"),),
    ),
    Operation("GET", VIEW_PATH, "view_data", VIEW, at=KEPT),
    Operation(
        "POST",
        VIEW_PATH,
        "edit_data",
        VIEW,
        at=KEPT,
        parameters=(Parameter(VIEW_NAME.name, VIEW_NAME.good, VIEW_NAME.bad, null="refused"),),
        read_only=("id", "num_rows", "filters", "table_id", "project_id", "url"),
        cases=(Case("another view's name", {"name": Own("view", "name")}, 400, param="name"),),
    ),
    Operation("DELETE", VIEW_PATH, "edit_data", VOID, fields=False, at=KEPT),
    listed(
        VIEW_PATH + "/rows", "view_data", ROW, ROW_FILTERS, (), {"table_id": "full table", "view_id": "full view"}
    ),
)
