//! Fields: what a project says of its contacts' and messages' variables.
//!
//! Both kinds have the same three operations; a field is made when its variable is first written.

mod change;
pub mod clearing;
pub mod contacts;
mod list;
pub mod messages;
mod model;

use crate::hub::Hub;
use hub_domain::{FieldOwner, Permission, Vars};
use hub_store::{StoreError, Tx, fields};
use postrider_model::{Now, ProjectId};

/// What the operations of one kind go by.
#[derive(Debug, Clone, Copy)]
struct Kind {
    owner: FieldOwner,
    view: Permission,
    edit: Permission,
}

const CONTACTS: Kind = Kind {
    owner: FieldOwner::Contact,
    view: Permission::ViewContacts,
    edit: Permission::EditContacts,
};

const MESSAGES: Kind = Kind {
    owner: FieldOwner::Message,
    view: Permission::ViewMessages,
    edit: Permission::SendMessages,
};

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
