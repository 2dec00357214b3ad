//! Why a queued message still waits.

use crate::actor::Actor;
use crate::dispatch::freeze;
use crate::holds::halt;
use crate::views::message::{MessageView, Waiting, links_of};
use hub_domain::{Device, Direction, Message, Phone, PhoneType, Project, QuietMode, WaitingFor};
use hub_store::{StoreError, Tx, devices, labels, phones};
use postrider_link::ownership::hub::HubState;
use postrider_model::{MessageStatus, Now, PhoneId, UnixMs};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Shows a stored message as a reader may see it, a queued one with the reason for its waiting.
pub(crate) fn show(
    actor: &Actor,
    tx: &mut Tx<'_>,
    message: Message,
) -> Result<MessageView, StoreError> {
    Viewer::new(actor, tx)?.view(tx, message)
}

/// As [`show`], of many messages.
pub(crate) fn show_all(
    actor: &Actor,
    tx: &mut Tx<'_>,
    messages: Vec<Message>,
) -> Result<Vec<MessageView>, StoreError> {
    let mut viewer = Viewer::new(actor, tx)?;
    let messages = messages.into_iter();
    messages.map(|message| viewer.view(tx, message)).collect()
}

/// Shows messages, and looks each phone up once.
struct Viewer<'a> {
    actor: &'a Actor,
    /// Above this id, messages wait for no frozen device but their own phone's.
    exposable_above: i64,
    phones: BTreeMap<PhoneId, Option<(Phone, Option<Device>)>>,
}

impl<'a> Viewer<'a> {
    fn new(actor: &'a Actor, tx: &mut Tx<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            actor,
            exposable_above: freeze::exposable_above(tx, actor.project.id)?,
            phones: BTreeMap::new(),
        })
    }

    fn view(&mut self, tx: &mut Tx<'_>, message: Message) -> Result<MessageView, StoreError> {
        let waiting = if is_queued(&message) {
            self.waiting(tx, &message)?
        } else {
            None
        };
        Ok(MessageView {
            links: links_of(tx, &message)?,
            label_ids: labels::of_message(tx, message.id)?,
            message: message.shown_to(self.actor.sight()),
            addresses: self.actor.addresses(),
            waiting,
        })
    }

    fn waiting(
        &mut self,
        tx: &mut Tx<'_>,
        message: &Message,
    ) -> Result<Option<Waiting>, StoreError> {
        let Actor { project, now, .. } = self.actor;
        let waits_for_others = !message.simulated && message.id.get() <= self.exposable_above;
        let Some((phone, device)) = self.phone(tx, message.phone_id)? else {
            return Ok(None);
        };
        let waits_for_it = device.as_ref().is_some_and(|device| device.frozen);
        let link = LinkOf {
            is_connected: device.as_ref().is_some_and(|it| it.connected_to.is_some()),
            is_frozen: waits_for_it || waits_for_others,
        };
        Ok(Some(waiting(project, message, phone, link, *now)))
    }

    fn phone(
        &mut self,
        tx: &mut Tx<'_>,
        id: PhoneId,
    ) -> Result<Option<&(Phone, Option<Device>)>, StoreError> {
        if let Entry::Vacant(place) = self.phones.entry(id) {
            let found = match phones::by_key(tx, id)? {
                None => None,
                Some(phone) => {
                    let device = phone.device_id.map(|device| devices::get(tx, device));
                    Some((phone, device.transpose()?.flatten()))
                }
            };
            place.insert(found);
        }
        Ok(self.phones.get(&id).and_then(Option::as_ref))
    }
}

/// Says whether a message is one that waits.
pub(crate) fn is_queued(message: &Message) -> bool {
    message.direction == Direction::Outgoing
        && matches!(
            message.status,
            MessageStatus::Queued | MessageStatus::FailedQueued
        )
}

/// What is known of the link of a message's phone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinkOf {
    /// Whether it is open, in whichever process.
    pub(crate) is_connected: bool,
    /// Whether the message waits for the word of its phone, or of another one.
    pub(crate) is_frozen: bool,
}

/// Returns why a queued message waits, as far as the hub knows, and until when if that is known.
pub(crate) fn waiting(
    project: &Project,
    message: &Message,
    phone: &Phone,
    link: LinkOf,
    now: Now,
) -> Waiting {
    let circumstances = Circumstances {
        frozen: link.is_frozen,
        online: message.simulated || link.is_connected,
        quiet_until: quiet_until(project, message, phone, now.unix),
        now: now.unix,
    };
    reason(project, message, phone, &circumstances)
}

/// What the hub knows beside the rows.
struct Circumstances {
    frozen: bool,
    online: bool,
    quiet_until: Option<UnixMs>,
    now: UnixMs,
}

/// Returns until when a message may not leave, if these are quiet hours of its phone that hold it. A test
/// on a phone of a device waits for nobody's sleep.
pub fn quiet_until(
    project: &Project,
    message: &Message,
    phone: &Phone,
    now: UnixMs,
) -> Option<UnixMs> {
    let is_test_route = phone.phone_type == PhoneType::Simulated;
    if message.simulated && !is_test_route {
        return None;
    }
    phone.quiet_until(&project.timezone_id, now)
}

fn reason(project: &Project, message: &Message, phone: &Phone, around: &Circumstances) -> Waiting {
    let waits_here = match message.state() {
        Some(HubState::Retrying) => return only(WaitingFor::Retry),
        Some(HubState::Waiting) => true,
        _ if around.online => false,
        _ => return only(WaitingFor::PhoneOffline),
    };
    let halt = halt(project, around.now).filter(|_| waits_here);
    if let Some(reason) = halt {
        only(reason)
    } else if waits_here && phone.sim_changed {
        only(WaitingFor::SimChanged)
    } else if waits_here && (phone.auto_paused || phone.sends_left() == Some(0)) {
        only(WaitingFor::SentMessageLimit)
    } else if waits_here && phone.send_paused {
        only(WaitingFor::Paused)
    } else if waits_here && around.frozen {
        only(WaitingFor::Frozen)
    } else if !around.online {
        only(WaitingFor::PhoneOffline)
    } else {
        told(project, phone, around)
    }
}

/// A reason that ends by somebody's word, at no known moment.
const fn only(reason: WaitingFor) -> Waiting {
    Waiting {
        reason: Some(reason),
        next_slot_time: None,
    }
}

/// Returns what the phone says; what it did not speak of yet but the hub has told it is known.
fn told(project: &Project, phone: &Phone, around: &Circumstances) -> Waiting {
    let slot = phone.next_slot_time.filter(|slot| around.now < *slot);
    let told = phone.waiting_for.unwrap_or(WaitingFor::Queue);
    if matches!(told, WaitingFor::Queue | WaitingFor::Paused)
        && let Some(reason) = pause(project, phone, around.now)
    {
        return only(reason);
    }
    match (told, around.quiet_until) {
        (WaitingFor::Queue | WaitingFor::QuietHours | WaitingFor::SendLimit, Some(end)) => {
            Waiting {
                reason: Some(WaitingFor::QuietHours),
                next_slot_time: Some(end.max(slot.unwrap_or(end))),
            }
        }
        // They ended, or somebody released them, since the phone last spoke.
        (WaitingFor::QuietHours, None) if slot.is_none() => only(WaitingFor::Queue),
        (WaitingFor::QuietHours, None) if phone.quiet_mode != QuietMode::Off => {
            only(WaitingFor::Queue)
        }
        (WaitingFor::Paused | WaitingFor::SimChanged, _) => only(told),
        _ => Waiting {
            reason: Some(told),
            next_slot_time: slot,
        },
    }
}

/// Returns why the hub has told a phone to pause, if it has.
fn pause(project: &Project, phone: &Phone, now: UnixMs) -> Option<WaitingFor> {
    if let Some(reason) = halt(project, now) {
        Some(reason)
    } else if phone.sim_changed {
        Some(WaitingFor::SimChanged)
    } else if phone.auto_paused {
        Some(WaitingFor::SentMessageLimit)
    } else {
        phone.send_paused.then_some(WaitingFor::Paused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::tests::{message, phone, project};
    use postrider_link::ownership::hub::Ownership;

    const NOW: UnixMs = UnixMs(3_600_000);
    const LATER: UnixMs = UnixMs(7_200_000);

    fn in_state(message: &mut Message, state: HubState) {
        message.ownership = Some(Ownership {
            state,
            ..Ownership::new()
        });
    }

    fn around(online: bool) -> Circumstances {
        Circumstances {
            frozen: false,
            online,
            quiet_until: None,
            now: NOW,
        }
    }

    fn of(
        phone: &Phone,
        message: &Message,
        around: &Circumstances,
    ) -> (WaitingFor, Option<UnixMs>) {
        let waiting = reason(&project(), message, phone, around);
        (waiting.reason.unwrap(), waiting.next_slot_time)
    }

    #[test]
    fn the_first_thing_to_be_done_is_named() {
        let (mut phone, message) = (phone(), message());
        let of = |phone: &Phone, online| of(phone, &message, &around(online));
        assert_eq!(of(&phone, true), (WaitingFor::Queue, None));
        phone.waiting_for = Some(WaitingFor::SendLimit);
        phone.next_slot_time = Some(LATER);
        assert_eq!(of(&phone, true), (WaitingFor::SendLimit, Some(LATER)));
        assert_eq!(of(&phone, false), (WaitingFor::PhoneOffline, None));
        phone.send_paused = true;
        assert_eq!(of(&phone, false), (WaitingFor::Paused, None));
        phone.sent_message_limit = Some(0);
        assert_eq!(of(&phone, false), (WaitingFor::SentMessageLimit, None));
        phone.sim_changed = true;
        assert_eq!(of(&phone, false), (WaitingFor::SimChanged, None));
        let stopped = Project {
            stopped: true,
            ..project()
        };
        let told = reason(&stopped, &message, &phone, &around(true));
        assert_eq!(told.reason, Some(WaitingFor::ProjectStopped));
    }

    #[test]
    fn what_a_phone_holds_waits_for_what_the_phone_says() {
        let (mut phone, mut message) = (phone(), message());
        phone.send_paused = true;
        phone.waiting_for = Some(WaitingFor::NoService);
        in_state(&mut message, HubState::OnPhone);
        assert_eq!(
            of(&phone, &message, &around(true)),
            (WaitingFor::NoService, None)
        );
        phone.waiting_for = None;
        assert_eq!(
            of(&phone, &message, &around(true)),
            (WaitingFor::Paused, None)
        );
        phone.waiting_for = Some(WaitingFor::Paused);
        phone.sim_changed = true;
        assert_eq!(
            of(&phone, &message, &around(true)),
            (WaitingFor::SimChanged, None)
        );
        in_state(&mut message, HubState::Retrying);
        assert_eq!(
            of(&phone, &message, &around(true)),
            (WaitingFor::Retry, None)
        );
    }

    #[test]
    fn quiet_hours_are_named_with_their_end_before_and_after_the_phone_spoke_of_them() {
        let (mut phone, mut message) = (phone(), message());
        let quiet = Circumstances {
            quiet_until: Some(LATER),
            ..around(true)
        };
        let expected = (WaitingFor::QuietHours, Some(LATER));
        for state in [HubState::Waiting, HubState::OnPhone] {
            in_state(&mut message, state);
            for told in [
                None,
                Some(WaitingFor::QuietHours),
                Some(WaitingFor::SendLimit),
            ] {
                phone.waiting_for = told;
                assert_eq!(of(&phone, &message, &quiet), expected, "{state:?} {told:?}");
            }
        }
        // What the phone said before they ended is no longer true.
        phone.waiting_for = Some(WaitingFor::QuietHours);
        assert_eq!(of(&phone, &message, &around(true)).0, WaitingFor::Queue);
        // Its owner keeps quiet hours of his own.
        phone.next_slot_time = Some(LATER);
        assert_eq!(of(&phone, &message, &around(true)), expected);
        phone.waiting_for = Some(WaitingFor::NoService);
        assert_eq!(of(&phone, &message, &quiet).0, WaitingFor::NoService);
    }

    #[test]
    fn a_slot_that_has_passed_is_not_shown() {
        let (mut phone, message) = (phone(), message());
        phone.waiting_for = Some(WaitingFor::SendLimit);
        phone.next_slot_time = Some(NOW);
        let told = of(&phone, &message, &around(true));
        assert_eq!(told, (WaitingFor::SendLimit, None));
    }

    #[test]
    fn a_test_on_a_devices_phone_waits_for_no_quiet_hours() {
        let (mut phone, mut message) = (phone(), message());
        phone.quiet_mode = QuietMode::Delay;
        (phone.quiet_start, phone.quiet_end) = (Some("00:00".into()), Some("02:00".into()));
        assert_eq!(quiet_until(&project(), &message, &phone, NOW), Some(LATER));
        message.simulated = true;
        assert_eq!(quiet_until(&project(), &message, &phone, NOW), None);
        phone.phone_type = PhoneType::Simulated;
        assert_eq!(quiet_until(&project(), &message, &phone, NOW), Some(LATER));
    }
}
