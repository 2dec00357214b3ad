//! What is on the hub's disk.

use crate::plan::Sort;
use postrider_link::{
    dispatch::{
        freeze::{self, Freeze},
        hello::Service,
    },
    frame::{Address, Data, InstallId, Kind},
    ownership::hub::{Flags, Holder, HubState, OnUnknown, Ownership, Rules},
    session::hub::DeviceLink,
};
use postrider_model::{DeviceId, MessageId, MessageText, SimSlot, UnixMs};
use std::collections::{BTreeMap, BTreeSet};

/// One SIM slot of a device: a Phone of the API.
pub type Slot = (DeviceId, SimSlot);

/// A device's row.
#[derive(Debug, Clone)]
pub struct Device {
    /// The link's part.
    pub link: DeviceLink,
    /// Whether it may connect.
    pub state: Service,
    /// Whether nothing is exposed to it until it has shown what it holds.
    pub frozen: bool,
    /// Whether its own numbers alone had it frozen.
    pub alone: bool,
    /// The generation that it alone is to agree on.
    pub own_generation: u64,
    /// The key that its hello must be signed with.
    pub key: u64,
}

/// A phone's row: settings of one SIM slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sim {
    /// Whether nothing may be sent.
    pub paused: bool,
    /// Whether another SIM is in the slot, which nobody has confirmed.
    pub sim_changed: bool,
    /// Which SIM it is.
    pub fingerprint: Option<String>,
    /// Quiet hours.
    pub quiet: Vec<(i64, i64)>,
    /// The gap between two hand-overs.
    pub delay_ms: u64,
    /// The hub's own limit.
    pub limit: Option<u32>,
}

/// An outgoing message's row.
#[derive(Debug, Clone)]
pub struct Message {
    /// Which.
    pub id: MessageId,
    /// Its place among all that the rows took in.
    pub place: i64,
    /// Who may send it.
    pub owner: Ownership,
    /// Who is to send it.
    pub route: Slot,
    /// Its priority.
    pub priority: u8,
    /// When it was given to the hub.
    pub created: i64,
    /// How long it lives after that or after a resend.
    pub life_ms: u64,
    /// When its life ends.
    pub life_end: i64,
    /// What its sender wants when nobody knows.
    pub on_unknown: OnUnknown,
    /// What kind it is.
    pub kind: Kind,
    /// The recipient.
    pub to: Address,
    /// The text.
    pub text: Option<MessageText>,
    /// The bytes.
    pub data: Option<Data>,
    /// Whether another phone may send it.
    pub movable: bool,
    /// Who gave it back after a try.
    pub tried: BTreeSet<Slot>,
    /// Whether its sender deleted it.
    pub hidden: bool,
    /// Whether the last failure came with proof that nothing was sent.
    pub said_unsent: bool,
    /// When it was sent, as published.
    pub time_sent: Option<i64>,
}

/// A message that came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incoming {
    /// By whom.
    pub device: DeviceId,
    /// Of which installation.
    pub install: InstallId,
    /// The installation's own number of it.
    pub n: u64,
    /// What it is.
    pub sort: Sort,
    /// Which one: from what it says, or who it is from.
    pub group: u64,
}

/// Everything that survives the hub's process.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    /// The hub's generation.
    pub generation: u64,
    /// Devices.
    pub devices: BTreeMap<DeviceId, Device>,
    /// Installations whose place another one took, each with the key that the device had then: none
    /// of them is believed again.
    pub lost: BTreeMap<(DeviceId, InstallId), u64>,
    /// Their slots.
    pub sims: BTreeMap<Slot, Sim>,
    /// How many outgoing messages they took in.
    pub places: i64,
    /// Outgoing messages.
    pub messages: BTreeMap<MessageId, Message>,
    /// Exposures that a newer one replaced.
    pub past: BTreeSet<(MessageId, u32, DeviceId, InstallId)>,
    /// Where messages go that are asked back.
    pub moves: BTreeMap<MessageId, Slot>,
    /// Incoming messages that were counted.
    pub counted: BTreeSet<(DeviceId, InstallId, u64)>,
    /// Incoming messages in the order in which they were stored.
    pub incoming: Vec<Incoming>,
    /// Facts that could not be applied.
    pub aside: u64,
    /// What waits for the phones' word since the hub went backwards.
    pub freeze: Option<Freeze>,
}

impl Message {
    /// Returns what its transitions go by.
    pub fn rules(&self, now: UnixMs, other_route: bool) -> Rules {
        Rules {
            on_unknown: self.on_unknown,
            life_left: now.0 < self.life_end,
            other_route,
        }
    }

    /// Returns whether what the API shows says that nothing went out.
    pub fn claims_unsent(&self) -> bool {
        match self.owner.state {
            HubState::Cancelled | HubState::Expired => true,
            HubState::Failed => {
                let flags = self.owner.flags;
                flags.has(Flags::NEVER_SENT) || (self.said_unsent && !flags.has(Flags::NO_PROOF))
            }
            _ => false,
        }
    }
}

impl Rows {
    /// Returns whether another installation took the place of this one.
    pub fn is_lost(&self, device: DeviceId, install: &InstallId) -> bool {
        self.lost.contains_key(&(device, install.clone()))
    }

    /// Returns the messages that a device holds without a first result.
    pub fn held(&self, device: DeviceId) -> Vec<MessageId> {
        self.of(device, |message| message.owner.state.is_open())
    }

    /// Returns the exposures of a device without a sent result whose place is above `down`, in
    /// the order of their places.
    pub fn on_device(&self, device: DeviceId, down: u64) -> Vec<MessageId> {
        let is_out = |message: &Message| {
            let state = message.owner.state;
            let is_late = state >= HubState::Exposed && state < HubState::Sent;
            is_late && message.owner.s.is_some_and(|s| s > down)
        };
        let mut list = self.of(device, is_out);
        list.sort_by_key(|id| self.messages.get(id).and_then(|message| message.owner.s));
        list
    }

    /// Returns what of a device is to be taken back and was not answered.
    pub fn asked_back(&self, device: DeviceId) -> Vec<MessageId> {
        self.of(device, |message| {
            message.owner.flags.has(Flags::REVOKE_ASKED)
        })
    }

    fn of(&self, device: DeviceId, test: impl Fn(&Message) -> bool) -> Vec<MessageId> {
        let of_device = |message: &&Message| {
            message.owner.holder.as_ref().map(|holder| holder.device) == Some(device)
        };
        let messages = self.messages.values().filter(of_device);
        messages
            .filter(|message| test(message))
            .map(|message| message.id)
            .collect()
    }

    /// Returns what waits for a slot with a priority and came in after a place, oldest first.
    pub fn queued(&self, slot: Slot, priority: u8, above: i64, most: u32) -> Vec<MessageId> {
        let waits = |message: &&Message| {
            message.owner.state == HubState::Waiting
                && message.place > above
                && message.route == slot
                && message.priority == priority
        };
        let waiting = self.messages.values().filter(waits).take(most as usize);
        waiting.map(|message| message.id).collect()
    }

    /// Returns whether an exposure is among the past ones of a phone.
    pub fn was_held(&self, id: MessageId, ep: u32, by: &Holder) -> bool {
        let past = (id, ep, by.device, by.install.clone());
        self.past.contains(&past)
    }

    /// Returns whether a message went or may go to a device.
    pub fn is_concerned(&self, id: MessageId, device: DeviceId) -> bool {
        let message = &self.messages[&id];
        let had_it = |past: &(MessageId, u32, DeviceId, _)| (past.0, past.2) == (id, device);
        message.route.0 == device || message.movable || self.past.iter().any(had_it)
    }

    /// Returns a device as the rules of a freeze see it.
    pub fn freezable(&self, id: DeviceId) -> Option<freeze::Device> {
        let device = self.devices.get(&id)?;
        Some(freeze::Device {
            id,
            frozen: device.frozen,
            in_service: device.state == Service::Open,
            gen_seen: device.link.generation,
            gen_own: device.own_generation,
        })
    }

    /// Returns another slot that could send a message.
    pub fn other_route(&self, message: &Message) -> Option<Slot> {
        if !message.movable {
            return None;
        }
        let may = |slot: &&Slot| {
            let active = self
                .devices
                .get(&slot.0)
                .is_some_and(|device| device.state == Service::Open);
            **slot != message.route && active && !message.tried.contains(*slot)
        };
        self.sims.keys().find(may).copied()
    }
}
