//! Making, changing and removing rows.

use crate::actor::Actor;
use crate::data_tables::rows::found;
use crate::data_tables::rows::saving::Saving;
use crate::data_tables::{PERMISSION, found_in};
use crate::failure::Failure;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::vars;
use crate::views::data_row::DataRowView;
use hub_domain::{Address, DataRow, VarsChange};
use hub_store::data_rows;
use hub_view::Refusal;
use postrider_model::{ContactId, DataRowId, DataTableId};

/// What is to be set of a row; what is `None` stays, and an inner `None` takes it away.
#[derive(Debug, Clone, Default)]
pub struct RowPatch {
    /// The contact that it is about.
    pub contact_id: Option<Option<ContactId>>,
    /// The number that it came from.
    pub from_number: Option<Option<Address>>,
    /// What it holds.
    pub vars: VarsChange,
}

impl RowPatch {
    /// Refuses a contact that the project does not have.
    pub(super) fn check(&self, work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        let Some(Some(id)) = self.contact_id else {
            return Ok(());
        };
        match work.contacts.get(work.tx, work.project.id, id)? {
            Some(_) => Ok(()),
            None => {
                let rule = "is not the id of a contact of this project";
                Err(Refusal::invalid_param("contact_id", rule).into())
            }
        }
    }

    pub(crate) fn apply(&self, row: &mut DataRow) -> Result<(), Refusal> {
        row.contact_id = self.contact_id.unwrap_or(row.contact_id);
        if let Some(number) = &self.from_number {
            row.from_number.clone_from(number);
        }
        vars::apply(&mut row.vars, &self.vars)
    }
}

/// Makes a row.
pub async fn create(
    actor: &Actor,
    table: DataTableId,
    patch: RowPatch,
) -> Result<DataRowView, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        found_in(work, table)?;
        patch.check(work)?;
        let mut row = DataRow::new(work.id(), work.project.id, table, work.now.unix);
        patch.apply(&mut row)?;
        let mut saving = Saving::new(work, table);
        let row = saving.save(work, None, row)?;
        saving.finish(work)?;
        Ok(DataRowView(row))
    })
    .await
}

/// Changes a row.
pub async fn update(
    actor: &Actor,
    table: DataTableId,
    id: DataRowId,
    patch: RowPatch,
) -> Result<DataRowView, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        found_in(work, table)?;
        let before = found(data_rows::get(work.tx, work.project.id, table, id)?)?;
        patch.check(work)?;
        let mut row = before.clone();
        patch.apply(&mut row)?;
        let row = Saving::new(work, table).save(work, Some(&before), row)?;
        Ok::<_, Failure>(DataRowView(row))
    })
    .await
}

/// Removes a row.
pub async fn delete(actor: &Actor, table: DataTableId, id: DataRowId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        found_in(work, table)?;
        let mut saving = Saving::new(work, table);
        found(saving.remove(work, id)?.then_some(()))?;
        Ok::<_, Failure>(saving.finish(work)?)
    })
    .await
}
