//! Published times: the hub's clock minus a fact's age on the phone's clock.
//!
//! Two machines' clocks are never compared. A fact carries the phone's boot clock, which only runs
//! forward. The hub knows from hello, acks and pings what that clock shows at the receipt, so the
//! difference is the fact's age, however wrong either wall clock is. Across a
//! reboot of the phone the boot clock starts again, and only the difference of its wall clock is
//! left.

use postrider_model::{BootMs, Now, UnixMs};

/// When a fact happened, by the phone's clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The wall clock.
    pub wall: UnixMs,
    /// The boot clock.
    pub mono: BootMs,
    /// Whether `mono` counts from an earlier boot than the phone's present one.
    pub earlier_boot: bool,
}

impl Stamp {
    /// Makes a stamp from a frame's fields.
    pub const fn new(wall: i64, mono: u64, earlier_boot: bool) -> Self {
        Self {
            wall: UnixMs(wall),
            mono: BootMs(mono),
            earlier_boot,
        }
    }
}

/// What the hub knows about a connected phone's clocks.
///
/// Frames take time to arrive, so each one shows the phone's boot clock too low. The
/// highest lead seen over the hub's own boot clock is the best estimate, and is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhoneClock {
    seen: BootMs,
    mono: BootMs,
    wall_at_mono: (UnixMs, BootMs),
}

impl PhoneClock {
    /// Makes the clock from hello's `wall` and `mono`, received at `now`.
    pub const fn new(wall: UnixMs, mono: BootMs, now: Now) -> Self {
        Self {
            seen: now.boot,
            mono,
            wall_at_mono: (wall, mono),
        }
    }

    /// Learns from the `mono` of an ack, a ping or a pong received at `now`.
    pub fn heard(&mut self, mono: BootMs, now: Now) {
        if mono > self.mono_at(now) {
            self.seen = now.boot;
            self.mono = mono;
        }
    }

    /// Returns what the phone's boot clock shows at `now`.
    pub const fn mono_at(&self, now: Now) -> BootMs {
        self.mono.plus_ms(now.boot.since_ms(self.seen))
    }

    /// Returns what the phone's wall clock shows at `now`, unless it was set since hello.
    pub const fn wall_at(&self, now: Now) -> UnixMs {
        let (wall, mono) = self.wall_at_mono;
        wall.plus_ms(self.mono_at(now).since_ms(mono).cast_signed())
    }

    /// Returns how long before `now` a fact happened, in milliseconds.
    ///
    /// Uses the boot clock, or the difference of the wall clock if the phone was rebooted since;
    /// 0 when the fact seems to lie ahead. A boot reading above the present one can only
    /// come from an earlier boot, even when the frame does not say so.
    pub fn age_ms(&self, fact: Stamp, now: Now) -> u64 {
        let mono_now = self.mono_at(now);
        if fact.earlier_boot || fact.mono.0 > mono_now.0.saturating_add(EARLIER_BOOT_MS) {
            let age = self.wall_at(now).0.saturating_sub(fact.wall.0);
            u64::try_from(age).unwrap_or(0)
        } else {
            mono_now.since_ms(fact.mono)
        }
    }
}

/// If a fact's boot reading lies ahead of the estimate by more than this, in milliseconds, it is
/// from an earlier boot. The estimate is low by the time that frames take.
const EARLIER_BOOT_MS: u64 = 60_000;

/// Returns the time that the hub publishes for a fact received at `now`.
///
/// It is the time of receipt minus the fact's age, never before `created` (the message's
/// `time_created`), never in the future. If `created` is after `now` (the hub's own wall clock was
/// set back), it is `now`.
pub fn published_time(phone: &PhoneClock, fact: Stamp, created: UnixMs, now: Now) -> UnixMs {
    let age = i64::try_from(phone.age_ms(fact, now)).unwrap_or(i64::MAX);
    let happened = UnixMs(now.unix.0.saturating_sub(age));
    happened.max(created).min(now.unix)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: Now = Now::new(1_000_000, 1_700_000_000_000);

    /// A phone whose wall clock is a year behind and whose boot clock shows 50,000.
    fn phone() -> PhoneClock {
        PhoneClock::new(UnixMs(1_668_000_000_000), BootMs(50_000), HELLO)
    }

    #[test]
    fn a_fact_is_dated_by_its_age_on_the_boot_clock() {
        let fact = Stamp::new(0, 20_000, false);
        let time = published_time(&phone(), fact, UnixMs(0), HELLO.plus_ms(5_000));
        assert_eq!(time, UnixMs(HELLO.unix.0 - 30_000));
    }

    #[test]
    fn after_a_reboot_the_wall_clocks_difference_counts() {
        let fact = Stamp::new(1_668_000_000_000 - 90_000, 9_000_000, true);
        let time = published_time(&phone(), fact, UnixMs(0), HELLO);
        assert_eq!(time, UnixMs(HELLO.unix.0 - 90_000));
        let unsaid = Stamp {
            earlier_boot: false,
            ..fact
        };
        assert_eq!(published_time(&phone(), unsaid, UnixMs(0), HELLO), time);
    }

    #[test]
    fn a_time_is_never_before_the_creation_nor_in_the_future() {
        let created = UnixMs(HELLO.unix.0 - 1_000);
        let old = Stamp::new(0, 0, false);
        assert_eq!(published_time(&phone(), old, created, HELLO), created);
        let ahead = Stamp::new(0, 50_900, false);
        assert_eq!(published_time(&phone(), ahead, created, HELLO), HELLO.unix);
        let wall_ahead = Stamp::new(i64::MAX, 0, true);
        assert_eq!(
            published_time(&phone(), wall_ahead, created, HELLO),
            HELLO.unix
        );
        let wall_long_ago = Stamp::new(i64::MIN, 0, true);
        assert_eq!(
            published_time(&phone(), wall_long_ago, created, HELLO),
            created
        );
    }

    #[test]
    fn a_hub_whose_wall_clock_was_set_back_publishes_now() {
        let created = UnixMs(HELLO.unix.0 + 60_000);
        let fact = Stamp::new(0, 50_000, false);
        assert_eq!(published_time(&phone(), fact, created, HELLO), HELLO.unix);
    }

    #[test]
    fn the_best_reading_of_the_phones_clock_is_kept() {
        let mut phone = phone();
        let later = HELLO.plus_ms(10_000);
        phone.heard(BootMs(60_700), later);
        assert_eq!(phone.mono_at(later), BootMs(60_700));
        phone.heard(BootMs(60_100), later);
        assert_eq!(phone.mono_at(later), BootMs(60_700));
        assert_eq!(phone.mono_at(later.plus_ms(300)), BootMs(61_000));
    }
}
