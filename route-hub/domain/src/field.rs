//! What a project knows of its custom variables.

use crate::code::coded;
use postrider_model::{DataTableId, ProjectId};
use serde::{Deserialize, Serialize};

/// Whose variables a field is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldOwner {
    /// Contacts'.
    Contact,
    /// Messages'.
    Message,
    /// Those of a data table's rows.
    Table(DataTableId),
}

impl FieldOwner {
    /// Returns the integer that is stored: a table's key, which is above the other codes.
    pub const fn code(self) -> i64 {
        match self {
            Self::Contact => 1,
            Self::Message => 2,
            Self::Table(id) => id.get(),
        }
    }

    /// Returns the owner of a stored integer.
    pub const fn from_code(code: i64) -> Option<Self> {
        match code {
            1 => Some(Self::Contact),
            2 => Some(Self::Message),
            key => match DataTableId::from_i64(key) {
                Some(id) => Some(Self::Table(id)),
                None => None,
            },
        }
    }
}

coded! {
    /// How people write a variable's value.
    FieldType {
        /// A line of text.
        Text = "text" / 1,
        /// Lines of text.
        LongText = "long_text" / 2,
        /// A text that is not shown.
        Secret = "secret" / 3,
        /// A phone number.
        PhoneNumber = "phone_number" / 4,
        /// An address of electronic mail.
        Email = "email" / 5,
        /// An address of a page.
        Url = "url" / 6,
        /// An address of a sound.
        Audio = "audio" / 7,
        /// A day.
        Date = "date" / 8,
        /// A day and a time.
        DateTime = "date_time" / 9,
        /// A number.
        Number = "number" / 10,
        /// Yes or no.
        Boolean = "boolean" / 11,
        /// A box to tick.
        Checkbox = "checkbox" / 12,
        /// One of some items, from a list.
        Select = "select" / 13,
        /// One of some items, all shown.
        Radio = "radio" / 14,
        /// A phone or a route.
        Route = "route" / 15,
    }
}

impl FieldType {
    /// Says whether the values are those of some items.
    pub const fn has_items(self) -> bool {
        matches!(self, Self::Select | Self::Radio)
    }
}

/// One of the values that a field offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldItem {
    /// What is kept.
    pub value: String,
    /// What people see.
    pub label: String,
}

/// A custom variable as people see it; made when the variable is first written.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomField {
    /// Its key; never shown.
    pub key: i64,
    /// The project it is in.
    pub project_id: ProjectId,
    /// Whose variable it is.
    pub owner: FieldOwner,
    /// The variable's name.
    pub variable: String,
    /// What people call it; `None`: as the variable.
    pub name: Option<String>,
    /// How its values are written.
    pub field_type: FieldType,
    /// Its place among the fields, from 0.
    pub order: i64,
    /// The values that it offers.
    pub items: Vec<FieldItem>,
    /// Whether people cannot change its values.
    pub readonly: bool,
    /// Whether imports may go by it.
    pub lookup_key: bool,
    /// Whether it stands beside a conversation.
    pub show_on_conversation: bool,
    /// Whether its values are left out of overviews.
    pub hide_values: bool,
}

impl CustomField {
    /// Makes the field of a variable that was not there before.
    pub fn new(
        key: i64,
        project_id: ProjectId,
        owner: FieldOwner,
        variable: &str,
        order: i64,
    ) -> Self {
        Self {
            key,
            project_id,
            owner,
            variable: variable.to_owned(),
            name: None,
            field_type: FieldType::Text,
            order,
            items: Vec::new(),
            readonly: false,
            lookup_key: false,
            show_on_conversation: false,
            hide_values: false,
        }
    }
}
