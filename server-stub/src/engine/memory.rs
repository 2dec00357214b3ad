//! What the hub knows: all of it can be forgotten.

use super::proof;
use crate::scenario::OnUnknownWish;
use postrider_link::dispatch::hello::Service;
use postrider_link::frame::{Config, InstallId, Kind, Send};
use postrider_link::ownership::hub::{Holder, HubState, OnUnknown, Ownership, Rules};
use postrider_link::session::hub::DeviceLink;
use postrider_model::{DeviceId, MessageId, Now, SimSlot, UnixMs};
use std::collections::{BTreeMap, BTreeSet};

/// Exposures of one message after which no other route is left, so that a phone which refuses
/// everything ends the run.
const ATTEMPTS_MAX: u32 = 3;

/// What a real hub keeps in its database.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    pub(super) generation: u64,
    pub(super) link: Option<DeviceLink>,
    /// Installations whose place another one took.
    pub(super) lost: BTreeSet<InstallId>,
    pub(super) messages: BTreeMap<MessageId, Message>,
    pub(super) past: BTreeMap<(MessageId, u32), Holder>,
    pub(super) configs: BTreeMap<Option<SimSlot>, Config>,
    /// How often settings were changed.
    pub(super) configured: u64,
}

/// One message.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) send: Send,
    pub(super) owned: Ownership,
    pub(super) life_end: UnixMs,
    pub(super) movable: bool,
    pub(super) on_unknown: OnUnknownWish,
    /// Taken back by a step: it is not exposed again.
    pub(super) withheld: bool,
}

impl Memory {
    /// Returns whether an exposure is among the past ones of `by`.
    pub(super) fn was_held(&self, id: MessageId, ep: u32, by: &Holder) -> bool {
        self.past.get(&(id, ep)) == Some(by)
    }
}

impl Message {
    pub(super) fn rules(&self, now: Now) -> Rules {
        Rules {
            on_unknown: match self.on_unknown {
                OnUnknownWish::Report => OnUnknown::Report,
                OnUnknownWish::Resend => OnUnknown::Resend,
            },
            life_left: self.life_left(now),
            other_route: self.movable && self.owned.send_attempts < ATTEMPTS_MAX,
        }
    }

    pub(super) fn life_left(&self, now: Now) -> bool {
        now.unix < self.life_end
    }

    pub(super) fn can_expose(&self, now: Now) -> bool {
        !self.withheld && self.owned.can_expose(self.life_left(now))
    }

    /// Returns its frame with place and exposure as they are, and what is left of its life.
    pub(super) fn frame(&self, s: u64, now: Now) -> Send {
        let left = self.life_end.0.saturating_sub(now.unix.0);
        Send {
            s,
            ep: self.owned.ep,
            proof: self
                .owned
                .holder
                .as_ref()
                .map(|by| proof::of(by, self.send.id, self.owned.ep)),
            ttl_ms: u64::try_from(left).unwrap_or(0),
            ..self.send.clone()
        }
    }

    /// Returns whether the phone was given it and no result of sending is known.
    pub(super) const fn is_out(&self) -> bool {
        self.owned.state.is_open()
    }

    /// Returns whether nothing more is to come of it.
    pub(super) fn is_settled(&self, reports: bool) -> bool {
        let waits_for_report = reports && self.send.report && self.send.kind == Kind::Sms;
        match self.owned.state {
            HubState::Waiting => self.withheld,
            HubState::Exposed | HubState::OnPhone | HubState::Retrying | HubState::Submitting => {
                false
            }
            HubState::Sent => !waits_for_report,
            HubState::Unknown
            | HubState::Failed
            | HubState::NotDelivered
            | HubState::Delivered
            | HubState::Cancelled
            | HubState::Expired => true,
        }
    }
}

/// The phone that joined.
#[derive(Debug, Clone)]
pub(super) struct Device {
    pub(super) id: DeviceId,
    pub(super) key: Vec<u8>,
    pub(super) algorithm: KeyAlgorithm,
    pub(super) install: InstallId,
    pub(super) service: Service,
}

/// The kinds of key that phones sign with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyAlgorithm {
    P256,
    Ed25519,
}
