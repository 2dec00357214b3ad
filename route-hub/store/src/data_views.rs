//! Views of data tables: names and conditions. Their rows are the table's that meet the conditions now.

use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, data_rows, values};
use hub_domain::{DataView, ViewFilters, fold};
use postrider_model::{DataTableId, DataViewId, ProjectId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, table_id, name, filters"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
}

const TABLE: Table<DataView> = Table::plain("data_views", columns!(), read);

/// Stores a new view.
///
/// # Errors
/// [`StoreError::Conflict`] when the table has one of this name.
pub fn insert(tx: &mut Tx<'_>, view: &DataView) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO data_views (",
            columns!(),
            ", name_folded) VALUES ($1, $2, $3, $4, $5, $6)"
        ),
        &values![
            view.id,
            view.project_id,
            view.table_id,
            &view.name,
            view.filters.to_value().to_string(),
            fold(&view.name),
        ],
    )
}

/// Stores a view's name; its conditions never change.
///
/// # Errors
/// [`StoreError::Conflict`] when the table has another of this name.
pub fn update(tx: &mut Tx<'_>, view: &DataView) -> Result<(), StoreError> {
    tx.run(
        "UPDATE data_views SET name = $3, name_folded = $4 WHERE id = $1 AND project_id = $2",
        &values![view.id, view.project_id, &view.name, fold(&view.name)],
    )
}

/// Returns a table's view.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    id: DataViewId,
) -> Result<Option<DataView>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM data_views WHERE id = $1 AND project_id = $2 AND table_id = $3"
        ),
        &values![id, project_id, table_id],
        read,
    )
}

/// Returns a project's view, of whichever table.
pub fn find(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: DataViewId,
) -> Result<Option<DataView>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM data_views WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a table's view of a name, without regard to case.
pub fn by_name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    name: &str,
) -> Result<Option<DataView>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM data_views WHERE table_id = $1 AND name_folded = $2 AND project_id = $3"
        ),
        &values![table_id, fold(name), project_id],
        read,
    )
}

/// Removes a view, and says whether it was there; the rows stay.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    id: DataViewId,
) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM data_views WHERE id = $1 AND project_id = $2 AND table_id = $3",
        &values![id, project_id, table_id],
    )?;
    Ok(removed == 1)
}

/// Counts the rows that a view has now.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count_rows(tx: &mut Tx<'_>, view: &DataView) -> Result<u64, StoreError> {
    let query = ListQuery {
        filters: data_rows::filters(&view.filters).collect(),
        ..ListQuery::default()
    };
    data_rows::count(tx, view.project_id, view.table_id, &query)
}

/// Returns a page of a table's views.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    query: &ListQuery,
) -> Result<Page<DataView>, StoreError> {
    list::page(tx, &TABLE, &scope(project_id, table_id), query)
}

/// Counts a table's views that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    table_id: DataTableId,
    query: &ListQuery,
) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &scope(project_id, table_id), query)
}

const fn scope(project_id: ProjectId, table_id: DataTableId) -> [Scope; 2] {
    [Scope::of_project(project_id), Scope::of_table(table_id)]
}

fn read(row: &Row<'_>) -> Result<DataView, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(DataView {
        id: columns.id()?,
        project_id: columns.id()?,
        table_id: columns.id()?,
        name: columns.text()?,
        filters: columns.parsed(ViewFilters::from_json)?,
    })
}
