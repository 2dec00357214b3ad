//! A device out of service for good: the operator's word, or its owner's.

use crate::alerts;
use crate::audit;
use crate::devices::freeze;
use crate::devices::project_of;
use crate::dispatch::effects::Effects;
use crate::hub::Hub;
use hub_domain::{Device, DeviceState};
use hub_store::{StoreError, Tx, devices};
use postrider_model::Now;

/// Whose word takes a device out of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// The operator revoked it.
    Operator,
    /// Its owner unpaired it, on the phone itself.
    Owner,
}

/// Takes a device out of service: what it holds becomes unknown, its alerts end, and nobody waits
/// for its word after a restore. `device` is its row as it was until then.
pub fn take_out(
    hub: &Hub,
    tx: &mut Tx<'_>,
    device: &Device,
    word: Word,
    now: Now,
) -> Result<Effects, StoreError> {
    let project = project_of(tx, device)?;
    devices::set_state(tx, device.id, DeviceState::Revoked)?;
    let mut effects = freeze::gone(hub, tx, &project, device, now)?;
    if alerts::clear_all_of_device(hub, tx, &project, device.id, now)? {
        effects.webhooks();
    }
    effects.rows(project.id);
    effects.device(project.id, device.id);
    let target = device.id.to_string();
    let line = |action| audit::Line {
        organization_id: project.organization_id,
        project_id: Some(project.id),
        action,
        target: target.clone(),
    };
    match word {
        Word::Operator => audit::write(hub, tx, line("device.revoke"), now)?,
        Word::Owner => audit::write_as(hub, tx, &target, line("device.unpair"), now)?,
    }
    Ok(effects)
}
