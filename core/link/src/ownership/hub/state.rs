//! The states of a message at the hub, their codes and what the API shows of them.

use postrider_model::{MessageStatus, WireState};
use std::fmt;

macro_rules! hub_states {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// The state of a message at the hub; the codes are stored and their order is the rank.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum HubState { $($(#[$doc])* $name = $code,)* }

        impl HubState {
            /// Every state, by rank.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the state stored as `code`, or `None` for a code that no version wrote.
            pub const fn from_code(code: i64) -> Option<Self> {
                match code { $($code => Some(Self::$name),)* _ => None }
            }
        }
    };
}

hub_states! {
    /// In the hub's queue: never exposed, or freed by a proof.
    Waiting = 10,
    /// Committed to a phone; nothing heard of it yet.
    Exposed = 20,
    /// On the phone's disk.
    OnPhone = 30,
    /// Waiting on the phone for its own retry.
    Retrying = 35,
    /// On the phone's disk before the radio call.
    Submitting = 40,
    /// The outcome is unknown and was reported so.
    Unknown = 50,
    /// Every part was accepted by the network.
    Sent = 60,
    /// Failed.
    Failed = 70,
    /// The network gave up.
    NotDelivered = 75,
    /// All parts were delivered.
    Delivered = 80,
    /// Cancelled by its sender.
    Cancelled = 90,
    /// Its life ended before it was sent.
    Expired = 91,
}

impl HubState {
    /// Returns the code that is stored.
    pub const fn code(self) -> i64 {
        self as i64
    }

    /// Says whether an exposure is out whose result is not known.
    pub const fn is_open(self) -> bool {
        matches!(
            self,
            Self::Exposed | Self::OnPhone | Self::Retrying | Self::Submitting
        )
    }

    /// Says whether the network accepted the message, whatever became of it then.
    pub const fn went_out(self) -> bool {
        matches!(self, Self::Sent | Self::NotDelivered | Self::Delivered)
    }

    /// Returns the status that the API shows for the state.
    pub const fn status(self) -> MessageStatus {
        match self {
            Self::Waiting | Self::Exposed | Self::OnPhone | Self::Submitting => {
                MessageStatus::Queued
            }
            Self::Retrying => MessageStatus::FailedQueued,
            Self::Unknown | Self::Failed | Self::Expired => MessageStatus::Failed,
            Self::Sent => MessageStatus::Sent,
            Self::NotDelivered => MessageStatus::NotDelivered,
            Self::Delivered => MessageStatus::Delivered,
            Self::Cancelled => MessageStatus::Cancelled,
        }
    }

    /// Returns the hub's state for a ranked state of the phone; `None` for the three ends
    /// without sending.
    pub(super) const fn of_wire(state: WireState) -> Option<Self> {
        match state {
            WireState::OnPhone => Some(Self::OnPhone),
            WireState::Retrying => Some(Self::Retrying),
            WireState::Submitting => Some(Self::Submitting),
            WireState::Unknown => Some(Self::Unknown),
            WireState::Sent => Some(Self::Sent),
            WireState::Failed => Some(Self::Failed),
            WireState::NotDelivered => Some(Self::NotDelivered),
            WireState::Delivered => Some(Self::Delivered),
            WireState::Revoked | WireState::Cancelled | WireState::Expired => None,
        }
    }
}

/// What else is remembered of a message: one bit each, stored as one integer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(u32);

impl Flags {
    /// Its sender asked for a cancel, and no answer has ended it yet.
    pub const CANCEL_ASKED: Self = Self(1);
    /// The present exposure must be taken back; asked again on each connection until answered.
    pub const REVOKE_ASKED: Self = Self(1 << 1);
    /// Deleted: hidden, and its webhooks stopped.
    pub const DELETED: Self = Self(1 << 2);
    /// Its sender was told that the outcome is unknown.
    pub const TOLD_UNKNOWN: Self = Self(1 << 3);
    /// A reported unknown was corrected: it was never sent.
    pub const NEVER_SENT: Self = Self(1 << 4);
    /// The hub sent it again because the outcome was unknown (R4), which it does once.
    pub const RESENT_FOR_UNKNOWN: Self = Self(1 << 5);
    /// Some parts were sent and some failed.
    pub const PARTIAL: Self = Self(1 << 6);
    /// Its result is that of an exposure before the present one.
    pub const EARLIER_WON: Self = Self(1 << 7);
    /// The outcome of an exposure before the present one is unknown, and it was sent again for that
    /// (R4, or by its sender): no later end may claim that nothing was sent.
    pub const EARLIER_UNKNOWN: Self = Self(1 << 8);

    /// It failed, and nothing proves that it was not sent; cleared when it was, or is sent again.
    pub const NO_PROOF: Self = Self(1 << 9);

    /// While it was exposed, another phone showed a later exposure of it, without proof. Giving
    /// the present one back no longer proves that nobody else has it.
    pub const CLAIMED: Self = Self(1 << 10);

    const NAMES: [(Self, &'static str); 11] = [
        (Self::CANCEL_ASKED, "cancel_asked"),
        (Self::REVOKE_ASKED, "revoke_asked"),
        (Self::DELETED, "deleted"),
        (Self::TOLD_UNKNOWN, "told_unknown"),
        (Self::NEVER_SENT, "never_sent"),
        (Self::RESENT_FOR_UNKNOWN, "resent_for_unknown"),
        (Self::PARTIAL, "partial"),
        (Self::EARLIER_WON, "earlier_won"),
        (Self::EARLIER_UNKNOWN, "earlier_unknown"),
        (Self::NO_PROOF, "no_proof"),
        (Self::CLAIMED, "claimed"),
    ];

    pub(super) const fn from_none() -> Self {
        Self(0)
    }

    /// Returns the integer that is stored.
    pub const fn code(self) -> i64 {
        self.0 as i64
    }

    /// Returns the flags stored as `code`; bits that no version wrote are dropped.
    pub fn from_code(code: i64) -> Self {
        let known = Self::NAMES.iter().fold(0, |bits, (flag, _)| bits | flag.0);
        Self(u32::try_from(code).unwrap_or(0) & known)
    }

    /// Says whether every bit of `flag` is set.
    pub const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 == flag.0
    }

    /// Sets the bits of `flag`.
    pub const fn set(&mut self, flag: Self) {
        self.0 |= flag.0;
    }

    /// Clears the bits of `flag`.
    pub const fn clear(&mut self, flag: Self) {
        self.0 &= !flag.0;
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = Self::NAMES.iter().filter(|(flag, _)| self.has(*flag));
        f.debug_set().entries(set.map(|(_, name)| name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_reads_back_by_its_code() {
        for state in HubState::ALL {
            assert_eq!(HubState::from_code(state.code()), Some(*state));
        }
        assert_eq!(HubState::from_code(11), None);
    }

    #[test]
    fn every_ranked_state_of_the_phone_has_its_rank_here() {
        for state in WireState::ALL {
            let here = HubState::of_wire(*state).map(HubState::code);
            assert_eq!(here, state.rank().map(i64::from), "{state}");
        }
    }

    #[test]
    fn flags_read_back_and_foreign_bits_are_dropped() {
        let mut flags = Flags::default();
        flags.set(Flags::CANCEL_ASKED);
        flags.set(Flags::EARLIER_WON);
        assert_eq!(Flags::from_code(flags.code()), flags);
        assert_eq!(Flags::from_code(1 << 20), Flags::default());
        flags.clear(Flags::CANCEL_ASKED);
        assert_eq!(format!("{flags:?}"), r#"{"earlier_won"}"#);
    }
}
