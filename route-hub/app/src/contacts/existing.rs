//! Contacts that are there: shown, listed, changed, removed.

use crate::actor::Actor;
use crate::contacts::patch::check_route;
use crate::contacts::{
    ContactPatch, ContactRefused, ContactView, GroupChanges, PERMISSION, VIEW, saving,
};
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Contact;
use hub_store::{Tx, contacts, relative_schedules};
use postrider_model::ContactId;

/// Returns a contact, for whoever does something else with it.
pub async fn find(actor: &Actor, id: ContactId) -> Result<Contact, Failure> {
    let project = actor.project.id;
    let reading = actor.hub.store.of(project);
    let found = reading
        .read(move |tx| contacts::get(tx, project, id))
        .await?;
    Ok(found.ok_or(ContactRefused::NoSuchContact)?)
}

/// Shows a contact.
pub async fn get(actor: &Actor, id: ContactId) -> Result<ContactView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let reading = actor.hub.store.of(project).read(move |tx: &mut Tx<'_>| {
        let contact = contacts::get(tx, project, id)?;
        let contact = contact.ok_or(ContactRefused::NoSuchContact)?;
        Ok::<_, Failure>(ContactView::read(tx, contact)?)
    });
    reading.await
}

/// Lists the contacts of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<ContactView>, Failure> {
    actor.require(VIEW)?;
    let id = actor.project.id;
    listing::list(
        actor.hub.store.of(id),
        request,
        move |tx, query| contacts::list(tx, id, query),
        move |tx, query| contacts::count(tx, id, query),
        ContactView::read_all,
    )
    .await
}

/// Changes a contact.
pub async fn update(
    actor: &Actor,
    id: ContactId,
    patch: ContactPatch,
    groups: GroupChanges,
) -> Result<ContactView, Failure> {
    actor.require(PERMISSION)?;
    check_route(actor, patch.default_route_id).await?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let before = found(work, id)?;
        let groups = groups.find(work)?;
        let mut contact = before.clone();
        patch.apply(&mut contact, false)?;
        let saved = saving::save(work, Some(&before), contact, &groups)?;
        Ok::<_, Failure>(ContactView::read(work.tx, saved.contact)?)
    };
    run(actor, decide).await
}

/// Removes a contact; its messages stay.
pub async fn delete(actor: &Actor, id: ContactId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| remove(work, id)).await
}

/// Removes a contact within a unit of work.
pub(crate) fn remove(work: &mut UnitOfWork<'_, '_>, id: ContactId) -> Result<(), Failure> {
    let project = work.project.id;
    if !contacts::delete(work.tx, project, id, work.now.unix)? {
        return Err(ContactRefused::NoSuchContact.into());
    }
    if relative_schedules::any(work.tx, project)? {
        relative_schedules::note_change(work.tx, project, id)?;
    }
    Ok(())
}

/// Finds a contact of the project.
pub(crate) fn found(work: &mut UnitOfWork<'_, '_>, id: ContactId) -> Result<Contact, Failure> {
    let contact = contacts::get(work.tx, work.project.id, id)?;
    Ok(contact.ok_or(ContactRefused::NoSuchContact)?)
}
