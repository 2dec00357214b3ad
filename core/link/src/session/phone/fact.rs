//! Facts: sent to the hub at least once, and counted there once.

use crate::frame::{Event, Health, Inbound, PhoneFrame};

/// A fact of the phone, as its journal keeps it until it is acked.
///
/// In the journal an event and an inbound name the boot that their `mono` counts from; on the
/// wire the boot is left out while it is the one that hello named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PhoneFact {
    /// The progress of an exposure.
    Event(Event),
    /// What came in.
    Inbound(Inbound),
    /// The phone's state.
    Health(Health),
}

impl PhoneFact {
    /// Returns the fact's place in the upward sequence.
    pub const fn s(&self) -> u64 {
        match self {
            Self::Event(fact) => fact.s,
            Self::Inbound(fact) => fact.s,
            Self::Health(fact) => fact.s,
        }
    }

    /// Returns the fact at another place: when it is stored, and when the counters start again.
    #[must_use]
    pub const fn at_place(mut self, s: u64) -> Self {
        match &mut self {
            Self::Event(fact) => fact.s = s,
            Self::Inbound(fact) => fact.s = s,
            Self::Health(fact) => fact.s = s,
        }
        self
    }

    /// Returns the frame that the journal keeps, boot included.
    pub fn into_frame(self) -> PhoneFrame {
        match self {
            Self::Event(fact) => PhoneFrame::Event(fact),
            Self::Inbound(fact) => PhoneFrame::Inbound(fact),
            Self::Health(fact) => PhoneFrame::Health(fact),
        }
    }

    /// Returns the fact of a frame that the journal kept, or `None` for a frame of another kind.
    pub fn from_frame(frame: PhoneFrame) -> Option<Self> {
        match frame {
            PhoneFrame::Event(fact) => Some(Self::Event(fact)),
            PhoneFrame::Inbound(fact) => Some(Self::Inbound(fact)),
            PhoneFrame::Health(fact) => Some(Self::Health(fact)),
            PhoneFrame::Hello(_)
            | PhoneFrame::Held(_)
            | PhoneFrame::Ack(_)
            | PhoneFrame::Ping(_)
            | PhoneFrame::Pong(_)
            | PhoneFrame::Bye(_)
            | PhoneFrame::Unknown(_) => None,
        }
    }

    /// Sets the boot that its `mono` counts from, unless it is set.
    pub(super) fn stamp_boot(&mut self, boot: &str) {
        if let Some(stamped) = self.boot_mut() {
            stamped.get_or_insert_with(|| boot.to_owned());
        }
    }

    /// Returns the frame to write in a connection whose hello named `boot`.
    pub(super) fn into_wire(mut self, boot: &str) -> PhoneFrame {
        if let Some(stamped) = self.boot_mut()
            && stamped.as_deref() == Some(boot)
        {
            *stamped = None;
        }
        self.into_frame()
    }

    const fn boot_mut(&mut self) -> Option<&mut Option<String>> {
        match self {
            Self::Event(fact) => Some(&mut fact.boot),
            Self::Inbound(fact) => Some(&mut fact.boot),
            Self::Health(_) => None,
        }
    }
}
