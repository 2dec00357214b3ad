//! Which contact is meant: one that is stored, or one to be made.

use crate::contacts::{ContactPatch, ContactRefused};
use crate::failure::Failure;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Contact, VarValue};
use hub_store::contacts;
use postrider_model::ContactId;

/// By what a contact is looked up.
#[derive(Debug, Clone, PartialEq)]
pub enum Lookup {
    /// By its number, which the patch has.
    Number,
    /// By its name, which the patch has.
    Name,
    /// By its id: it must be there.
    Id(ContactId),
    /// By the value of a variable.
    Variable(String, VarValue),
    /// By nothing: it is new.
    Nothing,
}

/// A contact that is changed if it is there, and made if not.
#[derive(Debug, Clone)]
pub struct NewContact {
    /// By what it is looked up.
    pub lookup: Lookup,
    /// What is to be set.
    pub patch: ContactPatch,
}

impl NewContact {
    /// Refuses, before anything is looked up, a new contact that nobody could tell from others.
    pub(crate) fn check(&self) -> Result<(), ContactRefused> {
        match self.lookup {
            Lookup::Nothing if !self.can_be_made() => Err(ContactRefused::NoNumberOrName),
            _ => Ok(()),
        }
    }

    /// Looks up together which of these contacts are there.
    pub(crate) fn look_up(work: &mut UnitOfWork<'_, '_>, all: &[Self]) -> Result<(), Failure> {
        let project = work.project.id;
        let numbers = all.iter().filter(|new| new.lookup == Lookup::Number);
        let numbers = numbers.filter_map(|new| new.patch.number());
        work.contacts.look_up_numbers(work.tx, project, numbers)?;
        let ids = all.iter().filter_map(|new| match new.lookup {
            Lookup::Id(id) => Some(id),
            _ => None,
        });
        Ok(work.contacts.look_up(work.tx, project, ids)?)
    }

    /// Finds the contact; `None` when there is none yet.
    pub(crate) fn find(&self, work: &mut UnitOfWork<'_, '_>) -> Result<Option<Contact>, Failure> {
        let (tx, project) = (&mut *work.tx, work.project.id);
        let known = &work.contacts;
        Ok(match &self.lookup {
            Lookup::Number => match self.patch.number() {
                Some(number) => known.find_by_number(tx, project, number)?,
                None => None,
            },
            Lookup::Name => match self.patch.name() {
                Some(name) => contacts::find_by_name(tx, project, name)?,
                None => None,
            },
            Lookup::Variable(name, value) => contacts::find_by_variable(tx, project, name, value)?,
            Lookup::Id(id) => {
                let found = known.get(tx, project, *id)?;
                Some(found.ok_or(ContactRefused::UnknownId)?)
            }
            Lookup::Nothing => None,
        })
    }

    /// Returns the contact as it is stored, if it is, and as it is to be.
    pub(crate) fn resolve(
        &self,
        work: &mut UnitOfWork<'_, '_>,
    ) -> Result<(Option<Contact>, Contact), Failure> {
        let before = self.find(work)?;
        let mut contact = match &before {
            Some(contact) => contact.clone(),
            None if self.can_be_made() => {
                let id = work.id();
                Contact::new(id, work.project.id, None, None, work.now.unix)
            }
            None => return Err(ContactRefused::UnknownVariable.into()),
        };
        let by_number = before.is_some() && self.lookup == Lookup::Number;
        self.patch.apply(&mut contact, by_number)?;
        Ok((before, contact))
    }

    /// A contact needs a number or a name.
    fn can_be_made(&self) -> bool {
        self.patch.number().is_some() || self.patch.name().is_some()
    }
}
