//! Fields: what a project says of its contacts' and messages' variables.

mod change;
pub(crate) mod clearing;
#[cfg(test)]
mod tests;

pub use change::{FieldChange, FieldPatch, change, change_many};

use crate::actor::Actor;
use crate::failure::Failure;
use crate::views::field::FieldView;
use hub_domain::{FieldOwner, Permission, Vars};
use hub_store::{StoreError, Tx, fields};
use postrider_model::{ProjectId, UnixMs};

/// Returns what whoever looks at the fields of an owner needs.
pub const fn permission_to_view(owner: FieldOwner) -> Permission {
    match owner {
        FieldOwner::Contact => Permission::ViewContacts,
        FieldOwner::Message => Permission::ViewMessages,
    }
}

/// Returns what whoever changes the fields of an owner needs.
pub const fn permission_to_change(owner: FieldOwner) -> Permission {
    match owner {
        FieldOwner::Contact => Permission::EditContacts,
        FieldOwner::Message => Permission::SendMessages,
    }
}

/// Lists the fields of an owner, in their order.
pub async fn list(actor: &Actor, owner: FieldOwner) -> Result<Vec<FieldView>, Failure> {
    actor.require(permission_to_view(owner))?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    Ok(share.read(move |tx| views(tx, project, owner)).await?)
}

fn views(
    tx: &mut Tx<'_>,
    project: ProjectId,
    owner: FieldOwner,
) -> Result<Vec<FieldView>, StoreError> {
    let fields = fields::all(tx, project, owner)?;
    Ok(fields.into_iter().map(FieldView::from).collect())
}

/// Notes the variables of a message: each has a field.
pub fn note(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    vars: &Vars,
    now: UnixMs,
) -> Result<(), StoreError> {
    if vars.is_empty() {
        return Ok(());
    }
    let mut fields = fields::Fields::new(project_id, FieldOwner::Message, now);
    for (name, _) in vars.iter() {
        fields.key(tx, name)?;
    }
    Ok(())
}
