//! Looking at a broadcast.

use crate::actor::Actor;
use crate::broadcasts::view::BroadcastView;
use crate::broadcasts::{VIEW, found};
use crate::failure::Failure;
use hub_store::broadcasts;
use postrider_model::BroadcastId;

/// Returns one broadcast.
pub async fn get(actor: &Actor, id: BroadcastId) -> Result<BroadcastView, Failure> {
    actor.require(VIEW)?;
    let of = actor.project.id;
    let reading = actor.hub.store.of(of).read(move |tx| {
        let broadcast = broadcasts::get(tx, of, id)?;
        let view = broadcast.map(|broadcast| BroadcastView::read(tx, broadcast));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}
