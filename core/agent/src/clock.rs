//! The clocks: the only file of the agent that reads one.

use crate::random::{self, RandomError};
use postrider_model::{BootMs, Now, UnixMs};
use rustix::time::{ClockId, clock_gettime};
use std::{io, path::Path};

/// Where Linux and Android name the present boot.
const BOOT_ID_FILE: &str = "/proc/sys/kernel/random/boot_id";

/// Tells the ring the time, and in which boot it was read.
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
    /// Makes the clock of a real device, whose boot the kernel names.
    pub fn of_this_boot() -> io::Result<Self> {
        let boot_id = std::fs::read_to_string(BOOT_ID_FILE)?.trim().to_owned();
        Ok(Self { boot_id })
    }

    /// Makes the clock of a phone.
    ///
    /// Its boot is the platform's count of boots if the shell gives one, otherwise the kernel's
    /// name, which apps may read only from Android 9 on. Without either, each start counts as a
    /// boot of its own, and messages in hand are looked up at once.
    pub fn of_phone(boot_count: Option<u32>) -> Result<Self, RandomError> {
        Self::named_by(boot_count, Path::new(BOOT_ID_FILE))
    }

    fn named_by(boot_count: Option<u32>, file: &Path) -> Result<Self, RandomError> {
        if let Some(count) = boot_count {
            let boot_id = format!("boot-{count}");
            return Ok(Self { boot_id });
        }
        match std::fs::read_to_string(file) {
            Ok(name) if !name.trim().is_empty() => Ok(Self {
                boot_id: name.trim().to_owned(),
            }),
            Ok(_) | Err(_) => Self::of_this_start(),
        }
    }

    /// Makes the clock of a phone that reboots with each start, as a virtual phone does: what its
    /// radio had in hand is gone.
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
    fn a_phone_that_may_not_read_the_kernels_name_counts_its_boots() {
        let unreadable = Path::new("/proc/self/no_such_file");
        let of = |count| SystemClock::named_by(count, unreadable).unwrap().boot_id;
        assert_eq!(of(Some(17)), of(Some(17)));
        assert_ne!(of(Some(17)), of(Some(18)));
    }

    #[test]
    fn a_phone_without_any_name_of_its_boot_starts_anew_each_time() {
        let unreadable = Path::new("/proc/self/no_such_file");
        let of = || SystemClock::named_by(None, unreadable).unwrap().boot_id;
        assert_ne!(of(), of());
        let kernels = SystemClock::of_this_boot().unwrap();
        assert_eq!(
            SystemClock::of_phone(None).unwrap().boot_id,
            kernels.boot_id
        );
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
