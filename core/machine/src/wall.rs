//! The wall clock beside the boot clock: whether somebody set it.
//!
//! Ages across a reboot can only be computed from the wall clock. So whenever it moves against the
//! boot clock, the stamps move with it; a reboot then finds their true ages, whatever was done to
//! the clock while the phone ran.

use crate::{
    snapshot::Snapshot,
    stamp::{BootId, Stamp},
};
use postrider_model::{Now, UnixMs};

/// By how much the wall clock may drift before stamps follow it, in milliseconds.
pub(crate) const WALL_DRIFT_MS: i64 = 5_000;

/// The relation of the two clocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wall {
    offset_ms: i64,
}

impl Wall {
    /// Restores from the journal's stamps of this boot how the clocks stood when they were written:
    /// somebody may have set one while the process was away.
    pub(crate) fn recall(restored: &Snapshot, boot_id: &BootId, now: Now) -> Self {
        let spent = restored.spent.iter().map(|row| &row.at);
        let pace = restored.pace.iter().map(|row| &row.since);
        let open = restored.messages.iter().flat_map(|row| {
            let retry = row.progress.retry.as_ref().map(|(since, _)| since);
            std::iter::once(&row.received).chain(retry)
        });
        let of_boot = |stamp: &&Stamp| stamp.is_of(boot_id);
        let stamps = spent.chain(pace).chain(open).filter(of_boot);
        let latest = stamps.max_by_key(|stamp| stamp.boot);
        let told = latest.map_or(now, |stamp| Now::new(stamp.boot.0, stamp.unix.0));
        Self {
            offset_ms: offset_ms(told),
        }
    }

    /// Returns the present moment by the wall clock of the journal's stamps.
    pub(crate) fn as_told(self, now: Now) -> Now {
        let unix = UnixMs(self.offset_ms.saturating_add_unsigned(now.boot.0));
        Now { unix, ..now }
    }

    /// Returns by how much the wall clock was set since the last call, in milliseconds.
    pub(crate) fn moved_ms(&mut self, now: Now) -> Option<i64> {
        let by_ms = offset_ms(now).saturating_sub(self.offset_ms);
        if by_ms.saturating_abs() < WALL_DRIFT_MS {
            return None;
        }
        self.offset_ms = offset_ms(now);
        Some(by_ms)
    }
}

fn offset_ms(now: Now) -> i64 {
    now.unix.0.saturating_sub_unsigned(now.boot.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(now: Now) -> Wall {
        Wall::recall(&Snapshot::default(), &BootId::new("a"), now)
    }

    #[test]
    fn a_clock_that_only_runs_has_not_moved() {
        let mut wall = at(Now::new(10, 1_000));
        assert_eq!(wall.moved_ms(Now::new(90_000_010, 90_001_000)), None);
    }

    #[test]
    fn drift_adds_up_and_is_told_once() {
        let mut wall = at(Now::new(0, 0));
        assert_eq!(wall.moved_ms(Now::new(100, 100 + WALL_DRIFT_MS - 1)), None);
        assert_eq!(
            wall.moved_ms(Now::new(200, 200 + WALL_DRIFT_MS)),
            Some(WALL_DRIFT_MS)
        );
        assert_eq!(wall.moved_ms(Now::new(300, 300 + WALL_DRIFT_MS)), None);
        assert_eq!(wall.moved_ms(Now::new(400, 400)), Some(-WALL_DRIFT_MS));
    }
}
