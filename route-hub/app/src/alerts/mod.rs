//! Alerts: what needs the operator, raised and cleared in the transaction of its cause.
//!
//! One alert of a kind stands for a phone or a device at a time. Raising and clearing write the
//! `alert` webhook; each function says whether it wrote one, so that its caller wakes the
//! deliverer after the commit. When they begin and end is in [`rules`]; [`offline`] looks for phones
//! that stay away.

pub mod offline;
pub mod rules;

#[cfg(test)]
mod tests;

use crate::alerts::rules::Verdict;
use crate::hub::Hub;
use crate::webhooks::enqueue;
use hub_domain::{Alert, AlertKind, Phone, Project};
use hub_store::{StoreError, Tx, alerts, projects};
use postrider_link::frame::Health;
use postrider_model::{AlertId, DeviceId, Now, PhoneId};

/// Raises an alert about a device.
pub fn raise_for_device(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: DeviceId,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    raise(hub, tx, project, None, Some(device), kind, now)
}

/// Raises an alert about one phone.
pub fn raise_for_phone(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    phone: &Phone,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    raise(hub, tx, project, Some(phone.id), phone.device_id, kind, now)
}

/// Raises an alert about a whole project.
pub fn raise_for_project(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    raise(hub, tx, project, None, None, kind, now)
}

/// Clears an alert about a whole project, when it stands.
pub fn clear_for_project(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    clear(hub, tx, project, None, None, kind, now)
}

/// Clears every alert about a device and its phones: it is in service no more.
pub fn clear_all_of_device(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: DeviceId,
    now: Now,
) -> Result<bool, StoreError> {
    let mut told = false;
    for alert in alerts::standing_of_device(tx, project.id, device)? {
        told |= end(hub, tx, project, alert, now)?;
    }
    Ok(told)
}

/// Clears an alert by the operator's word; `None` when there is none that stands.
pub fn clear_by_id(
    hub: &Hub,
    tx: &mut Tx<'_>,
    id: AlertId,
    now: Now,
) -> Result<Option<bool>, StoreError> {
    let standing = alerts::get(tx, id)?.filter(|alert| alert.time_cleared.is_none());
    let Some(alert) = standing else {
        return Ok(None);
    };
    match projects::get(tx, alert.project_id)? {
        Some(project) => Ok(Some(end(hub, tx, &project, alert, now)?)),
        None => Ok(Some(alerts::clear(tx, id, now.unix)?)),
    }
}

/// Clears an alert about a device, when it stands.
pub fn clear_for_device(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    device: DeviceId,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    clear(hub, tx, project, None, Some(device), kind, now)
}

/// Clears an alert about one phone, when it stands.
pub fn clear_for_phone(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    phone: &Phone,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    clear(hub, tx, project, Some(phone.id), phone.device_id, kind, now)
}

/// Raises and clears what follows from a phone's health: a low battery, a silent radio, incoming
/// messages that its owner does not let it forward.
pub fn of_health(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    on: &[Phone],
    health: &Health,
    now: Now,
) -> Result<bool, StoreError> {
    let mut told = false;
    if let Some(device) = on.first().and_then(|phone| phone.device_id) {
        let verdict = rules::battery(health.battery, health.charging == Some(true));
        let subject = (None, Some(device));
        told |= follow(
            hub,
            tx,
            project,
            subject,
            AlertKind::BatteryLow,
            verdict,
            now,
        )?;
    }
    told |= of_forwarding(hub, tx, project, on, now)?;
    for phone in on {
        let sim = health.sims.iter().find(|sim| Some(sim.slot) == phone.sim);
        let Some(sim) = sim else { continue };
        let subject = (Some(phone.id), phone.device_id);
        let verdict = rules::radio(sim);
        told |= follow(
            hub,
            tx,
            project,
            subject,
            AlertKind::LookAtPhone,
            verdict,
            now,
        )?;
    }
    Ok(told)
}

/// Raises and clears what follows from whether a device forwards incoming messages: from its own
/// word and from the project's `incoming_url`.
pub fn of_forwarding(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    on: &[Phone],
    now: Now,
) -> Result<bool, StoreError> {
    let Some(phone) = on.first() else {
        return Ok(false);
    };
    let verdict = rules::forwarding(phone.forwarding, project.incoming_url.is_some());
    let (subject, kind) = ((None, phone.device_id), AlertKind::ForwardingOff);
    follow(hub, tx, project, subject, kind, verdict, now)
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
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    (phone_id, device_id): (Option<PhoneId>, Option<DeviceId>),
    kind: AlertKind,
    verdict: Verdict,
    now: Now,
) -> Result<bool, StoreError> {
    match verdict {
        Verdict::Raise => raise(hub, tx, project, phone_id, device_id, kind, now),
        Verdict::Clear => clear(hub, tx, project, phone_id, device_id, kind, now),
        Verdict::Keep => Ok(false),
    }
}

fn raise(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    phone_id: Option<PhoneId>,
    device_id: Option<DeviceId>,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    let alert = Alert {
        id: hub.id(now),
        project_id: project.id,
        phone_id,
        device_id,
        kind,
        detail: detail(kind).to_owned(),
        time_created: now.unix,
        time_cleared: None,
    };
    if !alerts::raise(tx, &alert)? {
        return Ok(false);
    }
    tracing::warn!(alert = %alert.id, kind = kind.as_str(), ?device_id, "an alert was raised");
    enqueue::alert(hub, tx, project, &alert, now)
}

fn clear(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    phone_id: Option<PhoneId>,
    device_id: Option<DeviceId>,
    kind: AlertKind,
    now: Now,
) -> Result<bool, StoreError> {
    match alerts::standing(tx, project.id, phone_id, device_id, kind)? {
        Some(alert) => end(hub, tx, project, alert, now),
        None => Ok(false),
    }
}

fn end(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    mut alert: Alert,
    now: Now,
) -> Result<bool, StoreError> {
    alerts::clear(tx, alert.id, now.unix)?;
    alert.time_cleared = Some(now.unix);
    enqueue::alert(hub, tx, project, &alert, now)
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
        AlertKind::HubFrozen => {
            "The hub's data went backwards: sending waits until each phone has answered."
        }
        AlertKind::ForwardingOff => {
            "The phone does not forward what comes in: its owner has not allowed it, and a program \
             waits for it."
        }
    }
}
