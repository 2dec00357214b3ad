//! Looking at messages that are scheduled relative to a date, and deleting them.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::schedules::relative::{found, refuse_item};
use crate::schedules::{PERMISSION, VIEW};
use crate::transaction::run;
use crate::views::relative_schedule::RelativeView;
use hub_domain::FileHolder;
use hub_store::{files, relative_schedules};
use postrider_model::RelativeScheduledId;

/// Lists the relative scheduled messages of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<RelativeView>, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    listing::list(
        actor.hub.store.of(of),
        request,
        move |tx, query| relative_schedules::list(tx, of, query),
        move |tx, query| relative_schedules::count(tx, of, query),
        move |tx, rows| {
            let rows = rows.into_iter();
            rows.map(|row| RelativeView::read(tx, row, &addresses))
                .collect()
        },
    )
    .await
}

/// Returns one relative scheduled message.
pub async fn get(actor: &Actor, id: RelativeScheduledId) -> Result<RelativeView, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let reading = actor.hub.store.of(of).read(move |tx| {
        let relative = relative_schedules::get(tx, of, id)?;
        let view = relative.map(|relative| RelativeView::read(tx, relative, &addresses));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}

/// Deletes one with the scheduled messages that it made: none of them sends any more.
pub async fn delete(actor: &Actor, id: RelativeScheduledId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let deleting = run(actor, move |work| {
        let project = work.project.id;
        refuse_item(&found(relative_schedules::get(work.tx, project, id)?)?)?;
        relative_schedules::remove(work.tx, project, id)?;
        files::let_go(
            work.tx,
            FileHolder::RelativeScheduled,
            id.get(),
            work.now.unix,
        )?;
        Ok::<_, Failure>(())
    });
    deleting.await?;
    actor.hub.bus.wake_followers();
    Ok(())
}
