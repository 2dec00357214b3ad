//! Changing rows: a row and its variables, and the number of rows of their table.

use crate::unit_of_work::UnitOfWork;
use hub_domain::{DataRow, FieldOwner};
use hub_store::fields::Fields;
use hub_store::{StoreError, data_rows, data_tables};
use postrider_model::{DataRowId, DataTableId};

/// The rows of one table that a unit of work makes, changes and removes; their fields are looked up once.
pub(crate) struct Saving {
    table: DataTableId,
    fields: Fields,
    /// How many more there are than before.
    more: i64,
}

impl Saving {
    pub(crate) fn new(work: &UnitOfWork<'_, '_>, table: DataTableId) -> Self {
        let owner = FieldOwner::Table(table);
        Self {
            table,
            fields: Fields::new(work.project.id, owner, work.now.unix),
            more: 0,
        }
    }

    /// Stores a row as it is to be; `before` is what is stored, `None` for a new one.
    pub(crate) fn save(
        &mut self,
        work: &mut UnitOfWork<'_, '_>,
        before: Option<&DataRow>,
        mut row: DataRow,
    ) -> Result<DataRow, StoreError> {
        match before {
            None => {
                data_rows::create(work.tx, &mut self.fields, &row)?;
                self.more += 1;
            }
            Some(before) if *before == row => {}
            Some(before) => {
                row.time_updated = work.now.unix;
                data_rows::change(work.tx, &mut self.fields, before, &row)?;
            }
        }
        Ok(row)
    }

    /// Returns how many rows came so far, less those that went.
    pub(crate) const fn more(&self) -> i64 {
        self.more
    }

    /// Removes a row, and says whether it was there.
    pub(crate) fn remove(
        &mut self,
        work: &mut UnitOfWork<'_, '_>,
        id: DataRowId,
    ) -> Result<bool, StoreError> {
        let removed = data_rows::delete(work.tx, work.project.id, self.table, id)?;
        self.more -= i64::from(removed);
        Ok(removed)
    }

    /// Notes how many rows came and went.
    pub(crate) fn finish(self, work: &mut UnitOfWork<'_, '_>) -> Result<(), StoreError> {
        match self.more {
            0 => Ok(()),
            more => {
                let now = work.now.unix;
                data_tables::add_rows(work.tx, work.project.id, self.table, more, now)
            }
        }
    }
}
