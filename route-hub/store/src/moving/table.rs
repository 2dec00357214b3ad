//! Tables as the databases themselves describe them, and the texts that read and write their rows.

use crate::keys::Keys;
use crate::row::Row;
use crate::tx::{Access, Engine, Session};
use crate::{StoreError, Tx, Value, mark, postgres};
use ring::digest::{Context, SHA256};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Rows that are read and written in one step.
pub(super) const PAGE: usize = 1_000;
/// Most parameters of one statement.
const PARAMETERS_MAX: usize = 2_000;
/// What each engine keeps for itself.
const LEFT: &[&str] = &[
    "change_versions",
    "gates",
    "processes",
    "refinery_schema_history",
    "writers",
];

/// A table whose rows move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    /// Its columns, those of its key first.
    columns: Vec<Column>,
    /// How many columns the key has; none where rows may be the same.
    keys: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Real,
    Text,
}

/// Describes each column of each table: the table, the column, its type, its place in the key from 1
/// or 0.
const SQLITE: &str = "SELECT tables.name, columns.name, lower(columns.type), columns.pk \
    FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns \
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' \
    ORDER BY tables.name, columns.pk = 0, columns.pk, columns.name";

/// Returns all tables whose rows move, by name.
pub(super) fn all(session: &mut dyn Session) -> Result<Vec<Table>, StoreError> {
    let look = match session.engine() {
        Engine::Sqlite => SQLITE,
        Engine::Postgres => postgres::TABLES,
    };
    session.begin(Access::Read)?;
    let keys = Keys::of_process(0);
    let columns = Tx::new(session, &keys).query(look, &[], |row| {
        Ok((row.text(0)?, row.text(1)?, row.text(2)?, row.int(3)? > 0))
    });
    let columns = columns.and_then(|columns| session.commit().map(|()| columns))?;
    let mut tables: Vec<Table> = Vec::new();
    for (name, column, kind, is_key) in columns {
        if LEFT.contains(&&*name) {
            continue;
        }
        let kind = Kind::of(&kind)?;
        if tables.last().is_none_or(|table| table.name != name) {
            let (columns, keys) = (Vec::new(), 0);
            tables.push(Table {
                name,
                columns,
                keys,
            });
        }
        if let Some(table) = tables.last_mut() {
            table.columns.push(Column { name: column, kind });
            table.keys += usize::from(is_key);
        }
    }
    Ok(tables)
}

/// Returns the statements that empty all tables.
pub(super) fn clearing(tables: &[Table], engine: Engine) -> Vec<String> {
    let statement = |table: &Table| match table.only() {
        None if engine == Engine::Postgres => format!("TRUNCATE {}", table.name),
        None => format!("DELETE FROM {}", table.name),
        Some(only) => format!("DELETE FROM {} WHERE {only}", table.name),
    };
    tables.iter().map(statement).collect()
}

impl Kind {
    fn of(declared: &str) -> Result<Self, StoreError> {
        match declared {
            "bigint" | "integer" => Ok(Self::Int),
            "double precision" => Ok(Self::Real),
            "text" => Ok(Self::Text),
            other => Err(StoreError::Refused {
                why: format!("it has a column of type {other}"),
            }),
        }
    }
}

impl Table {
    /// Says which rows move, if not all do.
    fn only(&self) -> Option<String> {
        (self.name == "hub_meta").then(|| {
            let own = postgres::OF_DATABASE.join("', '");
            format!("name NOT IN ('{}', '{own}')", mark::NAME)
        })
    }

    /// Returns the columns by which rows are told apart and ordered.
    fn key(&self) -> &[Column] {
        match self.keys {
            0 => &self.columns,
            keys => &self.columns[..keys],
        }
    }

    /// Returns the statement that finds a row that moves.
    pub(super) fn any(&self) -> String {
        let only = self.only().unwrap_or_else(|| "true".to_owned());
        format!("SELECT 1 FROM {} WHERE {only} LIMIT 1", self.name)
    }

    /// Returns the statement that reads some rows, after a key or from the first. Without a key of its
    /// own a row comes once, with how many there are of it.
    pub(super) fn page(&self, after: bool) -> String {
        let (columns, key) = (names(&self.columns), names(self.key()));
        let after = after.then(|| {
            let numbers = (1..=self.key().len()).map(|number| format!("${number}"));
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            format!("({key}) > ({numbers})")
        });
        let conditions: Vec<_> = self.only().into_iter().chain(after).collect();
        let found = if conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", conditions.join(" AND "))
        };
        let (count, group) = match self.keys {
            0 => (", count(*)", format!(" GROUP BY {key}")),
            _ => ("", String::new()),
        };
        let table = &self.name;
        format!("SELECT {columns}{count} FROM {table}{found}{group} ORDER BY {key} LIMIT {PAGE}")
    }

    /// Reads a row of [`Self::page`]. Its last value is how many there are of it, where the table has no
    /// key.
    pub(super) fn read(&self, row: &Row<'_>) -> Result<Vec<Value<'static>>, StoreError> {
        let kinds = self.columns.iter().map(|column| column.kind);
        let count = (self.keys == 0).then_some(Kind::Int);
        let read = kinds.chain(count).enumerate().map(|(column, kind)| {
            let value = kind.read(row, column);
            value.map_err(|error| self.unreadable(column, error))
        });
        read.collect()
    }

    fn unreadable(&self, column: usize, error: StoreError) -> StoreError {
        let (StoreError::BadRow { .. }, Some(column)) = (&error, self.columns.get(column)) else {
            return error;
        };
        let (column, table) = (&column.name, &self.name);
        StoreError::Refused {
            why: format!("a row of {table} has a value of another kind in {column}"),
        }
    }

    /// Returns the key of a row that was read.
    pub(super) fn key_of<'r>(&self, row: &'r [Value<'static>]) -> &'r [Value<'static>] {
        &row[..self.key().len()]
    }

    /// Returns the rows to write for one that was read.
    pub(super) fn copies(&self, mut row: Vec<Value<'static>>) -> Vec<Vec<Value<'static>>> {
        if self.keys > 0 {
            return vec![row];
        }
        match row.pop() {
            Some(Value::Int(count)) => vec![row; usize::try_from(count).unwrap_or(0)],
            _ => Vec::new(),
        }
    }

    /// Returns how many rows one statement writes.
    pub(super) fn rows_at_once(&self) -> usize {
        (PARAMETERS_MAX / self.columns.len()).max(1)
    }

    /// Returns the statement that writes so many rows.
    pub(super) fn insert(&self, rows: usize) -> String {
        let mut text = format!(
            "INSERT INTO {} ({}) VALUES",
            self.name,
            names(&self.columns)
        );
        for row in 0..rows {
            let first = row * self.columns.len() + 1;
            let numbers = (first..first + self.columns.len()).map(|number| format!("${number}"));
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            let comma = if row == 0 { "" } else { "," };
            let _ = write!(text, "{comma} ({numbers})");
        }
        text
    }
}

impl Kind {
    /// Reads a value as both engines keep it: U+0000, which PostgreSQL has not, is U+FFFD.
    fn read(self, row: &Row<'_>, column: usize) -> Result<Value<'static>, StoreError> {
        Ok(match self {
            Self::Int => row.opt_int(column)?.map_or(Value::Null, Value::Int),
            // Not -0.0, which SQLite does not keep.
            Self::Real => row
                .opt_real(column)?
                .map_or(Value::Null, |real| Value::Real(real + 0.0)),
            Self::Text => match row.opt_text(column)? {
                None => Value::Null,
                Some(text) if text.contains('\0') => {
                    Value::Text(Cow::Owned(text.replace('\0', "\u{fffd}")))
                }
                Some(text) => Value::Text(Cow::Owned(text)),
            },
        })
    }
}

fn names(columns: &[Column]) -> String {
    let names = columns.iter().map(|column| &*column.name);
    names.collect::<Vec<_>>().join(", ")
}

/// SHA-256 of a table's rows, in the order of their keys.
pub(super) struct Digest {
    context: Context,
    rows: u64,
}

impl Digest {
    pub(super) fn new() -> Self {
        let context = Context::new(&SHA256);
        Self { context, rows: 0 }
    }

    /// Takes a row that was read. Each value has its kind and its length before it.
    pub(super) fn add(&mut self, row: &[Value<'static>]) {
        self.rows += 1;
        for value in row {
            match value {
                Value::Null => self.value(b'n', &[]),
                Value::Int(int) => self.value(b'i', &int.to_be_bytes()),
                Value::Real(real) => self.value(b'r', &real.to_bits().to_be_bytes()),
                Value::Text(text) => self.value(b't', text.as_bytes()),
                Value::Blob(bytes) => self.value(b'b', bytes),
            }
        }
    }

    fn value(&mut self, kind: u8, bytes: &[u8]) {
        self.context.update(&[kind]);
        self.context.update(&(bytes.len() as u64).to_be_bytes());
        self.context.update(bytes);
    }

    /// Returns how many rows there were, and the sum.
    pub(super) fn finish(self) -> (u64, Vec<u8>) {
        (self.rows, self.context.finish().as_ref().to_vec())
    }
}
