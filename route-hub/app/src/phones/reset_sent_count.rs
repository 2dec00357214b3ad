//! Beginning a phone's count of sent messages anew.

use crate::actor::Actor;
use crate::failure::{Failure, NotDone};
use crate::phones::{PERMISSION, PhoneRefused, found};
use crate::transaction::run;
use hub_store::phones;
use postrider_model::PhoneId;

/// Begins a phone's count anew; one that its limit paused sends again.
pub async fn reset_sent_count(actor: &Actor, id: PhoneId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let reset = run(actor, move |work| {
        let mut phone = found(work, id)?;
        phone.reset_sent_count(work.now.unix);
        phones::update(work.tx, &phone)?;
        work.effects.settings(id);
        work.effects.queued(id);
        work.effects.simulated();
        Ok::<_, NotDone<PhoneRefused>>(())
    });
    reset.await?;
    actor.hub.cache.forget_phone(id);
    Ok(())
}
