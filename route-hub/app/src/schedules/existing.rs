//! Looking at a scheduled message, and cancelling it.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::schedules::view::ScheduleView;
use crate::schedules::{PERMISSION, VIEW, found};
use crate::transaction::run;
use hub_store::{broadcasts, schedules};
use postrider_model::ScheduledId;

/// Returns one scheduled message.
pub async fn get(actor: &Actor, id: ScheduledId) -> Result<ScheduleView, Failure> {
    actor.require(VIEW)?;
    let of = actor.project.id;
    let reading = actor.hub.store.of(of).read(move |tx| {
        let schedule = schedules::get(tx, of, id)?;
        let view = schedule.map(|schedule| ScheduleView::read(tx, schedule));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}

/// Cancels a scheduled message, also for those of a group who have not got it yet.
pub async fn delete(actor: &Actor, id: ScheduledId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let deleted = schedules::delete(work.tx, work.project.id, id)?;
        found(deleted.then_some(()))?;
        broadcasts::end_of_schedule(work.tx, id, "the scheduled message was deleted")?;
        Ok(())
    })
    .await
}
