//! The operator takes a device out of service.

use crate::devices::{project_of, removal};
use crate::failure::NotDone;
use crate::hub_work::HubWork;
use hub_domain::DeviceState;
use hub_store::devices;
use postrider_model::DeviceId;
use thiserror::Error;

/// Why a device cannot be revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RevokeRefused {
    /// There is no such device.
    #[error("there is no such device")]
    NoSuchDevice,
    /// It is out of service.
    #[error("the device has been revoked before")]
    RevokedBefore,
}

impl From<RevokeRefused> for NotDone<RevokeRefused> {
    fn from(reason: RevokeRefused) -> Self {
        Self::Refused(reason)
    }
}

/// Takes a device out of service.
pub fn revoke_device(
    work: &mut HubWork<'_, '_>,
    id: DeviceId,
) -> Result<(), NotDone<RevokeRefused>> {
    let device = devices::get(work.tx, id)?.ok_or(RevokeRefused::NoSuchDevice)?;
    if device.state == DeviceState::Revoked {
        return Err(RevokeRefused::RevokedBefore.into());
    }
    let project = project_of(work.tx, &device)?;
    Ok(work.within(&project, |work| removal::revoke(work, &device))?)
}
