"""Labels, and which messages have them."""

from conformance.schema import (
    VOID,
    Bad,
    Case,
    Filter,
    Name,
    Operation,
    Others,
    Own,
    Parameter,
    Resource,
    listed,
    text,
    vars_,
)
from conformance.tables import messages

TEXT = ("ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte")
LABEL = Resource(
    "Label",
    {"id": "id", "name": "text", "time_created": "time", "vars": "object", "project_id": "id", "url": "text?"},
)
NAME = text("name", 127, good=(Name("a label"),), bad=(Bad("empty", ""), Bad("blanks", "  ")), edge=False)
ONE = "/projects/{project_id}/labels/{label_id}"
LABELLED = ONE + "/messages/{message_id}"
CASES = (
    Case("another project's message", {}, 404, "not_found", path={"message_id": Others("message")}),
    Case("another project's label", {}, 404, "not_found", path={"label_id": Others("label")}),
)

OPERATIONS = (
    listed("/projects/{project_id}/labels", "view_messages", LABEL, (Filter("name", "text", TEXT),), ("name",)),
    Operation(
        "POST",
        "/projects/{project_id}/labels",
        "send_messages",
        LABEL,
        base={"name": Name("a label")},
        parameters=(Parameter(NAME.name, NAME.good, NAME.bad, required=True),),
        cases=(Case("a name that there is", {"name": Own("label", "name")}, shows={"id": Own("label")}),),
    ),
    Operation("GET", ONE, "view_messages", LABEL),
    Operation(
        "POST",
        ONE,
        "send_messages",
        LABEL,
        parameters=(Parameter(NAME.name, NAME.good, NAME.bad, null="refused"), vars_()),
        read_only=("id", "time_created", "project_id", "url"),
        cases=(Case("another label's name", {"name": Own("label", "name")}, 400, param="name"),),
    ),
    Operation("DELETE", ONE, "send_messages", VOID, fields=False),
    listed(ONE + "/messages", "view_messages", messages.MESSAGE, messages.FILTERS, (), {"label_id": "used label"}),
    Operation("PUT", LABELLED, "send_messages", VOID, fields=False, cases=CASES),
    Operation("DELETE", LABELLED, "send_messages", VOID, fields=False, cases=CASES),
)
