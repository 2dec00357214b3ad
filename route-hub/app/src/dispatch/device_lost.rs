//! A device that is gone for good: removed, replaced by another installation, or with a journal
//! that went back. What it was exposed becomes unknown; nothing of it is freed.

use crate::damage;
use crate::dispatch::effects::Effects;
use crate::dispatch::unit_of_work::{Detail, UnitOfWork};
use crate::hub::Hub;
use hub_domain::Project;
use hub_store::{StoreError, Tx, messages};
use postrider_link::ownership::hub::Fact;
use postrider_model::{DeviceId, Now};

/// Tells every open exposure of a device that its holder is lost.
pub fn device_lost(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: DeviceId,
    now: Now,
) -> Result<Effects, StoreError> {
    let mut work = UnitOfWork::new(hub, tx, project, now);
    let held = messages::held(work.tx, device)?;
    for mut message in damage::readable(&mut work, held)? {
        drop(work.apply(&mut message, Fact::HolderLost, &Detail::default())?);
        work.effects.settings(message.phone_id);
    }
    work.finish()
}
