//! Looking at tables.

use crate::actor::Actor;
use crate::data_tables::{VIEW, found};
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::views::data_table::DataTableView;
use hub_domain::is_variable;
use hub_store::{Tx, data_rows, data_tables};
use hub_view::Refusal;
use postrider_model::DataTableId;

/// Most different values that rows are counted by.
const VALUES_MAX: u32 = 10_000;

/// Shows a table.
pub async fn get(actor: &Actor, id: DataTableId) -> Result<DataTableView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let reading = share.read(move |tx: &mut Tx<'_>| found(tx, project, id));
    Ok(DataTableView(reading.await?))
}

/// Lists the tables of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<DataTableView>, Failure> {
    actor.require(VIEW)?;
    listing::of_project(
        actor,
        request,
        data_tables::list,
        data_tables::count,
        DataTableView,
    )
    .await
}

/// Counts a table's rows by the value of a variable, as it was written.
pub async fn count_rows_by_value(
    actor: &Actor,
    id: DataTableId,
    variable: String,
) -> Result<Vec<(String, i64)>, Failure> {
    actor.require(VIEW)?;
    if !is_variable(&variable) {
        let rule = "must have 1 to 32 characters of a-z, A-Z, 0-9 and _";
        return Err(Refusal::invalid_param("variable", rule).into());
    }
    let project = actor.project.id;
    let reading = actor.hub.store.of(project).read(move |tx: &mut Tx<'_>| {
        found(tx, project, id)?;
        let counted = data_rows::count_by_value(tx, project, id, &variable, VALUES_MAX)?;
        let too_many = || {
            let rule = format_args!("has more than {VALUES_MAX} different values");
            Refusal::invalid_param("variable", rule)
        };
        Ok::<_, Failure>(counted.ok_or_else(too_many)?)
    });
    reading.await
}
