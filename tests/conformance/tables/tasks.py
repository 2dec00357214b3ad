"""Tasks: one operation on many things."""

from conformance.schema import (
    Bad,
    Case,
    Good,
    New,
    Operation,
    Others,
    Own,
    Parameter,
    Resource,
    Selection,
    listed,
    one_of,
    vars_,
)
from conformance.tables.messages import HOLDS

TYPES = (
    "update_contact_var",
    "add_group_members",
    "remove_group_members",
    "set_conversation_status",
    "set_send_blocked",
    "delete_contacts",
    "cancel_messages",
    "add_label",
    "remove_label",
    "update_message_var",
    "delete_messages",
    "update_row_var",
    "delete_rows",
    "resend_messages",
    "export_contacts",
    "export_rows",
    "export_messages",
    "import_contacts",
    "import_rows",
)
LATER_TYPES = (
    "apply_service_to_contacts",
    "apply_service_to_rows",
    "apply_service_to_messages",
    "retry_message_services",
)
FILTERS = ("query_contacts", "contact_ids", "query_messages", "message_ids", "query_rows", "row_ids")
TASK = Resource(
    "Task",
    {
        "id": "id",
        "task_type": "=" + "|".join(TYPES),
        "task_params": "object",
        "filter_type": "=" + "|".join(FILTERS) + "?",
        "filter_params": "object?",
        "time_created": "time",
        "time_active": "time?",
        "time_complete": "time?",
        "total_rows": "int?",
        "current_row": "int",
        "status": "=created|queued|active|complete|failed|cancelled",
        "error_message": "text?",
        "vars": "object",
        "table_id": "id?",
        "file_id": "id?",
        "errors_file_id": "id?",
        "preview": "object?",
        "user_id": "id?",
        "project_id": "id",
        **HOLDS,
    },
)
ONE = "/projects/{project_id}/tasks/{task_id}"
NONE = {"contact_ids": [Own("contact")]}
VALUE = {"variable": "city", "value": "Oslo"}
BASE = {"task_type": "update_contact_var", "task_params": VALUE, "filter_type": "contact_ids", "filter_params": NONE}
MESSAGES = {"filter_type": "message_ids", "filter_params": {"message_ids": [Own("message")]}}
VIEW = {"table_id": Own("table"), "filter_type": "query_rows", "filter_params": {"view_id": Own("view")}}
NEW_ROWS = {"table_id": Own("table"), "filter_type": "row_ids", "filter_params": {"row_ids": [New("row")]}}
NEW_MESSAGES = {"filter_type": "message_ids", "filter_params": {"message_ids": [New("message")]}}
LATER_PARAMS = ("service_id", "variables")
EXPORT = {"filename": "a.csv"}
IMPORT = {"file_id": Own("sheet")}
NO_FILTER = {"filter_type": None, "filter_params": None}


def does(task_type, params, **more):
    """A task of a type that is taken."""
    return Case(task_type, {"task_type": task_type, "task_params": params, **more}, shows={"task_params": params})


def refuses(label, task_type, params, param, **more):
    """A task that is refused by the name of a parameter."""
    return Case(label, {"task_type": task_type, "task_params": params, **more}, 400, param=param)


def found(label, filter_type, params, param=None):
    """A filter that is taken, or refused by the name of a parameter."""
    given = {"filter_type": filter_type, "filter_params": params}
    return Case(label, given, 400, param=param) if param else Case(label, given, shows={"status": "queued"})


OPERATIONS = (
    listed("/projects/{project_id}/tasks", "view_contacts", TASK, (), ()),
    Operation(
        "POST",
        "/projects/{project_id}/tasks",
        "view_contacts",
        TASK,
        base=BASE,
        idempotent=True,
        parameters=(
            one_of("task_type", ("update_contact_var",), LATER_TYPES, required=True),
            Parameter(
                "task_params",
                (VALUE, Good({"variable": "city", "value": None}), {"variable": "n", "value": 5}),
                (
                    Bad("a text", "x"),
                    Bad("a name with a blank", {"variable": "a b", "value": 1}, "[variable]"),
                    Bad("no value", {"variable": "a"}, "[value]"),
                    Bad("an array as value", {"variable": "a", "value": [1]}, "[value]"),
                    *(Bad(f"{name}, which comes later", {**VALUE, name: "x"}, f"[{name}]") for name in LATER_PARAMS),
                    Bad("a place of one's own", {**VALUE, "storage_id": "x"}, "[storage_id]"),
                    Bad("another type's", {**VALUE, "group_id": Own("group")}, "[group_id]"),
                ),
                required=True,
                missing="task_params[variable]",
                form=False,
            ),
            one_of("filter_type", ("contact_ids",), required=True),
            Parameter(
                "filter_params",
                (NONE, {"contact_ids": [Own("contact")] * 100}),
                (
                    Bad("a text", "x"),
                    Bad("no ids", {"contact_ids": []}, "[contact_ids]"),
                    Bad("no id", {"contact_ids": ["x"]}, "[contact_ids][0]"),
                    Bad("101 ids", {"contact_ids": [Own("contact")] * 101}, "[contact_ids]"),
                    Bad("others' rows", {"row_ids": [Own("row")]}, "[row_ids]"),
                    Bad("others' ids", {"message_ids": [Own("message")]}, "[message_ids]"),
                ),
                selections=(
                    Selection({"send_blocked": False}, "query_contacts"),
                    Selection({"starred": False}, "query_messages"),
                    Selection({"contact_id": Own("contact")}, "query_rows", beside={"table_id": Own("table")}),
                ),
                required=True,
                form=False,
            ),
            vars_(),
            Parameter("table_id", (), (Bad("a table without rows of it", Own("table")),), form=False),
        ),
        cases=(
            does("add_group_members", {"group_id": Own("group")}),
            does("remove_group_members", {"group_id": Own("group")}),
            does("set_conversation_status", {"conversation_status": "handled"}),
            does("set_send_blocked", {"send_blocked": False}),
            does("delete_contacts", {}, filter_params={"contact_ids": [New("contact")]}),
            does("cancel_messages", {}, **NEW_MESSAGES),
            does("delete_messages", {}, **NEW_MESSAGES),
            does("add_label", {"label_id": Own("label")}, **MESSAGES),
            does("remove_label", {"label_id": Own("label")}, **MESSAGES),
            does("update_message_var", VALUE, **MESSAGES),
            does("resend_messages", {}, **NEW_MESSAGES),
            does("resend_messages", {"route_id": Own("phone")}, **NEW_MESSAGES),
            does("update_row_var", VALUE, **VIEW),
            does("delete_rows", {}, **NEW_ROWS),
            does("export_contacts", EXPORT),
            does("export_contacts", {"filename": "a.jsonl", "column_ids": ["phone_number", "vars.city"]}),
            does("export_rows", {"filename": "a.json"}, **VIEW),
            does("export_messages", EXPORT, **MESSAGES),
            refuses("an unknown format", "export_contacts", {"filename": "a.xlsx"}, "task_params[filename]"),
            refuses("an unknown column", "export_contacts", {**EXPORT, "column_ids": ["x"]}, "task_params[column_ids][0]"),
            refuses("rows of contacts", "export_rows", EXPORT, "filter_type"),
            does("import_contacts", IMPORT, **NO_FILTER),
            does("import_contacts", {**IMPORT, "lookup_key": "none", "dry_run": True}, **NO_FILTER),
            does("import_contacts", {**IMPORT, "columns": {"phone_number": 1}, "has_header": False}, **NO_FILTER),
            does("import_contacts", {**IMPORT, "columns": {"name": "name"}}, **NO_FILTER),
            does("import_contacts", {**IMPORT, "add_group_ids": [Own("group")]}, **NO_FILTER),
            does("import_contacts", {**IMPORT, "remove_group_ids": [Own("group")]}, **NO_FILTER),
            does("import_rows", {**IMPORT, "columns": {"vars.name": "name"}}, **NO_FILTER, table_id=Own("table")),
            refuses("an image", "import_contacts", {"file_id": Own("file")}, "task_params[file_id]", **NO_FILTER),
            refuses("another project's file", "import_contacts", {"file_id": Others("sheet")}, "task_params[file_id]", **NO_FILTER),
            refuses("an unknown field", "import_contacts", {**IMPORT, "columns": {"x": 1}}, "task_params[columns][x]", **NO_FILTER),
            refuses("no place", "import_contacts", {**IMPORT, "columns": {"name": 0}}, "task_params[columns][name]", **NO_FILTER),
            refuses("a key that finds nobody", "import_contacts", {**IMPORT, "lookup_key": "name"}, "task_params[lookup_key]", **NO_FILTER),
            refuses("a filter beside a file", "import_contacts", IMPORT, "filter_type"),
            refuses("rows of no table", "import_rows", IMPORT, "table_id", **NO_FILTER),
            found("everybody", "query_contacts", {"all": True}),
            found("nobody named", "query_contacts", {}, "filter_params[all]"),
            found("contacts of messages", "query_messages", {"all": True}),
            Case(
                "another project's group",
                {"task_type": "add_group_members", "task_params": {"group_id": Others("group")}},
                400,
                param="task_params[group_id]",
            ),
            Case(
                "messages of contacts",
                {"task_type": "cancel_messages", "task_params": {}},
                400,
                param="filter_type",
            ),
        ),
    ),
    Operation("GET", ONE, "view_contacts", TASK),
    Operation("POST", ONE + "/cancel", "view_contacts", TASK),
)
