//! `add_group_members`, `remove_group_members`: puts contacts into a group, or takes them out.

use super::{OfContacts, normal_group};
use crate::contacts::FoundGroups;
use crate::contacts::saving::Saving;
use crate::failure::Failure;
use crate::tasks::params::{TaskParams, required};
use crate::unit_of_work::UnitOfWork;
use hub_domain::Contact;
use hub_view::Refusal;
use postrider_model::GroupId;

struct GroupMembers {
    id: GroupId,
    joins: bool,
    groups: FoundGroups,
}

pub(super) fn read(given: &TaskParams, joins: bool) -> Result<Box<dyn OfContacts>, Refusal> {
    given.are(&["group_id"])?;
    Ok(Box::new(GroupMembers {
        id: given.group_id.ok_or_else(|| required("group_id"))?,
        joins,
        groups: FoundGroups::default(),
    }))
}

impl OfContacts for GroupMembers {
    fn begin(&mut self, work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        let group = normal_group(work, self.id)?;
        if self.joins {
            self.groups.join = vec![group];
        } else {
            self.groups.leave = vec![group.id];
        }
        Ok(())
    }

    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut Saving,
        contact: Contact,
    ) -> Result<(), Failure> {
        saving.save(work.tx, Some(&contact), contact.clone(), &self.groups)?;
        Ok(())
    }
}
