//! Data tables, their rows, and views of them.

mod edit;
mod existing;
pub mod rows;
#[cfg(test)]
mod tests;
pub mod views;

pub use crate::views::data_row::DataRowView;
pub use crate::views::data_table::DataTableView;
pub use crate::views::data_view::DataViewView;
pub use edit::{TablePatch, delete, get_or_create, update};
pub use existing::{count_rows_by_value, get, list};

use crate::failure::Failure;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{DataTable, Permission};
use hub_store::{Tx, data_tables};
use hub_view::Refusal;
use postrider_model::{DataTableId, ProjectId};

/// Whoever makes, changes or removes tables, rows and views needs it.
pub const PERMISSION: Permission = Permission::EditData;
/// Whoever looks at tables, rows and views needs it.
pub const VIEW: Permission = Permission::ViewData;

/// Finds a table; one of another project is none.
fn found(tx: &mut Tx<'_>, project: ProjectId, id: DataTableId) -> Result<DataTable, Failure> {
    let table = data_tables::get(tx, project, id)?;
    table.ok_or_else(|| Refusal::not_found("table").into())
}

/// Finds the table that a unit of work changes.
fn found_in(work: &mut UnitOfWork<'_, '_>, id: DataTableId) -> Result<DataTable, Failure> {
    found(work.tx, work.project.id, id)
}
