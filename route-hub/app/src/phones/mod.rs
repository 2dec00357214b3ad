//! Phones: the basic routes of a project.

mod account;
mod confirm_sim;
mod create;
mod delete;
mod get;
mod list;
mod patch;
mod quiet;
mod release_quiet_hours;
mod reset_sent_count;
mod update;
mod waits;
mod window;

pub use account::AccountPatch;
pub use confirm_sim::confirm_sim;
pub use create::{NewPhone, add_test_phone, create};
pub use delete::delete;
pub use get::{find, get};
pub use list::list;
pub use patch::PhonePatch;
pub use quiet::QuietPatch;
pub use release_quiet_hours::{release_by_operator, release_quiet_hours};
pub use reset_sent_count::reset_sent_count;
pub use update::update;
pub use waits::WaitsPatch;
pub use window::set_window;

pub use crate::views::phone::PhoneView;

use crate::failure::NotDone;
use crate::hub_work::HubWork;
use crate::stored_caps::Reached;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{InvalidVars, Permission, Phone};
use hub_store::{phones, projects};
use hub_view::{Refusal, RefusalCode};
use postrider_model::PhoneId;
use thiserror::Error;

/// Whoever makes, changes or removes phones needs it.
pub const PERMISSION: Permission = Permission::EditRoutes;

/// Why something was not done to a phone.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PhoneRefused {
    /// There is no such phone.
    #[error("there is no such phone")]
    NoSuchPhone,
    /// There is no such project.
    #[error("there is no such project")]
    NoSuchProject,
    /// It belongs to a device.
    #[error("this phone belongs to a device: it goes when its device is revoked")]
    OfADevice,
    /// It does not wait for anybody's word in its quiet hours.
    #[error("the phone's quiet_mode is not confirm")]
    NotConfirm,
    /// The project has as many phones as it may have.
    #[error("the phone {0}")]
    Full(Reached),
    /// A setting breaks a rule.
    #[error("{param} {rule}")]
    Setting {
        /// The parameter that sets it.
        param: &'static str,
        /// What it must be.
        rule: &'static str,
    },
    /// Its variables would be too many.
    #[error("the variables cannot be taken: {0}")]
    Vars(InvalidVars),
}

impl From<PhoneRefused> for NotDone<PhoneRefused> {
    fn from(reason: PhoneRefused) -> Self {
        Self::Refused(reason)
    }
}

impl From<PhoneRefused> for Refusal {
    fn from(reason: PhoneRefused) -> Self {
        match reason {
            PhoneRefused::NoSuchPhone => Self::not_found("phone"),
            PhoneRefused::NoSuchProject => Self::not_found("project"),
            PhoneRefused::OfADevice => Self::new(RefusalCode::InvalidParam, reason.to_string()),
            PhoneRefused::NotConfirm => {
                Self::invalid_param("quiet_mode", "is not confirm: there is nothing to release")
            }
            PhoneRefused::Full(reached) => reached.refuse("phone_type"),
            PhoneRefused::Setting { param, rule } => Self::invalid_param(param, rule),
            PhoneRefused::Vars(invalid) => {
                Self::invalid_param("vars", format_args!("cannot be taken: {invalid}"))
            }
        }
    }
}

/// Finds a phone of the project.
fn found(work: &mut UnitOfWork<'_, '_>, id: PhoneId) -> Result<Phone, NotDone<PhoneRefused>> {
    let phone = phones::get(work.tx, work.project.id, id)?;
    Ok(phone.ok_or(PhoneRefused::NoSuchPhone)?)
}

/// Works on a phone of whatever project, as an operator does.
fn with_phone<T>(
    work: &mut HubWork<'_, '_>,
    id: PhoneId,
    step: impl FnOnce(&mut UnitOfWork<'_, '_>) -> Result<T, NotDone<PhoneRefused>>,
) -> Result<T, NotDone<PhoneRefused>> {
    let phone = phones::by_key(work.tx, id)?.ok_or(PhoneRefused::NoSuchPhone)?;
    let project = projects::get(work.tx, phone.project_id)?.ok_or(PhoneRefused::NoSuchPhone)?;
    work.within(&project, step)
}

#[cfg(test)]
mod tests;
