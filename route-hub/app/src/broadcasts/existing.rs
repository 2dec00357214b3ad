//! Looking at broadcasts.

use crate::actor::Actor;
use crate::broadcasts::{VIEW, found};
use crate::failure::Failure;
use crate::holds::Holds;
use crate::listing::{self, ListRequest, Listed};
use crate::views::broadcast::BroadcastView;
use hub_store::broadcasts;
use postrider_model::BroadcastId;

/// Lists the broadcasts of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<BroadcastView>, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let viewer = actor.clone();
    listing::list(
        actor.hub.store.of(of),
        request,
        move |tx, query| broadcasts::list(tx, of, query),
        move |tx, query| broadcasts::count(tx, of, query),
        move |tx, rows| {
            let mut holds = Holds::for_reader(&viewer);
            let rows = rows.into_iter();
            rows.map(|row| BroadcastView::read(tx, row, &addresses, &mut holds))
                .collect()
        },
    )
    .await
}

/// Returns one broadcast.
pub async fn get(actor: &Actor, id: BroadcastId) -> Result<BroadcastView, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let viewer = actor.clone();
    let reading = actor.hub.store.of(of).read(move |tx| {
        let mut holds = Holds::for_reader(&viewer);
        let broadcast = broadcasts::get(tx, of, id)?;
        let view = broadcast.map(|row| BroadcastView::read(tx, row, &addresses, &mut holds));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}
