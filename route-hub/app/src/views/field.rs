//! A field: without an id, since it is known by its variable.

use hub_domain::{CustomField, FieldItem, FieldOwner};
use serde::Serialize;

/// A field; what only the other kind has is left out.
#[derive(Debug, Clone, Serialize)]
pub struct FieldView {
    name: String,
    variable: String,
    #[serde(rename = "type")]
    field_type: &'static str,
    order: i64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items: Vec<FieldItem>,
    #[serde(skip_serializing_if = "Option::is_none")]
    readonly: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lookup_key: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    show_on_conversation: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hide_values: Option<bool>,
}

impl From<CustomField> for FieldView {
    fn from(field: CustomField) -> Self {
        let of = |owner, flag| (field.owner == owner).then_some(flag);
        Self {
            readonly: of(FieldOwner::Contact, field.readonly),
            lookup_key: of(FieldOwner::Contact, field.lookup_key),
            show_on_conversation: of(FieldOwner::Contact, field.show_on_conversation),
            hide_values: of(FieldOwner::Message, field.hide_values),
            name: field.name.unwrap_or_else(|| field.variable.clone()),
            variable: field.variable,
            field_type: field.field_type.as_str(),
            order: field.order,
            items: field.items,
        }
    }
}
