//! Phones (basic routes): one SIM slot of a device, or a test route.

use crate::code::coded;
use crate::{KindQueue, QuietHours, Tariff, Vars, WaitingFor, Window, Zone};
use postrider_model::{DeviceId, PhoneId, PhoneNumber, ProjectId, SimSlot, UnixMs};
use std::ops::RangeInclusive;

coded! {
    /// What kind of route a phone is.
    PhoneType {
        /// A SIM slot of a device that runs the agent.
        Android = "android" / 1,
        /// A test route: nothing leaves the hub.
        Simulated = "simulated" / 2,
        /// A number at Twilio.
        Twilio = "twilio" / 10,
        /// A messaging service of Twilio, which picks one of its numbers.
        TwilioMessagingService = "twilio_messaging_service" / 11,
        /// A short code at Twilio.
        TwilioShortcode = "twilio_shortcode" / 12,
        /// A number that Twilio only shows to who is called.
        TwilioCallerId = "twilio_caller_id" / 13,
        /// A number at Nexmo.
        Nexmo = "nexmo" / 20,
        /// A sender's name at Nexmo.
        NexmoSenderId = "nexmo_sender_id" / 21,
        /// A number at Telesign.
        Telesign = "telesign" / 30,
        /// A number at Infobip.
        Infobip = "infobip" / 40,
        /// A USSD code at Infobip.
        InfobipUssd = "infobip_ussd" / 41,
        /// A number at Africa's Talking.
        AfricasTalking = "africas_talking" / 50,
        /// A USSD code at Africa's Talking.
        AfricasTalkingUssd = "africas_talking_ussd" / 51,
    }
}

impl PhoneType {
    /// Says whether a provider sends for it. This hub has no connector to any yet.
    pub const fn is_provider(self) -> bool {
        !matches!(self, Self::Android | Self::Simulated)
    }
}

coded! {
    /// What happens in the quiet hours.
    QuietMode {
        /// They are not kept.
        Off = "off" / 0,
        /// Messages wait until they end.
        Delay = "delay" / 1,
        /// Messages wait until they end, or until somebody lets them go.
        Confirm = "confirm" / 2,
    }
}

/// How long a phone waits for what its platform may never say, in seconds; `None`: its own time.
/// What its owner has set goes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhoneWaits {
    /// From a hand-over until its radio counts as silent.
    pub silent_after: Option<u32>,
    /// From a hand-over until the message is unknown.
    pub unknown_after: Option<u32>,
    /// How long delivery reports are waited for.
    pub report_window: Option<u32>,
}

impl PhoneWaits {
    /// What `silent_after` and `unknown_after` may be: a radio needs some time to answer.
    pub const RESULT: RangeInclusive<u32> = 30..=86_400;
    /// What `report_window` may be.
    pub const REPORTS: RangeInclusive<u32> = 3_600..=14 * 86_400;

    /// Says whether a radio is silent before its message is unknown.
    pub fn are_in_order(&self) -> bool {
        let both = self.silent_after.zip(self.unknown_after);
        both.is_none_or(|(silent, unknown)| silent <= unknown)
    }
}

/// A phone, called basic route in the API.
#[derive(Debug, Clone, PartialEq)]
pub struct Phone {
    /// Its id.
    pub id: PhoneId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// The device that holds it; `None` for a test route.
    pub device_id: Option<DeviceId>,
    /// The SIM slot within the device.
    pub sim: Option<SimSlot>,
    /// What people call it.
    pub name: String,
    /// Its number or sender id, where known.
    pub phone_number: Option<PhoneNumber>,
    /// What kind of route it is.
    pub phone_type: PhoneType,
    /// Its region, two capital letters.
    pub country: Option<String>,
    /// Whether sending is paused.
    pub send_paused: bool,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it last did something.
    pub last_active_time: Option<UnixMs>,
    /// The caller's own variables.
    pub vars: Vars,
    /// Battery, percent.
    pub battery: Option<i64>,
    /// Whether it charges.
    pub charging: Option<bool>,
    /// How it reaches the internet.
    pub internet_type: Option<String>,
    /// The agent's version.
    pub app_version: Option<String>,
    /// The level of its operating system.
    pub android_sdk: Option<i64>,
    /// Network code of the SIM: digits.
    pub mccmnc: Option<String>,
    /// The name of the SIM's network.
    pub carrier: Option<String>,
    /// Signal strength, 0 to 4.
    pub signal: Option<i64>,
    /// Whether its owner lets incoming messages be forwarded.
    pub forwarding: Option<bool>,
    /// Messages that wait on the device for this SIM, as it last said.
    pub queue: Option<u32>,
    /// What waits there in queues of its own: USSD requests and calls.
    pub kinds: Vec<KindQueue>,
    /// Who made the device.
    pub manufacturer: Option<String>,
    /// The device's model.
    pub model: Option<String>,
    /// Most SMS parts per hour.
    pub send_limit: Option<u32>,
    /// Sent messages after which it pauses by itself; `None`: never.
    pub sent_message_limit: Option<u32>,
    /// Sent messages since `sent_message_epoch`.
    pub sent_message_count: u64,
    /// Since when they are counted.
    pub sent_message_epoch: UnixMs,
    /// Shortest time between two messages.
    pub send_delay_ms: i64,
    /// The zone of its quiet hours, an IANA name; `None`: the project's.
    pub timezone_id: Option<String>,
    /// What happens in the quiet hours.
    pub quiet_mode: QuietMode,
    /// When they begin, `HH:MM`.
    pub quiet_start: Option<String>,
    /// When they end, `HH:MM`.
    pub quiet_end: Option<String>,
    /// Up to when somebody let go what waited in the quiet hours; `None`: nobody did.
    pub quiet_released_until: Option<UnixMs>,
    /// Most SMS parts per hour that the hub lets it send; `None`: its own limit alone.
    pub send_limit_max: Option<u32>,
    /// Most SMS parts per hour that the hub lets all SIMs of its device send together; of several
    /// Phones of a device the lowest counts.
    pub device_send_limit_max: Option<u32>,
    /// How long it waits for what its platform may never say.
    pub waits: PhoneWaits,
    /// Languages whose national shift tables its platform uses, by their identifiers in 3GPP TS
    /// 23.038.
    pub shift_tables: Vec<u8>,
    /// What its messages cost.
    pub tariff: Option<Tariff>,
    /// Whether it asks the network for delivery reports, unless its owner says otherwise: some
    /// carriers charge for them.
    pub delivery_reports: bool,
    /// Whether recipients must be valid numbers.
    pub validate_recipient_numbers: bool,
    /// The regions it may send to; `None`: all.
    pub allowed_recipient_countries: Option<Vec<String>>,
    /// Most messages of a priority exposed to it and without a result; `None`: 64.
    pub window_size: Option<u32>,
    /// What tells its SIM from another.
    pub sim_fingerprint: Option<String>,
    /// Whether another SIM is in the slot and unconfirmed.
    pub sim_changed: bool,
    /// Why its first queued message waits, as the device last said.
    pub waiting_for: Option<WaitingFor>,
    /// When it may send again, as the device last said; a test route keeps its own.
    pub next_slot_time: Option<UnixMs>,
    /// Whether `sent_message_limit` paused it, not a person.
    pub auto_paused: bool,
    /// Whether it was removed.
    pub removed: bool,
}

impl Phone {
    /// Makes a phone with every setting at its default.
    pub fn new(
        id: PhoneId,
        project_id: ProjectId,
        name: impl Into<String>,
        phone_type: PhoneType,
        now: UnixMs,
    ) -> Self {
        Self {
            id,
            project_id,
            device_id: None,
            sim: None,
            name: name.into(),
            phone_number: None,
            phone_type,
            country: None,
            send_paused: false,
            time_created: now,
            last_active_time: None,
            vars: Vars::default(),
            battery: None,
            charging: None,
            internet_type: None,
            app_version: None,
            android_sdk: None,
            mccmnc: None,
            carrier: None,
            signal: None,
            forwarding: None,
            queue: None,
            kinds: Vec::new(),
            manufacturer: None,
            model: None,
            send_limit: None,
            sent_message_limit: None,
            sent_message_count: 0,
            sent_message_epoch: now,
            send_delay_ms: 0,
            timezone_id: None,
            quiet_mode: QuietMode::Off,
            quiet_start: None,
            quiet_end: None,
            quiet_released_until: None,
            send_limit_max: None,
            device_send_limit_max: None,
            waits: PhoneWaits::default(),
            shift_tables: Vec::new(),
            tariff: None,
            delivery_reports: true,
            validate_recipient_numbers: false,
            allowed_recipient_countries: None,
            window_size: None,
            sim_fingerprint: None,
            sim_changed: false,
            waiting_for: None,
            next_slot_time: None,
            auto_paused: false,
            removed: false,
        }
    }

    /// Returns how many more messages `sent_message_limit` lets out, `None` without a limit.
    pub fn sends_left(&self) -> Option<u64> {
        self.sent_message_limit
            .map(|limit| u64::from(limit).saturating_sub(self.sent_message_count))
    }

    /// Counts `sent` messages and pauses the phone when its limit is reached.
    pub fn count_sent(&mut self, sent: u64) {
        self.sent_message_count += sent;
        if self.sends_left() == Some(0) && !self.send_paused {
            self.send_paused = true;
            self.auto_paused = true;
        }
    }

    /// Starts the count again; a phone that its limit paused sends again.
    pub fn reset_sent_count(&mut self, now: UnixMs) {
        self.sent_message_count = 0;
        self.sent_message_epoch = now;
        if self.auto_paused {
            self.send_paused = false;
            self.auto_paused = false;
        }
    }

    /// Returns its quiet hours in its own zone, else in its project's, else in UTC; `None` where
    /// none are kept.
    pub fn quiet_hours(&self, project_zone: &str) -> Option<QuietHours> {
        if self.quiet_mode == QuietMode::Off {
            return None;
        }
        let own = self.timezone_id.as_deref().and_then(Zone::find);
        Some(QuietHours {
            start: self.quiet_start.as_deref()?.parse().ok()?,
            end: self.quiet_end.as_deref()?.parse().ok()?,
            zone: own
                .or_else(|| Zone::find(project_zone))
                .unwrap_or(Zone::UTC),
        })
    }

    /// Returns the stretches up to `until` in which nothing may leave, but for one that somebody
    /// released.
    pub fn quiet_windows(&self, project_zone: &str, now: UnixMs, until: UnixMs) -> Vec<Window> {
        let hours = self.quiet_hours(project_zone);
        let mut windows = hours.map_or_else(Vec::new, |hours| hours.windows(now, until));
        windows.retain(|(_, end)| !self.is_released(*end));
        windows
    }

    /// Returns until when nothing may leave, if these are quiet hours that nobody released.
    pub fn quiet_until(&self, project_zone: &str, now: UnixMs) -> Option<UnixMs> {
        let end = self.quiet_hours(project_zone)?.until(now)?;
        (!self.is_released(end)).then_some(end)
    }

    /// Lets what waits in the present quiet hours go; says whether there were any.
    pub fn release_quiet(&mut self, project_zone: &str, now: UnixMs) -> bool {
        let end = self.quiet_until(project_zone, now);
        self.quiet_released_until = end.or(self.quiet_released_until);
        end.is_some()
    }

    fn is_released(&self, end: UnixMs) -> bool {
        self.quiet_released_until
            .is_some_and(|released| end <= released)
    }

    /// Changes the gap between two messages; a test route reckons it from its last one.
    pub fn set_send_delay(&mut self, delay_ms: i64) {
        let longer_ms = delay_ms - self.send_delay_ms;
        if self.phone_type == PhoneType::Simulated {
            self.next_slot_time = self.next_slot_time.map(|slot| slot.plus_ms(longer_ms));
        }
        self.send_delay_ms = delay_ms;
    }

    /// Begins the gap after a message that a test route has handed over.
    pub fn rest(&mut self, now: UnixMs) {
        self.next_slot_time = Some(now.plus_ms(self.send_delay_ms));
    }

    /// Returns until when a test route keeps the gap after its last message; none is longer than
    /// the gap, also where the clock was turned back since.
    pub fn rests_until(&self, now: UnixMs) -> Option<UnixMs> {
        let slot = self.next_slot_time?;
        let left_ms = slot.0.saturating_sub(now.0);
        (1..=self.send_delay_ms).contains(&left_ms).then_some(slot)
    }

    /// Pauses or resumes by a person's word, which outlives a reset of the count.
    pub fn set_paused(&mut self, paused: bool) {
        self.send_paused = paused;
        self.auto_paused = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;

    fn phone(limit: Option<u32>) -> Phone {
        let id = PhoneId::new(Key::default());
        let project = ProjectId::new(Key::default());
        let phone = Phone::new(id, project, "Phone", PhoneType::Android, UnixMs(1));
        Phone {
            sent_message_limit: limit,
            ..phone
        }
    }

    #[test]
    fn a_phone_pauses_itself_at_its_limit_and_a_reset_lets_it_go_on() {
        let mut phone = phone(Some(3));
        phone.count_sent(2);
        assert_eq!((phone.send_paused, phone.sends_left()), (false, Some(1)));
        phone.count_sent(2);
        assert_eq!((phone.send_paused, phone.sends_left()), (true, Some(0)));
        phone.reset_sent_count(UnixMs(9));
        assert_eq!((phone.send_paused, phone.sends_left()), (false, Some(3)));
        assert_eq!(phone.sent_message_epoch, UnixMs(9));
    }

    #[test]
    fn a_test_route_rests_for_its_gap_and_no_longer() {
        let mut route = phone(None);
        route.phone_type = PhoneType::Simulated;
        assert_eq!(route.rests_until(UnixMs(0)), None);
        route.set_send_delay(5_000);
        route.rest(UnixMs(100));
        for (now, until) in [
            (100, Some(5_100)),
            (5_099, Some(5_100)),
            (5_100, None),
            (99, None),
        ] {
            assert_eq!(route.rests_until(UnixMs(now)), until.map(UnixMs), "{now}");
        }
        route.set_send_delay(2_000);
        assert_eq!(route.rests_until(UnixMs(2_099)), Some(UnixMs(2_100)));
        assert_eq!(route.rests_until(UnixMs(2_100)), None);
        route.set_send_delay(0);
        assert_eq!(route.rests_until(UnixMs(100)), None);
    }

    #[test]
    fn the_slot_of_a_device_is_its_own_word() {
        let mut phone = phone(None);
        phone.next_slot_time = Some(UnixMs(70));
        phone.set_send_delay(5_000);
        assert_eq!(phone.next_slot_time, Some(UnixMs(70)));
    }

    #[test]
    fn a_pause_by_a_person_outlives_a_reset() {
        let mut phone = phone(Some(1));
        phone.set_paused(true);
        phone.count_sent(1);
        phone.reset_sent_count(UnixMs(9));
        assert!(phone.send_paused);
    }

    #[test]
    fn what_is_released_in_quiet_hours_goes_until_their_end_and_not_beyond() {
        const HOUR_MS: i64 = 3_600_000;
        let mut phone = phone(None);
        phone.quiet_mode = QuietMode::Confirm;
        (phone.quiet_start, phone.quiet_end) = (Some("00:00".into()), Some("02:00".into()));
        let (now, end) = (UnixMs(HOUR_MS), UnixMs(2 * HOUR_MS));
        assert_eq!(phone.quiet_until("UTC", now), Some(end));
        assert!(phone.release_quiet("UTC", now));
        assert_eq!(phone.quiet_until("UTC", now), None);
        let two_days = phone.quiet_windows("UTC", now, UnixMs(48 * HOUR_MS));
        assert_eq!(two_days, [(UnixMs(24 * HOUR_MS), UnixMs(26 * HOUR_MS))]);
        assert!(!phone.release_quiet("UTC", end));
        assert!(phone.quiet_until("UTC", UnixMs(25 * HOUR_MS)).is_some());
        phone.timezone_id = Some("Asia/Kathmandu".into());
        assert_eq!(phone.quiet_until("UTC", UnixMs(25 * HOUR_MS)), None);
        phone.quiet_mode = QuietMode::Off;
        assert_eq!(phone.quiet_hours("UTC"), None);
    }

    #[test]
    fn without_a_limit_nothing_pauses() {
        let mut phone = phone(None);
        phone.count_sent(1_000_000);
        assert_eq!((phone.send_paused, phone.sends_left()), (false, None));
    }
}
