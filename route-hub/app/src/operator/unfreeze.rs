//! The operator gives up phones that will not answer after a restore.

use crate::dispatch::freeze;
use crate::hub_work::HubWork;
use hub_domain::Device;
use hub_store::{StoreError, Tx, devices, phones, projects};
use postrider_model::{DeviceId, PhoneId};
use thiserror::Error;

/// There is no such phone, or it has no device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("there is no such phone")]
pub struct NoSuchPhone;

/// Returns the devices that are frozen: that of a phone, or all; `None` where there is no such phone,
/// or it has no device.
pub fn frozen(tx: &mut Tx<'_>, phone: Option<PhoneId>) -> Result<Option<Vec<Device>>, StoreError> {
    let mut found = match phone {
        None => devices::all(tx)?,
        Some(phone) => match device_of(tx, phone)? {
            Some(device) => vec![device],
            None => return Ok(None),
        },
    };
    found.retain(|device| device.frozen);
    Ok(Some(found))
}

fn device_of(tx: &mut Tx<'_>, phone: PhoneId) -> Result<Option<Device>, StoreError> {
    let phone = phones::by_key(tx, phone)?;
    match phone.and_then(|phone| phone.device_id) {
        Some(device) => devices::get(tx, device),
        None => Ok(None),
    }
}

/// Gives up a device that is frozen; says whether it was.
pub fn unfreeze(work: &mut HubWork<'_, '_>, id: DeviceId) -> Result<bool, StoreError> {
    let device = devices::get(work.tx, id)?.filter(|device| device.frozen);
    let Some(device) = device else {
        return Ok(false);
    };
    let Some(project) = projects::get(work.tx, device.project_id)? else {
        return Ok(false);
    };
    work.within(&project, |work| {
        freeze::gone(work, &device)?;
        work.effects.project(work.project.id);
        work.note("device.unfreeze", device.id)
    })?;
    Ok(true)
}
