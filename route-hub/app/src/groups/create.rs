//! Making groups.

use crate::actor::Actor;
use crate::contacts::PERMISSION;
use crate::failure::Failure;
use crate::groups::{GroupPatch, GroupRefused, GroupView};
use crate::stored_caps::Cap;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Group;
use hub_store::groups;

/// A group to be made, dynamic when its settings have filters.
#[derive(Debug, Clone)]
pub struct NewGroup {
    /// Its name.
    pub name: String,
    /// What differs from the defaults.
    pub settings: GroupPatch,
}

/// Finds the group of a name, or makes a normal one.
pub async fn find_or_create(actor: &Actor, name: String) -> Result<GroupView, Failure> {
    actor.require(PERMISSION)?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if let Some(group) = groups::by_name(work.tx, work.project.id, &name)? {
            return Ok(GroupView(group));
        }
        let group = new(work, &name);
        groups::insert(work.tx, &group)?;
        Ok::<_, Failure>(GroupView(group))
    };
    run(actor, decide).await
}

/// Makes a group.
pub async fn create(actor: &Actor, command: NewGroup) -> Result<GroupView, Failure> {
    actor.require(PERMISSION)?;
    let NewGroup { name, mut settings } = command;
    settings.name = Some(name.clone());
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        settings.check(work, None)?;
        let mut group = new(work, &name);
        settings.apply(&mut group)?;
        if group.is_dynamic()
            && let Some(reached) = Cap::DynamicGroups.reached(work.tx, group.project_id)?
        {
            return Err(GroupRefused::Full(reached).into());
        }
        groups::insert(work.tx, &group)?;
        Ok::<_, Failure>(GroupView(group))
    };
    run(actor, decide).await
}

fn new(work: &mut UnitOfWork<'_, '_>, name: &str) -> Group {
    let id = work.id();
    Group::new(id, work.project.id, name, work.now.unix)
}
