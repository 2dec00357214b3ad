//! A field: without an id, since it is known by its variable.

use hub_domain::{CustomField, FieldItem, FieldOwner};
use serde::Serialize;

/// A field; what only other kinds have is left out.
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
        let (of_contacts, of_messages) = match field.owner {
            FieldOwner::Contact => (true, false),
            FieldOwner::Message => (false, true),
            FieldOwner::Table(_) => (false, false),
        };
        let of_imports = !of_messages;
        Self {
            readonly: of_imports.then_some(field.readonly),
            lookup_key: of_imports.then_some(field.lookup_key),
            show_on_conversation: of_contacts.then_some(field.show_on_conversation),
            hide_values: of_messages.then_some(field.hide_values),
            name: field.name.unwrap_or_else(|| field.variable.clone()),
            variable: field.variable,
            field_type: field.field_type.as_str(),
            order: field.order,
            items: field.items,
        }
    }
}
