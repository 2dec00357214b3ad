//! Cancelling what a broadcast has not sent yet, in steps that a restart neither loses nor repeats.

use crate::actor::Actor;
use crate::broadcasts::{PERMISSION, found};
use crate::dispatch::transitions::Detail;
use crate::failure::Failure;
use crate::holds::Holds;
use crate::hub::Hub;
use crate::steps;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::broadcast::BroadcastView;
use hub_domain::Broadcast;
use hub_store::{StoreError, broadcasts, messages};
use postrider_link::ownership::hub::Fact;
use postrider_model::{BroadcastId, Now};

/// Most messages of one step.
const STEP: u32 = 200;

/// Cancels a broadcast: from then on, no more messages are made or given to a phone.
///
/// One whose messages have all left stays as it is.
pub async fn cancel(actor: &Actor, id: BroadcastId) -> Result<BroadcastView, Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let project = work.project.id;
        let cancelled = broadcasts::cancel(work.tx, project, id)?;
        let mut broadcast = found(broadcasts::get(work.tx, project, id)?)?;
        if cancelled {
            walk(work, &broadcast, STEP)?;
            work.write_tallies()?;
            work.effects.broadcasts();
            if let Some(now_stored) = broadcasts::get(work.tx, project, id)? {
                broadcast = now_stored;
            }
        }
        let (addresses, mut holds) = (work.addresses(), Holds::within(work));
        Ok(BroadcastView::read(
            work.tx, broadcast, &addresses, &mut holds,
        )?)
    })
    .await
}

/// Walks through a cancelled broadcast one step further; says whether it moved.
pub async fn step(hub: &Hub, broadcast: Broadcast, now: Now) -> Result<bool, StoreError> {
    let basis = hub.store.basis();
    let project = hub.cache.project(&hub.store, broadcast.project_id).await?;
    let Some(project) = project else {
        return Ok(false);
    };
    let actor = Actor::system(hub, &project, basis, now);
    steps::fitting(STEP, |most| {
        let broadcast = broadcast.clone();
        run(&actor, move |work| walk(work, &broadcast, most))
    })
    .await?;
    Ok(true)
}

/// Cancels up to `most` of the next messages that wait at the hub, and asks phones for those that they hold.
fn walk(work: &mut UnitOfWork<'_, '_>, broadcast: &Broadcast, most: u32) -> Result<(), StoreError> {
    let above = broadcast.done_up_to;
    let open = messages::open_of_broadcast(work.tx, broadcast.id, above, most)?;
    let up_to = open.last().map(|last| last.id);
    let up_to = up_to.filter(|_| open.len() == most as usize);
    if !broadcasts::walked(work.tx, broadcast, up_to)? {
        return Ok(());
    }
    for mut message in open {
        work.apply(&mut message, Fact::CancelAsked, &Detail::default())?;
    }
    Ok(())
}
