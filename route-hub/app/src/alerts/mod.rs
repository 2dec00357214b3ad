//! Alerts: what needs the operator, raised and cleared in the transaction of its cause.
//!
//! One alert of a kind stands for a phone or a device at a time. Raising and clearing write the
//! `alert` event. When alerts begin and end is in `rules`; [`offline`] looks for phones that stay
//! away, `waiting` counts events that wait for their delivery. Alerts of no project are in
//! [`of_hub`].

pub mod clock;
pub mod of_hub;
pub mod offline;
pub(crate) mod rules;
pub(crate) mod waiting;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod waiting_tests;

use crate::alerts::rules::Verdict;
use crate::hub_work::HubWork;
use crate::outbox::{Event, Receiver};
use crate::unit_of_work::UnitOfWork;
use crate::views::alert::AlertView;
use hub_domain::{Alert, AlertKind, Phone, Project, WebhookEvent};
use hub_store::{StoreError, Tx, alerts, hub_alerts, projects};
use postrider_link::frame::Health;
use postrider_model::{AlertId, DeviceId, PhoneId};

/// What an alert is about.
#[derive(Debug, Clone, Copy)]
pub enum About<'a> {
    /// The whole project.
    Project,
    /// A device with all its phones.
    Device(DeviceId),
    /// One phone.
    Phone(&'a Phone),
}

impl About<'_> {
    fn ids(self) -> (Option<PhoneId>, Option<DeviceId>) {
        match self {
            Self::Project => (None, None),
            Self::Device(id) => (None, Some(id)),
            Self::Phone(phone) => (Some(phone.id), phone.device_id),
        }
    }
}

/// Raises an alert, unless it stands.
pub fn raise(
    work: &mut UnitOfWork<'_, '_>,
    about: About<'_>,
    kind: AlertKind,
) -> Result<(), StoreError> {
    let (phone_id, device_id) = about.ids();
    let alert = Alert {
        id: work.id(),
        project_id: work.project.id,
        phone_id,
        device_id,
        kind,
        detail: detail(kind).to_owned(),
        time_created: work.now.unix,
        time_cleared: None,
    };
    if !alerts::raise(work.tx, &alert)? {
        return Ok(());
    }
    tracing::warn!(alert = %alert.id, kind = kind.as_str(), ?device_id, "an alert was raised");
    tell(work, &alert)
}

/// Clears an alert, when it stands.
pub fn clear(
    work: &mut UnitOfWork<'_, '_>,
    about: About<'_>,
    kind: AlertKind,
) -> Result<(), StoreError> {
    let (phone_id, device_id) = about.ids();
    match alerts::standing(work.tx, work.project.id, phone_id, device_id, kind)? {
        Some(alert) => end(work, alert),
        None => Ok(()),
    }
}

/// Clears every alert about a device and its phones, since it is out of service.
pub(crate) fn clear_all_of_device(
    work: &mut UnitOfWork<'_, '_>,
    device: DeviceId,
) -> Result<(), StoreError> {
    for alert in alerts::standing_of_device(work.tx, work.project.id, device)? {
        end(work, alert)?;
    }
    Ok(())
}

/// Clears an alert by the operator's word; says whether it stood.
pub(crate) fn clear_by_id(work: &mut HubWork<'_, '_>, id: AlertId) -> Result<bool, StoreError> {
    let standing = alerts::get(work.tx, id)?.filter(|alert| alert.time_cleared.is_none());
    let Some(alert) = standing else {
        return hub_alerts::clear(work.tx, id, work.now.unix);
    };
    match projects::get(work.tx, alert.project_id)? {
        Some(project) => work.within(&project, |work| end(work, alert))?,
        None => drop(alerts::clear(work.tx, id, work.now.unix)?),
    }
    Ok(true)
}

/// Raises and clears what follows from a phone's health: a low battery, a silent radio, incoming
/// messages that its owner does not let it forward.
pub(crate) fn of_health(
    work: &mut UnitOfWork<'_, '_>,
    on: &[Phone],
    health: &Health,
) -> Result<(), StoreError> {
    if let Some(device) = on.first().and_then(|phone| phone.device_id) {
        let verdict = rules::battery(health.battery, health.charging == Some(true));
        follow(work, About::Device(device), AlertKind::BatteryLow, verdict)?;
    }
    of_forwarding(work, on)?;
    for phone in on {
        let sim = health.sims.iter().find(|sim| Some(sim.slot) == phone.sim);
        if let Some(sim) = sim {
            let verdict = rules::radio(sim);
            follow(work, About::Phone(phone), AlertKind::LookAtPhone, verdict)?;
        }
    }
    Ok(())
}

/// Raises and clears what follows from whether a device forwards incoming messages: from its own
/// word and from the project's `incoming_url`.
pub fn of_forwarding(work: &mut UnitOfWork<'_, '_>, on: &[Phone]) -> Result<(), StoreError> {
    let Some(phone) = on.first() else {
        return Ok(());
    };
    let verdict = rules::forwarding(phone.forwarding, work.project.incoming_url.is_some());
    let about = phone.device_id.map_or(About::Project, About::Device);
    follow(work, about, AlertKind::ForwardingOff, verdict)
}

/// Says whether [`of_forwarding`] would change nothing.
pub fn is_forwarding_told(
    tx: &mut Tx<'_>,
    project: &Project,
    on: &[Phone],
) -> Result<bool, StoreError> {
    let Some(phone) = on.first() else {
        return Ok(true);
    };
    let verdict = rules::forwarding(phone.forwarding, project.incoming_url.is_some());
    let kind = AlertKind::ForwardingOff;
    let stands = alerts::standing(tx, project.id, None, phone.device_id, kind)?.is_some();
    Ok(match verdict {
        Verdict::Raise => stands,
        Verdict::Clear => !stands,
        Verdict::Keep => true,
    })
}

fn follow(
    work: &mut UnitOfWork<'_, '_>,
    about: About<'_>,
    kind: AlertKind,
    verdict: Verdict,
) -> Result<(), StoreError> {
    match verdict {
        Verdict::Raise => raise(work, about, kind),
        Verdict::Clear => clear(work, about, kind),
        Verdict::Keep => Ok(()),
    }
}

fn end(work: &mut UnitOfWork<'_, '_>, mut alert: Alert) -> Result<(), StoreError> {
    alerts::clear(work.tx, alert.id, work.now.unix)?;
    alert.time_cleared = Some(work.now.unix);
    tell(work, &alert)
}

/// Tells of an alert that was raised, or cleared.
fn tell(work: &mut UnitOfWork<'_, '_>, alert: &Alert) -> Result<(), StoreError> {
    let project = work.project;
    let Some(url) = &project.alert_url else {
        return Ok(());
    };
    let mut event = Event::new(WebhookEvent::Alert, None);
    event.form.fields(&AlertView(alert));
    let receiver = Receiver::at(url, project.alert_secret.as_ref());
    waiting::write(work, event, &[receiver])
}

const fn detail(kind: AlertKind) -> &'static str {
    match kind {
        AlertKind::PhoneOffline => "The phone is not connected.",
        AlertKind::LookAtPhone => {
            "The radio gives no results: a dialog may be open on the phone. Look at the phone."
        }
        AlertKind::SimChanged => {
            "Another SIM is in the slot: nothing is sent until somebody confirms it."
        }
        AlertKind::BatteryLow => "The battery is low.",
        AlertKind::PhoneCloned => {
            "The phone's journal was copied or went backwards: it must pair again."
        }
        AlertKind::WebhooksWaiting => {
            "Many webhook events wait for their receivers: near the cap, beyond which the oldest are \
             ended."
        }
        AlertKind::RowUnreadable => {
            "The database has a row that cannot be read: it was set aside, or is passed over."
        }
        AlertKind::ClockOff => {
            "The clock of a hub's machine is a second or more off the database's."
        }
        AlertKind::HubFrozen => {
            "The hub's data went backwards: sending waits until each phone has answered."
        }
        AlertKind::ForwardingOff => {
            "The phone does not forward what comes in: its owner has not allowed it, and a program \
             waits for it."
        }
    }
}
