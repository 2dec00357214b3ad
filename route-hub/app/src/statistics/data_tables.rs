//! How many rows data tables and views had, by intervals: those of now, by when they were made.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::statistics::series::{self, IntervalValues, Wanted};
use hub_domain::Quarter;
use hub_store::{StoreError, Tx, data_rows, data_tables, data_views};
use hub_view::Refusal;
use postrider_model::{DataTableId, DataViewId, ProjectId};

/// Whose rows are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowSeries {
    /// All of a table.
    Table(DataTableId),
    /// Those that a view has now.
    View(DataViewId),
}

/// Counts rows in each interval that has begun.
pub async fn data_table_stats(
    actor: &Actor,
    wanted: Wanted<RowSeries>,
) -> Result<Vec<IntervalValues>, Failure> {
    let project = actor.project.id;
    series::count(actor, wanted, move |tx, series| {
        let rule = "must be ids of tables and views of this project";
        let made = made(tx, project, *series)?;
        Ok(made.ok_or_else(|| Refusal::invalid_param("series", rule))?)
    })
    .await
}

/// Returns how many rows of a series were made in each quarter hour; `None` where there is no such
/// table or view.
fn made(
    tx: &mut Tx<'_>,
    project: ProjectId,
    series: RowSeries,
) -> Result<Option<Vec<(Quarter, i64)>>, StoreError> {
    let (table, conditions) = match series {
        RowSeries::Table(id) => (id, None),
        RowSeries::View(id) => match data_views::find(tx, project, id)? {
            Some(view) => (view.table_id, Some(view.filters)),
            None => return Ok(None),
        },
    };
    match data_tables::get(tx, project, table)? {
        Some(_) => data_rows::made(tx, project, table, conditions.as_ref()).map(Some),
        None => Ok(None),
    }
}
