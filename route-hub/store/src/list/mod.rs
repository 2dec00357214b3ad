//! Lists: filters, sorting and paging of any table, built into one statement.
//!
//! A page follows a marker by keyset: the sort value and id of the row before it, so that rows
//! that come and go shift nothing. The statement is built with `sea-query` in its PostgreSQL
//! dialect, whose `$1` and quoted names every engine's executor reads.

mod compare;
mod marker;
mod path;
mod sql;
mod stored;
mod way;

pub use marker::{BadMarker, Marker};
#[cfg(test)]
pub(crate) use path::explain as explain_counts;
pub use stored::{BadFilters, Names};

#[cfg(test)]
use crate::plans::Way;
use crate::row::Row;
use crate::{StoreError, Tx};
use marker::SortValue;
use postrider_model::{DataTableId, ProjectId};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long a list or a count may take.
pub const TIME_MAX: Duration = Duration::from_secs(5);

/// What a column holds, as far as comparing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text, compared as it is.
    Text,
    /// A phone number or a sender's name, compared without regard to the case of A to Z.
    Address,
    /// As `Address`; equality goes by the column of last digits or of the folded name, which is indexed.
    Number {
        /// That column.
        tail: &'static str,
    },
    /// A text that was folded: what it is compared with is folded too.
    Folded,
    /// A whole number, an id or a code.
    Int,
    /// A truth value.
    Flag,
    /// A moment in milliseconds; filters have whole seconds, so that a second is a range.
    Time,
    /// The moment a row was made, in milliseconds: never after the moment in its key, so that a
    /// lower bound also bounds the keys, which are indexed.
    TimeMade,
}

/// A column that may be filtered or sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    name: &'static str,
    kind: Kind,
    /// Whether rows may be without a value: an order by it says where those stand.
    can_be_null: bool,
    /// Where it is another table's.
    of: Option<Other>,
}

impl Column {
    /// Names a column of a table's definition.
    pub const fn new(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            can_be_null: true,
            of: None,
        }
    }

    /// A column that each row has a value in.
    pub const fn filled(name: &'static str, kind: Kind) -> Self {
        let can_be_null = false;
        Self {
            can_be_null,
            ..Self::new(name, kind)
        }
    }

    /// A column of the row that another table has for a listed one.
    pub(crate) const fn of(of: Other, name: &'static str, kind: Kind) -> Self {
        Self {
            of: Some(of),
            ..Self::new(name, kind)
        }
    }
}

/// Another table of the project, of which a listed row names one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Other {
    pub(crate) table: &'static str,
    /// The column of the listed table with its id.
    pub(crate) on: &'static str,
}

/// How a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// Equal.
    Eq,
    /// Not equal; nothing is not equal to anything.
    Ne,
    /// Begins with.
    Prefix,
    /// Does not begin with; nothing begins with nothing.
    NotPrefix,
    /// Is there, or with `false` is not.
    Exists,
    /// Is not there, or with `false` is.
    Null,
    /// At least.
    Gte,
    /// Above.
    Gt,
    /// Below.
    Lt,
    /// At most.
    Lte,
    /// At least (inclusive).
    Min,
    /// Below (exclusive).
    Max,
}

/// What a filter compares with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operand {
    /// A text.
    Text(String),
    /// A whole number, an id, a code or Unix milliseconds.
    Int(i64),
    /// A number with a fraction.
    Real(f64),
    /// A truth value.
    Flag(bool),
}

/// A table of pairs, by which rows belong to something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    pub(crate) table: &'static str,
    /// Its column with the key of what the rows belong to.
    pub(crate) holder: &'static str,
    /// Its column with the key of what belongs to it.
    pub(crate) held: &'static str,
    /// The column of the listed table that is compared with `held`.
    pub(crate) on: &'static str,
}

/// Where a listed table's custom variables are kept as rows of their own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variables {
    pub(crate) table: &'static str,
    /// Its column with the listed row's id.
    pub(crate) row: &'static str,
    /// The code of the fields' owner.
    pub(crate) owner: i64,
}

/// One condition; all of a list hold together.
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// A column compared with a value.
    Compare {
        /// The column.
        column: Column,
        /// How.
        op: Op,
        /// With what.
        operand: Operand,
    },
    /// A custom variable compared with a value, where the table keeps them as rows.
    Variable {
        /// Its name.
        name: String,
        /// How; by numbers for a number, else by folded texts.
        op: Op,
        /// With what.
        operand: Operand,
    },
    /// Belongs to something, or does not.
    Linked {
        /// By which pairs.
        link: Link,
        /// The key of what it belongs to.
        holder: i64,
        /// Whether it belongs to it.
        wanted: bool,
    },
    /// Every word stands somewhere in the columns that the table searches, or in a variable.
    Words(Vec<String>),
    /// One of these.
    Ids(Vec<i64>),
    /// Nothing matches: an id of nothing, a status that no row can have.
    Nothing,
}

impl Filter {
    /// Compares a column with a value.
    pub const fn new(column: Column, op: Op, operand: Operand) -> Self {
        Self::Compare {
            column,
            op,
            operand,
        }
    }

    /// Asks for what belongs to something.
    pub const fn within(link: Link, holder: i64) -> Self {
        Self::Linked {
            link,
            holder,
            wanted: true,
        }
    }
}

/// What rows are sorted by; their ids follow, so that no two are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    pub(crate) column: Option<Column>,
}

impl Sort {
    /// By id alone: the order in which rows were made.
    pub const BY_ID: Self = Self { column: None };

    /// By a column.
    pub const fn by(column: Column) -> Self {
        Self {
            column: Some(column),
        }
    }
}

/// What a caller asks of a list.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// The conditions.
    pub filters: Vec<Filter>,
    /// The order.
    pub sort: Sort,
    /// Whether it is turned around.
    pub descending: bool,
    /// Most rows of the page.
    pub page_size: u32,
    /// Rows to leave out in front, after the marker's.
    pub offset: u32,
    /// Where the page before ended.
    pub marker: Option<Marker>,
}

impl Default for ListQuery {
    fn default() -> Self {
        Self {
            filters: Vec::new(),
            sort: Sort::BY_ID,
            descending: false,
            page_size: 50,
            offset: 0,
            marker: None,
        }
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// Its rows.
    pub rows: Vec<T>,
    /// Whether the page is full; the next one may still be empty.
    pub truncated: bool,
    /// What the next page is asked with; `None` for an empty page.
    pub next_marker: Option<String>,
}

/// A table that can be listed.
pub(crate) struct Table<T> {
    pub(crate) name: &'static str,
    /// The columns that `read` takes.
    pub(crate) columns: &'static str,
    /// An expression that `read` takes behind the columns.
    pub(crate) computed: Option<&'static str>,
    pub(crate) read: fn(&Row<'_>) -> Result<T, StoreError>,
    /// A column that must be 0 in every row, as indexes have it.
    pub(crate) hidden: Option<&'static str>,
    /// The indexes that filters may walk, the likeliest to be short first.
    pub(crate) indexes: &'static [Index],
    /// Where its custom variables are.
    pub(crate) variables: Option<Variables>,
    /// The columns that are searched for words: folded ones, and addresses.
    pub(crate) searched: &'static [&'static str],
}

impl<T> Table<T> {
    /// A table with no more than its columns and the order of its ids.
    pub(crate) const fn plain(
        name: &'static str,
        columns: &'static str,
        read: fn(&Row<'_>) -> Result<T, StoreError>,
    ) -> Self {
        Self {
            name,
            columns,
            computed: None,
            read,
            hidden: None,
            indexes: &[],
            variables: None,
            searched: &[],
        }
    }
}

/// An index on the scope and one column more, whose entries of one value are in the order of ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Index {
    pub(crate) column: &'static str,
    /// Whether the scope's column stands before it.
    pub(crate) scoped: bool,
}

impl Index {
    /// An index on the project and a column.
    pub(crate) const fn scoped(column: &'static str) -> Self {
        let scoped = true;
        Self { column, scoped }
    }

    /// An index on a column alone, whose values are each of one project.
    pub(crate) const fn alone(column: &'static str) -> Self {
        let scoped = false;
        Self { column, scoped }
    }
}

/// Which rows are a caller's to see.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    pub(crate) column: &'static str,
    pub(crate) key: i64,
}

impl Scope {
    /// What belongs to a project.
    pub(crate) const fn of_project(project_id: ProjectId) -> Self {
        Self {
            column: "project_id",
            key: project_id.get(),
        }
    }

    /// What belongs to a data table.
    pub(crate) const fn of_table(table_id: DataTableId) -> Self {
        Self {
            column: "table_id",
            key: table_id.get(),
        }
    }
}

/// Returns one page.
pub(crate) fn page<T>(
    tx: &mut Tx<'_>,
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
) -> Result<Page<T>, StoreError> {
    if query.filters.contains(&Filter::Nothing) {
        return Ok(Page {
            rows: Vec::new(),
            truncated: false,
            next_marker: None,
        });
    }
    let width = table.columns.split(',').count() + usize::from(table.computed.is_some());
    let rows = tx.within(TIME_MAX, |tx| {
        let path = path::choose(tx, table, scope, query)?;
        let statement = sql::page(table, scope, query, path);
        tx.query_built(&statement.text, statement.values(), |row| {
            let place = Place {
                id: row.int(width)?,
                sort: sort_value(query.sort, row, width + 1)?,
            };
            Ok(((table.read)(row)?, place))
        })
    })?;
    let page_size = query.page_size as usize;
    let truncated = rows.len() >= page_size;
    let next_marker = rows.last().map(|(_, last)| {
        let marker = Marker::new(query.sort, query.descending, last.sort.clone(), last.id);
        marker.encode()
    });
    Ok(Page {
        rows: rows.into_iter().map(|(row, _)| row).collect(),
        truncated,
        next_marker,
    })
}

/// Where a row stands in the order.
struct Place {
    id: i64,
    sort: SortValue,
}

fn sort_value(sort: Sort, row: &Row<'_>, column: usize) -> Result<SortValue, StoreError> {
    let Some(by) = sort.column else {
        return Ok(SortValue::Null);
    };
    Ok(match by.kind {
        Kind::Text | Kind::Address | Kind::Number { .. } | Kind::Folded => row
            .opt_text(column)?
            .map_or(SortValue::Null, SortValue::Text),
        Kind::Int | Kind::Flag | Kind::Time | Kind::TimeMade => {
            row.opt_int(column)?.map_or(SortValue::Null, SortValue::Int)
        }
    })
}

/// Counts all rows that a query's filters let through.
pub(crate) fn count<T>(
    tx: &mut Tx<'_>,
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
) -> Result<u64, StoreError> {
    if query.filters.contains(&Filter::Nothing) {
        return Ok(0);
    }
    let counted = tx.within(TIME_MAX, |tx| {
        let path = path::choose(tx, table, scope, query)?;
        let statement = sql::count(table, scope, query, path);
        tx.query_built(&statement.text, statement.values(), |row| row.int(0))
    })?;
    Ok(counted.first().map_or(0, |count| count.unsigned_abs()))
}

/// Counts the same by a column's whole multiples of `length`.
pub(crate) fn count_by<T>(
    tx: &mut Tx<'_>,
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
    column: Column,
    length: i64,
) -> Result<Vec<(i64, i64)>, StoreError> {
    if query.filters.contains(&Filter::Nothing) {
        return Ok(Vec::new());
    }
    tx.within(TIME_MAX, |tx| {
        let path = path::choose(tx, table, scope, query)?;
        let statement = sql::count_by(table, scope, query, path, column, length);
        tx.query_built(&statement.text, statement.values(), |row| {
            Ok((row.int(0)?, row.int(1)?))
        })
    })
}

/// Returns how the engine would find a page.
#[cfg(test)]
pub(crate) fn explain<T>(
    tx: &mut Tx<'_>,
    table: &Table<T>,
    scope: &[Scope],
    query: &ListQuery,
) -> Result<Way, StoreError> {
    let path = path::choose(tx, table, scope, query)?;
    let statement = sql::page(table, scope, query, path);
    Way::of(tx, &statement.text, statement.values())
}
