//! One end of a move: a database, opened past its mark.

use super::table::{self, Table};
use crate::keys::Keys;
use crate::mark::{self, Mark};
use crate::postgres;
use crate::sqlite::open_writer;
use crate::tx::{Access, Engine, Session, Sql};
use crate::{PostgresSettings, SqliteSettings, StoreError, Tx, Value, migrations};
use std::fmt;
use std::path::PathBuf;

/// Where one end of a move is.
#[derive(Debug, Clone)]
pub enum Place {
    /// An SQLite file. Whoever moves it has seen to it that nobody has it open.
    Sqlite(PathBuf),
    /// A PostgreSQL database.
    Postgres(Box<PostgresSettings>),
}

/// Names the place, without a password.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "the file {}", path.display()),
            Self::Postgres(settings) => f.write_str(&postgres::named(settings)),
        }
    }
}

/// A database with our schema, on which nobody else works.
pub(super) struct End {
    session: Box<dyn Session>,
    keys: Keys,
    pub(super) tables: Vec<Table>,
}

impl End {
    /// Opens a place; `None` where nothing is, unless `create` wants it made.
    pub(super) fn open(place: &Place, create: bool) -> Result<Option<Self>, StoreError> {
        let session = match place {
            Place::Sqlite(path) if !create && !path.exists() => None,
            Place::Sqlite(path) => {
                let settings = SqliteSettings::new(path);
                let migrate = |connection: &mut _| migrations::run_to_move(connection, create);
                Some(Box::new(open_writer(&settings, migrate)?) as Box<dyn Session>)
            }
            Place::Postgres(settings) => postgres::open_to_move(settings, create)?,
        };
        let opened = session.map(|mut session| {
            let tables = table::all(&mut *session)?;
            let keys = Keys::of_process(0);
            Ok(Self {
                session,
                keys,
                tables,
            })
        });
        opened.transpose()
    }

    /// Works on it in a transaction.
    pub(super) fn work<T>(
        &mut self,
        access: Access,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.session.begin(access)?;
        self.finish(work)
    }

    /// Works on it in a transaction during which no process comes to use it.
    pub(super) fn work_alone<T>(
        &mut self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.session.engine() {
            Engine::Sqlite => self.session.begin(Access::Write)?,
            Engine::Postgres => postgres::begin_without_any(&mut *self.session)?,
        }
        self.finish(work)
    }

    fn finish<T>(
        &mut self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = work(&mut Tx::new(&mut *self.session, &self.keys));
        let done = done.and_then(|done| self.session.commit().map(|()| done));
        done.inspect_err(|_| self.session.rollback())
    }

    /// As [`Self::work`], as long as it has this mark; whoever changes the mark waits meanwhile.
    fn work_marked(
        &mut self,
        mark: &Mark,
        work: impl FnOnce(&mut dyn Session) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.session.begin(Access::Write)?;
        let held = mark::hold(&mut Tx::new(&mut *self.session, &self.keys), mark);
        let worked = held.and_then(|held| {
            if held {
                work(&mut *self.session)
            } else {
                Err(another_runs())
            }
        });
        let done = worked.and_then(|()| self.session.commit());
        done.inspect_err(|_| self.session.rollback())
    }

    /// Says whether no table has a row, but for what a schema begins with.
    pub(super) fn is_empty(&mut self) -> Result<bool, StoreError> {
        let looks: Vec<_> = self.tables.iter().map(Table::any).collect();
        self.work(Access::Read, |tx| {
            for look in &looks {
                if !tx.query_built(look, &[], |_| Ok(()))?.is_empty() {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Removes all rows that a move brings.
    pub(super) fn clear(&mut self, mark: &Mark) -> Result<(), StoreError> {
        let engine = self.session.engine();
        for clearing in table::clearing(&self.tables, engine) {
            self.work_marked(mark, |session| session.run(Sql::Built(&clearing), &[]))?;
        }
        Ok(())
    }

    /// Reads the rows of a table that follow a key, in the order of keys.
    pub(super) fn page(
        &mut self,
        table: &Table,
        after: Option<&[Value<'static>]>,
    ) -> Result<Vec<Vec<Value<'static>>>, StoreError> {
        let select = table.page(after.is_some());
        self.work(Access::Read, |tx| {
            tx.query_built(&select, after.unwrap_or_default(), |row| table.read(row))
        })
    }

    /// Writes rows of a table, in one commit.
    pub(super) fn insert(
        &mut self,
        table: &Table,
        rows: &[Vec<Value<'static>>],
        mark: &Mark,
    ) -> Result<(), StoreError> {
        self.work_marked(mark, |session| {
            for rows in rows.chunks(table.rows_at_once()) {
                let values: Vec<_> = rows.iter().flatten().cloned().collect();
                session.run(Sql::Built(&table.insert(rows.len())), &values)?;
            }
            Ok(())
        })
    }
}

pub(super) fn another_runs() -> StoreError {
    StoreError::Refused {
        why: "another migrate works on it".to_owned(),
    }
}
