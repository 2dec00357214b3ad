//! A clock that somebody may set.

use postrider_agent::{Clock, RandomError, SystemClock};
use postrider_model::{Now, UnixMs};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::sync::{Notify, futures::Notified};

/// The machine's clocks, moved on request: the wall clock either way, the boot clock
/// only forward, as if the phone had slept.
#[derive(Debug)]
pub(crate) struct VirtualClock {
    machine: SystemClock,
    wall_by_ms: AtomicI64,
    boot_by_ms: AtomicU64,
    moved: Notify,
}

impl VirtualClock {
    /// Makes the clock of a phone that reboots with each start.
    pub(crate) fn of_this_start() -> Result<Self, RandomError> {
        Ok(Self {
            machine: SystemClock::of_this_start()?,
            wall_by_ms: AtomicI64::new(0),
            boot_by_ms: AtomicU64::new(0),
            moved: Notify::new(),
        })
    }

    /// Sets the wall clock forward or back, as a user or a network does.
    pub(crate) fn set_wall(&self, by_ms: i64) {
        self.wall_by_ms.fetch_add(by_ms, Ordering::SeqCst);
        self.moved.notify_waiters();
    }

    /// Lets time pass on both clocks, as after a sleep.
    pub(crate) fn sleep(&self, for_ms: u64) {
        self.boot_by_ms.fetch_add(for_ms, Ordering::SeqCst);
        self.set_wall(i64::try_from(for_ms).unwrap_or(i64::MAX));
    }

    /// Completes when somebody moves the clocks after this call.
    pub(crate) fn moved(&self) -> Notified<'_> {
        self.moved.notified()
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Now {
        let now = self.machine.now();
        let wall_by_ms = self.wall_by_ms.load(Ordering::SeqCst);
        Now {
            boot: now.boot.plus_ms(self.boot_by_ms.load(Ordering::SeqCst)),
            unix: UnixMs(now.unix.0.saturating_add(wall_by_ms)),
        }
    }

    fn boot_id(&self) -> &str {
        self.machine.boot_id()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sleep_moves_the_boot_clock() {
        let clock = VirtualClock::of_this_start().unwrap();
        let before = clock.now();
        clock.set_wall(-3_600_000);
        let set_back = clock.now();
        assert!(set_back.unix < before.unix);
        assert!(set_back.boot.since_ms(before.boot) < 3_600_000);
        clock.sleep(7_200_000);
        let slept = clock.now();
        assert!(slept.boot.since_ms(before.boot) >= 7_200_000);
        assert!(slept.unix > before.unix);
    }
}
