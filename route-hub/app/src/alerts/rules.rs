//! When an alert begins and when it ends: pure rules.

use postrider_link::frame::{SimInfo, WaitingFor};
use postrider_model::UnixMs;

/// A battery at or below this is low, in percent.
const BATTERY_LOW: u8 = 15;
/// A battery at or above this is fine again, in percent. In between nothing changes, so that a
/// battery around a limit raises one alert.
const BATTERY_FINE: u8 = 25;
/// How long a phone may be gone before somebody is told: twice what a phone that lost its network
/// or its hub needs to come back.
pub(crate) const OFFLINE_AFTER_MS: i64 = 3 * 60_000;

/// What a rule wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The alert stands from now on.
    Raise,
    /// The alert is over.
    Clear,
    /// As before.
    Keep,
}

/// Judges a battery.
pub(crate) fn battery(percent: Option<u8>, charging: bool) -> Verdict {
    match percent {
        _ if charging => Verdict::Clear,
        Some(percent) if percent <= BATTERY_LOW => Verdict::Raise,
        Some(percent) if percent >= BATTERY_FINE => Verdict::Clear,
        Some(_) | None => Verdict::Keep,
    }
}

/// Judges a radio by what its SIM slot waits for.
pub(crate) fn radio(sim: &SimInfo) -> Verdict {
    if sim.waiting_for.as_deref() == Some(WaitingFor::SilentRadio.as_str()) {
        Verdict::Raise
    } else {
        Verdict::Clear
    }
}

/// Judges whether incoming messages reach the program that waits for them; `forwards` is what the
/// phone's owner allows, `None` when the phone has not said.
pub(crate) fn forwarding(forwards: Option<bool>, is_waited_for: bool) -> Verdict {
    match forwards {
        _ if !is_waited_for => Verdict::Clear,
        Some(true) => Verdict::Clear,
        Some(false) => Verdict::Raise,
        None => Verdict::Keep,
    }
}

/// What is known of a device's connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Presence {
    /// Whether a process of the hub holds its link.
    pub connected: bool,
    /// When it went, if that was seen.
    pub offline_since: Option<UnixMs>,
    /// When it was last heard; `None`: never.
    pub last_seen: Option<UnixMs>,
}

impl Presence {
    /// Returns since when it is gone, as far as that is known; `None`: it was never here.
    pub(crate) fn gone_at(&self) -> Option<UnixMs> {
        self.last_seen
            .map(|last_seen| self.offline_since.unwrap_or(last_seen))
    }
}

/// Says whether a device has been gone for so long that somebody should know.
///
/// A device whose leaving nobody saw (the hub was killed) counts from the hub's start, since until
/// then it had nobody to come back to. One that was never here is not missed.
pub(crate) fn is_missed(presence: Presence, hub_started: UnixMs, now: UnixMs) -> bool {
    let Some(gone_at) = presence.gone_at() else {
        return false;
    };
    !presence.connected && now >= gone_at.max(hub_started).plus_ms(OFFLINE_AFTER_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_battery_around_a_limit_is_told_of_once() {
        let levels = [30, 16, 15, 14, 16, 15, 24, 25, 20];
        let verdicts = levels.map(|percent| battery(Some(percent), false));
        use Verdict::{Clear, Keep, Raise};
        assert_eq!(
            verdicts,
            [Clear, Keep, Raise, Raise, Keep, Raise, Keep, Clear, Keep]
        );
    }

    #[test]
    fn a_charger_ends_a_low_battery() {
        assert_eq!(battery(Some(3), true), Verdict::Clear);
        assert_eq!(battery(None, false), Verdict::Keep);
    }

    #[test]
    fn forwarding_that_is_off_matters_where_a_program_waits() {
        assert_eq!(forwarding(Some(false), true), Verdict::Raise);
        assert_eq!(forwarding(Some(false), false), Verdict::Clear);
        assert_eq!(forwarding(Some(true), true), Verdict::Clear);
        assert_eq!(forwarding(None, true), Verdict::Keep);
    }

    #[test]
    fn a_phone_is_missed_after_its_grace() {
        let gone = Presence {
            connected: false,
            offline_since: Some(UnixMs(1_000_000)),
            last_seen: Some(UnixMs(990_000)),
        };
        let at = |ms: i64| UnixMs(1_000_000 + OFFLINE_AFTER_MS + ms);
        assert!(!is_missed(gone, UnixMs(0), at(-1)));
        assert!(is_missed(gone, UnixMs(0), at(0)));
        let back = Presence {
            connected: true,
            ..gone
        };
        assert!(!is_missed(back, UnixMs(0), at(9_999)));
    }

    #[test]
    fn after_a_restart_phones_have_their_grace_again() {
        let unseen = Presence {
            connected: false,
            offline_since: None,
            last_seen: Some(UnixMs(5)),
        };
        let started = UnixMs(10_000_000);
        assert!(!is_missed(
            unseen,
            started,
            started.plus_ms(OFFLINE_AFTER_MS - 1)
        ));
        assert!(is_missed(
            unseen,
            started,
            started.plus_ms(OFFLINE_AFTER_MS)
        ));
    }

    #[test]
    fn a_phone_that_never_came_is_not_missed() {
        let never = Presence {
            connected: false,
            offline_since: None,
            last_seen: None,
        };
        assert!(!is_missed(never, UnixMs(0), UnixMs(i64::MAX)));
    }
}
