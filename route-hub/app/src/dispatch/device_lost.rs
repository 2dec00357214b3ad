//! A device that is gone for good: removed, replaced by another installation, or with a journal
//! that went back. What it was exposed becomes unknown; nothing of it is freed.

use crate::damage;
use crate::dispatch::transitions::Detail;
use crate::unit_of_work::UnitOfWork;
use hub_store::{StoreError, messages};
use postrider_link::ownership::hub::Fact;
use postrider_model::DeviceId;

/// Tells every open exposure of a device that its holder is lost.
pub(crate) fn device_lost(
    work: &mut UnitOfWork<'_, '_>,
    device: DeviceId,
) -> Result<(), StoreError> {
    let held = messages::held(work.tx, device)?;
    for mut message in damage::readable(work, held)? {
        work.apply(&mut message, Fact::HolderLost, &Detail::default())?;
        work.effects.settings(message.phone_id);
    }
    Ok(())
}
