//! What is to be set of a contact, and which groups it joins and leaves.

use crate::actor::Actor;
use crate::contacts::ContactRefused;
use crate::failure::Failure;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Address, Contact, ConversationStatus, Group, RouteId, VarsChange, numbers};
use hub_store::groups;
use postrider_model::GroupId;

/// What is to be set; what is `None` stays, and an inner `None` takes it away.
#[derive(Debug, Clone, Default)]
pub struct ContactPatch {
    /// The name.
    pub name: Option<Option<String>>,
    /// The number.
    pub phone_number: Option<Option<Address>>,
    /// Whether nothing is sent to it.
    pub send_blocked: Option<bool>,
    /// How far a person is with it.
    pub conversation_status: Option<ConversationStatus>,
    /// What sends to it.
    pub default_route_id: Option<Option<RouteId>>,
    /// Its custom variables.
    pub vars: VarsChange,
}

impl ContactPatch {
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_ref()?.as_deref()
    }

    pub(super) fn number(&self) -> Option<&Address> {
        self.phone_number.as_ref()?.as_ref()
    }

    /// Changes a contact.
    ///
    /// A number by which the contact was found (`by_number`) changes it only when it says more than
    /// what the contact has.
    pub(crate) fn apply(
        &self,
        contact: &mut Contact,
        by_number: bool,
    ) -> Result<(), ContactRefused> {
        if let Some(name) = &self.name {
            contact.name.clone_from(name);
        }
        if let Some(number) = &self.phone_number
            && !(by_number && keeps(contact, number.as_ref()))
        {
            contact.number_e164 = number.as_ref().and_then(numbers::in_e164);
            contact.phone_number.clone_from(number);
        }
        if let Some(blocked) = self.send_blocked {
            contact.send_blocked = blocked;
        }
        if let Some(status) = self.conversation_status {
            contact.conversation_status = status;
        }
        if let Some(route) = self.default_route_id {
            contact.default_route_id = route;
        }
        let applied = contact.vars.apply(self.vars.clone());
        applied.map_err(ContactRefused::Vars)
    }
}

/// Checks that what sends to a contact is one of the project's phones and routes.
pub(crate) async fn check_route(
    actor: &Actor,
    route: Option<Option<RouteId>>,
) -> Result<(), Failure> {
    let (cache, store, project) = (&actor.hub.cache, &actor.hub.store, actor.project.id);
    let is_known = match route.flatten() {
        None => true,
        Some(RouteId::Phone(id)) => cache.phone(store, project, id).await?.is_some(),
        Some(RouteId::Custom(id)) => cache.route(store, project, id).await?.is_some(),
    };
    if is_known {
        Ok(())
    } else {
        Err(ContactRefused::UnknownRoute.into())
    }
}

/// A number in E.164 is worth more than one that is only written differently.
fn keeps(contact: &Contact, number: Option<&Address>) -> bool {
    contact.number_e164.is_some() || number.and_then(numbers::in_e164).is_none()
}

/// The groups that contacts join and leave.
#[derive(Debug, Clone, Default)]
pub struct GroupChanges {
    /// The groups to join.
    pub join: Vec<GroupId>,
    /// The groups to leave.
    pub leave: Vec<GroupId>,
}

/// The groups themselves, as they stand in the transaction.
#[derive(Debug, Default)]
pub(crate) struct FoundGroups {
    /// The groups to join, each once.
    pub(crate) join: Vec<Group>,
    /// The groups to leave.
    pub(crate) leave: Vec<GroupId>,
}

impl GroupChanges {
    /// Finds the groups, none of which may be another project's or a dynamic one.
    pub(crate) fn find(&self, work: &mut UnitOfWork<'_, '_>) -> Result<FoundGroups, Failure> {
        let mut join: Vec<Group> = Vec::with_capacity(self.join.len());
        for (index, id) in self.join.iter().enumerate() {
            if join.iter().all(|group| group.id != *id) {
                join.push(normal_group(work, *id, "add_group_ids", index)?);
            }
        }
        for (index, id) in self.leave.iter().enumerate() {
            normal_group(work, *id, "remove_group_ids", index)?;
        }
        let leave = self.leave.clone();
        Ok(FoundGroups { join, leave })
    }
}

fn normal_group(
    work: &mut UnitOfWork<'_, '_>,
    id: GroupId,
    param: &'static str,
    index: usize,
) -> Result<Group, Failure> {
    match groups::get(work.tx, work.project.id, id)? {
        None => Err(ContactRefused::UnknownGroup { param, index }.into()),
        Some(group) if group.is_dynamic() => {
            Err(ContactRefused::DynamicGroup { param, index }.into())
        }
        Some(group) => Ok(group),
    }
}
