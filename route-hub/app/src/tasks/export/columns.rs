//! The columns of an export.

use crate::tasks::filter::Of;
use hub_domain::{CustomField, FieldOwner, Task, is_variable};

/// What stands before the name of a custom variable.
const VARIABLE: &str = "vars.";
/// The member with the custom variables.
pub(super) const VARS: &str = "vars";

/// The fields of contacts, in the order in which they are shown.
const OF_CONTACTS: &[&str] = &[
    "id",
    "name",
    "phone_number",
    "time_created",
    "time_updated",
    "send_blocked",
    "conversation_status",
    "last_message_time",
    "last_incoming_message_time",
    "last_outgoing_message_time",
    "message_count",
    "incoming_message_count",
    "outgoing_message_count",
    "last_message_id",
    "default_route_id",
    "group_ids",
];
/// The fields of rows.
const OF_ROWS: &[&str] = &[
    "id",
    "contact_id",
    "from_number",
    "time_created",
    "time_updated",
];
/// The fields of messages.
const OF_MESSAGES: &[&str] = &[
    "id",
    "direction",
    "status",
    "message_type",
    "source",
    "time_created",
    "time_sent",
    "time_updated",
    "from_number",
    "to_number",
    "content",
    "starred",
    "simulated",
    "label_ids",
    "route_params",
    "priority",
    "send_attempts",
    "error_message",
    "error_code",
    "external_id",
    "num_parts",
    "price",
    "price_currency",
    "duration",
    "ring_time",
    "track_clicks",
    "network_code",
    "media",
    "time_clicked",
    "short_urls",
    "phone_id",
    "contact_id",
    "route_id",
    "broadcast_id",
    "scheduled_id",
];

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Column {
    /// A field.
    Field(&'static str),
    /// A custom variable.
    Variable(String),
}

impl Column {
    /// Reads the name of a column.
    pub(super) fn named(of: Of, name: &str) -> Option<Self> {
        if let Some(variable) = name.strip_prefix(VARIABLE) {
            return is_variable(variable).then(|| Self::Variable(variable.to_owned()));
        }
        let field = fields_of(of).iter().find(|field| **field == name);
        field.map(|field| Self::Field(field))
    }

    /// Returns the name.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Field(name) => (*name).to_owned(),
            Self::Variable(name) => format!("{VARIABLE}{name}"),
        }
    }
}

/// Returns the fields that each of these has.
pub(super) const fn fields_of(of: Of) -> &'static [&'static str] {
    match of {
        Of::Contacts => OF_CONTACTS,
        Of::Rows => OF_ROWS,
        Of::Messages => OF_MESSAGES,
    }
}

/// Returns all columns: the fields, and the custom variables in the order of theirs.
pub(super) fn all(of: Of, variables: &[CustomField]) -> Vec<Column> {
    let fields = fields_of(of).iter().map(|name| Column::Field(name));
    let variables = variables.iter();
    let variables = variables.map(|field| Column::Variable(field.variable.clone()));
    fields.chain(variables).collect()
}

/// Returns whose custom variables a task's rows have.
pub(in crate::tasks) fn owner(of: Of, task: &Task) -> Option<FieldOwner> {
    match of {
        Of::Contacts => Some(FieldOwner::Contact),
        Of::Messages => Some(FieldOwner::Message),
        Of::Rows => task.table_id.map(FieldOwner::Table),
    }
}
