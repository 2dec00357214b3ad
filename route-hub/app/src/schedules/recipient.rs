//! Whom a scheduled message is for.

use crate::actor::Actor;
use crate::commands::new_message::To;
use crate::failure::Failure;
use crate::messages::planned::Planned;
use crate::tasks::Found;
use crate::unit_of_work::UnitOfWork;
use hub_domain::ScheduledTo;
use hub_store::{contacts, groups};
use hub_view::Refusal;
use postrider_model::{ContactId, GroupId};

/// Whom somebody names: a group, or one as a message names it.
#[derive(Debug, Clone, Default)]
pub struct RecipientPatch {
    /// A group.
    pub group_id: Option<GroupId>,
    /// A filter of contacts.
    pub filter: Option<Found>,
    /// A number, a code or a contact.
    pub to: To,
}

impl RecipientPatch {
    /// Says whom it names, as this message can go to; `None` where it names nobody.
    pub(super) fn named(
        &self,
        planned: &Planned,
        actor: &Actor,
    ) -> Result<Option<ScheduledTo>, Refusal> {
        if let Some(found) = &self.filter {
            return self.filter(found, planned, actor).map(Some);
        }
        match self.group_id {
            None if self.to == To::default() => Ok(None),
            None => planned.recipient(&self.to, &actor.project).map(Some),
            Some(group) => self.group(group, planned).map(Some),
        }
    }

    fn filter(
        &self,
        found: &Found,
        planned: &Planned,
        actor: &Actor,
    ) -> Result<ScheduledTo, Refusal> {
        let refused = |rule| Err(Refusal::invalid_param("filter_type", rule));
        if self.group_id.is_some() || self.to != To::default() {
            return refused("is one kind of recipients, and another is named");
        }
        if planned.is_for_code() {
            refused("finds nobody that a code is sent to")
        } else {
            found.of_contacts(actor).map(ScheduledTo::Filter)
        }
    }

    fn group(&self, group: GroupId, planned: &Planned) -> Result<ScheduledTo, Refusal> {
        let other = match (&self.to.number, self.to.contact_id) {
            (Some(_), _) => Some("to_number"),
            (None, Some(_)) => Some("contact_id"),
            (None, None) => None,
        };
        if let Some(other) = other {
            let rule = "and group_id are two recipients: name one";
            return Err(Refusal::invalid_param(other, rule));
        }
        if planned.is_for_code() {
            Err(Refusal::invalid_param(
                "group_id",
                "is nobody that a code is sent to",
            ))
        } else {
            Ok(ScheduledTo::Group(group))
        }
    }
}

/// Checks that a recipient is there, and returns the contact in whose list the schedule stands.
pub(super) fn listed(
    work: &mut UnitOfWork<'_, '_>,
    to: &ScheduledTo,
    is_for_code: bool,
) -> Result<Option<ContactId>, Failure> {
    let project = work.project.id;
    let missing = |param, what| {
        let rule = format_args!("is not the id of a {what} of this project");
        Refusal::invalid_param(param, rule)
    };
    match to {
        ScheduledTo::Filter(_) => Ok(None),
        ScheduledTo::Number(_) if is_for_code => Ok(None),
        ScheduledTo::Number(number) => {
            let contact = contacts::find_by_number(work.tx, project, number)?;
            Ok(contact.map(|contact| contact.id))
        }
        ScheduledTo::Contact(id) => {
            let contact = contacts::get(work.tx, project, *id)?;
            let contact = contact.ok_or_else(|| missing("contact_id", "contact"))?;
            Ok(Some(contact.id))
        }
        ScheduledTo::Group(id) => {
            let group = groups::get(work.tx, project, *id)?;
            let group = group.ok_or_else(|| missing("group_id", "group"))?;
            if !group.allow_sending {
                let rule = "is a group to which sending is not allowed";
                return Err(Refusal::invalid_param("group_id", rule).into());
            }
            Ok(None)
        }
    }
}
