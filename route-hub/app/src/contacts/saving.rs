//! Changing contacts: a contact's row, its variables and its groups in one unit of work.

use crate::contacts::blocking;
use crate::contacts::patch::FoundGroups;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Contact, FieldOwner, Vars, VarsChange};
use hub_store::fields::Fields;
use hub_store::groups::Moves;
use hub_store::{StoreError, Tx, contacts, relative_schedules};
use postrider_model::{ContactId, Now, ProjectId};
use serde_json::json;

/// The contacts that one unit of work changes.
///
/// Fields are looked up once for all of them. [`Saving::finish`] writes each group's number of members
/// once.
pub(crate) struct Saving {
    fields: Fields,
    moves: Moves,
    now: Now,
    /// Whether relative schedules follow the project's contacts; looked up when first needed.
    followed: Option<bool>,
    /// Contacts that were not blocked before.
    blocked: Vec<ContactId>,
}

/// What is saved of one contact.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    /// As it is stored now.
    pub(crate) contact: Contact,
    /// Whether it is new.
    pub(crate) is_new: bool,
}

impl Saving {
    /// Begins.
    pub(crate) fn new(project_id: ProjectId, now: Now) -> Self {
        Self {
            fields: Fields::new(project_id, FieldOwner::Contact, now.unix),
            moves: Moves::default(),
            now,
            followed: None,
            blocked: Vec::new(),
        }
    }

    /// Stores a contact as it is to be, takes it out of groups and puts it into others.
    ///
    /// `before` is what is stored, `None` for a new contact. Only what changes is written. A group's
    /// `add_time_variable` gets the time of joining, unless the contact has a value there.
    pub(crate) fn save(
        &mut self,
        tx: &mut Tx<'_>,
        before: Option<&Contact>,
        mut contact: Contact,
        groups: &FoundGroups,
    ) -> Result<Saved, StoreError> {
        let mut moved = false;
        if before.is_some() {
            for group in &groups.leave {
                moved |= self.moves.leave(tx, *group, contact.id)?;
            }
        }
        for group in &groups.join {
            let (moves, at) = (&mut self.moves, self.now.unix);
            let joined = match before {
                Some(_) => moves.join(tx, group.id, contact.id, at)?,
                None => {
                    moves.join_new(tx, group.id, contact.id, at)?;
                    true
                }
            };
            moved |= joined;
            if joined && let Some(variable) = &group.add_time_variable {
                stamp(&mut contact.vars, variable, self.now);
            }
        }
        let is_new = before.is_none();
        if contact.send_blocked && before.is_some_and(|before| !before.send_blocked) {
            self.blocked.push(contact.id);
        }
        match before {
            None => contacts::create(tx, &mut self.fields, &contact)?,
            Some(before) if *before == contact => {}
            Some(before) => {
                contact.time_updated = self.now.unix;
                contacts::change(tx, &mut self.fields, before, &contact)?;
            }
        }
        let other_dates = match before {
            None => !contact.vars.is_empty(),
            Some(before) => {
                before.vars != contact.vars || before.phone_number != contact.phone_number
            }
        };
        if moved || other_dates {
            self.note(tx, &contact)?;
        }
        Ok(Saved { contact, is_new })
    }

    /// Notes that the contact changed, if the project has schedules that follow contacts.
    fn note(&mut self, tx: &mut Tx<'_>, contact: &Contact) -> Result<(), StoreError> {
        let followed = match self.followed {
            Some(followed) => followed,
            None => relative_schedules::any(tx, contact.project_id)?,
        };
        self.followed = Some(followed);
        if followed {
            relative_schedules::note_change(tx, contact.project_id, contact.id)
        } else {
            Ok(())
        }
    }

    /// Ends the unit of work: writes the numbers of members, and cancels what is queued for contacts
    /// that were blocked.
    pub(crate) fn finish(self, work: &mut UnitOfWork<'_, '_>) -> Result<(), StoreError> {
        self.moves.finish(work.tx)?;
        blocking::begin(work, &self.blocked)
    }
}

/// Saves one contact by itself.
pub(crate) fn save(
    work: &mut UnitOfWork<'_, '_>,
    before: Option<&Contact>,
    contact: Contact,
    groups: &FoundGroups,
) -> Result<Saved, StoreError> {
    let mut saving = Saving::new(contact.project_id, work.now);
    let saved = saving.save(work.tx, before, contact, groups)?;
    saving.finish(work)?;
    Ok(saved)
}

/// Writes the time into a variable that is empty; a contact with as many variables as it may have
/// goes without.
fn stamp(vars: &mut Vars, variable: &str, now: Now) {
    if vars.get(variable).is_none()
        && let Ok(change) = VarsChange::parse(&json!({ variable: now.unix.seconds() }))
    {
        drop(vars.apply(change));
    }
}
