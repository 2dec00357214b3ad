//! Data tables. A deleted one is gone at once for everybody; its row stays, with `hidden` set, until
//! the last of its rows is taken away.

use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, data_rows, usage, values};
use hub_domain::{DataTable, FieldOwner, UsageType, Vars, fold};
use postrider_model::{DataTableId, ProjectId, UnixMs};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, name, num_rows, show_add_row, show_stats, show_contact_columns, vars"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The name, without regard to case.
    pub const NAME: Column = Column::filled("name_folded", Kind::Folded);
}

const TABLE: Table<DataTable> = Table {
    hidden: Some("hidden"),
    ..Table::plain("data_tables", columns!(), read)
};

/// Stores a new table.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has one of this name.
pub fn insert(tx: &mut Tx<'_>, table: &DataTable) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO data_tables (",
            columns!(),
            ", name_folded, hidden) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0)"
        ),
        &values![
            table.id,
            table.project_id,
            &table.name,
            table.num_rows,
            table.show_add_row,
            table.show_stats,
            table.show_contact_columns,
            table.vars.to_json(),
            fold(&table.name),
        ],
    )
}

/// Stores what people may change; the number of rows stays.
///
/// # Errors
/// [`StoreError::Conflict`] when the project has another of this name.
pub fn update(tx: &mut Tx<'_>, table: &DataTable) -> Result<(), StoreError> {
    tx.run(
        "UPDATE data_tables SET name = $3, name_folded = $4, show_add_row = $5, show_stats = $6, \
         show_contact_columns = $7, vars = $8 WHERE id = $1 AND project_id = $2",
        &values![
            table.id,
            table.project_id,
            &table.name,
            fold(&table.name),
            table.show_add_row,
            table.show_stats,
            table.show_contact_columns,
            table.vars.to_json(),
        ],
    )
}

/// Notes how many rows came, or went where it is below 0.
pub fn add_rows(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: DataTableId,
    change: i64,
    now: UnixMs,
) -> Result<(), StoreError> {
    usage::count(tx, project_id, UsageType::DataRows, change, now)?;
    tx.run(
        "UPDATE data_tables SET num_rows = num_rows + $3 WHERE id = $1 AND project_id = $2",
        &values![id, project_id, change],
    )
}

/// Returns a project's table.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: DataTableId,
) -> Result<Option<DataTable>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM data_tables WHERE id = $1 AND project_id = $2 AND hidden = 0"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a project's table of a name, without regard to case.
pub fn by_name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    name: &str,
) -> Result<Option<DataTable>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM data_tables WHERE project_id = $1 AND name_folded = $2 AND hidden = 0"
        ),
        &values![project_id, fold(name)],
        read,
    )
}

/// Removes a table for everybody, and says whether it was there; its rows go in steps ([`to_clear`]).
pub fn begin_clearing(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: DataTableId,
    now: UnixMs,
) -> Result<bool, StoreError> {
    let rows = tx.query_one(
        "UPDATE data_tables SET hidden = 1 WHERE id = $1 AND project_id = $2 AND hidden = 0 \
         RETURNING num_rows",
        &values![id, project_id],
        |row| row.int(0),
    )?;
    if let Some(rows) = rows {
        usage::count(tx, project_id, UsageType::DataRows, -rows, now)?;
    }
    Ok(rows.is_some())
}

/// Returns a deleted table of which something is left.
pub fn to_clear(tx: &mut Tx<'_>) -> Result<Option<DataTable>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM data_tables WHERE hidden = 1 ORDER BY id LIMIT 1"
        ),
        &[],
        read,
    )
}

/// Takes one step of removing what a deleted table had, and its row with the last of it.
pub fn clear_some(tx: &mut Tx<'_>, table: &DataTable) -> Result<Purged, StoreError> {
    let rows = purge::step(tx, |tx, limit| data_rows::remove_some(tx, table.id, limit))?;
    if rows.more {
        return Ok(rows);
    }
    let rest = purge::step(tx, |tx, limit| {
        let fields = tx.execute(
            "DELETE FROM fields WHERE id IN (SELECT id FROM fields WHERE project_id = $1 \
             AND owner = $2 AND clearing = 0 LIMIT $3)",
            &values![table.project_id, FieldOwner::Table(table.id).code(), limit],
        )?;
        let views = tx.execute(
            "DELETE FROM data_views WHERE id IN (SELECT id FROM data_views WHERE table_id = $1 \
             LIMIT $2)",
            &values![table.id, limit],
        )?;
        Ok(fields.max(views))
    })?;
    if !rest.more {
        tx.run(
            "DELETE FROM data_tables WHERE id = $1 AND project_id = $2",
            &values![table.id, table.project_id],
        )?;
    }
    Ok(rest)
}

/// Returns a page of a project's tables.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<DataTable>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's tables that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn read(row: &Row<'_>) -> Result<DataTable, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(DataTable {
        id: columns.id()?,
        project_id: columns.id()?,
        name: columns.text()?,
        num_rows: columns.int()?,
        show_add_row: columns.flag()?,
        show_stats: columns.flag()?,
        show_contact_columns: columns.flag()?,
        vars: columns.parsed(Vars::from_json)?,
    })
}
