//! Taking a device out of service for good, when the operator or its owner asks for it.

use crate::actor::Who;
use crate::alerts;
use crate::dispatch::freeze;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Device, DeviceState};
use hub_store::{StoreError, devices};

/// Takes a device out of service for the operator.
pub fn revoke(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    take_out(work, device)?;
    work.note("device.revoke", device.id)
}

/// Takes a device out of service for its owner, who asked for it on the phone.
pub fn unpair(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    work.who = Who::Device(device.id);
    take_out(work, device)?;
    work.note("device.unpair", device.id)
}

/// Nobody can know what became of the messages that a device holds, its alerts end, and nobody waits
/// for it after a restore. `device` is its row as it was until then.
fn take_out(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    devices::set_state(work.tx, device.id, DeviceState::Revoked)?;
    freeze::gone(work, device)?;
    alerts::clear_all_of_device(work, device.id)?;
    let project = work.project.id;
    work.effects.rows(project);
    work.effects.device(project, device.id);
    Ok(())
}
