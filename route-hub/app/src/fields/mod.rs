//! Fields: what a project says of its contacts' and messages' variables.

pub mod clearing;
pub mod view;

use crate::hub::Hub;
use hub_domain::{FieldOwner, Vars};
use hub_store::{StoreError, Tx, fields};
use postrider_model::{Now, ProjectId};

/// Notes the variables of a message: each has a field.
pub fn note(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    vars: &Vars,
    now: Now,
) -> Result<(), StoreError> {
    if vars.is_empty() {
        return Ok(());
    }
    let mut fresh_key = || hub.key(now).get();
    let mut fields = fields::Fields::new(project_id, FieldOwner::Message, &mut fresh_key);
    for (name, _) in vars.iter() {
        fields.key(tx, name)?;
    }
    Ok(())
}
