//! Rows that may be damaged: a statement that must go on whatever it finds reads through `found`.

use crate::{Row, StoreError};
use postrider_model::{ProjectId, UnixMs};
use serde_json::{Map, Value as Json};
use std::fmt;

/// A row, or what is known of one that cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub enum Found<T> {
    /// It could be read.
    Row(T),
    /// It could not.
    Damaged(Damaged),
}

impl<T> Found<T> {
    /// Returns the row, if it could be read.
    pub const fn row(&self) -> Option<&T> {
        match self {
            Self::Row(row) => Some(row),
            Self::Damaged(_) => None,
        }
    }
}

/// A row that cannot be read; prints nothing of its content.
#[derive(Clone, PartialEq, Eq)]
pub struct Damaged {
    /// Its table.
    pub table: &'static str,
    /// Its key.
    pub id: i64,
    /// Its project, when that can be read.
    pub project_id: Option<ProjectId>,
    /// All its columns by their names, as JSON.
    pub(crate) content: String,
}

impl fmt::Debug for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Damaged({} {})", self.table, self.id)
    }
}

/// A row by its place in an order, its key and its project: all that a worker has to know of it
/// before the job that works on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Its place in the order of its statement.
    pub at: UnixMs,
    /// Its key.
    pub id: i64,
    /// Its project; `None` when that cannot be read.
    pub project_id: Option<ProjectId>,
}

impl Place {
    /// Reads the moment, the key and the project from the first three columns.
    pub(crate) fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            at: row.time(0)?,
            id: row.int(1)?,
            project_id: row.id(2).ok(),
        })
    }
}

/// Reads a row whose first columns are its key and its project, whatever the others hold.
///
/// # Errors
/// Any but [`StoreError::BadRow`].
pub(crate) fn found<T>(
    row: &Row<'_>,
    table: &'static str,
    columns: &str,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Found<T>, StoreError> {
    match read(row) {
        Ok(read) => Ok(Found::Row(read)),
        Err(StoreError::BadRow { .. }) => Ok(Found::Damaged(Damaged {
            table,
            id: row.int(0)?,
            project_id: row.id(1).ok(),
            content: content(row, columns),
        })),
        Err(error) => Err(error),
    }
}

/// Writes down every column, by its name; bytes that are no text as hexadecimal digits.
fn content(row: &Row<'_>, columns: &str) -> String {
    let names = columns.split(',').map(str::trim).enumerate();
    let value = |column| -> Json {
        if let Ok(number) = row.opt_int(column) {
            return number.into();
        }
        if let Ok(number) = row.real(column) {
            return number.into();
        }
        let bytes = row.bytes(column).unwrap_or_default();
        String::from_utf8(bytes).map_or_else(|bytes| hex(bytes.as_bytes()).into(), Json::from)
    };
    let members: Map<String, Json> = names
        .map(|(column, name)| (name.to_owned(), value(column)))
        .collect();
    Json::Object(members).to_string()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = "0x".to_owned();
    for byte in bytes {
        let _ = fmt::Write::write_fmt(&mut text, format_args!("{byte:02x}"));
    }
    text
}
