//! Why a queued message still waits.

use super::model::{MessageView, Waiting};
use crate::hub::Hub;
use hub_domain::{Device, Direction, Message, Phone, Project, WaitingFor};
use hub_store::{StoreError, Tx, devices, phones};
use postrider_link::ownership::hub::HubState;
use postrider_model::{MessageStatus, Now, PhoneId};
use std::collections::BTreeMap;

/// Shows stored messages, each queued one with the reason for its waiting.
///
/// # Errors
/// What the database says.
pub(in crate::api) fn show(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    messages: Vec<Message>,
    now: Now,
) -> Result<Vec<MessageView>, StoreError> {
    let mut holders = BTreeMap::new();
    let mut views = Vec::with_capacity(messages.len());
    for message in messages {
        let waiting = if is_queued(&message) {
            let holder = holder(tx, &mut holders, message.phone_id)?;
            holder.map(|(phone, device)| {
                let frozen = device.as_ref().is_some_and(|device| device.frozen);
                waiting(hub, project, &message, phone, frozen, now)
            })
        } else {
            None
        };
        views.push(MessageView { message, waiting });
    }
    Ok(views)
}

type Holders = BTreeMap<PhoneId, Option<(Phone, Option<Device>)>>;

fn holder<'a>(
    tx: &mut Tx<'_>,
    known: &'a mut Holders,
    id: PhoneId,
) -> Result<Option<&'a (Phone, Option<Device>)>, StoreError> {
    if let std::collections::btree_map::Entry::Vacant(place) = known.entry(id) {
        let found = match phones::by_key(tx, id)? {
            None => None,
            Some(phone) => {
                let device = phone.device_id.map(|device| devices::get(tx, device));
                Some((phone, device.transpose()?.flatten()))
            }
        };
        place.insert(found);
    }
    Ok(known.get(&id).and_then(Option::as_ref))
}

/// Says whether a message is one that waits.
pub(super) fn is_queued(message: &Message) -> bool {
    message.direction == Direction::Outgoing
        && matches!(
            message.status,
            MessageStatus::Queued | MessageStatus::FailedQueued
        )
}

/// Returns why a queued message waits, as far as the hub knows.
pub(super) fn waiting(
    hub: &Hub,
    project: &Project,
    message: &Message,
    phone: &Phone,
    frozen: bool,
    now: Now,
) -> Waiting {
    let online = message.simulated || hub.bus.is_heard(phone.id);
    let reason = reason(project, message, phone, frozen, online);
    let slot = phone.next_slot_time.filter(|slot| now.unix < *slot);
    Waiting {
        reason: Some(reason),
        next_slot_time: slot,
    }
}

fn reason(
    project: &Project,
    message: &Message,
    phone: &Phone,
    frozen: bool,
    online: bool,
) -> WaitingFor {
    let told = phone.waiting_for.unwrap_or(WaitingFor::Queue);
    match HubState::from_code(message.ownership.state) {
        Some(HubState::Retrying) => return WaitingFor::Retry,
        Some(HubState::Waiting) => {}
        _ if online => return held(phone, told),
        _ => return WaitingFor::PhoneOffline,
    }
    if project.stopped {
        WaitingFor::ProjectStopped
    } else if phone.sim_changed {
        WaitingFor::SimChanged
    } else if phone.auto_paused || phone.sends_left() == Some(0) {
        WaitingFor::SentMessageLimit
    } else if phone.send_paused {
        WaitingFor::Paused
    } else if frozen {
        WaitingFor::Frozen
    } else if !online {
        WaitingFor::PhoneOffline
    } else {
        told
    }
}

/// Returns why a message waits on its phone; a pause that the phone did not speak of yet is known.
fn held(phone: &Phone, told: WaitingFor) -> WaitingFor {
    match told {
        WaitingFor::Queue if phone.auto_paused => WaitingFor::SentMessageLimit,
        WaitingFor::Queue if phone.send_paused => WaitingFor::Paused,
        told => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::messages::tests::{message, phone, project};

    fn of(phone: &Phone, online: bool) -> WaitingFor {
        reason(&project(), &message(), phone, false, online)
    }

    #[test]
    fn the_first_thing_to_be_done_is_named() {
        let mut phone = phone();
        assert_eq!(of(&phone, true), WaitingFor::Queue);
        phone.waiting_for = Some(WaitingFor::SendLimit);
        assert_eq!(of(&phone, true), WaitingFor::SendLimit);
        assert_eq!(of(&phone, false), WaitingFor::PhoneOffline);
        phone.send_paused = true;
        assert_eq!(of(&phone, false), WaitingFor::Paused);
        phone.sent_message_limit = Some(0);
        assert_eq!(of(&phone, false), WaitingFor::SentMessageLimit);
        phone.sim_changed = true;
        assert_eq!(of(&phone, false), WaitingFor::SimChanged);
        let stopped = Project {
            stopped: true,
            ..project()
        };
        let told = reason(&stopped, &message(), &phone, false, true);
        assert_eq!(told, WaitingFor::ProjectStopped);
    }

    #[test]
    fn what_a_phone_holds_waits_for_what_the_phone_says() {
        let mut phone = phone();
        phone.send_paused = true;
        phone.waiting_for = Some(WaitingFor::NoService);
        let mut message = message();
        message.ownership.state = HubState::OnPhone.code();
        let told = reason(&project(), &message, &phone, false, true);
        assert_eq!(told, WaitingFor::NoService);
        phone.waiting_for = None;
        let told = reason(&project(), &message, &phone, false, true);
        assert_eq!(told, WaitingFor::Paused);
        message.ownership.state = HubState::Retrying.code();
        let told = reason(&project(), &message, &phone, false, true);
        assert_eq!(told, WaitingFor::Retry);
    }
}
