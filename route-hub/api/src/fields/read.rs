//! What a request says of fields.

use hub_app::fields::{FieldChange, FieldPatch};
use hub_domain::{FieldItem, FieldOwner, FieldType};
use hub_web::{ApiError, Field, Kind, Member, Shape};

/// Most fields of one request.
const FIELDS_MAX: usize = 100;
/// Most items that a field offers.
const ITEMS_MAX: usize = 100;
/// A value or label of an item.
const ITEM_TEXT: Kind = Kind::Text(256);
/// Longest name, in characters.
const NAME_LENGTH_MAX: usize = 64;
/// The highest place.
const ORDER_MAX: i64 = 1_000_000;

const NAME: Member = Member::new(
    "name",
    Kind::Text(NAME_LENGTH_MAX),
    "What people call it; its variable without one.",
);
const TYPE: Member = Member::new(
    "type",
    Kind::Word(FieldType::NAMES),
    "How people write its values.",
);
const ORDER: Member = Member::new(
    "order",
    Kind::Integer(0, ORDER_MAX),
    "Its place among the fields.",
);
const ITEM: Kind = Kind::Object(&[
    Member::new("value", ITEM_TEXT, "What is kept.").required(),
    Member::new("label", ITEM_TEXT, "What people see.").required(),
]);
const ITEMS: Member = Member::new(
    "items",
    Kind::Array(&ITEM, ITEMS_MAX),
    "The values that it offers.",
);
const READONLY: Member = Member::new(
    "readonly",
    Kind::Boolean,
    "Whether people cannot change its values.",
);
const LOOKUP_KEY: Member =
    Member::new("lookup_key", Kind::Boolean, "Whether imports may go by it.");
const SHOW_ON_CONVERSATION: Member = Member::new(
    "show_on_conversation",
    Kind::Boolean,
    "Whether it stands beside a conversation.",
);
const HIDE_VALUES: Member = Member::new(
    "hide_values",
    Kind::Boolean,
    "Whether overviews leave its values out.",
);
const VARIABLE: Member = Member::new(
    "variable",
    Kind::Text(NAME_LENGTH_MAX),
    "The variable's name.",
)
.required();
const DELETE: Member = Member::new(
    "delete",
    Kind::Boolean,
    "Whether to remove the field and its values.",
)
.or("false");

/// What can be said of a field of contacts.
pub(super) const CONTACT: &[Member] = &[
    NAME,
    TYPE,
    ORDER,
    ITEMS,
    READONLY,
    LOOKUP_KEY,
    SHOW_ON_CONVERSATION,
];
/// What can be said of a field of messages.
pub(super) const MESSAGE: &[Member] = &[NAME, TYPE, ORDER, ITEMS, HIDE_VALUES];
/// What can be said of a field of a table's rows.
pub(crate) const TABLE: &[Member] = &[NAME, TYPE, ORDER, ITEMS, READONLY, LOOKUP_KEY];
/// What can be said of several fields of a table's rows.
pub(crate) const MANY_TABLE: &[Member] = &[metadata(&Kind::Object(&[
    VARIABLE, DELETE, NAME, TYPE, ORDER, ITEMS, READONLY, LOOKUP_KEY,
]))];
/// A field of a table's rows.
pub(crate) const TABLE_FIELD: Shape = Shape {
    name: "TableField",
    about: "A variable of a table's rows, as people see it.",
    members: &[
        NAME,
        VARIABLE,
        TYPE,
        ORDER,
        ITEMS.optional(),
        READONLY,
        LOOKUP_KEY,
    ],
};
/// What can be said of several fields of contacts.
pub(super) const MANY_CONTACT: &[Member] = &[metadata(&Kind::Object(&[
    VARIABLE,
    DELETE,
    NAME,
    TYPE,
    ORDER,
    ITEMS,
    READONLY,
    LOOKUP_KEY,
    SHOW_ON_CONVERSATION,
]))];
/// What can be said of several fields of messages.
pub(super) const MANY_MESSAGE: &[Member] = &[metadata(&Kind::Object(&[
    VARIABLE,
    DELETE,
    NAME,
    TYPE,
    ORDER,
    ITEMS,
    HIDE_VALUES,
]))];

const fn metadata(kind: &'static Kind) -> Member {
    Member::new("metadata", Kind::Array(kind, FIELDS_MAX), "The fields.").required()
}

/// A field of contacts.
pub(super) const CONTACT_FIELD: Shape = Shape {
    name: "ContactField",
    about: "A variable of contacts, as people see it.",
    members: &[
        NAME,
        VARIABLE,
        TYPE,
        ORDER,
        ITEMS.optional(),
        READONLY,
        LOOKUP_KEY,
        SHOW_ON_CONVERSATION,
    ],
};
/// A field of messages.
pub(super) const MESSAGE_FIELD: Shape = Shape {
    name: "MessageField",
    about: "A variable of messages, as people see it.",
    members: &[NAME, VARIABLE, TYPE, ORDER, ITEMS.optional(), HIDE_VALUES],
};

/// Reads what is to become of several fields.
pub(super) fn changes(
    owner: FieldOwner,
    metadata: &Field<'_>,
) -> Result<Vec<FieldChange>, ApiError> {
    let items = metadata.array()?;
    let items = items.ok_or_else(|| metadata.refuse("is required"))?;
    let read = |item: &Field<'_>| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object"))?;
        let variable = object.get("variable").required_string()?;
        let patch = patch(owner, |name| object.get(name))?;
        let deletes = object.get("delete").boolean()?.unwrap_or(false);
        Ok(FieldChange {
            variable: variable.to_owned(),
            patch: (!deletes).then_some(patch),
        })
    };
    items.iter().map(read).collect()
}

/// Reads what all kinds of fields have, and the flags of one.
pub(super) fn patch<'a>(
    owner: FieldOwner,
    get: impl Fn(&'static str) -> Field<'a>,
) -> Result<FieldPatch, ApiError> {
    let flag = |has: bool, name| if has { get(name).boolean() } else { Ok(None) };
    let is_of = |of| owner == of;
    let is_of_messages = is_of(FieldOwner::Message);
    let name = get("name");
    let text = name.string()?;
    let text = text.filter(|text| !text.is_empty()).map(str::to_owned);
    Ok(FieldPatch {
        name: name.is_present().then_some(text),
        field_type: get("type").named()?,
        order: get("order").integer()?,
        items: items(&get("items"))?,
        readonly: flag(!is_of_messages, "readonly")?,
        lookup_key: flag(!is_of_messages, "lookup_key")?,
        show_on_conversation: flag(is_of(FieldOwner::Contact), "show_on_conversation")?,
        hide_values: flag(is_of_messages, "hide_values")?,
    })
}

fn items(field: &Field<'_>) -> Result<Option<Vec<FieldItem>>, ApiError> {
    let Some(items) = field.array()? else {
        return Ok(None);
    };
    let read = |item: &Field<'_>| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object with value and label"))?;
        let value = object.get("value").required_string()?;
        let label = object.get("label").required_string()?;
        Ok(FieldItem {
            value: value.to_owned(),
            label: label.to_owned(),
        })
    };
    items.iter().map(read).collect::<Result<_, _>>().map(Some)
}
