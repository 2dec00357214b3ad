//! Statuses: what the API shows, and what travels on the link with its rank.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// Says that a text names no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidStatus;

impl fmt::Display for InvalidStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not a status")
    }
}

impl std::error::Error for InvalidStatus {}

macro_rules! named {
    ($(#[$doc:meta])* $type:ident { $($(#[$vdoc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $type { $($(#[$vdoc])* #[serde(rename = $name)] $variant,)* }

        impl $type {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name that travels.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl FromStr for $type {
            type Err = InvalidStatus;
            fn from_str(text: &str) -> Result<Self, InvalidStatus> {
                match text { $($name => Ok(Self::$variant),)* _ => Err(InvalidStatus) }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

named! {
    /// A message's status as the API shows it.
    ///
    /// Source: the specification, "States and transitions".
    MessageStatus {
        /// Incoming, not handled on purpose.
        Ignored = "ignored",
        /// Incoming, services are at work on it.
        Processing = "processing",
        /// Incoming, stored.
        Received = "received",
        /// Handed to the mobile network.
        Sent = "sent",
        /// Not sent yet.
        Queued = "queued",
        /// Not sent, and not tried again by itself.
        Failed = "failed",
        /// Not sent yet, a try failed and another follows.
        FailedQueued = "failed_queued",
        /// Taken back before it was sent.
        Cancelled = "cancelled",
        /// On the recipient's phone.
        Delivered = "delivered",
        /// The network gave up.
        NotDelivered = "not_delivered",
        /// Seen by the recipient.
        Read = "read",
    }
}

named! {
    /// The state of one exposure as the phone names it on the link.
    ///
    /// Source: the design of the link, "Status ranks".
    WireState {
        /// On the phone's disk.
        OnPhone = "on_phone",
        /// Waiting on the phone for its own retry.
        Retrying = "retrying",
        /// On disk before the radio call.
        Submitting = "submitting",
        /// The phone cannot know whether it went on the air.
        Unknown = "unknown",
        /// Every part was accepted by the network.
        Sent = "sent",
        /// Some or all parts failed.
        Failed = "failed",
        /// The network gave up delivering.
        NotDelivered = "not_delivered",
        /// Every part was delivered.
        Delivered = "delivered",
        /// Given back: the phone will never send this exposure.
        Revoked = "revoked",
        /// Cancelled on the phone before it was sent.
        Cancelled = "cancelled",
        /// Its life ended on the phone before it was sent.
        Expired = "expired",
    }
}

impl WireState {
    /// Returns the rank within one exposure; a state only gives way to one of higher rank.
    ///
    /// The three ends without the air (`revoked`, `cancelled`, `expired`) have none: they end an
    /// exposure that never passed `retrying`.
    pub const fn rank(self) -> Option<u8> {
        match self {
            Self::OnPhone => Some(30),
            Self::Retrying => Some(35),
            Self::Submitting => Some(40),
            Self::Unknown => Some(50),
            Self::Sent => Some(60),
            Self::Failed => Some(70),
            Self::NotDelivered => Some(75),
            Self::Delivered => Some(80),
            Self::Revoked | Self::Cancelled | Self::Expired => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_reads_back_by_its_name() {
        for status in MessageStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(*status));
        }
        for state in WireState::ALL {
            assert_eq!(state.as_str().parse(), Ok(*state));
        }
        assert!("Queued".parse::<MessageStatus>().is_err());
    }

    #[test]
    fn ranks_rise_with_what_is_known() {
        let ranks: Vec<_> = WireState::ALL
            .iter()
            .filter_map(|state| state.rank())
            .collect();
        assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
