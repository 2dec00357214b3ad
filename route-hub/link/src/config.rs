//! The hub's settings for sending, told to the phone whenever they change.
//!
//! Quiet hours travel as moments for [`HORIZON_MS`] ahead, so that a phone keeps them while it is
//! offline. A new list goes out when less than [`RENEWED_AT_MS`] of the last one is left, or when a
//! setting changed.

use hub_domain::{Phone, Project, QuietHours};
use postrider_link::frame::Config;
use postrider_model::{PhoneId, UnixMs};
use std::collections::BTreeMap;

/// How far ahead quiet hours are told: longer than a phone is usually offline, but short enough for
/// new rules of a time zone, which come with an update of the hub.
pub(crate) const HORIZON_MS: i64 = 21 * 24 * 3_600_000;
/// A new list goes out when less than this is left of the last one.
pub(crate) const RENEWED_AT_MS: i64 = 14 * 24 * 3_600_000;

/// The settings that were sent on a connection, by phone.
pub(crate) type Sent = BTreeMap<PhoneId, Told>;

/// What a phone was told.
#[derive(Debug, Clone)]
pub(crate) struct Told {
    config: Config,
    hours: Option<QuietHours>,
    released_until: Option<UnixMs>,
    /// Quiet hours were told up to this moment.
    horizon: UnixMs,
}

impl Told {
    fn new(phone: &Phone, project: &Project, now: UnixMs) -> Self {
        let zone = &project.timezone_id;
        let horizon = now.plus_ms(HORIZON_MS);
        let quiet = phone.quiet_windows(zone, now, horizon);
        let config = Config {
            s: 0,
            sim: phone.sim,
            pause: project.is_halted(now) || phone.send_paused || phone.sim_changed,
            send_delay_ms: u64::try_from(phone.send_delay_ms).unwrap_or(0),
            quiet: quiet.iter().map(|(from, to)| (from.0, to.0)).collect(),
            send_limit_max: phone.send_limit_max,
            device_send_limit_max: phone.device_send_limit_max,
            silent_after_ms: phone.waits.silent_after.map(ms),
            unknown_after_ms: phone.waits.unknown_after.map(ms),
            report_window_ms: phone.waits.report_window.map(ms),
            shift_tables: phone.shift_tables.clone(),
        };
        Self {
            config,
            hours: phone.quiet_hours(zone),
            released_until: phone.quiet_released_until,
            horizon,
        }
    }

    /// Returns whether what was told before still says the same, for long enough.
    fn is_said_by(&self, before: &Self, now: UnixMs) -> bool {
        let mut same = self.config.clone();
        same.quiet.clone_from(&before.config.quiet);
        let lasts = self.hours.is_none() || now.plus_ms(RENEWED_AT_MS) <= before.horizon;
        same == before.config
            && self.hours == before.hours
            && self.released_until == before.released_until
            && lasts
    }
}

fn ms(seconds: u32) -> u64 {
    u64::from(seconds) * 1_000
}

/// Returns the settings that differ from those that were sent, without a number, and remembers them
/// as sent.
///
/// A project that is stopped, or whose organization's plan is suspended, pauses every phone.
pub(crate) fn changed(
    on: &[Phone],
    project: &Project,
    sent: &mut Sent,
    now: UnixMs,
) -> Vec<Config> {
    let mut frames = Vec::new();
    for phone in on {
        let told = Told::new(phone, project, now);
        let known = sent.get(&phone.id);
        if known.is_some_and(|before| told.is_said_by(before, now)) {
            continue;
        }
        frames.push(told.config.clone());
        sent.insert(phone.id, told);
    }
    frames
}

/// Returns whether [`changed`] has nothing to tell.
pub(crate) fn is_told(on: &[Phone], project: &Project, sent: &Sent, now: UnixMs) -> bool {
    on.iter().all(|phone| {
        let before = sent.get(&phone.id);
        before.is_some_and(|before| Told::new(phone, project, now).is_said_by(before, now))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_domain::{PhoneType, QuietMode};
    use postrider_model::{Id, Key, SimSlot};

    const HOUR_MS: i64 = 3_600_000;
    const DAY_MS: i64 = 24 * HOUR_MS;
    const NOW: UnixMs = UnixMs(0);

    fn phone(n: i64) -> Phone {
        let (id, project) = (Id::new(Key::new(n).unwrap()), project().id);
        let mut phone = Phone::new(id, project, "Front desk", PhoneType::Android, NOW);
        phone.sim = SimSlot::new(1);
        phone
    }

    fn project() -> Project {
        let id = |n| Key::new(n).unwrap();
        Project::new(Id::new(id(2)), Id::new(id(3)), "Clinic", NOW)
    }

    fn told(phone: &Phone, sent: &mut Sent, now: UnixMs) -> Option<Config> {
        changed(std::slice::from_ref(phone), &project(), sent, now).pop()
    }

    fn night(phone: &mut Phone) {
        phone.quiet_mode = QuietMode::Delay;
        (phone.quiet_start, phone.quiet_end) = (Some("22:00".into()), Some("06:00".into()));
    }

    #[test]
    fn settings_are_told_once_and_again_when_they_change() {
        let (mut phone, mut sent) = (phone(1), Sent::default());
        assert!(told(&phone, &mut sent, NOW).is_some());
        assert!(told(&phone, &mut sent, UnixMs(400 * DAY_MS)).is_none());
        let stopped = Project {
            stopped: true,
            ..project()
        };
        let frames = changed(std::slice::from_ref(&phone), &stopped, &mut sent, NOW);
        assert!(frames[0].pause);
        phone.send_paused = true;
        phone.send_delay_ms = 1_500;
        phone.send_limit_max = Some(30);
        let config = told(&phone, &mut sent, NOW).unwrap();
        assert!(config.pause && config.send_delay_ms == 1_500);
        assert_eq!(config.send_limit_max, Some(30));
        assert_eq!(config.sim, SimSlot::new(1));
    }

    #[test]
    fn quiet_hours_are_told_as_moments_and_renewed_before_they_end() {
        let (mut phone, mut sent) = (phone(1), Sent::default());
        night(&mut phone);
        let first = told(&phone, &mut sent, NOW).unwrap().quiet;
        assert_eq!(
            first[..2],
            [(-2 * HOUR_MS, 6 * HOUR_MS), (22 * HOUR_MS, 30 * HOUR_MS)]
        );
        let covered = first.last().unwrap().1;
        assert!(covered >= 20 * DAY_MS && first.len() <= 23);
        // A night that passes changes nothing.
        for day in 0..=7 {
            assert!(
                told(&phone, &mut sent, UnixMs(day * DAY_MS)).is_none(),
                "{day}"
            );
        }
        let renewed = told(&phone, &mut sent, UnixMs(7 * DAY_MS + 1)).unwrap();
        assert!(renewed.quiet.last().unwrap().1 >= 27 * DAY_MS);
    }

    #[test]
    fn another_zone_is_another_night_and_a_release_ends_the_present_one() {
        let (mut phone, mut sent) = (phone(1), Sent::default());
        night(&mut phone);
        told(&phone, &mut sent, NOW);
        phone.timezone_id = Some("Asia/Kolkata".into());
        let kolkata = told(&phone, &mut sent, NOW).unwrap().quiet;
        assert_eq!(kolkata[0], (-15 * HOUR_MS / 2, HOUR_MS / 2));
        assert!(phone.release_quiet("UTC", NOW));
        let released = told(&phone, &mut sent, NOW).unwrap().quiet;
        assert_eq!(released, kolkata[1..released.len() + 1]);
        phone.quiet_mode = QuietMode::Off;
        assert_eq!(told(&phone, &mut sent, NOW).unwrap().quiet, []);
    }

    #[test]
    fn two_sims_have_their_settings_each() {
        let (mut first, second, mut sent) = (phone(1), phone(4), Sent::default());
        night(&mut first);
        let frames = changed(&[first.clone(), second.clone()], &project(), &mut sent, NOW);
        assert!(!frames[0].quiet.is_empty() && frames[1].quiet.is_empty());
        first.send_paused = true;
        let frames = changed(&[first, second], &project(), &mut sent, NOW);
        assert_eq!(frames.len(), 1);
        assert!(frames[0].pause);
    }
}
