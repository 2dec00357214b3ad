//! The test route: nothing leaves the hub, special numbers play their sequence of statuses.
//!
//! Source: the specification, "States and transitions", "Simulation on a test route".

use super::effects::Effects;
use super::held_back::HeldBack;
use super::inbound;
use super::settle::{Detail, Work};
use crate::hub::Hub;
use hub_domain::{BroadcastShare, Message, MessageType, OwnershipRow, Phone, PhoneType, Project};
use hub_store::{StoreError, Tx, messages, phones, projects};
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::{MessageStatus, Now, PhoneId, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::Duration;

/// Most messages played in one unit of work.
const BATCH: u32 = 256;
/// How long to wait after a failed unit of work.
const AFTER_ERROR: Duration = Duration::from_secs(1);

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
    if message.ownership.state == OwnershipRow::WAITING {
        return steps.first().copied();
    }
    let at = steps
        .iter()
        .position(|step| step.state.code() == message.ownership.state)?;
    steps.get(at + 1).copied()
}

/// Plays what is queued for the test route until it is dropped.
pub async fn run(hub: Hub) {
    loop {
        let now = hub.now();
        match play_at(&hub, now).await {
            Ok(Turn { played: true, .. }) => {}
            Ok(Turn { next_slot, .. }) => pause(&hub, next_slot, now.unix).await,
            Err(error) => {
                tracing::error!(%error, "the test route could not go on");
                tokio::time::sleep(AFTER_ERROR).await;
            }
        }
    }
}

/// Waits until something is queued or a gap between two messages ends.
async fn pause(hub: &Hub, next_slot: Option<UnixMs>, now: UnixMs) {
    let woken = hub.bus.simulated_woken();
    let Some(slot) = next_slot else {
        return woken.await;
    };
    let left_ms = u64::try_from(slot.0 - now.0).unwrap_or(0);
    let _ = tokio::time::timeout(Duration::from_millis(left_ms), woken).await;
}

/// What playing once came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Whether anything was played.
    pub played: bool,
    /// When the first test route ends the gap after its last message.
    pub next_slot: Option<UnixMs>,
}

/// Plays one step of each message that has one now, and says whether there was any.
///
/// # Errors
/// What the database says.
pub async fn play_once(hub: &Hub) -> Result<bool, StoreError> {
    Ok(play_at(hub, hub.now()).await?.played)
}

/// Plays one step of each message that has one at `now`.
///
/// # Errors
/// What the database says.
pub async fn play_at(hub: &Hub, now: Now) -> Result<Turn, StoreError> {
    let worker = hub.clone();
    let reading = hub.store.read(move |tx| {
        let held = HeldBack::read(tx, now.unix)?;
        let found = messages::simulated(tx, &held.quiet, &held.resting, 1)?;
        Ok((!found.is_empty(), held.next_slot))
    });
    let (any, next_slot) = reading.await?;
    if !any {
        return Ok(Turn {
            played: false,
            next_slot,
        });
    }
    let effects = hub
        .store
        .write(move |tx| play_batch(&worker, tx, now))
        .await?;
    let played = !effects.is_empty();
    for effects in effects {
        effects.perform(hub);
    }
    Ok(Turn { played, next_slot })
}

fn play_batch(hub: &Hub, tx: &mut Tx<'_>, now: Now) -> Result<Vec<Effects>, StoreError> {
    let mut by_project: BTreeMap<ProjectId, Vec<Message>> = BTreeMap::new();
    let held = HeldBack::read(tx, now.unix)?;
    for message in messages::simulated(tx, &held.quiet, &held.resting, BATCH)? {
        by_project
            .entry(message.project_id)
            .or_default()
            .push(message);
    }
    let mut effects = Vec::new();
    for (project_id, batch) in by_project {
        let Some(project) = projects::get(tx, project_id)? else {
            continue;
        };
        effects.push(play_all(hub, tx, &project, now, batch)?);
    }
    Ok(effects)
}

fn play_all(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    now: Now,
    batch: Vec<Message>,
) -> Result<Effects, StoreError> {
    let mut work = Work::new(hub, project, now);
    let mut routes = BTreeMap::new();
    for mut message in batch {
        let Some(step) = next_step(&message) else {
            continue;
        };
        let route = match routes.entry(message.phone_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(test_route(tx, message.phone_id)?),
        };
        let is_new = message.ownership.state == OwnershipRow::WAITING;
        if is_new && route.as_ref().is_some_and(|route| is_full(&work, route)) {
            continue;
        }
        let waits = is_new || message.ownership.state == HubState::Retrying.code();
        if waits && work.is_called_off(tx, &message)? {
            let cancelled = Fact::CancelAsked;
            drop(work.apply(tx, &mut message, cancelled, &Detail::default())?);
            continue;
        }
        let rests = |route: &Phone| route.rests_until(now.unix).is_some();
        if waits && route.as_ref().is_some_and(rests) {
            continue;
        }
        if play(&mut work, tx, &mut message, step)? && route.is_some() {
            work.count_sent(message.phone_id);
        }
        if let Some(route) = route
            .as_mut()
            .filter(|route| waits && route.send_delay_ms > 0)
        {
            route.rest(now.unix);
            phones::update_next_slot(tx, route)?;
        }
    }
    work.finish(tx)
}

/// Returns the phone if it is a test route: what others simulate is not counted on them.
fn test_route(tx: &mut Tx<'_>, id: PhoneId) -> Result<Option<Phone>, StoreError> {
    let phone = phones::by_key(tx, id)?;
    Ok(phone.filter(|phone| phone.phone_type == PhoneType::Simulated))
}

/// Says whether a route's `sent_message_limit` was reached within this batch.
fn is_full(work: &Work<'_, '_>, route: &Phone) -> bool {
    route
        .sends_left()
        .is_some_and(|left| left <= work.sent_on(route.id))
}

/// Carries out a step, and says whether the message was sent by it.
fn play(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    message: &mut Message,
    step: Step,
) -> Result<bool, StoreError> {
    if message.ownership.state == OwnershipRow::WAITING {
        message.send_attempts += 1;
    }
    let share = BroadcastShare::of(message);
    message.ownership.state = step.state.code();
    message.status = step.state.status();
    message.error_message = step.error.map(str::to_owned);
    message.time_updated = work.now.unix;
    let is_sent = message.status == MessageStatus::Sent && message.time_sent.is_none();
    if is_sent {
        message.time_sent = Some(work.now.unix);
    }
    messages::update_ownership(tx, message)?;
    work.tallies.changed(share, message);
    if is_sent && note_call(message) {
        messages::update_call(tx, message)?;
    }
    if !message.hidden {
        work.tell_status(tx, message)?;
    }
    work.effects.changed(message.id);
    if is_sent && message.message_type == MessageType::Ussd {
        answer(work, tx, message)?;
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
fn answer(work: &mut Work<'_, '_>, tx: &mut Tx<'_>, request: &Message) -> Result<(), StoreError> {
    let Some(phone) = phones::by_key(tx, request.phone_id)? else {
        return Ok(());
    };
    let mut message = inbound::blank(work, &phone, MessageType::Ussd, work.now.unix);
    message.simulated = true;
    message.from_number.clone_from(&request.to_number);
    message.to_number.clone_from(&request.from_number);
    message.content = Some(USSD_ANSWER.into());
    inbound::store(work, tx, &phone, message, request.to_number.as_ref())?;
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
