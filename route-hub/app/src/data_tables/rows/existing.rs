//! Looking at rows.

use crate::actor::Actor;
use crate::contacts;
use crate::data_tables::{self, VIEW, rows, views};
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::views::data_row::DataRowView;
use hub_store::list::Filter;
use hub_store::{Tx, data_rows};
use postrider_model::{ContactId, DataRowId, DataTableId, DataViewId};

/// Shows a row.
pub async fn get(actor: &Actor, table: DataTableId, id: DataRowId) -> Result<DataRowView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let reading = actor.hub.store.of(project).read(move |tx: &mut Tx<'_>| {
        data_tables::found(tx, project, table)?;
        let row = data_rows::get(tx, project, table, id)?;
        Ok::<_, Failure>(DataRowView(rows::found(row)?))
    });
    reading.await
}

/// Lists the rows of a table, or those of a view of it.
pub async fn list(
    actor: &Actor,
    table: DataTableId,
    view: Option<DataViewId>,
    mut request: ListRequest,
) -> Result<Listed<DataRowView>, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let reading = share.read(move |tx: &mut Tx<'_>| {
        data_tables::found(tx, project, table)?;
        let view = view.map(|id| views::found(tx, project, table, id));
        let view = view.transpose()?;
        let filters = view
            .iter()
            .flat_map(|view| data_rows::filters(&view.filters));
        Ok::<Vec<Filter>, Failure>(filters.collect())
    });
    request.query.filters.extend(reading.await?);
    listing::list(
        share,
        request,
        move |tx, query| data_rows::list(tx, project, table, query),
        move |tx, query| data_rows::count(tx, project, table, query),
        |_, rows| Ok(rows.into_iter().map(DataRowView).collect()),
    )
    .await
}

/// Lists the rows that are about a contact, of all tables.
pub async fn of_contact(
    actor: &Actor,
    id: ContactId,
    request: ListRequest,
) -> Result<Listed<DataRowView>, Failure> {
    actor.require(VIEW)?;
    contacts::find(actor, id).await?;
    let project = actor.project.id;
    listing::list(
        actor.hub.store.of(project),
        request,
        move |tx, query| data_rows::list_of_contact(tx, project, id, query),
        move |tx, query| data_rows::count_of_contact(tx, project, id, query),
        |_, rows| Ok(rows.into_iter().map(DataRowView).collect()),
    )
    .await
}
