//! Conditions of dynamic groups and of views, as a request gives them.

use hub_domain::InvalidFilters;
use hub_web::{ApiError, Field};
use serde_json::Value as Json;

/// Reads conditions; `parse` knows what they are of.
pub(crate) fn read<F>(
    field: &Field<'_>,
    parse: impl FnOnce(&Json) -> Result<F, InvalidFilters>,
) -> Result<F, ApiError> {
    let refused =
        |place: &str, rule| ApiError::invalid_param(format!("{}{place}", field.path()), rule);
    if let Some(given) = field.object()?
        && given
            .members()
            .any(|(name, member)| name == "vars" && member.is_counted())
    {
        return Err(refused("[vars]", "must be an object"));
    }
    parse(&field.to_json()).map_err(|invalid| refused(&invalid.place, invalid.rule))
}
