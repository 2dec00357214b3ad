//! Which fields of an object are wanted.

use serde_json::Value;

/// The field that every object keeps, whatever is selected.
const ID: &str = "id";

/// Which fields of an object are wanted: all, or those named and `id`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(Option<Vec<String>>);

impl Fields {
    /// All of them.
    pub const ALL: Self = Self(None);

    /// Takes a comma-separated list of names; unknown names select nothing.
    pub fn named(names: &str) -> Self {
        let names = names.split(',').map(|name| name.trim().to_owned());
        Self(Some(names.collect()))
    }

    /// Returns whether a field is wanted.
    #[inline]
    pub fn wants(&self, name: &str) -> bool {
        name == ID
            || self
                .0
                .as_ref()
                .is_none_or(|names| names.iter().any(|wanted| wanted == name))
    }

    /// Removes what is not wanted of an object, or of each in an array.
    pub fn keep_wanted(&self, value: &mut Value) {
        match value {
            Value::Array(items) => items.iter_mut().for_each(|item| self.keep_wanted(item)),
            Value::Object(object) => object.retain(|name, _| self.wants(name)),
            _ => {}
        }
    }
}
