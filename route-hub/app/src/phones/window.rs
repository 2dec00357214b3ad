//! How many messages a phone may hold unsent.

use crate::failure::NotDone;
use crate::hub_work::HubWork;
use crate::phones::{PhoneRefused, found, with_phone};
use hub_domain::Phone;
use hub_store::phones;
use postrider_model::PhoneId;

/// Sets how many unsent messages of a priority a phone may hold, which only an operator decides.
pub fn set_window(
    work: &mut HubWork<'_, '_>,
    id: PhoneId,
    window: u32,
) -> Result<Phone, NotDone<PhoneRefused>> {
    with_phone(work, id, |work| {
        let mut phone = found(work, id)?;
        if phone.window_size != Some(window) {
            phone.window_size = Some(window);
            phones::update(work.tx, &phone)?;
            work.effects.settings(id);
            work.note("phone.set", id)?;
        }
        Ok(phone)
    })
}
