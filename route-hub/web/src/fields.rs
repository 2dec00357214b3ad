//! The parameter `fields`: which fields of a resource an answer shows.

use crate::shape::{Kind, Member};
use crate::{error::ApiError, params::Params};

/// What every operation takes that shows objects.
pub const FIELDS: &[Member] = &[Member::new(
    "fields",
    Kind::Text(2_000),
    "Names of the fields to show, separated by commas; all without it.",
)];

/// The fields that a request asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(hub_view::Fields);

impl Fields {
    /// All of them.
    pub const ALL: &'static Self = &Self(hub_view::Fields::ALL);

    /// Reads the parameter `fields`, a comma-separated list of names; unknown names select nothing.
    ///
    /// # Errors
    /// `invalid_param` when it is not a text.
    pub fn read(params: &Params) -> Result<Self, ApiError> {
        let names = params.get("fields").string()?;
        let names = names.filter(|names| !names.trim().is_empty());
        Ok(Self(
            names.map_or(hub_view::Fields::ALL, hub_view::Fields::named),
        ))
    }

    /// Returns them as views take them.
    pub(crate) const fn names(&self) -> &hub_view::Fields {
        &self.0
    }
}
