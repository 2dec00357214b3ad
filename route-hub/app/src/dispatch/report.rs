//! Applying a phone's event to its message.

use crate::damage;
use crate::dispatch::transitions::Detail;
use crate::unit_of_work::UnitOfWork;
use hub_store::{StoreError, Tx, past_exposures};
use postrider_link::clock::{PhoneClock, published_time};
use postrider_link::frame::Event;
use postrider_link::ownership::hub::{Holder, Said};
use postrider_model::WireState;

/// Why a well-formed fact was not applied. It is stored aside, counted and acked.
pub type Aside = &'static str;

/// Applies an event; says why it is to be stored aside, when this phone may not speak of it.
///
/// An event about a single part changes nothing: the event about its whole message follows.
pub fn apply(
    work: &mut UnitOfWork<'_, '_>,
    by: &Holder,
    clock: &PhoneClock,
    event: &Event,
) -> Result<Option<Aside>, StoreError> {
    let Some(mut message) = damage::message(work, event.id)? else {
        return Ok(Some("no such message"));
    };
    let Some(owned) = &message.ownership else {
        return Ok(Some("no message to send"));
    };
    let fact = match owned.said(event, by, || was_held(work.tx, by, event))? {
        Said::OfMessage(fact) => fact,
        Said::OfPart => return Ok(None),
        Said::OfNothing => return Ok(Some("not this phone's exposure")),
    };
    let detail = Detail {
        time: Some(published_time(
            clock,
            event.stamp(),
            message.time_created,
            work.now,
        )),
        code: event.code.clone(),
        text: event.detail.clone().or_else(|| reason(event)),
        parts: event.of.map(u32::from),
        duration_sec: event.duration_s,
        ring_sec: event.ring_s,
    };
    let applied = work.apply(&mut message, fact, &detail)?;
    Ok(match applied {
        Some(_) => None,
        None => Some("refused by the message's state"),
    })
}

fn was_held(tx: &mut Tx<'_>, by: &Holder, event: &Event) -> Result<bool, StoreError> {
    let past = past_exposures::get(tx, event.id, event.ep)?;
    Ok(past.is_some_and(|past| past.device_id == by.device && past.install == by.install.as_str()))
}

fn reason(event: &Event) -> Option<String> {
    let said = match event.state {
        WireState::NotDelivered => "The network could not deliver the message.",
        WireState::Retrying => "A try failed; the phone tries again.",
        WireState::Failed => "The phone could not send the message.",
        _ => return None,
    };
    Some(match &event.code {
        Some(code) => format!("{said} ({code})"),
        None => said.to_owned(),
    })
}
