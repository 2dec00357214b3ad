//! Changing a phone's settings.

use crate::actor::Actor;
use crate::failure::{Failure, NotDone};
use crate::phones::{PERMISSION, PhonePatch, PhoneRefused, PhoneView, found};
use crate::transaction::run;
use hub_store::phones;
use postrider_model::PhoneId;

/// Changes a phone's settings; its link and the queue hear of it after the commit.
pub async fn update(actor: &Actor, id: PhoneId, patch: PhonePatch) -> Result<PhoneView, Failure> {
    actor.require(PERMISSION)?;
    let changed = run(actor, move |work| {
        let mut phone = found(work, id)?;
        patch.apply(&mut phone)?;
        phones::update(work.tx, &phone)?;
        patch.account.store(work.tx, &phone)?;
        work.effects.settings(id);
        work.effects.queued(id);
        work.effects.simulated();
        Ok::<_, NotDone<PhoneRefused>>(PhoneView::read(work.tx, phone, work.project)?)
    });
    let changed = changed.await?;
    actor.hub.cache.forget_phone(id);
    Ok(changed)
}
