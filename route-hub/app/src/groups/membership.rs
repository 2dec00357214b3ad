//! Contacts joining a group and leaving it.

use crate::actor::Actor;
use crate::contacts::{self, FoundGroups, PERMISSION, saving};
use crate::failure::Failure;
use crate::groups::GroupRefused;
use crate::groups::existing::found;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Group;
use postrider_model::{ContactId, GroupId};

/// Puts a contact into a group; one that is in it stays.
pub async fn join(actor: &Actor, group: GroupId, contact: ContactId) -> Result<(), Failure> {
    change(actor, group, contact, |group| FoundGroups {
        join: vec![group],
        leave: Vec::new(),
    })
    .await
}

/// Takes a contact out of a group; one that is not in it is left alone.
pub async fn leave(actor: &Actor, group: GroupId, contact: ContactId) -> Result<(), Failure> {
    change(actor, group, contact, |group| FoundGroups {
        join: Vec::new(),
        leave: vec![group.id],
    })
    .await
}

async fn change(
    actor: &Actor,
    group: GroupId,
    contact: ContactId,
    changes: fn(Group) -> FoundGroups,
) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let group = normal(work, group)?;
        let before = contacts::found(work, contact)?;
        let groups = changes(group);
        saving::save(work, Some(&before), before.clone(), &groups)?;
        Ok::<_, Failure>(())
    };
    run(actor, decide).await
}

/// Finds a group that contacts may join and leave.
pub(crate) fn normal(work: &mut UnitOfWork<'_, '_>, id: GroupId) -> Result<Group, Failure> {
    let group = found(work, id)?;
    if group.is_dynamic() {
        Err(GroupRefused::Dynamic.into())
    } else {
        Ok(group)
    }
}
