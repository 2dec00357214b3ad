//! The operator's word for another SIM.

use crate::alerts::{self, About};
use crate::failure::NotDone;
use crate::hub_work::HubWork;
use crate::phones::{PhoneRefused, found, with_phone};
use hub_domain::{AlertKind, Phone};
use hub_store::phones;
use postrider_model::PhoneId;

/// Says that the SIM now in the slot is the right one: sending goes on. The next word of the phone
/// says which one that is.
pub fn confirm_sim(
    work: &mut HubWork<'_, '_>,
    id: PhoneId,
) -> Result<Phone, NotDone<PhoneRefused>> {
    with_phone(work, id, |work| {
        let before = found(work, id)?;
        let phone = Phone {
            sim_changed: false,
            sim_fingerprint: None,
            ..before.clone()
        };
        alerts::clear(work, About::Phone(&phone), AlertKind::SimChanged)?;
        if phone != before {
            phones::update(work.tx, &phone)?;
            work.effects.settings(id);
            work.note("phone.confirm_sim", id)?;
        }
        Ok(phone)
    })
}
