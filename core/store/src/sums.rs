//! A sum over the rows of each table, to find bits that turned in a file.
//!
//! SQLite's own check covers the shape of a file, not the values in it. So the table `sums` holds,
//! for each table, the exclusive or of its rows' hashes. Triggers of this connection report
//! every row that is added, removed or changed; a commit writes the changed sums; a start adds up
//! what it reads and compares. A row that is damaged, missing, doubled or from another journal
//! shows as a difference: the hashes begin with the journal's own key.

use crate::{JournalError, mark::Mark};
use rusqlite::{Connection, functions::FunctionFlags, params, types::ValueRef};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The sum of exposures that are over; all others are summed as `message`.
const ENDED: &str = "message.ended";
/// The sum of the schema.
const SCHEMA: &str = "schema";

type ByName = BTreeMap<String, i64>;

/// How much a start reads and compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every row.
    All,
    /// All but the exposures that are over; there may be a million of them.
    AllButEnded,
}

#[derive(Debug, Default)]
struct Shared {
    key: u64,
    by_name: ByName,
}

/// The sums of an open journal.
#[derive(Debug, Clone)]
pub(crate) struct Sums(Arc<Mutex<Shared>>);

impl Sums {
    /// Adds the hash function to a connection; nothing is summed yet.
    pub(crate) fn of(connection: &Connection, mark: Mark) -> Result<Self, JournalError> {
        let sums = Self(Arc::new(Mutex::new(Shared {
            key: mark.key(),
            by_name: ByName::new(),
        })));
        let shared = sums.clone();
        connection.create_scalar_function(
            "sum_row",
            -1,
            FunctionFlags::SQLITE_UTF8,
            move |row| {
                let mut shared = shared.shared();
                let name = row.get_raw(0).as_str()?;
                let hash = (0..row.len()).fold(shared.key, |hash, column| {
                    mix_value(hash, row.get_raw(column))
                });
                match shared.by_name.get_mut(name) {
                    Some(sum) => *sum ^= hash.cast_signed(),
                    None => drop(shared.by_name.insert(name.to_owned(), hash.cast_signed())),
                }
                Ok(0)
            },
        )?;
        Ok(sums)
    }

    /// Sums the rows that are there, and writes the result as the expected one.
    pub(crate) fn take_stock(&self, connection: &Connection) -> Result<(), JournalError> {
        connection.execute("DELETE FROM sums", [])?;
        self.add_up(connection, Extent::All)?;
        self.write(connection, &ByName::new())
    }

    /// Sums the rows that are there, and returns the sums that differ from the expected ones.
    pub(crate) fn differing(
        &self,
        connection: &Connection,
        extent: Extent,
    ) -> Result<Option<String>, JournalError> {
        let stored = stored(connection)?;
        self.add_up(connection, extent)?;
        let mut shared = self.shared();
        if extent == Extent::AllButEnded
            && let Some(sum) = stored.get(ENDED)
        {
            shared.by_name.insert(ENDED.to_owned(), *sum);
        }
        let of = |sums: &ByName, name: &str| sums.get(name).copied().unwrap_or(0);
        let mut names = stored.keys().chain(shared.by_name.keys());
        let differs = names.find(|name| of(&stored, name) != of(&shared.by_name, name));
        Ok(differs.cloned())
    }

    /// Counts every change of a row from now on.
    pub(crate) fn watch(&self, connection: &Connection) -> Result<(), JournalError> {
        connection.pragma_update(None, "recursive_triggers", true)?;
        for table in Table::all(connection)? {
            connection.execute_batch(&table.triggers())?;
        }
        Ok(())
    }

    /// Returns the present sums, to go back to if a commit fails.
    pub(crate) fn now(&self) -> BTreeMap<String, i64> {
        self.shared().by_name.clone()
    }

    /// Goes back to earlier sums.
    pub(crate) fn go_back(&self, to: BTreeMap<String, i64>) {
        self.shared().by_name = to;
    }

    /// Writes the sums that have changed.
    pub(crate) fn write(
        &self,
        connection: &Connection,
        before: &BTreeMap<String, i64>,
    ) -> Result<(), JournalError> {
        let sql = "INSERT INTO sums (name, sum) VALUES (?1, ?2)
             ON CONFLICT (name) DO UPDATE SET sum = excluded.sum";
        let mut statement = connection.prepare_cached(sql)?;
        for (name, sum) in &self.shared().by_name {
            if before.get(name) != Some(sum) {
                statement.execute(params![name, sum])?;
            }
        }
        Ok(())
    }

    fn add_up(&self, connection: &Connection, extent: Extent) -> Result<(), JournalError> {
        self.shared().by_name.clear();
        for table in Table::all(connection)? {
            for sql in table.queries(extent) {
                connection.query_row(&sql, [], |row| row.get::<_, i64>(0))?;
            }
        }
        let sql = format!(
            "SELECT COUNT(sum_row('{SCHEMA}', type, name, tbl_name, rootpage, sql))
             FROM main.sqlite_schema"
        );
        connection.query_row(&sql, [], |row| row.get::<_, i64>(0))?;
        Ok(())
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stored(connection: &Connection) -> Result<ByName, JournalError> {
    let mut statement = connection.prepare("SELECT name, sum FROM sums")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A table whose rows are summed, with its columns.
struct Table {
    name: String,
    columns: Vec<String>,
}

impl Table {
    /// Returns every table except `sums`.
    fn all(connection: &Connection) -> Result<Vec<Self>, JournalError> {
        let sql = "SELECT name FROM main.sqlite_schema
             WHERE type = 'table' AND name <> 'sums' AND name NOT LIKE 'sqlite%' ORDER BY name";
        let mut statement = connection.prepare(sql)?;
        let names = statement.query_map([], |row| row.get(0))?;
        names
            .map(|name| {
                let name: String = name?;
                let sql = "SELECT name FROM pragma_table_info(?1, 'main') ORDER BY cid";
                let mut statement = connection.prepare_cached(sql)?;
                let columns = statement.query_map([&name], |row| row.get(0))?;
                let columns = columns.collect::<Result<_, _>>()?;
                Ok(Self { name, columns })
            })
            .collect()
    }

    /// Returns the SQL call that sums a row; `of` is `NEW.`, `OLD.` or empty.
    fn call(&self, of: &str) -> String {
        let name = match self.name.as_str() {
            "message" => {
                format!("CASE WHEN {of}ended IS NULL THEN 'message' ELSE '{ENDED}' END")
            }
            name => format!("'{name}'"),
        };
        let columns: Vec<_> = self
            .columns
            .iter()
            .map(|column| format!("{of}\"{column}\""))
            .collect();
        format!("sum_row({name}, {})", columns.join(", "))
    }

    fn triggers(&self) -> String {
        let (name, old, new) = (&self.name, self.call("OLD."), self.call("NEW."));
        format!(
            "CREATE TEMP TRIGGER \"sum_{name}_in\" AFTER INSERT ON main.\"{name}\"
                 BEGIN SELECT {new}; END;
             CREATE TEMP TRIGGER \"sum_{name}_out\" AFTER DELETE ON main.\"{name}\"
                 BEGIN SELECT {old}; END;
             CREATE TEMP TRIGGER \"sum_{name}_moved\" AFTER UPDATE ON main.\"{name}\"
                 BEGIN SELECT {old}, {new}; END;"
        )
    }

    fn queries(&self, extent: Extent) -> Vec<String> {
        let (name, call) = (&self.name, self.call(""));
        match (name.as_str(), extent) {
            ("message", Extent::AllButEnded) => vec![format!(
                "SELECT COUNT({call}) FROM message INDEXED BY message_open WHERE ended IS NULL"
            )],
            _ => vec![format!("SELECT COUNT({call}) FROM \"{name}\" NOT INDEXED")],
        }
    }
}

fn mix_value(hash: u64, value: ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Null => mix(hash, 1),
        ValueRef::Integer(number) => mix(mix(hash, 2), number.cast_unsigned()),
        ValueRef::Real(number) => mix(mix(hash, 3), number.to_bits()),
        ValueRef::Text(bytes) => mix_bytes(mix(hash, 4), bytes),
        ValueRef::Blob(bytes) => mix_bytes(mix(hash, 5), bytes),
    }
}

fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let hash = mix(hash, bytes.len() as u64);
    bytes.chunks(8).fold(hash, |hash, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(hash, u64::from_le_bytes(word))
    })
}

/// Mixes one word into a hash; two different words never give the same result.
///
/// Sums are stored, so this never changes.
fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_never_changes() {
        let hash = mix_value(7, ValueRef::Text(b"see you at noon"));
        assert_eq!(mix_value(hash, ValueRef::Integer(-3)), HASH);
    }

    const HASH: u64 = 16_690_556_481_629_600_362;
}
