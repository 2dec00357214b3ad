//! Exposing queued messages to a connected phone: committed first, the frame after.

use super::routing;
use super::settle::{Closed, Detail, Work};
use crate::damage;
use hub_domain::{Message, MessageType, Phone};
use hub_store::{StoreError, Tx, messages};
use postrider_link::frame::{Address, Data, Kind, Send};
use postrider_link::ownership::hub::{Fact, Holder};
use postrider_link::proof::Proof;
use postrider_model::{PhoneId, SimSlot};
use std::collections::BTreeMap;

/// Most messages of one SIM and priority that are exposed and without a sent result: the phone
/// keeps sending while its data link is down. The others wait at the hub.
pub const WINDOW: u32 = 64;
/// The most that a phone's own window can be set to.
pub const WINDOW_MAX: u32 = 500;

/// As [`WINDOW`], of messages that another phone could send: the others can still go there.
pub const WINDOW_MOVABLE: u64 = 2;

/// The priorities that messages have, the one that goes first in front.
const PRIORITIES: [u8; 2] = [2, 1];

/// How many exposures without a result each SIM and priority has.
#[derive(Debug, Clone, Default)]
pub struct Open {
    counts: BTreeMap<(PhoneId, u8), u64>,
    routed: BTreeMap<(PhoneId, u8), u64>,
}

impl Open {
    /// Counts a device's open exposures.
    ///
    /// # Errors
    /// What the database says.
    pub fn count(tx: &mut Tx<'_>, holder: &Holder) -> Result<Self, StoreError> {
        let rows = messages::open_exposures(tx, holder.device)?;
        let mut open = Self::default();
        for row in rows {
            let place = (row.phone_id, row.priority);
            open.counts.insert(place, row.count);
            open.routed.insert(place, row.routed);
        }
        Ok(open)
    }

    /// Returns how many exposures have no result.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    /// An exposure got its result.
    pub fn close(&mut self, closed: &Closed) {
        let place = (closed.phone_id, closed.priority);
        if let Some(n) = self.counts.get_mut(&place) {
            *n = n.saturating_sub(1);
        }
        if let Some(n) = self.routed.get_mut(&place).filter(|_| closed.routed) {
            *n = n.saturating_sub(1);
        }
    }

    fn add(&mut self, message: &Message) {
        let place = (message.phone_id, message.priority);
        *self.counts.entry(place).or_default() += 1;
        if message.route_id.is_some() {
            *self.routed.entry(place).or_default() += 1;
        }
    }

    /// Says whether there is room for one more message that another phone could send.
    fn has_movable_room(&self, message: &Message) -> bool {
        let place = (message.phone_id, message.priority);
        self.routed.get(&place).copied().unwrap_or(0) < WINDOW_MOVABLE
    }

    fn room(&self, phone: &Phone, priority: u8) -> u64 {
        let window = u64::from(phone.window_size.unwrap_or(WINDOW).min(WINDOW_MAX));
        window.saturating_sub(self.counts.get(&(phone.id, priority)).copied().unwrap_or(0))
    }

    fn of_phone(&self, phone: PhoneId) -> u64 {
        self.counts
            .range((phone, 0)..=(phone, u8::MAX))
            .map(|(_, n)| n)
            .sum()
    }
}

/// The exposures of one SIM that were made, and whether more may wait.
#[derive(Debug, Default)]
pub struct Exposed {
    /// Frames to write after the commit, in the order of their numbers.
    pub frames: Vec<Send>,
    /// Whether the queue may hold more than there was room for.
    pub more: bool,
}

/// What exposing goes by, and what it hands out.
pub struct Exposing<'a> {
    /// The phone's link.
    pub holder: &'a Holder,
    /// Exposures without a result.
    pub open: &'a mut Open,
    /// How many `send` frames the phone's credit still allows.
    pub credit: u64,
    /// The next place in the device's downward sequence; rises with each exposure.
    pub next_s: u64,
    /// The key above which messages are exposed: those below wait for the word of other phones.
    pub above: i64,
}

/// Exposes what is queued for one SIM and returns the frames to write after the commit.
///
/// # Errors
/// What the database says.
pub fn queued(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    phone: &Phone,
    exposing: &mut Exposing<'_>,
) -> Result<Exposed, StoreError> {
    let mut exposed = Exposed::default();
    let mut left = allowance(work, phone, exposing);
    if phone.sim.is_none() {
        return Ok(exposed);
    }
    if left == 0 {
        exposed.more = true;
        return Ok(exposed);
    }
    for priority in PRIORITIES {
        let room = exposing.open.room(phone, priority).min(left);
        let limit = u32::try_from(room).unwrap_or(WINDOW_MAX);
        if limit == 0 {
            exposed.more = true;
            continue;
        }
        let claimed = messages::claim_queued_above(tx, phone.id, priority, exposing.above, limit)?;
        exposed.more |= claimed.len() >= limit as usize;
        for mut message in damage::readable(work, tx, claimed)? {
            let movable = is_movable(work, tx, &message)?;
            if movable && !exposing.open.has_movable_room(&message) {
                exposed.more = true;
                continue;
            }
            if let Some(mut frame) = expose(work, tx, &mut message, phone, exposing)? {
                frame.movable = movable;
                exposing.open.add(&message);
                left -= 1;
                exposed.frames.push(frame);
            }
        }
    }
    Ok(exposed)
}

/// Returns how many messages may go to a phone now, whatever their priority.
fn allowance(work: &Work<'_, '_>, phone: &Phone, exposing: &Exposing<'_>) -> u64 {
    if phone.send_paused || phone.sim_changed || phone.removed || work.project.stopped {
        return 0;
    }
    let within_limit = match phone.sends_left() {
        Some(left) => {
            left.saturating_sub(exposing.open.of_phone(phone.id) + work.sent_on(phone.id))
        }
        None => u64::MAX,
    };
    within_limit.min(exposing.credit)
}

/// Says whether another phone could send a message at this moment.
///
/// # Errors
/// What the database says.
pub fn is_movable(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    message: &Message,
) -> Result<bool, StoreError> {
    Ok(routing::may_move(work, tx, message)? && routing::pick_other(work, tx, message)?.is_some())
}

fn expose(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    message: &mut Message,
    phone: &Phone,
    exposing: &mut Exposing<'_>,
) -> Result<Option<Send>, StoreError> {
    let Some(sim) = phone.sim else {
        return Ok(None);
    };
    if message.life_end.is_some_and(|end| end <= work.now.unix) {
        let over = Fact::LifeEnded { ago_ms: 0 };
        drop(work.apply(tx, message, over, &Detail::default())?);
        return Ok(None);
    }
    if work.is_called_off(tx, message)? {
        drop(work.apply(tx, message, Fact::CancelAsked, &Detail::default())?);
        return Ok(None);
    }
    let Some(to) = message.to_number.as_ref().map(Address::from) else {
        return Ok(None);
    };
    let s = exposing.next_s;
    let fact = Fact::Exposed {
        holder: exposing.holder.clone(),
        s,
    };
    if work.apply(tx, message, fact, &Detail::default())?.is_err() {
        return Ok(None);
    }
    exposing.next_s += 1;
    exposing.credit = exposing.credit.saturating_sub(1);
    Ok(Some(frame(
        work,
        message,
        s,
        to,
        (sim, phone.delivery_reports),
    )))
}

/// Makes the frame of an exposure by a SIM, with or without delivery reports, with the proof of
/// whom it is for.
pub fn frame(
    work: &Work<'_, '_>,
    message: &Message,
    s: u64,
    to: Address,
    (sim, reports): (SimSlot, bool),
) -> Send {
    let left = message
        .life_end
        .map_or(i64::MAX, |end| end.0.saturating_sub(work.now.unix.0));
    let data = message.data();
    let kind = match data {
        Some(_) => Kind::DataSms,
        None => kind(message.message_type),
    };
    Send {
        s,
        id: message.id,
        ep: message.ownership.ep,
        proof: proof(work, message),
        report: reports && matches!(kind, Kind::Sms | Kind::DataSms | Kind::Mms),
        kind,
        to,
        text: message.content.clone(),
        data: data.map(Data::from),
        sim,
        parts_max: None,
        ttl_ms: u64::try_from(left).unwrap_or(0).min(TTL_MS_MAX),
        priority: i64::from(message.priority),
        movable: false,
        media: Vec::new(),
    }
}

fn proof(work: &Work<'_, '_>, message: &Message) -> Option<Proof> {
    let owned = &message.ownership;
    let install = owned.install.as_deref()?.parse().ok()?;
    let proofs = &work.hub.proofs;
    Some(proofs.of(owned.device_id?, &install, message.id, owned.ep))
}

/// A year: the longest life that a frame names, so that it stays an exact integer everywhere.
const TTL_MS_MAX: u64 = 366 * 24 * 3_600_000;

fn kind(message_type: MessageType) -> Kind {
    match message_type {
        MessageType::Sms => Kind::Sms,
        MessageType::Mms => Kind::Mms,
        MessageType::Ussd | MessageType::UssdSession => Kind::Ussd,
        MessageType::Call => Kind::Call,
        MessageType::Chat | MessageType::Service => Kind::Other(message_type.as_str().to_owned()),
    }
}
