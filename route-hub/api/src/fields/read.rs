//! What a request says of fields.

use hub_app::fields::{FieldChange, FieldPatch};
use hub_domain::{FieldItem, FieldOwner, FieldType};
use hub_web::{ApiError, Field};

/// Most fields of one request.
const FIELDS_MAX: usize = 100;
/// Most items that a field offers.
const ITEMS_MAX: usize = 100;
/// Longest value and label of an item, in characters.
const ITEM_LENGTH_MAX: usize = 256;
/// Longest name, in characters.
const NAME_LENGTH_MAX: usize = 64;
/// The highest place.
const ORDER_MAX: i64 = 1_000_000;

/// Reads what is to become of several fields.
pub(super) fn changes(
    owner: FieldOwner,
    metadata: &Field<'_>,
) -> Result<Vec<FieldChange>, ApiError> {
    let items = metadata.array(FIELDS_MAX)?;
    let items = items.ok_or_else(|| metadata.refuse("is required"))?;
    let read = |item: &Field<'_>| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object"))?;
        let variable = object.get("variable").required_string(NAME_LENGTH_MAX)?;
        let patch = patch(owner, |name| object.get(name))?;
        let deletes = object.get("delete").boolean()?.unwrap_or(false);
        Ok(FieldChange {
            variable: variable.to_owned(),
            patch: (!deletes).then_some(patch),
        })
    };
    items.iter().map(read).collect()
}

/// Reads what both kinds of fields have, and the flags of one.
pub(super) fn patch<'a>(
    owner: FieldOwner,
    get: impl Fn(&'static str) -> Field<'a>,
) -> Result<FieldPatch, ApiError> {
    let flag = |of, name| match owner == of {
        true => get(name).boolean(),
        false => Ok(None),
    };
    let name = get("name");
    let text = name.string(NAME_LENGTH_MAX)?;
    let text = text.filter(|text| !text.is_empty()).map(str::to_owned);
    let types = FieldType::ALL.iter();
    let types: Vec<_> = types.map(|named| (named.as_str(), *named)).collect();
    Ok(FieldPatch {
        name: name.is_present().then_some(text),
        field_type: get("type").one_of(&types)?,
        order: get("order").integer(0..=ORDER_MAX)?,
        items: items(&get("items"))?,
        readonly: flag(FieldOwner::Contact, "readonly")?,
        lookup_key: flag(FieldOwner::Contact, "lookup_key")?,
        show_on_conversation: flag(FieldOwner::Contact, "show_on_conversation")?,
        hide_values: flag(FieldOwner::Message, "hide_values")?,
    })
}

fn items(field: &Field<'_>) -> Result<Option<Vec<FieldItem>>, ApiError> {
    let Some(items) = field.array(ITEMS_MAX)? else {
        return Ok(None);
    };
    let read = |item: &Field<'_>| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object with value and label"))?;
        let value = object.get("value").required_string(ITEM_LENGTH_MAX)?;
        let label = object.get("label").required_string(ITEM_LENGTH_MAX)?;
        Ok(FieldItem {
            value: value.to_owned(),
            label: label.to_owned(),
        })
    };
    items.iter().map(read).collect::<Result<_, _>>().map(Some)
}
