"""The fields of contacts and of messages: how custom variables are shown."""

from conformance.schema import (
    HIDDEN,
    ArrayOf,
    Bad,
    Case,
    Good,
    Operation,
    Parameter,
    Resource,
    boolean,
    integer,
    one_of,
    text,
)
from conformance.shapes import Maybe

TYPES = (
    *("text", "long_text", "secret", "phone_number", "email", "url", "audio", "date", "date_time", "number"),
    *("boolean", "checkbox", "route"),
)
SELECTS = ("select", "radio")
ITEM = {"value": "y", "label": "Yes"}


def field(owner, flags):
    """A field as shown."""
    own = {name: "bool" for name in flags}
    kind = "=" + "|".join((*TYPES, *SELECTS))
    items = Maybe([{"value": "text", "label": "text"}])
    own |= {"name": "text", "variable": "text", "type": kind, "order": "int", "items": items}
    return Resource(f"{owner} field", own)


def items(**more):
    """The choices of a field."""
    good = ([ITEM], [{"value": "x" * 256, "label": "é" * 256}] * 100, Good([], HIDDEN))
    bad = (
        Bad("a text", "x"),
        Bad("texts within", ["x"], "[0]"),
        Bad("nothing within", [None], "[0]"),
        Bad("no value", [{"label": "x"}], "[0][value]"),
        Bad("no label", [{"value": "x"}], "[0][label]"),
        Bad("an empty label", [{"value": "x", "label": ""}], "[0][label]"),
        Bad("a number as value", [{"value": 17, "label": "x"}], "[0][value]"),
        Bad("257 characters", [{"value": "x" * 257, "label": "x"}], "[0][value]"),
        Bad("a label of 257 characters", [{"value": "x", "label": "x" * 257}], "[0][label]"),
        Bad("101 of them", [ITEM] * 101),
    )
    return Parameter("items", good, bad, **more)


def rows(flags):
    """The properties of a field."""
    return (
        text("name", 64, good=("Shown name",)),
        one_of("type", TYPES),
        integer("order", 0, 1_000_000),
        items(),
        *(boolean(name) for name in flags),
    )


def operations(kind, permissions, flags, owner=None, at=None):
    """The operations on the fields of contacts, of messages, or of a table."""
    view, edit = permissions
    resource, at = field(owner or kind.removesuffix("_fields"), flags), at or {}
    path = "/projects/{project_id}/" + kind
    bulk = {"metadata": [{"variable": "bulk"}]}
    bad_name = Bad("a blank", "a b")
    return (
        Operation("GET", path, view, ArrayOf(resource), at=at),
        Operation(
            "POST",
            path + "/{variable}",
            edit,
            resource,
            at={**at, "variable": "shown"},
            parameters=rows(flags),
            cases=(
                *(
                    Case(f"a {kind_} without items", {"type": kind_}, 400, param="items", path={"variable": "bare"})
                    for kind_ in SELECTS
                ),
                *(Case(f"a {kind_}", {"type": kind_, "items": [ITEM]}, path={"variable": kind_}) for kind_ in SELECTS),
                Case("33 characters", {}, 400, param="variable", path={"variable": "a" * 33}),
                Case("32 characters", {}, path={"variable": "a" * 32}),
                Case("a dash", {}, 400, param="variable", path={"variable": "a-b"}),
            ),
        ),
        Operation(
            "POST",
            path,
            edit,
            ArrayOf(resource),
            at=at,
            base=bulk,
            parameters=(
                Parameter(
                    "metadata",
                    ([{"variable": "bulk"}], [], [{"variable": f"bulk{n % 20}"} for n in range(100)]),
                    (
                        Bad("a text", "x"),
                        Bad("texts within", ["x"], "[0]"),
                        Bad("nothing within", [None], "[0]"),
                        Bad("101 of them", [{"variable": "bulk"}] * 101),
                    ),
                    required=True,
                ),
                Parameter(
                    "variable",
                    ("bulk", "a" * 32),
                    (Bad("a number", 17), Bad("33 characters", "a" * 33), bad_name, Bad("empty", "")),
                    required=True,
                    inside="metadata",
                ),
                *(row.within("metadata") for row in rows(flags)),
                boolean("delete", good=(False, True)).within("metadata"),
            ),
            cases=(
                Case(
                    "a select without items",
                    {"metadata": [{"variable": "bare", "type": "select"}]},
                    400,
                    param="metadata[0][items]",
                ),
            ),
        ),
    )


CONTACT_FLAGS = ("readonly", "lookup_key", "show_on_conversation")
MESSAGE_FLAGS = ("hide_values",)
OPERATIONS = (
    *operations("contact_fields", ("view_contacts", "edit_contacts"), CONTACT_FLAGS),
    *operations("message_fields", ("view_messages", "send_messages"), MESSAGE_FLAGS),
)
