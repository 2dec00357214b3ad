//! Fields: what a project says of the variables of its contacts, its messages and the rows of its
//! data tables.

mod change;
#[cfg(test)]
mod tests;

pub use change::{FieldChange, FieldPatch, change, change_many};

use crate::actor::Actor;
use crate::failure::Failure;
use crate::views::field::FieldView;
use hub_domain::{FieldOwner, Permission, Vars};
use hub_store::{StoreError, Tx, data_tables, fields};
use hub_view::Refusal;
use postrider_model::{ProjectId, UnixMs};

/// Returns what whoever looks at the fields of an owner needs.
pub const fn permission_to_view(owner: FieldOwner) -> Permission {
    match owner {
        FieldOwner::Contact => Permission::ViewContacts,
        FieldOwner::Message => Permission::ViewMessages,
        FieldOwner::Table(_) => Permission::ViewData,
    }
}

/// Returns what whoever changes the fields of an owner needs.
pub const fn permission_to_change(owner: FieldOwner) -> Permission {
    match owner {
        FieldOwner::Contact => Permission::EditContacts,
        FieldOwner::Message => Permission::SendMessages,
        FieldOwner::Table(_) => Permission::EditData,
    }
}

/// Lists the fields of an owner, in their order.
pub async fn list(actor: &Actor, owner: FieldOwner) -> Result<Vec<FieldView>, Failure> {
    actor.require(permission_to_view(owner))?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let reading = share.read(move |tx| {
        check_owner(tx, project, owner)?;
        Ok::<_, Failure>(views(tx, project, owner)?)
    });
    reading.await
}

/// Refuses the fields of a table that is not there.
fn check_owner(tx: &mut Tx<'_>, project: ProjectId, owner: FieldOwner) -> Result<(), Failure> {
    match owner {
        FieldOwner::Contact | FieldOwner::Message => Ok(()),
        FieldOwner::Table(id) => match data_tables::get(tx, project, id)? {
            Some(_) => Ok(()),
            None => Err(Refusal::not_found("table").into()),
        },
    }
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
