//! Contacts that a filter finds.

use crate::FilterType;
use serde::{Deserialize, Serialize};

/// A filter of contacts, as it is stored beside what is sent to them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactFilter {
    /// How it finds them.
    pub filter_type: FilterType,
    /// The filter as somebody gave it, as JSON.
    pub filter_params: String,
    /// The same as conditions of a list.
    pub filters: String,
}

impl ContactFilter {
    /// Reads what [`Self::to_json`] wrote.
    pub fn from_json(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// Returns what is stored.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}
