//! Groups that are there: shown, listed, changed, removed.

use crate::actor::Actor;
use crate::contacts::{self, ContactRefused, ContactView, PERMISSION, VIEW};
use crate::failure::Failure;
use crate::groups::{GroupPatch, GroupRefused, GroupView};
use crate::listing::{self, ListRequest, Listed};
use crate::purge;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Group;
use hub_store::contacts::by;
use hub_store::list::Filter;
use hub_store::{Tx, groups, relative_schedules};
use postrider_model::{ContactId, GroupId};

/// Shows a group.
pub async fn get(actor: &Actor, id: GroupId) -> Result<GroupView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let reading = actor.hub.store.of(project);
    let group = reading.read(move |tx| groups::get(tx, project, id)).await?;
    Ok(GroupView(group.ok_or(GroupRefused::NoSuchGroup)?))
}

/// Lists the groups of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<GroupView>, Failure> {
    actor.require(VIEW)?;
    listing::of_project(actor, request, groups::list, groups::count, GroupView).await
}

/// Lists the groups that a contact is in, dynamic ones included.
pub async fn of_contact(
    actor: &Actor,
    id: ContactId,
    mut request: ListRequest,
) -> Result<Listed<GroupView>, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let reading = actor.hub.store.of(project).read(move |tx: &mut Tx<'_>| {
        let contact = hub_store::contacts::get(tx, project, id)?;
        contact.ok_or(ContactRefused::NoSuchContact)?;
        Ok::<_, Failure>(hub_store::contacts::filter_of_contact(tx, project, id)?)
    });
    request.query.filters.push(reading.await?);
    list(actor, request).await
}

/// Lists the contacts of a group; those of a dynamic one are those that meet its filters now.
pub async fn contacts_of(
    actor: &Actor,
    id: GroupId,
    mut request: ListRequest,
) -> Result<Listed<ContactView>, Failure> {
    get(actor, id).await?;
    let within = Filter::within(by::GROUP, id.get());
    request.query.filters.push(within);
    contacts::list(actor, request).await
}

/// Changes a group.
pub async fn update(actor: &Actor, id: GroupId, patch: GroupPatch) -> Result<GroupView, Failure> {
    actor.require(PERMISSION)?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut group = found(work, id)?;
        if patch.filters.is_some() && !group.is_dynamic() {
            return Err(GroupRefused::NotDynamic.into());
        }
        patch.check(work, Some(id))?;
        patch.apply(&mut group)?;
        groups::update(work.tx, &group)?;
        Ok::<_, Failure>(GroupView(group))
    };
    run(actor, decide).await
}

/// Removes a group; its contacts stay.
pub async fn delete(actor: &Actor, id: GroupId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let project = work.project.id;
        if !groups::delete(work.tx, project, id, work.now.unix)? {
            return Err(GroupRefused::NoSuchGroup.into());
        }
        relative_schedules::walk_group(work.tx, project, id)?;
        Ok::<_, Failure>(())
    };
    run(actor, decide).await?;
    purge::leftovers_soon(&actor.hub);
    Ok(())
}

/// Finds a group of the project.
pub(super) fn found(work: &mut UnitOfWork<'_, '_>, id: GroupId) -> Result<Group, Failure> {
    let group = groups::get(work.tx, work.project.id, id)?;
    Ok(group.ok_or(GroupRefused::NoSuchGroup)?)
}
