//! One job on the hub as a whole: its organizations, projects, keys, phones and devices.
//!
//! A [`UnitOfWork`] is in one project, known before the job. Here the job makes or finds the project:
//! the operator's commands work this way, and requests that concern an organization.

use crate::actor::Who;
use crate::audit;
use crate::hub::Hub;
use crate::unit_of_work::Effects;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Project;
use hub_store::{StoreError, Tx};
use postrider_model::{Id, Now, OrganizationId};
use std::fmt;

/// What such a job gets, and what it gathers until its end.
pub struct HubWork<'w, 't> {
    /// The hub.
    pub hub: &'w Hub,
    /// The transaction that it is written in.
    pub tx: &'w mut Tx<'t>,
    /// Who does it.
    pub who: Who,
    /// When it was begun.
    pub now: Now,
    /// What follows the commit.
    pub effects: Effects,
}

impl<'w, 't> HubWork<'w, 't> {
    /// Begins what somebody does.
    pub fn new(hub: &'w Hub, tx: &'w mut Tx<'t>, who: Who, now: Now) -> Self {
        Self {
            hub,
            tx,
            who,
            now,
            effects: Effects::default(),
        }
    }

    /// Makes the id of a new row; a job that runs again makes another.
    pub fn id<K>(&mut self) -> Id<K> {
        self.tx.id(self.now.unix)
    }

    /// Writes down in the audit log what was done to an organization itself.
    pub fn note(
        &mut self,
        organization_id: OrganizationId,
        action: &'static str,
        target: impl fmt::Display,
    ) -> Result<(), StoreError> {
        let line = audit::Line {
            organization_id,
            project_id: None,
            action,
            target: target.to_string(),
        };
        audit::write(self.tx, &self.who, line, self.now)
    }

    /// Works in a project; what follows from it follows this job's commit.
    pub fn within<T, E: From<StoreError>>(
        &mut self,
        project: &Project,
        step: impl FnOnce(&mut UnitOfWork<'_, 't>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut work = UnitOfWork::new(self.hub, self.tx, project, self.now);
        work.who = self.who.clone();
        let done = step(&mut work)?;
        let effects = work.finish()?;
        self.effects.merge(effects);
        Ok(done)
    }
}
