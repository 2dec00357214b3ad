//! The operator gives up phones that will not answer after a restore.

use crate::dispatch::freeze;
use crate::failure::NotDone;
use crate::hub_work::HubWork;
use hub_domain::Device;
use hub_store::{StoreError, devices, phones, projects};
use postrider_model::PhoneId;
use thiserror::Error;

/// There is no such phone, or it has no device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no such phone")]
pub struct NoSuchPhone;

impl From<NoSuchPhone> for NotDone<NoSuchPhone> {
    fn from(reason: NoSuchPhone) -> Self {
        Self::Refused(reason)
    }
}

/// Gives up the device of a phone, or every one, where it is frozen; returns those.
pub fn unfreeze(
    work: &mut HubWork<'_, '_>,
    phone: Option<PhoneId>,
) -> Result<Vec<Device>, NotDone<NoSuchPhone>> {
    let mut frozen = match phone {
        Some(phone) => vec![device_of(work, phone)?],
        None => devices::all(work.tx)?,
    };
    frozen.retain(|device| device.frozen);
    for device in &frozen {
        give_up(work, device)?;
    }
    Ok(frozen)
}

fn device_of(work: &mut HubWork<'_, '_>, phone: PhoneId) -> Result<Device, NotDone<NoSuchPhone>> {
    let phone = phones::by_key(work.tx, phone)?.ok_or(NoSuchPhone)?;
    let device = phone.device_id.ok_or(NoSuchPhone)?;
    Ok(devices::get(work.tx, device)?.ok_or(NoSuchPhone)?)
}

fn give_up(work: &mut HubWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    let Some(project) = projects::get(work.tx, device.project_id)? else {
        return Ok(());
    };
    work.within(&project, |work| {
        freeze::gone(work, device)?;
        work.effects.project(work.project.id);
        work.note("device.unfreeze", device.id)
    })
}
