//! Looking at messages that are scheduled relative to a date, and deleting them.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::schedules::relative::found;
use crate::schedules::{PERMISSION, VIEW};
use crate::transaction::run;
use crate::views::relative_schedule::RelativeView;
use hub_store::relative_schedules;
use postrider_model::RelativeScheduledId;

/// Lists the relative scheduled messages of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<RelativeView>, Failure> {
    actor.require(VIEW)?;
    let of = actor.project.id;
    listing::list(
        actor.hub.store.of(of),
        request,
        move |tx, query| relative_schedules::list(tx, of, query),
        move |tx, query| relative_schedules::count(tx, of, query),
        |tx, rows| {
            let rows = rows.into_iter();
            rows.map(|row| RelativeView::read(tx, row)).collect()
        },
    )
    .await
}

/// Returns one relative scheduled message.
pub async fn get(actor: &Actor, id: RelativeScheduledId) -> Result<RelativeView, Failure> {
    actor.require(VIEW)?;
    let of = actor.project.id;
    let reading = actor.hub.store.of(of).read(move |tx| {
        let relative = relative_schedules::get(tx, of, id)?;
        let view = relative.map(|relative| RelativeView::read(tx, relative));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}

/// Deletes one with the scheduled messages that it made: none of them sends any more.
pub async fn delete(actor: &Actor, id: RelativeScheduledId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let deleting = run(actor, move |work| {
        let removed = relative_schedules::remove(work.tx, work.project.id, id)?;
        Ok::<_, Failure>(found(removed.then_some(()))?)
    });
    deleting.await?;
    actor.hub.bus.wake_followers();
    Ok(())
}
