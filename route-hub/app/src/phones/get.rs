//! Looking a phone up.

use crate::actor::Actor;
use crate::failure::{Failure, NotDone};
use crate::phones::{PhoneRefused, PhoneView};
use hub_domain::Phone;
use hub_store::{Tx, phones};
use postrider_model::PhoneId;

/// Returns a phone as it is now.
pub async fn find(actor: &Actor, id: PhoneId) -> Result<Phone, Failure> {
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let found = share.read(move |tx| phones::get(tx, project, id)).await?;
    Ok(found
        .ok_or(PhoneRefused::NoSuchPhone)
        .map_err(NotDone::from)?)
}

/// Shows a phone.
pub async fn get(actor: &Actor, id: PhoneId) -> Result<PhoneView, Failure> {
    let project = actor.project.clone();
    let reading = actor.hub.store.of(project.id).read(move |tx: &mut Tx<'_>| {
        let phone = phones::get(tx, project.id, id)?.ok_or(PhoneRefused::NoSuchPhone)?;
        Ok::<_, NotDone<PhoneRefused>>(PhoneView::read(tx, phone, &project)?)
    });
    Ok(reading.await?)
}
