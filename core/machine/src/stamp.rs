//! Moments that survive the process: the boot, its clock, and the wall clock.

use postrider_model::{BootMs, Now, UnixMs};
use std::{fmt, sync::Arc};

/// Names one boot of the device; boot clocks of different boots are never compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BootId(Arc<str>);

impl BootId {
    /// Wraps what the platform calls this boot.
    pub fn new(id: &str) -> Self {
        Self(Arc::from(id))
    }

    /// Returns the platform's name for it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A moment as stored in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The boot in which it was.
    pub boot_id: BootId,
    /// That boot's clock.
    pub boot: BootMs,
    /// The wall clock.
    pub unix: UnixMs,
}

impl Stamp {
    /// Makes the stamp of `now` in the present boot.
    pub fn new(boot_id: &BootId, now: Now) -> Self {
        Self {
            boot_id: boot_id.clone(),
            boot: now.boot,
            unix: now.unix,
        }
    }

    /// Tells whether it was made in the present boot.
    pub fn is_of(&self, this_boot: &BootId) -> bool {
        self.boot_id == *this_boot
    }

    /// Moves its wall-clock side when that clock is set, so that its age stays the same.
    pub(crate) fn move_wall(&mut self, by_ms: i64) {
        self.unix = self.unix.plus_ms(by_ms);
    }

    /// Returns how long ago it was, in milliseconds.
    ///
    /// Within one boot by the boot clock. Across a reboot by the wall clock, but never less than
    /// the present boot has lasted: a wall clock that was set back cannot make it younger.
    pub fn age_ms(&self, this_boot: &BootId, now: Now) -> u64 {
        if self.is_of(this_boot) {
            now.boot.since_ms(self.boot)
        } else {
            let difference = now.unix.0.saturating_sub(self.unix.0);
            u64::try_from(difference).unwrap_or(0).max(now.boot.0)
        }
    }

    /// Returns the moment on the present boot clock at which `delay_ms` since the stamp are over;
    /// the present moment if they already are.
    pub fn due_after(&self, delay_ms: u64, this_boot: &BootId, now: Now) -> BootMs {
        now.boot
            .plus_ms(delay_ms.saturating_sub(self.age_ms(this_boot, now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_a_boot_the_wall_clock_does_not_count() {
        let boot = BootId::new("a");
        let stamp = Stamp::new(&boot, Now::new(1_000, 500_000));
        assert_eq!(stamp.age_ms(&boot, Now::new(4_000, 0)), 3_000);
        assert_eq!(
            stamp.due_after(10_000, &boot, Now::new(4_000, 0)),
            BootMs(11_000)
        );
    }

    #[test]
    fn across_a_reboot_the_wall_clock_counts() {
        let stamp = Stamp::new(&BootId::new("a"), Now::new(9_000_000, 500_000));
        let next = BootId::new("b");
        assert_eq!(stamp.age_ms(&next, Now::new(10, 560_000)), 60_000);
        assert_eq!(
            stamp.due_after(30_000, &next, Now::new(10, 560_000)),
            BootMs(10)
        );
    }

    #[test]
    fn a_stamp_of_an_earlier_boot_is_at_least_as_old_as_this_boot() {
        let stamp = Stamp::new(&BootId::new("a"), Now::new(9_000_000, 500_000));
        let next = BootId::new("b");
        assert_eq!(stamp.age_ms(&next, Now::new(0, 400_000)), 0);
        assert_eq!(stamp.age_ms(&next, Now::new(70_000, 400_000)), 70_000);
        assert_eq!(stamp.age_ms(&next, Now::new(70_000, 510_000)), 70_000);
    }
}
