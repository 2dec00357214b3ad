//! Finding contacts, or making them: one, or many together.

use crate::actor::Actor;
use crate::contacts::patch::check_route;
use crate::contacts::saving::{self, Saved, Saving};
use crate::contacts::{ContactView, FoundGroups, GroupChanges, Lookup, NewContact, PERMISSION};
use crate::failure::Failure;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue::{self, ContactAdded};
use hub_domain::RouteId;
use hub_store::StoreError;
use postrider_model::ContactId;

/// Contacts that are found or made together.
#[derive(Debug, Clone)]
pub struct NewContacts {
    /// Each of them.
    pub contacts: Vec<NewContact>,
    /// What sends to all of them, whatever each says; an inner `None` takes their own away.
    pub default_route_id: Option<Option<RouteId>>,
    /// The groups that all of them join and leave.
    pub groups: GroupChanges,
}

/// Finds the contact that is meant, or makes it, and changes it.
pub async fn create(
    actor: &Actor,
    command: NewContact,
    groups: GroupChanges,
) -> Result<ContactView, Failure> {
    actor.require(PERMISSION)?;
    command.check()?;
    check_route(actor, command.patch.default_route_id).await?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let groups = groups.find(work)?;
        let (before, contact) = command.resolve(work)?;
        let saved = saving::save(work, before.as_ref(), contact, &groups)?;
        tell_of_new(work, &saved)?;
        Ok::<_, Failure>(ContactView::read(work.tx, saved.contact)?)
    };
    run(actor, decide).await
}

/// Finds or makes contacts, all of them or none, and returns their ids in the same order.
pub async fn import(actor: &Actor, command: NewContacts) -> Result<Vec<ContactId>, Failure> {
    actor.require(PERMISSION)?;
    let contacts = checked(actor, command.contacts, command.default_route_id).await?;
    let groups = command.groups;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let groups = groups.find(work)?;
        NewContact::look_up(work, &contacts)?;
        // Those that must exist are looked for before the first write, which is cheaper to refuse.
        for (index, new) in contacts.iter().enumerate() {
            if matches!(new.lookup, Lookup::Id(_)) {
                new.find(work).map_err(|failure| of_item(failure, index))?;
            }
        }
        let mut saving = Saving::new(work.project.id, work.now);
        let mut all = Vec::with_capacity(contacts.len());
        for (index, new) in contacts.iter().enumerate() {
            let saved = save_one(work, &mut saving, &groups, new);
            all.push(saved.map_err(|failure| of_item(failure, index))?);
        }
        saving.finish(work)?;
        all.iter().try_for_each(|saved| tell_of_new(work, saved))?;
        Ok(all.iter().map(|saved| saved.contact.id).collect())
    };
    run(actor, decide).await
}

/// Finds or makes one contact of many, among those that were looked up together.
pub(crate) fn save_one(
    work: &mut UnitOfWork<'_, '_>,
    saving: &mut Saving,
    groups: &FoundGroups,
    new: &NewContact,
) -> Result<Saved, Failure> {
    let (before, contact) = new.resolve(work)?;
    let saved = saving.save(work.tx, before.as_ref(), contact, groups)?;
    match &before {
        Some(before) => work.contacts.changed(before, &saved.contact),
        None => work.contacts.made(&saved.contact),
    }
    Ok(saved)
}

/// Checks what can be checked of each before the job.
async fn checked(
    actor: &Actor,
    mut contacts: Vec<NewContact>,
    route: Option<Option<RouteId>>,
) -> Result<Vec<NewContact>, Failure> {
    check_route(actor, route).await?;
    for (index, new) in contacts.iter_mut().enumerate() {
        new.check()
            .map_err(|refused| of_item(refused.into(), index))?;
        match route {
            Some(route) => new.patch.default_route_id = Some(route),
            None => {
                let checked = check_route(actor, new.patch.default_route_id).await;
                checked.map_err(|failure| of_item(failure, index))?;
            }
        }
    }
    Ok(contacts)
}

/// Names a contact's parameter by its place among all of them.
fn of_item(failure: Failure, index: usize) -> Failure {
    failure.within(format_args!("contacts[{index}]"))
}

/// Tells webhooks of a contact that is new.
pub(crate) fn tell_of_new(work: &mut UnitOfWork<'_, '_>, saved: &Saved) -> Result<(), StoreError> {
    if saved.is_new {
        enqueue::contact_added(work, &saved.contact, ContactAdded::ByRequest)
    } else {
        Ok(())
    }
}
