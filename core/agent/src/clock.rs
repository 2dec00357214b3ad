//! The clocks: the only file of the agent that reads one.

use crate::random::{self, RandomError};
use postrider_model::{BootMs, Now, UnixMs};
use rustix::time::{ClockId, clock_gettime};
use std::io;

/// Where Linux and Android name the present boot.
const BOOT_ID_FILE: &str = "/proc/sys/kernel/random/boot_id";

/// What tells the ring the time, and which boot it belongs to.
pub trait Clock: Send + Sync + 'static {
    /// Reads both clocks.
    fn now(&self) -> Now;

    /// Returns the name of the present boot; `boot` times of two boots cannot be compared.
    fn boot_id(&self) -> &str;
}

/// The machine's own clocks.
#[derive(Debug, Clone)]
pub struct SystemClock {
    boot_id: String,
}

impl SystemClock {
    /// Makes the clock of a real device: its boot is the kernel's.
    ///
    /// # Errors
    /// When the kernel does not name its boot.
    pub fn of_this_boot() -> io::Result<Self> {
        let boot_id = std::fs::read_to_string(BOOT_ID_FILE)?.trim().to_owned();
        Ok(Self { boot_id })
    }

    /// Makes the clock of a phone that reboots with each start, as a virtual phone does: whatever
    /// its radio had in hand is gone.
    ///
    /// # Errors
    /// When the system has no random numbers to name the boot with.
    pub fn of_this_start() -> Result<Self, RandomError> {
        Ok(Self {
            boot_id: random::name()?,
        })
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Now {
        let boot = clock_gettime(ClockId::Boottime);
        let unix = clock_gettime(ClockId::Realtime);
        let boot_ms = boot.tv_sec * 1_000 + boot.tv_nsec / 1_000_000;
        Now {
            boot: BootMs(boot_ms.max(0).unsigned_abs()),
            unix: UnixMs(unix.tv_sec * 1_000 + unix.tv_nsec / 1_000_000),
        }
    }

    fn boot_id(&self) -> &str {
        &self.boot_id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_start_is_a_boot_of_its_own() {
        let first = SystemClock::of_this_start().unwrap();
        let second = SystemClock::of_this_start().unwrap();
        assert_ne!(first.boot_id(), second.boot_id());
    }

    #[test]
    fn a_device_keeps_its_boot_between_starts() {
        let first = SystemClock::of_this_boot().unwrap();
        let second = SystemClock::of_this_boot().unwrap();
        assert_eq!(first.boot_id(), second.boot_id());
        assert!(!first.boot_id().is_empty());
    }

    #[test]
    fn the_boot_clock_never_goes_back() {
        let clock = SystemClock::of_this_boot().unwrap();
        let mut last = clock.now();
        for _ in 0..1_000 {
            let now = clock.now();
            assert!(now.boot >= last.boot);
            last = now;
        }
        assert!(last.unix.0 > 1_600_000_000_000);
    }
}
