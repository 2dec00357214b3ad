//! The test route: nothing leaves the hub, special numbers play their sequence of statuses.
//!
//! Source: the specification, "States and transitions", "Simulation on a test route".

pub mod playable;

use crate::damage::{self, Resting};
use crate::dispatch::transitions::Detail;
use crate::hub::Hub;
use crate::messages::inbound;
use crate::test_routes::playable::{Page, Room};
use crate::transaction;
use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue;
use crate::worker::{self, Next, Worker};
use hub_domain::{BroadcastShare, Counted, Message, MessageType, Phone, PhoneType};
use hub_store::damaged::Found;
use hub_store::{StoreError, messages, phones, statistics};
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::{MessageStatus, Now, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

/// Most messages played in one unit of work.
const STEP: usize = 64;
/// When what failed is looked at again.
const LOOK_AGAIN_MS: i64 = 60_000;

/// How long a simulated call lasts that is answered, in seconds.
const CALL_SEC: i64 = 10;
/// How long a simulated call rings, in seconds.
const RING_SEC: i64 = 3;
/// What a simulated network answers to a USSD code.
const USSD_ANSWER: &str = "Example USSD answer.";

/// One step of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    state: HubState,
    error: Option<&'static str>,
}

const fn plain(state: HubState) -> Step {
    Step { state, error: None }
}

const SENT: Step = plain(HubState::Sent);

/// Returns the sequence that a recipient plays.
fn sequence(to: &str) -> &'static [Step] {
    const FAILED: &[Step] = &[Step {
        state: HubState::Failed,
        error: Some("Example error message."),
    }];
    const DELIVERED: &[Step] = &[SENT, plain(HubState::Delivered)];
    const NOT_DELIVERED: &[Step] = &[
        SENT,
        Step {
            state: HubState::NotDelivered,
            error: Some("Example delivery failure message."),
        },
    ];
    const RETRIED: &[Step] = &[
        Step {
            state: HubState::Retrying,
            error: Some("Example temporary failure message."),
        },
        SENT,
    ];
    match to {
        "+15005550011" => FAILED,
        "+15005550012" => DELIVERED,
        "+15005550013" => NOT_DELIVERED,
        "+15005550014" => RETRIED,
        _ => &[SENT],
    }
}

/// Returns the step after the message's present state; `None` at the end of its sequence.
fn next_step(message: &Message) -> Option<Step> {
    let to = message
        .to_number
        .as_ref()
        .map_or("", |number| number.as_str());
    let steps = sequence(to);
    let state = message.state()?;
    if state == HubState::Waiting {
        return steps.first().copied();
    }
    match steps.iter().position(|step| step.state == state) {
        Some(at) => steps.get(at + 1).copied(),
        // A phone tried it before it was simulated: the sequence begins anew.
        None if state == HubState::Retrying => steps.first().copied(),
        None => None,
    }
}

/// Plays what is queued for test routes until it is dropped.
pub async fn run(hub: Hub) {
    let resting = Resting::default();
    worker::run(TestRoutes { hub, resting }).await;
}

struct TestRoutes {
    hub: Hub,
    resting: Resting,
}

impl Worker for TestRoutes {
    const FAILURE: &'static str = "the test routes could not go on";
    const BACKOFF: Duration = Duration::from_secs(1);

    async fn step(&mut self) -> Result<Next, StoreError> {
        let now = self.hub.now();
        let turn = play_but(&self.hub, &mut self.resting, now).await?;
        if turn.played {
            return Ok(Next::Now);
        }
        self.hub.bus.count_idle_turn();
        Ok(turn.next_slot.map_or(Next::Woken, |slot| {
            let left_ms = u64::try_from(slot.0 - now.unix.0).unwrap_or(0);
            Next::Within(Duration::from_millis(left_ms))
        }))
    }

    async fn woken(&mut self) {
        self.hub.bus.simulated_woken().await;
    }
}

/// What playing once came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Whether anything was played.
    pub played: bool,
    /// When the first test route that has something to play ends the gap after its last message.
    pub next_slot: Option<UnixMs>,
}

impl Turn {
    fn wakes_at(&mut self, slot: Option<UnixMs>) {
        self.next_slot = self.next_slot.into_iter().chain(slot).min();
    }
}

/// Plays one step of each message that has one now, and says whether there was any.
pub async fn play_once(hub: &Hub) -> Result<bool, StoreError> {
    Ok(play_at(hub, hub.now()).await?.played)
}

/// Plays one step of messages of every route that have one at `now`, a share of each.
pub async fn play_at(hub: &Hub, now: Now) -> Result<Turn, StoreError> {
    play_but(hub, &mut Resting::default(), now).await
}

async fn play_but(hub: &Hub, resting: &mut Resting, now: Now) -> Result<Turn, StoreError> {
    let mut turn = Turn {
        played: false,
        next_slot: None,
    };
    let mut above = 0;
    loop {
        let own = hub.own_shares.owned();
        let page = hub
            .store
            .read(move |tx| Page::read(tx, own, above, now.unix))
            .await?;
        turn.wakes_at(page.next_slot);
        for (project, route) in page.damaged {
            if !resting.has(route, now.unix) {
                tracing::error!(route, %project, "a test route cannot be read");
                resting.add(route, now.unix);
                damage::tell(hub, project, &StoreError::BadRow { column: 0 }, now).await;
            }
        }
        for (project, ids) in page.by_project {
            turn.played |= play_all_of(hub, project, &ids, resting, now).await?;
        }
        if !resting.is_empty() {
            turn.wakes_at(Some(now.unix.plus_ms(LOOK_AGAIN_MS)));
        }
        match page.last {
            Some(last) => above = last,
            None => return Ok(turn),
        }
    }
}

/// Plays one step of messages of a project, in jobs of its own; where one fails, the messages go one
/// by one, and what fails alone is left alone for a while.
async fn play_all_of(
    hub: &Hub,
    project: ProjectId,
    ids: &[i64],
    resting: &mut Resting,
    now: Now,
) -> Result<bool, StoreError> {
    let mut played = false;
    for step in ids.chunks(STEP) {
        let awake = step.iter().filter(|id| !resting.has(**id, now.unix));
        let step: Vec<i64> = awake.copied().collect();
        match play_step(hub, project, step.clone(), now).await {
            Ok(count) => {
                played |= count > 0;
                continue;
            }
            Err(error) if error.is_passing() => return Err(error),
            Err(error) => damage::tell(hub, project, &error, now).await,
        }
        for id in step {
            match play_step(hub, project, vec![id], now).await {
                Ok(count) => played |= count > 0,
                Err(error) => {
                    hub_store::failed!(error, error, %project, message = id, "a step could not be played");
                    resting.add(id, now.unix);
                }
            }
        }
    }
    Ok(played)
}

async fn play_step(
    hub: &Hub,
    project: ProjectId,
    ids: Vec<i64>,
    now: Now,
) -> Result<usize, StoreError> {
    if ids.is_empty() {
        return Ok(0);
    }
    let step = move |work: &mut UnitOfWork<'_, '_>| play_all(work, &ids);
    transaction::run_by_hub(hub, project, now, step).await
}

/// Plays one step of each message that still has one; returns how many went on.
fn play_all(work: &mut UnitOfWork<'_, '_>, ids: &[i64]) -> Result<usize, StoreError> {
    let now = work.now.unix;
    let mut phones_of = BTreeMap::new();
    let mut played = 0;
    for id in ids {
        let mut message = match messages::found(work.tx, *id)? {
            None => continue,
            Some(Found::Damaged(damaged)) => {
                damage::set_aside(work, &damaged)?;
                played += 1;
                continue;
            }
            Some(Found::Row(message)) => message,
        };
        let Some(step) = next_step(&message) else {
            continue;
        };
        let phone: &mut Option<Phone> = match phones_of.entry(message.phone_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(phones::by_key(work.tx, message.phone_id)?),
        };
        let project = work.project;
        let is_halted = project.is_halted(now);
        let room = Room::of(phone.as_ref(), &project.timezone_id, is_halted, now);
        let is_new = message.is_waiting();
        let waits = is_new || message.state() == Some(HubState::Retrying);
        let route = phone.as_mut().filter(|phone| is_test_route(phone));
        if is_new && route.as_ref().is_some_and(|route| is_full(work, route)) {
            continue;
        }
        if waits && work.is_called_off(&message)? {
            let cancelled = Fact::CancelAsked;
            work.apply(&mut message, cancelled, &Detail::default())?;
            played += 1;
            continue;
        }
        if waits && !room.admits(is_new) {
            continue;
        }
        let is_sent = play(work, &mut message, step)?;
        played += 1;
        let Some(route) = route else { continue };
        if is_sent {
            work.count_sent(message.phone_id);
        }
        if waits && route.send_delay_ms > 0 {
            route.rest(now);
            phones::update_next_slot(work.tx, route)?;
        }
    }
    Ok(played)
}

/// Says whether a phone is a test route: what others simulate is not counted on them.
fn is_test_route(phone: &Phone) -> bool {
    phone.phone_type == PhoneType::Simulated
}

/// Says whether a route's `sent_message_limit` was reached within this unit of work.
fn is_full(work: &UnitOfWork<'_, '_>, route: &Phone) -> bool {
    route
        .sends_left()
        .is_some_and(|left| left <= work.sent_on(route.id))
}

/// Carries out a step, and says whether the message was sent by it.
fn play(
    work: &mut UnitOfWork<'_, '_>,
    message: &mut Message,
    step: Step,
) -> Result<bool, StoreError> {
    let (share, counted) = (BroadcastShare::of(message), Counted::of(message));
    if let Some(owned) = &mut message.ownership {
        owned.send_attempts += u32::from(owned.state == HubState::Waiting);
        owned.state = step.state;
    }
    message.status = step.state.status();
    message.error_message = step.error.map(str::to_owned);
    message.time_updated = work.now.unix;
    let is_sent = message.status == MessageStatus::Sent && message.time_sent.is_none();
    let is_call = is_sent && note_call(message);
    if is_sent {
        message.time_sent = Some(work.now.unix);
        if let Some(phone) = work.phone_that_sent(message.phone_id)? {
            message.note_sent_on(phone);
        }
    }
    messages::update_ownership(work.tx, message)?;
    work.tallies.changed(share, message);
    if is_call {
        messages::update_call(work.tx, message)?;
    }
    statistics::recount(work.tx, &counted, message)?;
    if !message.hidden {
        enqueue::send_status(work, message)?;
    }
    work.effects.changed(message.id);
    if is_sent && message.message_type == MessageType::Ussd {
        answer(work, message)?;
    }
    Ok(is_sent)
}

/// Lets a call be answered, but not where its sequence ends undelivered.
fn note_call(message: &mut Message) -> bool {
    if message.message_type != MessageType::Call {
        return false;
    }
    let to = message.to_number.as_ref().map_or("", |to| to.as_str());
    let unanswered = sequence(to)
        .iter()
        .any(|step| step.state == HubState::NotDelivered);
    let duration_sec = if unanswered { -1 } else { CALL_SEC };
    message.note_call(Some(duration_sec), Some(RING_SEC))
}

/// Answers a USSD request as a network would: by an incoming message from its code.
fn answer(work: &mut UnitOfWork<'_, '_>, request: &Message) -> Result<(), StoreError> {
    let Some(phone) = phones::by_key(work.tx, request.phone_id)? else {
        return Ok(());
    };
    let (id, now) = (work.id(), work.now.unix);
    let mut message = Message::incoming(id, &phone, MessageType::Ussd, now, now);
    message.simulated = true;
    message.from_number.clone_from(&request.to_number);
    message.to_number.clone_from(&request.from_number);
    message.content = Some(USSD_ANSWER.into());
    inbound::store(work, &phone, message, request.to_number.as_ref())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(to: &str) -> Vec<&'static str> {
        sequence(to)
            .iter()
            .map(|step| step.state.status().as_str())
            .collect()
    }

    #[test]
    fn the_special_numbers_play_the_specifications_sequences() {
        assert_eq!(played("+15005550011"), ["failed"]);
        assert_eq!(played("+15005550012"), ["sent", "delivered"]);
        assert_eq!(played("+15005550013"), ["sent", "not_delivered"]);
        assert_eq!(played("+15005550014"), ["failed_queued", "sent"]);
        assert_eq!(played("+15005550100"), ["sent"]);
    }
}
