//! `delete_rows`: removes rows.

use super::OfRows;
use crate::data_tables::rows::saving::Saving;
use crate::failure::Failure;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::DataRow;
use hub_view::Refusal;

struct DeleteRows;

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfRows>, Refusal> {
    given.are(&[])?;
    Ok(Box::new(DeleteRows))
}

impl OfRows for DeleteRows {
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut Saving,
        row: DataRow,
    ) -> Result<(), Failure> {
        saving.remove(work, row.id)?;
        Ok(())
    }
}
