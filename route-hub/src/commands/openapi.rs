//! `route-hub openapi`: prints what `/openapi.json` shows.

use crate::described::document;
use hub_app::data_folder::error::CommandError;
use std::io::Write as _;

/// Prints the description of the API.
///
/// # Errors
/// When nobody reads it.
pub fn openapi() -> Result<(), CommandError> {
    let printed = writeln!(std::io::stdout().lock(), "{}", document());
    printed.map_err(|error| CommandError::new(format!("cannot print the description: {error}")))
}
