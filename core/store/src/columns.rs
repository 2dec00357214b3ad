//! Columns to values and back.

use crate::JournalError;
use postrider_machine::{BootId, Stamp};
use postrider_model::{BootMs, SimSlot, UnixMs};
use rusqlite::Row;

/// Converts a count to the database's integer; counts never come near its limit.
pub(crate) fn int(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns the error for a value that this version cannot have written.
pub(crate) fn invalid(table: &'static str, column: &'static str) -> JournalError {
    JournalError::InvalidRow { table, column }
}

/// A row whose columns are read in order.
pub(crate) struct Columns<'a> {
    table: &'static str,
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(table: &'static str, row: &'a Row<'a>) -> Self {
        Self {
            table,
            row,
            next: 0,
        }
    }

    pub(crate) fn table(&self) -> &'static str {
        self.table
    }

    /// Reads the next column as it is.
    pub(crate) fn take<T: rusqlite::types::FromSql>(&mut self) -> Result<T, JournalError> {
        let value = self.row.get(self.next)?;
        self.next += 1;
        Ok(value)
    }

    /// Reads the next column as a number that is never negative.
    pub(crate) fn count<T: TryFrom<i64>>(
        &mut self,
        column: &'static str,
    ) -> Result<T, JournalError> {
        let value: i64 = self.take()?;
        T::try_from(value).map_err(|_| invalid(self.table, column))
    }

    pub(crate) fn sim(&mut self) -> Result<SimSlot, JournalError> {
        let slot = self.count("sim")?;
        SimSlot::new(slot).ok_or_else(|| invalid(self.table, "sim"))
    }

    pub(crate) fn unix(&mut self) -> Result<UnixMs, JournalError> {
        self.take().map(UnixMs)
    }

    /// Reads the three columns of a moment.
    pub(crate) fn stamp(&mut self, column: &'static str) -> Result<Stamp, JournalError> {
        self.maybe_stamp(column)?
            .ok_or_else(|| invalid(self.table, column))
    }

    /// Reads the three columns of a moment that may be missing.
    pub(crate) fn maybe_stamp(
        &mut self,
        column: &'static str,
    ) -> Result<Option<Stamp>, JournalError> {
        let boot_id: Option<String> = self.take()?;
        let mono: Option<i64> = self.take()?;
        let wall: Option<i64> = self.take()?;
        match (boot_id, mono, wall) {
            (None, None, None) => Ok(None),
            (Some(boot_id), Some(mono), Some(wall)) => {
                let mono = u64::try_from(mono).map_err(|_| invalid(self.table, column))?;
                Ok(Some(Stamp {
                    boot_id: BootId::new(&boot_id),
                    boot: BootMs(mono),
                    unix: UnixMs(wall),
                }))
            }
            _ => Err(invalid(self.table, column)),
        }
    }
}
