//! Taking in how a phone is: the fields that the API shows, and the alerts that follow.

use crate::alerts;
use crate::devices::sims;
use crate::devices::words::clipped;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Device, KindQueue, MessageType, Phone, WaitingFor};
use hub_store::{StoreError, phones};
use postrider_link::frame::{self, Health, Kind, SimInfo};
use postrider_model::UnixMs;

/// The strongest signal that there is.
const SIGNAL_MAX: u8 = 4;
/// A battery that is full, in percent.
const BATTERY_MAX: u8 = 100;
/// Most queues of their own that a SIM is shown with; the phone has two.
const KINDS_MAX: usize = 8;

/// Stores a phone's health with each of its SIM slots; `on` are its Phones, from now on with those
/// of slots that it uses for the first time.
pub fn apply(
    work: &mut UnitOfWork<'_, '_>,
    device: &Device,
    on: &mut Vec<Phone>,
    health: &Health,
) -> Result<(), StoreError> {
    if sims::sync(work, device, &health.sims)? {
        work.effects.rows(work.project.id);
    }
    *on = phones::of_device(work.tx, device.id)?;
    for phone in on.iter_mut() {
        let sim = health.sims.iter().find(|sim| Some(sim.slot) == phone.sim);
        take_in(phone, health, sim, work.now.unix);
        phones::update_told(work.tx, phone)?;
    }
    alerts::of_health(work, on, health)
}

fn take_in(phone: &mut Phone, health: &Health, sim: Option<&SimInfo>, now: UnixMs) {
    let keep = |new: &Option<String>, old: &mut Option<String>| {
        if let Some(new) = new {
            *old = Some(clipped(new));
        }
    };
    let battery = health.battery.map(|percent| percent.min(BATTERY_MAX));
    phone.battery = battery.map(i64::from).or(phone.battery);
    let signal = health.signal.map(|signal| signal.min(SIGNAL_MAX));
    phone.signal = signal.map(i64::from).or(phone.signal);
    phone.forwarding = health.forwarding.or(phone.forwarding);
    phone.charging = health.charging.or(phone.charging);
    phone.android_sdk = health.android_sdk.map(i64::from).or(phone.android_sdk);
    keep(&health.network, &mut phone.internet_type);
    keep(&health.app_version, &mut phone.app_version);
    keep(&health.manufacturer, &mut phone.manufacturer);
    keep(&health.model, &mut phone.model);
    let waits = sim
        .and_then(|sim| sim.waiting_for.as_ref())
        .or(health.waiting_for.as_ref());
    let slot_in_ms = sim
        .and_then(|sim| sim.next_slot_in_ms)
        .or(health.next_slot_in_ms);
    phone.waiting_for = waits.and_then(|reason| waiting_for(reason));
    phone.next_slot_time = slot_in_ms
        .filter(|_| phone.waiting_for.is_some())
        .map(|delay_ms| after(delay_ms, now));
    phone.queue = sim.and_then(|sim| sim.queue).or(phone.queue);
    if let Some(sim) = sim {
        let kinds = sim.kinds.iter().take(KINDS_MAX);
        phone.kinds = kinds.filter_map(|kind| kind_queue(kind, now)).collect();
    }
    phone.last_active_time = Some(now);
}

/// Returns when a delay that the phone told ends; none is longer than a year.
fn after(delay_ms: u64, now: UnixMs) -> UnixMs {
    const YEAR_MS: u64 = 366 * 24 * 3_600_000;
    let delay_ms = i64::try_from(delay_ms.min(YEAR_MS)).unwrap_or(0);
    now.plus_ms(delay_ms)
}

/// Reads a queue of its own; `None` for one of a kind that this hub does not know.
fn kind_queue(told: &frame::KindQueue, now: UnixMs) -> Option<KindQueue> {
    let waits = told.waiting_for.as_ref();
    Some(KindQueue {
        kind: match told.kind {
            Kind::Sms | Kind::DataSms => MessageType::Sms,
            Kind::Mms => MessageType::Mms,
            Kind::Ussd => MessageType::Ussd,
            Kind::Call => MessageType::Call,
            Kind::Other(_) => return None,
        },
        queue: told.queue,
        waiting_for: waits.and_then(|reason| waiting_for(reason)),
        next_slot_time: told.next_slot_in_ms.map(|delay_ms| after(delay_ms, now)),
    })
}

/// Reads the phone's word for what its next message waits for; one of a later version says nothing.
fn waiting_for(word: &str) -> Option<WaitingFor> {
    WaitingFor::of_phone(frame::WaitingFor::from_word(word)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_nobody_knows_says_nothing() {
        assert_eq!(waiting_for("sim_held"), Some(WaitingFor::NoService));
        assert_eq!(waiting_for("the stars"), None);
    }
}
