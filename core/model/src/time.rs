//! Time as it comes in, and the SIM slot.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Milliseconds since the machine booted, sleep included; drives timers and windows.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct BootMs(pub u64);

/// Milliseconds since 1970-01-01 UTC by the wall clock; for rows, reports and display.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UnixMs(pub i64);

impl BootMs {
    /// Returns the moment `delay_ms` later.
    pub const fn plus_ms(self, delay_ms: u64) -> Self {
        Self(self.0.saturating_add(delay_ms))
    }

    /// Returns how long ago `earlier` was, nothing when it lies ahead.
    pub const fn since_ms(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl UnixMs {
    /// Returns the moment `delay_ms` later.
    pub const fn plus_ms(self, delay_ms: i64) -> Self {
        Self(self.0.saturating_add(delay_ms))
    }

    /// Returns whole seconds, as the API shows time.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1_000)
    }
}

/// The time that comes with every fact: both clocks, read once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// The clock that only runs forward.
    pub boot: BootMs,
    /// The clock that people set.
    pub unix: UnixMs,
}

impl Now {
    /// Makes a moment from both clocks, in milliseconds.
    pub const fn new(boot_ms: u64, unix_ms: i64) -> Self {
        Self {
            boot: BootMs(boot_ms),
            unix: UnixMs(unix_ms),
        }
    }

    /// Returns the moment `delay_ms` later on both clocks.
    #[must_use]
    pub const fn plus_ms(self, delay_ms: u64) -> Self {
        Self {
            boot: self.boot.plus_ms(delay_ms),
            unix: self.unix.plus_ms(delay_ms.cast_signed()),
        }
    }
}

/// A SIM slot of a device, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(transparent)]
pub struct SimSlot(u8);

impl SimSlot {
    /// The highest slot we know devices to have.
    pub const MAX: u8 = 7;

    /// Returns the slot, or `None` above [`Self::MAX`].
    pub const fn new(slot: u8) -> Option<Self> {
        if slot > Self::MAX {
            None
        } else {
            Some(Self(slot))
        }
    }

    /// Returns the slot's number, from 0.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for SimSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SIM {}", self.0 + 1)
    }
}

impl<'de> Deserialize<'de> for SimSlot {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let slot = u8::deserialize(deserializer)?;
        Self::new(slot).ok_or_else(|| serde::de::Error::custom("a SIM slot is 0 to 7"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_saturate_instead_of_wrapping() {
        assert_eq!(BootMs(u64::MAX).plus_ms(1), BootMs(u64::MAX));
        assert_eq!(BootMs(5).since_ms(BootMs(9)), 0);
        assert_eq!(UnixMs(-1).seconds(), -1);
        assert_eq!(Now::new(1, 2).plus_ms(10), Now::new(11, 12));
    }

    #[test]
    fn a_slot_above_seven_is_refused() {
        assert!(SimSlot::new(8).is_none());
        assert!(serde_json::from_str::<SimSlot>("8").is_err());
        assert_eq!(
            serde_json::from_str::<SimSlot>("1").unwrap().to_string(),
            "SIM 2"
        );
    }
}
