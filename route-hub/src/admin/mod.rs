//! `route-hub admin`: the operator's commands, beside a running hub or without one.
//!
//! They write to the same database and note whom their change concerns (`hub_store::changes`). A
//! running hub notices within a quarter of a second and wakes only those.

mod alerts;
mod args;
mod device;
pub mod invitation;
mod key;
mod organization;
pub(crate) mod output;
mod pair;
mod phone;
mod plan;
mod project;
mod project_settings;
mod short_domain;
mod unfreeze;

pub use args::AdminArgs;

use crate::upgrading;
use args::{AdminCommand, OrganizationCommand};
use hub_app::actor::Who;
use hub_app::data_folder;
use hub_app::data_folder::error::CommandError;
use hub_app::failure::NotDone;
use hub_app::hub::Hub;
use hub_app::hub_work::HubWork;
use hub_store::{Gate, Share, StoreError, Tx, projects};
use output::Output;
use postrider_model::{OrganizationId, ProjectId};
use std::convert::Infallible;
use std::fmt::Display;
use std::sync::{Arc, Mutex, PoisonError};

/// Runs the command.
///
/// # Errors
/// Why it failed, in words for the operator.
pub fn run(args: AdminArgs) -> Result<(), CommandError> {
    let AdminArgs {
        file: _,
        dir,
        database,
        json,
        command,
    } = args;
    let first_step = matches!(
        command,
        AdminCommand::Organization(OrganizationCommand::Create { .. })
    );
    let data = database.data(&dir)?;
    let upgrading = upgrading::printed(true);
    let (hub, _place) = data_folder::open_for_admin(&data, first_step, upgrading)?;
    let admin = Admin {
        hub,
        out: Output { json },
    };
    match command {
        AdminCommand::Organization(command) => organization::run(&admin, command),
        AdminCommand::Project(command) => project::run(&admin, command),
        AdminCommand::Key(command) => key::run(&admin, command),
        AdminCommand::Phone(command) => phone::run(&admin, command),
        AdminCommand::Device(command) => device::run(&admin, command),
        AdminCommand::Pair(args) => pair::run(&admin, args),
        AdminCommand::ShortDomain(command) => short_domain::run(&admin, command),
        AdminCommand::Alerts(args) => alerts::run(&admin, args),
        AdminCommand::Unfreeze(args) => unfreeze::run(&admin, args),
    }
}

/// What every command works with.
struct Admin {
    hub: Hub,
    out: Output,
}

impl Admin {
    /// Runs a job on the hub's own rows, or one that finds nothing to change.
    fn write<T, R, F>(&self, job: F) -> Result<T, CommandError>
    where
        F: FnMut(&mut HubWork<'_, '_>) -> Result<T, NotDone<R>> + Send + 'static,
        T: Send + 'static,
        R: Display + Send + 'static,
    {
        self.write_at(self.hub.store.hub(), job)
    }

    /// Runs a job on the rows of an organization.
    fn write_for<T, R, F>(&self, organization: OrganizationId, job: F) -> Result<T, CommandError>
    where
        F: FnMut(&mut HubWork<'_, '_>) -> Result<T, NotDone<R>> + Send + 'static,
        T: Send + 'static,
        R: Display + Send + 'static,
    {
        self.write_at(self.hub.store.hub_at(Gate::Organization(organization)), job)
    }

    /// Runs a job on the rows of a project and of its organization, whose audit log tells of it.
    /// `find` finds the project; where there is none, the job refuses.
    fn write_in<T, R, F>(
        &self,
        find: impl FnMut(&mut Tx<'_>) -> Result<Option<ProjectId>, StoreError> + Send + 'static,
        job: F,
    ) -> Result<T, CommandError>
    where
        F: FnMut(&mut HubWork<'_, '_>) -> Result<T, NotDone<R>> + Send + 'static,
        T: Send + 'static,
        R: Display + Send + 'static,
    {
        let mut find = find;
        let project = self.read(move |tx| match find(tx)? {
            Some(id) => projects::get(tx, id),
            None => Ok(None),
        })?;
        let Some(project) = project else {
            return self.write(job);
        };
        let share = self.hub.store.hub_at(Gate::Project(project.id));
        self.write_at(share.and(Gate::Organization(project.organization_id)), job)
    }

    /// Runs a job that may be refused, and notes whom its change concerns.
    fn write_at<T, R, F>(&self, share: Share<'_>, job: F) -> Result<T, CommandError>
    where
        F: FnMut(&mut HubWork<'_, '_>) -> Result<T, NotDone<R>> + Send + 'static,
        T: Send + 'static,
        R: Display + Send + 'static,
    {
        let job = Arc::new(Mutex::new(job));
        let done = patiently(|| {
            let (hub, now, job) = (self.hub.clone(), self.hub.now(), Arc::clone(&job));
            share.write_blocking(move |tx| {
                let mut job = job.lock().unwrap_or_else(PoisonError::into_inner);
                let mut work = HubWork::new(&hub, tx, Who::Operator, now);
                let done = job(&mut work)?;
                std::mem::take(&mut work.effects).note(work.tx)?;
                Ok(done)
            })
        });
        Ok(done?)
    }

    /// Reads.
    fn read<T, F>(&self, job: F) -> Result<T, CommandError>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let job = Arc::new(Mutex::new(job));
        let read = patiently(|| {
            let job = Arc::clone(&job);
            self.hub.store.read_blocking(move |tx| {
                let mut job = job.lock().unwrap_or_else(PoisonError::into_inner);
                Ok::<_, NotDone<Infallible>>(job(tx)?)
            })
        });
        Ok(read?)
    }
}

/// How often a command tries while others write; each time the store waits for them.
const TRIES: usize = 6;

/// Tries again while others hold the database.
fn patiently<T, R>(mut work: impl FnMut() -> Result<T, NotDone<R>>) -> Result<T, NotDone<R>> {
    let mut done = work();
    for _ in 1..TRIES {
        if !matches!(done, Err(NotDone::Store(StoreError::Busy))) {
            break;
        }
        done = work();
    }
    done
}
