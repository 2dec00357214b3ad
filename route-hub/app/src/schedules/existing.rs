//! Looking at scheduled messages, and cancelling them.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::holds::Holds;
use crate::listing::{self, ListRequest, Listed};
use crate::schedules::{PERMISSION, VIEW, found, refuse_item};
use crate::transaction::run;
use crate::views::schedule::ScheduleView;
use hub_domain::FileHolder;
use hub_store::list::Filter;
use hub_store::schedules::{self, by};
use hub_store::{broadcasts, contacts, files, groups};
use hub_view::Refusal;
use postrider_model::{ContactId, GroupId, ScheduledId};

/// Lists the scheduled messages of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<ScheduleView>, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let viewer = actor.clone();
    listing::list(
        actor.hub.store.of(of),
        request,
        move |tx, query| schedules::list(tx, of, query),
        move |tx, query| schedules::count(tx, of, query),
        move |tx, rows| {
            let mut holds = Holds::for_reader(&viewer);
            ScheduleView::read_all(tx, rows, &addresses, &mut holds)
        },
    )
    .await
}

/// Returns one scheduled message.
pub async fn get(actor: &Actor, id: ScheduledId) -> Result<ScheduleView, Failure> {
    actor.require(VIEW)?;
    let (of, addresses) = (actor.project.id, actor.addresses());
    let viewer = actor.clone();
    let reading = actor.hub.store.of(of).read(move |tx| {
        let mut holds = Holds::for_reader(&viewer);
        let schedule = schedules::get(tx, of, id)?;
        let view = schedule.map(|row| ScheduleView::read(tx, row, &addresses, &mut holds));
        view.transpose()
    });
    Ok(found(reading.await?)?)
}

/// Limits a list to the schedules of a contact itself, not those of its groups.
pub async fn of_contact(actor: &Actor, id: ContactId) -> Result<Filter, Failure> {
    actor.require(VIEW)?;
    let of = actor.project.id;
    let reading = actor
        .hub
        .store
        .of(of)
        .read(move |tx| contacts::get(tx, of, id));
    let contact = reading.await?;
    contact.ok_or_else(|| Refusal::not_found("contact"))?;
    Ok(schedules::filter_of(by::LISTED_CONTACT_ID, id.get()))
}

/// Limits a list to the schedules of a group.
pub async fn of_group(actor: &Actor, id: GroupId) -> Result<Filter, Failure> {
    actor.require(VIEW)?;
    let of = actor.project.id;
    let reading = actor
        .hub
        .store
        .of(of)
        .read(move |tx| groups::get(tx, of, id));
    let group = reading.await?;
    group.ok_or_else(|| Refusal::not_found("group"))?;
    Ok(schedules::filter_of(by::GROUP_ID, id.get()))
}

/// Cancels a scheduled message, also for those of a group who have not got it yet.
pub async fn delete(actor: &Actor, id: ScheduledId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        refuse_item(work.tx, work.project.id, id)?;
        let deleted = schedules::delete(work.tx, work.project.id, id)?;
        found(deleted.then_some(()))?;
        files::let_go(work.tx, FileHolder::Scheduled, id.get(), work.now.unix)?;
        broadcasts::end_of_schedule(work.tx, id, "the scheduled message was deleted")?;
        Ok(())
    })
    .await
}
