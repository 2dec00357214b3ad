//! Views of data tables.

use crate::actor::Actor;
use crate::data_tables::{self, PERMISSION, VIEW, found_in};
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::data_view::DataViewView;
use hub_domain::{DataView, ViewFilters};
use hub_store::{StoreError, Tx, data_views};
use hub_view::Refusal;
use postrider_model::{DataTableId, DataViewId, ProjectId};
use std::time::Duration;

/// How long the rows of one view may be counted.
const COUNT_MAX: Duration = Duration::from_secs(1);
/// After how long the rows of a page's other views are not counted any more.
const COUNTS_MAX_MS: u64 = 2_000;

/// Makes a view.
pub async fn create(
    actor: &Actor,
    table: DataTableId,
    name: String,
    filters: ViewFilters,
) -> Result<DataViewView, Failure> {
    actor.require(PERMISSION)?;
    let made = run(actor, move |work| {
        found_in(work, table)?;
        check_name(work, table, &name, None)?;
        let view = DataView {
            id: work.id(),
            project_id: work.project.id,
            table_id: table,
            name: name.clone(),
            filters: filters.clone(),
        };
        data_views::insert(work.tx, &view)?;
        Ok::<_, Failure>(view)
    });
    shown(actor, made.await?).await
}

/// Changes a view's name; its filters never change.
pub async fn update(
    actor: &Actor,
    table: DataTableId,
    id: DataViewId,
    name: Option<String>,
) -> Result<DataViewView, Failure> {
    actor.require(PERMISSION)?;
    let changed = run(actor, move |work| {
        found_in(work, table)?;
        let mut view = found(work.tx, work.project.id, table, id)?;
        if let Some(name) = &name {
            check_name(work, table, name, Some(id))?;
            view.name.clone_from(name);
            data_views::update(work.tx, &view)?;
        }
        Ok::<_, Failure>(view)
    });
    shown(actor, changed.await?).await
}

/// Removes a view; the rows stay.
pub async fn delete(actor: &Actor, table: DataTableId, id: DataViewId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        found_in(work, table)?;
        if data_views::delete(work.tx, work.project.id, table, id)? {
            Ok(())
        } else {
            Err(Failure::from(Refusal::not_found("view")))
        }
    })
    .await
}

/// Shows a view.
pub async fn get(
    actor: &Actor,
    table: DataTableId,
    id: DataViewId,
) -> Result<DataViewView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let reading = actor.hub.store.of(project).read(move |tx: &mut Tx<'_>| {
        data_tables::found(tx, project, table)?;
        found(tx, project, table, id)
    });
    shown(actor, reading.await?).await
}

/// Lists the views of a table.
pub async fn list(
    actor: &Actor,
    table: DataTableId,
    request: ListRequest,
) -> Result<Listed<DataViewView>, Failure> {
    actor.require(VIEW)?;
    data_tables::get(actor, table).await?;
    let project = actor.project.id;
    let listed = listing::list(
        actor.hub.store.of(project),
        request,
        move |tx, query| data_views::list(tx, project, table, query),
        move |tx, query| data_views::count(tx, project, table, query),
        |_, views| Ok(views),
    );
    Ok(match listed.await? {
        Listed::Count(count) => Listed::Count(count),
        Listed::Page { items, next_marker } => Listed::Page {
            items: counted(actor, items).await?,
            next_marker,
        },
    })
}

/// Finds a view; one of another table is none.
pub(super) fn found(
    tx: &mut Tx<'_>,
    project: ProjectId,
    table: DataTableId,
    id: DataViewId,
) -> Result<DataView, Failure> {
    let view = data_views::get(tx, project, table, id)?;
    view.ok_or_else(|| Refusal::not_found("view").into())
}

/// Refuses the name of another view.
fn check_name(
    work: &mut UnitOfWork<'_, '_>,
    table: DataTableId,
    name: &str,
    own: Option<DataViewId>,
) -> Result<(), Failure> {
    let named = data_views::by_name(work.tx, work.project.id, table, name)?;
    match named.filter(|other| Some(other.id) != own) {
        None => Ok(()),
        Some(_) => {
            let rule = "is already used by another view of the table";
            Err(Refusal::invalid_param("name", rule).into())
        }
    }
}

async fn shown(actor: &Actor, view: DataView) -> Result<DataViewView, Failure> {
    let num_rows = count(actor, view.clone()).await?;
    Ok(DataViewView { view, num_rows })
}

/// Counts the rows of each view, as far as the time suffices.
async fn counted(actor: &Actor, views: Vec<DataView>) -> Result<Vec<DataViewView>, Failure> {
    let began = actor.hub.now().boot;
    let mut all = Vec::with_capacity(views.len());
    for view in views {
        let is_late = actor.hub.now().boot.since_ms(began) > COUNTS_MAX_MS;
        let num_rows = if is_late {
            None
        } else {
            count(actor, view.clone()).await?
        };
        all.push(DataViewView { view, num_rows });
    }
    Ok(all)
}

/// Counts the rows that a view has now; `None` where that takes too long.
async fn count(actor: &Actor, view: DataView) -> Result<Option<u64>, StoreError> {
    let share = actor.hub.store.of(view.project_id);
    let counting = share
        .read(move |tx: &mut Tx<'_>| tx.within(COUNT_MAX, |tx| data_views::count_rows(tx, &view)));
    match counting.await {
        Ok(count) => Ok(Some(count)),
        Err(StoreError::TooSlow) => Ok(None),
        Err(error) => Err(error),
    }
}
