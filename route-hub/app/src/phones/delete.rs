//! Removing a phone that no device has.

use crate::actor::Actor;
use crate::failure::{Failure, NotDone};
use crate::phones::{PERMISSION, PhoneRefused, found};
use crate::transaction::run_audited;
use hub_store::{phone_accounts, phones};
use postrider_model::PhoneId;

/// Removes a test route or a phone at a provider, whose secret is erased; its messages stay.
pub async fn delete(actor: &Actor, id: PhoneId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let deleted = run_audited(actor, move |work| {
        let mut phone = found(work, id)?;
        if phone.device_id.is_some() {
            return Err(PhoneRefused::OfADevice.into());
        }
        phone.removed = true;
        phones::update(work.tx, &phone)?;
        phone_accounts::delete(work.tx, id)?;
        work.note("phone.delete", id)?;
        Ok::<_, NotDone<PhoneRefused>>(())
    });
    deleted.await?;
    actor.hub.cache.forget_phone(id);
    Ok(())
}
