//! Exposing queued messages to a connected phone: committed first, the frame after.

use crate::dispatch::routing;
use crate::dispatch::transitions::Detail;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Message, MessageType, Phone};
use hub_store::{StoreError, Tx, messages};
use postrider_link::dispatch::window::Sim;
use postrider_link::frame::{Address, Data, Kind, Send};
use postrider_link::ownership::hub::{Fact, Holder};
use postrider_link::proof::Proof;
use postrider_model::{PhoneId, SimSlot};

pub use postrider_link::dispatch::window::{Open, WINDOW, WINDOW_MAX};

/// Counts a device's open exposures.
pub fn count_open(tx: &mut Tx<'_>, holder: &Holder) -> Result<Open<PhoneId>, StoreError> {
    let mut open = Open::default();
    for row in messages::open_exposures(tx, holder.device)? {
        open.set(row.phone_id, row.priority, row.count, row.routed);
    }
    Ok(open)
}

/// Returns a phone as its window sees it.
pub fn sim(work: &UnitOfWork<'_, '_>, phone: &Phone) -> Sim<PhoneId> {
    let left = phone.sends_left();
    Sim {
        id: phone.id,
        in_slot: phone.sim.is_some(),
        held_back: is_held_back(work, phone),
        window: phone.window_size.unwrap_or(WINDOW).min(WINDOW_MAX),
        sends_left: left.map(|left| left.saturating_sub(work.sent_on(phone.id))),
    }
}

/// Says whether nothing may be sent by a phone now.
pub fn is_held_back(work: &UnitOfWork<'_, '_>, phone: &Phone) -> bool {
    let is_halted = work.project.is_halted(work.now.unix);
    phone.send_paused || phone.sim_changed || phone.removed || is_halted
}

/// Says whether another phone could send a message at this moment.
pub fn is_movable(work: &mut UnitOfWork<'_, '_>, message: &Message) -> Result<bool, StoreError> {
    Ok(routing::may_move(work, message)? && routing::pick_other(work, message)?.is_some())
}

/// Commits an exposure of a message to a phone and whoever holds it there, at a place of the
/// downward sequence, and makes its frame; `None` when it may not be sent any more.
pub fn expose(
    work: &mut UnitOfWork<'_, '_>,
    message: &mut Message,
    (phone, holder): (&Phone, &Holder),
    s: u64,
) -> Result<Option<Send>, StoreError> {
    let Some(sim) = phone.sim else {
        return Ok(None);
    };
    if message.life_end.is_some_and(|end| end <= work.now.unix) {
        let over = Fact::LifeEnded { ago_ms: 0 };
        work.apply(message, over, &Detail::default())?;
        return Ok(None);
    }
    if work.is_called_off(message)? {
        work.apply(message, Fact::CancelAsked, &Detail::default())?;
        return Ok(None);
    }
    let Some(to) = message.to_number.as_ref().map(Address::from) else {
        return Ok(None);
    };
    let holder = holder.clone();
    let fact = Fact::Exposed { holder, s };
    if work.apply(message, fact, &Detail::default())?.is_none() {
        return Ok(None);
    }
    let by = (sim, phone.delivery_reports);
    Ok(Some(frame(work, message, s, to, by)))
}

/// Makes the frame of an exposure by a SIM, with or without delivery reports, with the proof of
/// whom it is for.
pub fn frame(
    work: &UnitOfWork<'_, '_>,
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
        ep: message.ownership.as_ref().map_or(0, |owned| owned.ep),
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

fn proof(work: &UnitOfWork<'_, '_>, message: &Message) -> Option<Proof> {
    let owned = message.ownership.as_ref()?;
    let holder = owned.holder.as_ref()?;
    let proofs = &work.hub.proofs;
    Some(proofs.of(holder.device, &holder.install, message.id, owned.ep))
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
