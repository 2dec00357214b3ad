//! Blocked contacts: what is queued for one is cancelled, as `cancel` does.
//!
//! The transaction that blocks a contact looks at its newest messages. If there are more, it notes
//! them, and they are looked at in steps: projects take turns, a step each. Messages of a contact that
//! is unblocked meanwhile stay queued when no step has come to them yet.

use crate::dispatch::transitions::Detail;
use crate::hub::Hub;
use crate::unit_of_work::Effects;
use crate::unit_of_work::UnitOfWork;
use crate::worker::{self, Next, Worker};
use hub_store::blocked_contacts::{self, BlockedContact};
use hub_store::messages::OfContact;
use hub_store::{StoreError, Tx, contacts, messages, projects};
use postrider_link::ownership::hub::Fact;
use postrider_model::{ContactId, Now};
use std::time::Duration;

/// Most messages that are looked at in one unit of work.
const STEP: usize = 100;
/// How often to look for notes whose wake-up was lost.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Begins to cancel what is queued for contacts that were just blocked.
pub fn begin(work: &mut UnitOfWork<'_, '_>, blocked: &[ContactId]) -> Result<(), StoreError> {
    let mut left = STEP;
    for contact_id in blocked {
        let note = BlockedContact {
            contact_id: *contact_id,
            project_id: work.project.id,
            below: i64::MAX,
        };
        left -= go_on(work, note, left)?;
    }
    Ok(())
}

/// Cancels what is queued for blocked contacts until it is dropped.
pub async fn run(hub: Hub) {
    worker::run(Blocking { hub }).await;
}

struct Blocking {
    hub: Hub,
}

impl Worker for Blocking {
    const FAILURE: &'static str = "messages of blocked contacts stay queued";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        let count = round(&self.hub, self.hub.now()).await?;
        Ok(Next::now_if(count > 0, LOOK_EVERY))
    }

    async fn woken(&mut self) {
        self.hub.bus.blocked_woken().await;
    }
}

/// Takes one contact of each project a step further and returns how many there were.
pub async fn round(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let (mut above, mut count) = (0, 0);
    loop {
        let reading = hub
            .store
            .read(move |tx| blocked_contacts::next_after(tx, above));
        let Some(note) = reading.await? else {
            return Ok(count);
        };
        above = note.project_id.get();
        if !hub.works_for(note.project_id) {
            continue;
        }
        count += 1;
        let inside = hub.clone();
        let share = hub.store.of(note.project_id);
        let step = share.write(move |tx| step(&inside, tx, note, now));
        step.await?.perform(hub);
    }
}

fn step(hub: &Hub, tx: &mut Tx<'_>, note: BlockedContact, now: Now) -> Result<Effects, StoreError> {
    let project = projects::get(tx, note.project_id)?;
    let contact = contacts::get(tx, note.project_id, note.contact_id)?;
    let is_blocked = contact.is_some_and(|contact| contact.send_blocked);
    let Some(project) = project.filter(|_| is_blocked) else {
        blocked_contacts::remove(tx, note.contact_id)?;
        return Ok(Effects::default());
    };
    let mut work = UnitOfWork::new(hub, tx, &project, now);
    go_on(&mut work, note, STEP)?;
    work.finish()
}

/// Looks at up to `most` more messages of a contact, notes what is left, and returns how many
/// messages it looked at.
fn go_on(
    work: &mut UnitOfWork<'_, '_>,
    note: BlockedContact,
    most: usize,
) -> Result<usize, StoreError> {
    let next = messages::of_contact_below(work.tx, note.contact_id, note.below, most)?;
    for one in next.iter().filter(|one| one.is_open) {
        cancel(work, one)?;
    }
    match next.last() {
        Some(last) if next.len() == most => {
            let below = last.id.get();
            blocked_contacts::put(work.tx, &BlockedContact { below, ..note })?;
            work.effects.blocked();
        }
        None if most == 0 => {
            blocked_contacts::put(work.tx, &note)?;
            work.effects.blocked();
        }
        _ => blocked_contacts::remove(work.tx, note.contact_id)?,
    }
    Ok(next.len())
}

fn cancel(work: &mut UnitOfWork<'_, '_>, one: &OfContact) -> Result<(), StoreError> {
    let Some(mut message) = messages::get(work.tx, work.project.id, one.id)? else {
        return Ok(());
    };
    // A message that has left, or has ended meanwhile, stays as it is.
    work.apply(&mut message, Fact::CancelAsked, &Detail::default())?;
    Ok(())
}
