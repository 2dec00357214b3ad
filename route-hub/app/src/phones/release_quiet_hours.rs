//! Letting what waits in the present quiet hours of a phone go: the word that mode `confirm` waits
//! for.

use crate::actor::Actor;
use crate::failure::{Failure, NotDone};
use crate::hub_work::HubWork;
use crate::phones::{PERMISSION, PhoneRefused, found, with_phone};
use crate::transaction::run_audited;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Phone, QuietMode};
use hub_store::phones;
use postrider_model::PhoneId;

/// Lets a phone send until its present quiet hours end; outside of them there is nothing to do.
pub async fn release_quiet_hours(actor: &Actor, id: PhoneId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run_audited(actor, move |work| release(work, id).map(drop)).await?;
    actor.hub.cache.forget_phone(id);
    Ok(())
}

/// As [`release_quiet_hours`], for a phone of whatever project; says whether there was anything to
/// release.
pub fn release_by_operator(
    work: &mut HubWork<'_, '_>,
    id: PhoneId,
) -> Result<(Phone, bool), NotDone<PhoneRefused>> {
    with_phone(work, id, |work| release(work, id))
}

fn release(
    work: &mut UnitOfWork<'_, '_>,
    id: PhoneId,
) -> Result<(Phone, bool), NotDone<PhoneRefused>> {
    let mut phone = found(work, id)?;
    if phone.quiet_mode != QuietMode::Confirm {
        return Err(PhoneRefused::NotConfirm.into());
    }
    let released = phone.release_quiet(&work.project.timezone_id, work.now.unix);
    if released {
        phones::update(work.tx, &phone)?;
        work.note("phone.release_quiet_hours", id)?;
        work.effects.settings(id);
        work.effects.simulated();
    }
    Ok((phone, released))
}
