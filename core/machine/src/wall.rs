//! The wall clock beside the boot clock: whether somebody set it.
//!
//! Ages across a reboot can only be taken from the wall clock. So whenever it moves against the
//! boot clock, the stamps that ages are taken from move with it; a reboot then finds them as old
//! as they are, whatever was done to the clock while the phone ran.

use postrider_model::Now;

/// By how much the wall clock may drift before stamps follow it, in milliseconds.
pub const WALL_DRIFT_MS: i64 = 5_000;

/// How the two clocks stand to each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wall {
    offset_ms: i64,
}

impl Wall {
    pub(crate) fn new(now: Now) -> Self {
        Self {
            offset_ms: offset_ms(now),
        }
    }

    /// Returns by how much the wall clock was moved since it was looked at, in milliseconds.
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

    #[test]
    fn a_clock_that_only_runs_has_not_moved() {
        let mut wall = Wall::new(Now::new(10, 1_000));
        assert_eq!(wall.moved_ms(Now::new(90_000_010, 90_001_000)), None);
    }

    #[test]
    fn drift_adds_up_and_is_told_once() {
        let mut wall = Wall::new(Now::new(0, 0));
        assert_eq!(wall.moved_ms(Now::new(100, 100 + WALL_DRIFT_MS - 1)), None);
        assert_eq!(
            wall.moved_ms(Now::new(200, 200 + WALL_DRIFT_MS)),
            Some(WALL_DRIFT_MS)
        );
        assert_eq!(wall.moved_ms(Now::new(300, 300 + WALL_DRIFT_MS)), None);
        assert_eq!(wall.moved_ms(Now::new(400, 400)), Some(-WALL_DRIFT_MS));
    }
}
