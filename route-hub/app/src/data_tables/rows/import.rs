//! Finding rows, or making them, many together.

use crate::actor::Actor;
use crate::data_tables::rows::RowPatch;
use crate::data_tables::rows::saving::Saving;
use crate::data_tables::{PERMISSION, found_in};
use crate::failure::Failure;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{DataRow, VarValue};
use hub_store::data_rows;
use hub_view::Refusal;
use postrider_model::{ContactId, DataRowId, DataTableId};

/// By what a row is looked up; of several the oldest is meant.
#[derive(Debug, Clone, PartialEq)]
pub enum Lookup {
    /// By nothing: it is new.
    Nothing,
    /// By its id: it must be there.
    Id(DataRowId),
    /// By the contact that it is about.
    Contact(ContactId),
    /// By the value of a variable.
    Variable(String, VarValue),
}

/// A row that is changed if it is there, and made if not.
#[derive(Debug, Clone)]
pub struct NewRow {
    /// By what it is looked up.
    pub lookup: Lookup,
    /// What is to be set.
    pub patch: RowPatch,
}

impl NewRow {
    /// Refuses what names something that is not there.
    pub(crate) fn check(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        table: DataTableId,
    ) -> Result<(), Failure> {
        self.patch.check(work)?;
        let Lookup::Id(id) = self.lookup else {
            return Ok(());
        };
        match data_rows::get(work.tx, work.project.id, table, id)? {
            Some(_) => Ok(()),
            None => {
                let rule = "is not the id of a row of this table";
                Err(Refusal::invalid_param("id", rule).into())
            }
        }
    }

    /// Finds the row; `None` when there is none yet.
    pub(crate) fn find(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        table: DataTableId,
    ) -> Result<Option<DataRow>, Failure> {
        let (tx, project) = (&mut *work.tx, work.project.id);
        Ok(match &self.lookup {
            Lookup::Nothing => None,
            Lookup::Id(id) => data_rows::get(tx, project, table, *id)?,
            Lookup::Contact(id) => data_rows::find_by_contact(tx, project, table, *id)?,
            Lookup::Variable(name, value) => {
                data_rows::find_by_variable(tx, project, table, name, value)?
            }
        })
    }

    pub(crate) fn save(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        table: DataTableId,
        saving: &mut Saving,
    ) -> Result<DataRowId, Failure> {
        let before = self.find(work, table)?;
        let new = || DataRow::new(work.id(), work.project.id, table, work.now.unix);
        let mut row = before.clone().unwrap_or_else(new);
        self.patch.apply(&mut row)?;
        Ok(saving.save(work, before.as_ref(), row)?.id)
    }
}

/// Finds or makes rows, all of them or none, and returns their ids in the same order.
pub async fn import(
    actor: &Actor,
    table: DataTableId,
    rows: Vec<NewRow>,
) -> Result<Vec<DataRowId>, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        found_in(work, table)?;
        let contacts = rows.iter().filter_map(|row| row.patch.contact_id.flatten());
        work.contacts.look_up(work.tx, work.project.id, contacts)?;
        // What can be refused is refused before the first write, which is cheaper.
        for (index, row) in rows.iter().enumerate() {
            row.check(work, table)
                .map_err(|failure| of_item(failure, index))?;
        }
        let mut saving = Saving::new(work, table);
        let mut ids = Vec::with_capacity(rows.len());
        for (index, row) in rows.iter().enumerate() {
            let saved = row.save(work, table, &mut saving);
            ids.push(saved.map_err(|failure| of_item(failure, index))?);
        }
        saving.finish(work)?;
        Ok::<_, Failure>(ids)
    })
    .await
}

/// Names a row's parameter by its place among all of them.
fn of_item(failure: Failure, index: usize) -> Failure {
    failure.within(format_args!("rows[{index}]"))
}
