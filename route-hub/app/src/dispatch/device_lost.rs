//! A device that is gone for good: it was removed, another installation replaced it, or its journal
//! went back. Nobody can know what became of its messages, so none of them goes to another phone.

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
