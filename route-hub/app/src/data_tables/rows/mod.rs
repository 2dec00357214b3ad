//! The rows of data tables.

mod change;
mod existing;
mod import;
pub(crate) mod saving;

pub use change::{RowPatch, create, delete, update};
pub use existing::{get, list, of_contact};
pub use import::{Lookup, NewRow, import};

use hub_view::Refusal;

/// A row of another table is none.
fn found<T>(row: Option<T>) -> Result<T, Refusal> {
    row.ok_or_else(|| Refusal::not_found("row"))
}
