//! Scheduled messages: what is sent later, once or again and again.
//!
//! # Life
//! A schedule waits for its `next_time`. When that has come it [passes](Schedule::pass): the moment
//! becomes `prev_time`, and the next one is looked for. What a hub that was down has missed is sent
//! once: moments between are passed over, though a rule's `COUNT` counts them. Without a next moment
//! a schedule is over; it stays until somebody deletes it.

use crate::recurrence::{Instance, InvalidRule, Rule, Series};
use crate::{Address, ContactFilter, MessageType, Zone};
use postrider_model::{ContactId, GroupId, ProjectId, RelativeScheduledId, ScheduledId, UnixMs};

/// How long a moment may have passed when a schedule is made or changed, and still be sent: whoever
/// asked for it may have meant this very moment.
const JUST_PASSED_MS: i64 = 60_000;

/// Whom a schedule sends to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScheduledTo {
    /// A number or code, as it will be sent.
    Number(Address),
    /// A contact.
    Contact(ContactId),
    /// Whoever is in a group when it sends.
    Group(GroupId),
    /// Whom a filter finds when it sends.
    Filter(ContactFilter),
}

/// A scheduled message of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// Its id.
    pub id: ScheduledId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// The relative schedule that made it.
    pub relative_id: Option<RelativeScheduledId>,
    /// What kind of message it sends.
    pub message_type: MessageType,
    /// The parameters of its messages, as JSON.
    pub message: String,
    /// Whom it sends to.
    pub to: ScheduledTo,
    /// The contact in whose list it stands: its own, or the one that its number was of.
    pub listed_contact_id: Option<ContactId>,
    /// What recurs, as it was written.
    pub rrule: String,
    /// The zone of its clocks.
    pub timezone_id: String,
    /// Its first moment.
    pub start_time: UnixMs,
    /// No moment is after it, where something recurs.
    pub end_time: Option<UnixMs>,
    /// The moment for which it sent last.
    pub prev_time: Option<UnixMs>,
    /// The moment for which it sends next; `None`: it is over.
    pub next_time: Option<UnixMs>,
    /// Which one of its rule's moments `next_time` is, or else the last one was.
    pub instance: u32,
    /// How often it has sent.
    pub occurrences: i64,
    /// Why it could not send the last time.
    pub problem: Option<String>,
    /// Rises with each change, so that nobody sends by an old one.
    pub revision: i64,
    /// When it was made.
    pub time_created: UnixMs,
}

impl Schedule {
    /// Returns its moments; `None` when its zone is not known any more.
    ///
    /// # Errors
    /// What is wrong with its rule.
    pub fn series(&self) -> Result<Option<Series>, InvalidRule> {
        let rule = Rule::parse_stored(&self.rrule)?;
        Ok(Zone::find(&self.timezone_id).map(|zone| Series {
            rule,
            start: self.start_time,
            end: self.end_time,
            zone,
        }))
    }

    /// Looks for the next moment again: one that is still to come, or came within the last minute,
    /// and is after all that were sent.
    ///
    /// What does not recur and was never sent has its start, also when that has passed.
    pub fn plan(&mut self, now: UnixMs) {
        let from = match self.prev_time {
            Some(sent) => now.plus_ms(-JUST_PASSED_MS).max(sent.plus_ms(1)),
            None => now.plus_ms(-JUST_PASSED_MS),
        };
        let first = self.moments().and_then(|series| series.first(from));
        let is_new = |first: &Instance| self.prev_time.is_none_or(|sent| first.at > sent);
        let first = first.filter(is_new);
        self.take_next(first);
    }

    /// Passes the moment that has come, as [`Schedule::pass`], without anything sent.
    pub fn skip(&mut self, now: UnixMs) {
        let occurrences = self.occurrences;
        self.pass(now);
        self.occurrences = occurrences;
    }

    /// Passes the moment that has come, and that was sent, and finds the next, which is after `now`.
    pub fn pass(&mut self, now: UnixMs) {
        let Some(at) = self.next_time else { return };
        self.prev_time = Some(at);
        self.occurrences += 1;
        let last = Instance {
            at,
            number: self.instance,
        };
        let next = self.moments();
        let next = next.and_then(|series| series.next(last, now.plus_ms(1)));
        self.take_next(next);
    }

    /// Says whether it has the moments of another: the same start, rule, zone and end.
    pub fn has_times_of(&self, other: &Self) -> bool {
        self.start_time == other.start_time
            && self.rrule == other.rrule
            && self.timezone_id == other.timezone_id
            && self.end_time == other.end_time
    }

    fn take_next(&mut self, next: Option<Instance>) {
        self.next_time = next.map(|instance| instance.at);
        if let Some(instance) = next {
            self.instance = instance.number;
        }
    }

    fn moments(&self) -> Option<Series> {
        self.series().ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::Key;
    use proptest::prelude::*;

    const DAY_MS: i64 = 86_400_000;
    const START: UnixMs = UnixMs(1_800_000_000_000);

    fn schedule(rrule: &str) -> Schedule {
        let key = |n| Key::new(n).unwrap();
        Schedule {
            id: ScheduledId::new(key(1)),
            project_id: ProjectId::new(key(2)),
            relative_id: None,
            message_type: MessageType::Sms,
            message: "{}".to_owned(),
            to: ScheduledTo::Contact(ContactId::new(key(3))),
            listed_contact_id: None,
            rrule: rrule.to_owned(),
            timezone_id: "UTC".to_owned(),
            start_time: START,
            end_time: None,
            prev_time: None,
            next_time: None,
            instance: 1,
            occurrences: 0,
            problem: None,
            revision: 0,
            time_created: START,
        }
    }

    #[test]
    fn what_happens_once_is_sent_once_however_late() {
        let mut once = schedule("COUNT=1");
        once.plan(START.plus_ms(9 * DAY_MS));
        assert_eq!(once.next_time, Some(START));
        once.pass(START.plus_ms(9 * DAY_MS));
        assert_eq!(
            (once.prev_time, once.next_time, once.occurrences),
            (Some(START), None, 1)
        );
        once.plan(START.plus_ms(9 * DAY_MS));
        assert_eq!(once.next_time, None);
        once.start_time = START.plus_ms(20 * DAY_MS);
        once.plan(START.plus_ms(9 * DAY_MS));
        assert_eq!(once.next_time, Some(once.start_time));
    }

    #[test]
    fn what_recurs_does_not_begin_in_the_past() {
        let mut daily = schedule("FREQ=DAILY");
        daily.plan(START.plus_ms(DAY_MS + JUST_PASSED_MS));
        assert_eq!(daily.next_time, Some(START.plus_ms(DAY_MS)));
        daily.plan(START.plus_ms(DAY_MS + JUST_PASSED_MS + 1));
        assert_eq!(daily.next_time, Some(START.plus_ms(2 * DAY_MS)));
    }

    #[test]
    fn a_change_does_not_send_a_moment_again() {
        let mut daily = schedule("FREQ=DAILY");
        daily.plan(START);
        daily.pass(START.plus_ms(2_000));
        daily.rrule = "FREQ=HOURLY".to_owned();
        daily.plan(START.plus_ms(-5 * DAY_MS));
        assert_eq!(daily.next_time, Some(START.plus_ms(3_600_000)));
    }

    #[test]
    fn a_zone_that_is_gone_ends_it() {
        let mut lost = schedule("FREQ=DAILY");
        lost.timezone_id = "Europe/Entenhausen".to_owned();
        lost.plan(START);
        assert_eq!(lost.next_time, None);
    }

    proptest! {
        /// Looked after at any moments, a schedule sends each moment at most once and in order, and
        /// after any pause exactly once.
        #[test]
        fn each_pause_is_made_up_for_once(
            pauses in prop::collection::vec(1_i64..40 * DAY_MS, 1..60), count in 1_u32..60,
            rule in prop::sample::select(vec!["FREQ=DAILY", "FREQ=HOURLY;INTERVAL=7", "FREQ=MONTHLY"]),
        ) {
            let mut schedule = schedule(&format!("{rule};COUNT={count}"));
            let mut now = START.plus_ms(-DAY_MS);
            schedule.plan(now);
            let mut sent = Vec::new();
            for pause in pauses {
                now = now.plus_ms(pause);
                if schedule.next_time.is_some_and(|next| next <= now) {
                    sent.push(schedule.next_time);
                    schedule.pass(now);
                }
                prop_assert!(schedule.next_time.is_none_or(|next| next > now));
            }
            prop_assert!(sent.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert_eq!(sent.len() as i64, schedule.occurrences);
            prop_assert!(sent.len() <= count as usize);
        }
    }
}
