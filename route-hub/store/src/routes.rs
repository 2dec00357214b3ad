//! Custom routes.

use crate::changes;
use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::routing::{Actions, Route};
use hub_domain::{Vars, fold};
use postrider_model::{CustomRouteId, ProjectId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, name, actions, vars, time_created"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
}

const TABLE: Table<Route> = Table::plain("routes", columns!(), read);

/// Stores a new route.
pub fn insert(tx: &mut Tx<'_>, route: &Route) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO routes (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6, $7)"
        ),
        &values![
            route.id,
            route.project_id,
            &route.name,
            route.actions.to_json(),
            route.vars.to_json(),
            route.time_created,
            fold(&route.name),
        ],
    )?;
    Ok(())
}

/// Stores a changed name, rules and variables.
pub fn update(tx: &mut Tx<'_>, route: &Route) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE routes SET name = $3, name_folded = $4, actions = $5, vars = $6 \
         WHERE id = $1 AND project_id = $2",
        &values![
            route.id,
            route.project_id,
            &route.name,
            fold(&route.name),
            route.actions.to_json(),
            route.vars.to_json(),
        ],
    )?;
    changes::raise(tx, changes::Scope::Rows(route.project_id))?;
    Ok(changed == 1)
}

/// Removes a route; messages keep the phone that it picked. Says whether it was there.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: CustomRouteId,
) -> Result<bool, StoreError> {
    let gone = tx.execute(
        "DELETE FROM routes WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    changes::raise(tx, changes::Scope::Rows(project_id))?;
    Ok(gone == 1)
}

/// Returns a project's route.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: CustomRouteId,
) -> Result<Option<Route>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM routes WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a route for the dispatcher, which knows no projects.
pub fn by_key(tx: &mut Tx<'_>, id: CustomRouteId) -> Result<Option<Route>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM routes WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns a project's routes, oldest first.
pub fn of_project(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<Vec<Route>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM routes WHERE project_id = $1 ORDER BY id"
        ),
        &values![project_id],
        read,
    )
}

/// Returns every route, oldest first.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Route>, StoreError> {
    tx.query(
        concat!("SELECT ", columns!(), " FROM routes ORDER BY id"),
        &[],
        read,
    )
}

/// Returns a page of a project's routes.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Route>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's routes that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<Route, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Route {
        id: columns.id()?,
        project_id: columns.id()?,
        name: columns.text()?,
        actions: columns.parsed(Actions::from_json)?,
        vars: columns.parsed(Vars::from_json)?,
        time_created: columns.time()?,
    })
}
