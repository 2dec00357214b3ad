//! `update_row_var`: sets a custom variable of rows.

use super::OfRows;
use crate::data_tables::rows::RowPatch;
use crate::data_tables::rows::saving::Saving;
use crate::failure::Failure;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::DataRow;
use hub_view::Refusal;

struct UpdateRowVar(RowPatch);

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfRows>, Refusal> {
    let vars = given.change()?;
    let set = RowPatch {
        vars,
        ..RowPatch::default()
    };
    Ok(Box::new(UpdateRowVar(set)))
}

impl OfRows for UpdateRowVar {
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut Saving,
        before: DataRow,
    ) -> Result<(), Failure> {
        let mut row = before.clone();
        self.0.apply(&mut row)?;
        saving.save(work, Some(&before), row)?;
        Ok(())
    }
}
