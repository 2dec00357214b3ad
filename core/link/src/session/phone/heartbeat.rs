//! When the phone pings, and when it gives up a connection.

use crate::{
    limits::{GOOD_PINGS_TO_SLOW_DOWN, HEARTBEAT_S_MAX, HEARTBEAT_S_MIN, PONG_MS_MAX},
    session::Deadline,
};
use postrider_model::BootMs;

/// The heartbeat of one phone; what it learned outlives its connections.
///
/// On the charger a ping every [`HEARTBEAT_S_MIN`] seconds. On battery the time between two
/// doubles after [`GOOD_PINGS_TO_SLOW_DOWN`] answered ones, up to [`HEARTBEAT_S_MAX`], and halves
/// after a loss. Any frame from the hub counts as an answer.
#[derive(Debug)]
pub(super) struct Heartbeat {
    interval_s: u64,
    good: u32,
    charging: bool,
    beat: Beat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beat {
    Stopped,
    PingAt(BootMs),
    AwaitingPong { until: BootMs, next: BootMs },
}

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeartWake {
    Ping,
    PongOverdue,
}

impl Heartbeat {
    pub(super) const fn new() -> Self {
        Self {
            interval_s: HEARTBEAT_S_MIN,
            good: 0,
            charging: false,
            beat: Beat::Stopped,
        }
    }

    /// Starts on a new connection: the first ping is sent when the hub expects it.
    pub(super) fn start(&mut self, told_s: u64, now: BootMs) {
        let first_s = self.interval_s().min(told_s.max(1));
        self.beat = Beat::PingAt(now.plus_ms(first_s * 1_000));
    }

    pub(super) const fn stop(&mut self) {
        self.beat = Beat::Stopped;
    }

    pub(super) const fn set_charging(&mut self, charging: bool) {
        self.charging = charging;
    }

    /// Returns the seconds until the next ping, which each ping announces.
    pub(super) const fn interval_s(&self) -> u64 {
        if self.charging {
            HEARTBEAT_S_MIN
        } else {
            self.interval_s
        }
    }

    pub(super) fn pinged(&mut self, now: BootMs) {
        self.beat = Beat::AwaitingPong {
            until: now.plus_ms(PONG_MS_MAX),
            next: now.plus_ms(self.interval_s() * 1_000),
        };
    }

    /// The hub was heard.
    pub(super) fn heard(&mut self) {
        let Beat::AwaitingPong { next, .. } = self.beat else {
            return;
        };
        self.beat = Beat::PingAt(next);
        self.good += 1;
        if self.good >= GOOD_PINGS_TO_SLOW_DOWN && !self.charging {
            self.good = 0;
            self.interval_s = (self.interval_s * 2).min(HEARTBEAT_S_MAX);
        }
    }

    /// An answer did not come in time.
    pub(super) fn answer_missed(&mut self) {
        self.good = 0;
        self.interval_s = (self.interval_s / 2).max(HEARTBEAT_S_MIN);
        self.beat = Beat::Stopped;
    }

    pub(super) const fn poll_timeout(&self) -> Option<Deadline<HeartWake>> {
        match self.beat {
            Beat::Stopped => None,
            Beat::PingAt(at) => Some(Deadline {
                at,
                reason: HeartWake::Ping,
            }),
            Beat::AwaitingPong { until, .. } => Some(Deadline {
                at: until,
                reason: HeartWake::PongOverdue,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pings and is answered `times`, and returns the interval of the last ping.
    fn answered(heart: &mut Heartbeat, times: u32) -> u64 {
        for _ in 0..times {
            let at = heart.poll_timeout().unwrap().at;
            heart.pinged(at);
            heart.heard();
        }
        heart.interval_s()
    }

    #[test]
    fn on_battery_the_beat_doubles_after_ten_answers_and_halves_after_a_loss() {
        let mut heart = Heartbeat::new();
        heart.start(45, BootMs(0));
        assert_eq!(answered(&mut heart, 9), 45);
        assert_eq!(answered(&mut heart, 1), 90);
        assert_eq!(answered(&mut heart, 10), 180);
        assert_eq!(answered(&mut heart, 10), 240);
        assert_eq!(answered(&mut heart, 10), 240);
        heart.answer_missed();
        assert_eq!(heart.interval_s(), 120);
        heart.answer_missed();
        heart.answer_missed();
        assert_eq!(heart.interval_s(), 45);
    }

    #[test]
    fn on_the_charger_it_stays_at_45_seconds() {
        let mut heart = Heartbeat::new();
        heart.set_charging(true);
        heart.start(45, BootMs(0));
        assert_eq!(answered(&mut heart, 40), 45);
    }

    #[test]
    fn the_first_ping_comes_when_the_hub_expects_it_at_the_latest() {
        let mut heart = Heartbeat::new();
        heart.start(45, BootMs(0));
        answered(&mut heart, 30);
        heart.start(60, BootMs(1_000_000));
        assert_eq!(heart.poll_timeout().map(|d| d.at), Some(BootMs(1_060_000)));
    }

    #[test]
    fn an_answer_is_overdue_after_15_seconds() {
        let mut heart = Heartbeat::new();
        heart.start(45, BootMs(0));
        heart.pinged(BootMs(45_000));
        let overdue = Deadline {
            at: BootMs(60_000),
            reason: HeartWake::PongOverdue,
        };
        assert_eq!(heart.poll_timeout(), Some(overdue));
    }
}
