//! A device out of service for good: the operator's word, or its owner's.

use crate::alerts;
use crate::audit;
use crate::dispatch::freeze;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Device, DeviceState};
use hub_store::{StoreError, devices};

/// Takes a device out of service by the operator's word.
pub fn revoke(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    take_out(work, device)?;
    work.note("device.revoke", device.id)
}

/// Takes a device out of service by its owner's word, on the phone itself.
pub fn unpair(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    take_out(work, device)?;
    let target = device.id.to_string();
    let line = audit::Line {
        organization_id: work.project.organization_id,
        project_id: Some(work.project.id),
        action: "device.unpair",
        target: target.clone(),
    };
    audit::write_as(work.hub, work.tx, &target, line, work.now)
}

/// What a device holds becomes unknown, its alerts end, and nobody waits for its word after a
/// restore. `device` is its row as it was until then.
fn take_out(work: &mut UnitOfWork<'_, '_>, device: &Device) -> Result<(), StoreError> {
    devices::set_state(work.tx, device.id, DeviceState::Revoked)?;
    freeze::gone(work, device)?;
    alerts::clear_all_of_device(work, device.id)?;
    let project = work.project.id;
    work.effects.rows(project);
    work.effects.device(project, device.id);
    Ok(())
}
