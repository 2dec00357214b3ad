//! Messages of a custom route go to another phone when theirs cannot send.
//!
//! Only a message that no phone holds moves: rule R0 of `link.md`. A message that a phone was given
//! stays until that phone has proven that it did not send it.

use crate::damage;
use crate::dispatch::freeze;
use crate::dispatch::routing;
use crate::hub::Hub;
use crate::transaction;
use crate::unit_of_work::{KnownGroups, UnitOfWork};
use crate::worker::{self, Next, Worker};
use hub_domain::routing::Route;
use hub_store::damaged::Found;
use hub_store::{StoreError, Tx, messages, projects, routes};
use postrider_model::{Now, PhoneId};
use std::time::Duration;

/// How often routes are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The pause between two steps, so that requests are not held up.
const PAUSE: Duration = Duration::from_millis(20);
/// Most messages looked at in one step.
const STEP: u32 = 100;

/// Moves messages until it is dropped.
pub async fn run(hub: Hub) {
    tokio::time::sleep(LOOK_EVERY).await;
    worker::run(Failover { hub }).await;
}

struct Failover {
    hub: Hub,
}

impl Worker for Failover {
    const FAILURE: &'static str = "messages could not be moved to other phones";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        sweep(&self.hub, self.hub.now(), PAUSE).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Goes through the routes of every project that this process works for once, as it is at `now`, and returns how many messages
/// moved.
pub async fn sweep(hub: &Hub, now: Now, pause: Duration) -> Result<usize, StoreError> {
    let mut moved = 0;
    let mut routes = hub.store.read(routes::all).await?;
    routes.retain(|route| hub.works_for(route.project_id));
    for route in routes {
        for phone in route.actions.phones() {
            moved += sweep_phone(hub, &route, phone, now, pause).await?;
        }
    }
    Ok(moved)
}

async fn sweep_phone(
    hub: &Hub,
    route: &Route,
    phone: PhoneId,
    now: Now,
    pause: Duration,
) -> Result<usize, StoreError> {
    let (mut moved, mut above) = (0, 0);
    loop {
        let (worker, of) = (hub.clone(), route.clone());
        let looking = move |tx: &mut Tx<'_>| any_moves(&worker, tx, &of, phone, above, now);
        let Looked {
            last,
            moves,
            groups,
        } = hub.store.read(looking).await?;
        if moves {
            let of = route.clone();
            let step = move |work: &mut UnitOfWork<'_, '_>| {
                work.groups = groups.clone();
                move_some(work, &of, phone, above)
            };
            moved += transaction::run_by_hub(hub, route.project_id, now, step).await?;
        }
        match last {
            Some(last) => above = last,
            None => return Ok(moved),
        }
        tokio::time::sleep(pause).await;
    }
}

/// What a look at the next messages came to.
struct Looked {
    /// The last message, where the next look goes on.
    last: Option<i64>,
    /// Whether one of them can move.
    moves: bool,
    /// Which dynamic groups their recipients are in.
    groups: KnownGroups,
}

fn any_moves(
    hub: &Hub,
    tx: &mut Tx<'_>,
    route: &Route,
    phone: PhoneId,
    above: i64,
    now: Now,
) -> Result<Looked, StoreError> {
    let waiting = messages::routed_waiting(tx, phone, route.id, above, STEP)?;
    let last = waiting.last().map(Found::key);
    let (mut moves, mut groups) = (false, KnownGroups::new());
    if let Some(project) = projects::get(tx, route.project_id)? {
        let mut work = UnitOfWork::new(hub, tx, &project, now);
        // A damaged row stays where it is: its phone's link sets it aside.
        for message in waiting.iter().filter_map(Found::row) {
            moves |= routing::pick_better(&mut work, route, message)?.is_some();
        }
        groups = std::mem::take(&mut work.groups);
    }
    Ok(Looked {
        last,
        moves,
        groups,
    })
}

fn move_some(
    work: &mut UnitOfWork<'_, '_>,
    route: &Route,
    phone: PhoneId,
    above: i64,
) -> Result<usize, StoreError> {
    let mut moved = 0;
    let waiting = messages::routed_waiting(work.tx, phone, route.id, above, STEP)?;
    for mut message in damage::readable(work, waiting)? {
        // After a restore, the phone may have it all the same.
        if freeze::may_be_out(work.tx, &message)? {
            continue;
        }
        if let Some(other) = routing::pick_better(work, route, &message)? {
            work.route_to(&mut message, &other)?;
            work.effects.changed(message.id);
            moved += 1;
        }
    }
    Ok(moved)
}
