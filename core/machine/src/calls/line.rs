//! The line of each SIM, and the calls that rang on it.
//!
//! The platform reports how a line is, not which call it is about: a second call rings beside an
//! active one, the number comes late or never, and every change may be reported twice. So a ring
//! holds only what is certain: when it began, when it stopped, and whether
//! it must have been answered. What the call was is in the log.

use crate::{fact::CallState, log::CallLogRow, numbers::is_same_line};
use postrider_link::frame::Address;
use postrider_model::{BootMs, Now, SimSlot};
use std::collections::{BTreeMap, VecDeque};

/// Most rings that wait for their log rows. When full, the oldest is forgotten; its row in the log
/// is then reported without a ringing time.
pub(super) const RINGS_MAX: usize = 16;
/// How far a log row's beginning may differ from the ring's, in milliseconds.
const BEGINS_WITHIN_MS: u64 = 60_000;

/// One incoming call, as far as the line shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ring {
    pub(crate) sim: SimSlot,
    pub(crate) number: Option<Address>,
    pub(crate) since: Now,
    /// When it stopped ringing.
    pub(crate) stopped: Option<Now>,
    /// Whether it was answered, if the line leaves no doubt.
    pub(crate) answered: Option<bool>,
    /// When the line was free again.
    pub(crate) over: Option<Now>,
    /// Whether it rang beside another call.
    beside: bool,
}

impl Ring {
    /// Returns how long it rang, in seconds.
    pub(crate) fn ring_s(&self) -> i64 {
        let ms = |stopped: Now| stopped.boot.since_ms(self.since.boot);
        self.stopped.map_or(-1, |stopped| seconds(ms(stopped)))
    }

    /// Returns how long people talked, as far as the line shows, in seconds; -1 if it was not
    /// answered, or may not have been.
    pub(crate) fn duration_s(&self) -> i64 {
        match (self.answered, self.stopped, self.over) {
            (Some(true), Some(answered), Some(over)) => seconds(over.boot.since_ms(answered.boot)),
            _ => -1,
        }
    }

    fn is_of(&self, row: &CallLogRow) -> bool {
        let is_same = match (&self.number, &row.number) {
            (Some(one), Some(other)) => is_same_line(one, other),
            (None, _) | (_, None) => true,
        };
        self.sim == row.sim && self.apart_ms(row) <= BEGINS_WITHIN_MS && is_same
    }

    /// Returns how much its beginning differs from the row's.
    fn apart_ms(&self, row: &CallLogRow) -> u64 {
        row.started_at.0.abs_diff(self.since.unix.0)
    }

    /// Tells whether it rang before a moment, or has stopped already.
    fn rang_by(&self, moment: BootMs) -> bool {
        self.stopped.is_some() || self.since.boot <= moment
    }
}

/// Returns the latest moment at which the call of a row can have rung: people talked from then on,
/// and it was over before its row could be read.
fn last_rang(row: &CallLogRow, now: Now) -> Now {
    let spoken_ms = row.duration_s.max(0).saturating_mul(1_000);
    Now {
        boot: BootMs(now.boot.0.saturating_sub(spoken_ms.unsigned_abs())),
        unix: now.unix.plus_ms(spoken_ms.saturating_neg()),
    }
}

fn seconds(ms: u64) -> i64 {
    i64::try_from((ms + 500) / 1_000).unwrap_or(i64::MAX)
}

/// The lines.
#[derive(Debug, Default)]
pub(crate) struct Line {
    sims: BTreeMap<SimSlot, CallState>,
    rings: VecDeque<Ring>,
}

impl Line {
    /// Tells whether any SIM has a call.
    pub(crate) fn is_busy(&self) -> bool {
        self.sims.values().any(|state| *state != CallState::Idle)
    }

    /// Returns every SIM with a reported line.
    pub(crate) fn sims(&self) -> Vec<SimSlot> {
        self.sims.keys().copied().collect()
    }

    /// Tells whether an incoming call is over that the log has not shown yet.
    pub(crate) fn awaits_log(&self) -> bool {
        self.rings.iter().any(|ring| ring.over.is_some())
    }

    /// Handles the new state of a line.
    pub(crate) fn changed(
        &mut self,
        sim: SimSlot,
        state: CallState,
        number: Option<&Address>,
        incoming: Option<bool>,
        now: Now,
    ) {
        let was = self.sims.insert(sim, state).unwrap_or(CallState::Idle);
        match (was, state) {
            (CallState::Ringing, CallState::Ringing) => self.rings_on(sim, number, now),
            (CallState::Idle | CallState::OffHook, CallState::Ringing) => {
                self.begin(sim, number, was == CallState::OffHook, now);
            }
            (CallState::Ringing, CallState::OffHook) => self.answered(sim, now),
            (CallState::Idle, CallState::OffHook) if incoming == Some(true) => {
                self.begin(sim, number, false, now);
                self.answered(sim, now);
            }
            (CallState::Idle | CallState::OffHook, CallState::OffHook) => {}
            (_, CallState::Idle) => self.free(sim, now),
        }
    }

    /// Assumes that no line has a call any more, whatever was reported.
    pub(crate) fn all_free(&mut self, now: Now) {
        for sim in self.sims() {
            self.sims.insert(sim, CallState::Idle);
            self.free(sim, now);
        }
    }

    /// Removes and returns the ring that a log row is about: the nearest of those that may be it.
    ///
    /// A logged call is over. If the line has not said so yet, it stopped ringing at the latest
    /// when it was answered, or else when the row was read.
    pub(crate) fn take_ring(&mut self, row: &CallLogRow, now: Now) -> Option<Ring> {
        let last_rang = last_rang(row, now);
        let rings = self.rings.iter().enumerate();
        let may_be = rings.filter(|(_, ring)| ring.is_of(row) && ring.rang_by(last_rang.boot));
        let (at, _) = may_be.min_by_key(|(_, ring)| ring.apart_ms(row))?;
        let mut ring = self.rings.remove(at)?;
        ring.stopped.get_or_insert(last_rang);
        Some(ring)
    }

    /// Removes and returns the rings that are over and have no row in the log.
    pub(crate) fn take_unlogged(&mut self) -> Vec<Ring> {
        let (over, open) = self.rings.drain(..).partition(|ring| ring.over.is_some());
        self.rings = open;
        Vec::from(over)
    }

    fn begin(&mut self, sim: SimSlot, number: Option<&Address>, beside: bool, now: Now) {
        if self.rings.len() >= RINGS_MAX {
            self.rings.pop_front();
        }
        self.rings.push_back(Ring {
            sim,
            number: number.cloned(),
            since: now,
            stopped: None,
            answered: None,
            over: None,
            beside,
        });
    }

    /// It still rings, perhaps with its number now; a different number means a different call.
    fn rings_on(&mut self, sim: SimSlot, number: Option<&Address>, now: Now) {
        let Some(number) = number else {
            return;
        };
        let mut ringing = self.ringing(sim);
        let knows = |ring: &&mut Ring| {
            ring.number
                .as_ref()
                .is_none_or(|known| is_same_line(known, number) || known == number)
        };
        match ringing.find(knows) {
            Some(ring) => ring.number = Some(number.clone()),
            None => {
                drop(ringing);
                self.begin(sim, Some(number), true, now);
            }
        }
    }

    /// It no longer rings, and there is a call: this one, if there was no other before.
    fn answered(&mut self, sim: SimSlot, now: Now) {
        for ring in self.ringing(sim) {
            ring.stopped = Some(now);
            ring.answered = (!ring.beside).then_some(true);
        }
    }

    fn free(&mut self, sim: SimSlot, now: Now) {
        let rings = self.rings.iter_mut();
        for ring in rings.filter(|ring| ring.sim == sim && ring.over.is_none()) {
            if ring.stopped.is_none() {
                ring.stopped = Some(now);
                ring.answered = Some(false);
            }
            ring.over = Some(now);
        }
    }

    fn ringing(&mut self, sim: SimSlot) -> impl Iterator<Item = &mut Ring> {
        let rings = self.rings.iter_mut();
        rings.filter(move |ring| ring.sim == sim && ring.stopped.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::CallKind;
    use postrider_model::UnixMs;

    const RANG: Now = Now::new(500_000, 1_800_000_000_000);
    const FRIEND: &str = "+15005550009";

    fn sim(slot: u8) -> SimSlot {
        SimSlot::new(slot).unwrap()
    }

    fn row(slot: u8, number: Option<&str>, after_ms: i64) -> CallLogRow {
        CallLogRow {
            row: 1,
            sim: sim(slot),
            number: number.map(Address::new),
            kind: CallKind::Missed,
            started_at: UnixMs(RANG.unix.0 + after_ms),
            duration_s: 0,
        }
    }

    fn rang(number: Option<&str>) -> Line {
        let mut line = Line::default();
        let number = number.map(Address::new);
        line.changed(sim(0), CallState::Ringing, number.as_ref(), None, RANG);
        line
    }

    #[test]
    fn a_row_is_of_the_ring_of_its_sim_its_number_and_its_minute() {
        let is_of = |row: CallLogRow| rang(Some(FRIEND)).take_ring(&row, RANG).is_some();
        assert!(is_of(row(0, Some(FRIEND), 0)));
        assert!(is_of(row(0, None, 0)), "withheld in the log");
        assert!(is_of(row(0, Some(FRIEND), 60_000)));
        assert!(is_of(row(0, Some(FRIEND), -60_000)));
        assert!(!is_of(row(0, Some(FRIEND), 60_001)));
        assert!(!is_of(row(1, Some(FRIEND), 0)));
        assert!(!is_of(row(0, Some("+15005550008"), 0)));
        let withheld = rang(None).take_ring(&row(0, Some(FRIEND), 0), RANG);
        assert!(withheld.is_some(), "withheld on the line");
    }

    #[test]
    fn half_a_second_counts_as_a_whole_one() {
        let rings_for = |ms| {
            let mut line = rang(None);
            line.changed(sim(0), CallState::Idle, None, None, RANG.plus_ms(ms));
            let ring = line.take_ring(&row(0, None, 0), RANG.plus_ms(9_000));
            ring.map(|ring| ring.ring_s())
        };
        assert_eq!(rings_for(1_499), Some(1));
        assert_eq!(rings_for(1_500), Some(2));
    }

    #[test]
    fn a_ring_lasts_as_long_as_the_line_leaves_no_doubt() {
        let mut line = rang(None);
        assert!(line.is_busy() && !line.awaits_log());
        line.changed(sim(0), CallState::OffHook, None, None, RANG.plus_ms(4_000));
        line.changed(sim(0), CallState::Idle, None, None, RANG.plus_ms(9_000));
        assert!(!line.is_busy() && line.awaits_log());
        let rings = line.take_unlogged();
        let lengths = rings.iter().map(|ring| (ring.ring_s(), ring.duration_s()));
        assert_eq!(lengths.collect::<Vec<_>>(), [(4, 5)]);
        assert!(line.take_unlogged().is_empty());
    }

    #[test]
    fn no_more_rings_than_the_bound_wait_for_their_rows() {
        let mut line = Line::default();
        for n in 0..=u64::try_from(RINGS_MAX).unwrap() {
            let now = RANG.plus_ms(n * 1_000);
            line.changed(sim(0), CallState::Ringing, None, None, now);
            line.changed(sim(0), CallState::Idle, None, None, now);
        }
        let rings = line.take_unlogged();
        assert_eq!(rings.len(), RINGS_MAX);
        assert_eq!(
            rings[0].since,
            RANG.plus_ms(1_000),
            "the oldest is forgotten"
        );
    }

    #[test]
    fn a_call_that_was_answered_before_it_was_told_rang_for_no_time() {
        let offhook = |incoming| {
            let mut line = Line::default();
            let number = Address::new(FRIEND);
            line.changed(sim(0), CallState::OffHook, Some(&number), incoming, RANG);
            line.changed(sim(0), CallState::Idle, None, None, RANG.plus_ms(7_000));
            let rings = line.take_unlogged();
            let lengths = rings.iter().map(|ring| (ring.ring_s(), ring.duration_s()));
            lengths.collect::<Vec<_>>()
        };
        assert_eq!(offhook(Some(true)), [(0, 7)]);
        assert_eq!(offhook(Some(false)), []);
        assert_eq!(offhook(None), [], "it may be one that was placed");
    }

    #[test]
    fn a_name_that_is_told_twice_is_one_call_and_another_name_is_another() {
        let rings = |names: &[&str]| {
            let mut line = Line::default();
            for name in names {
                let name = Address::new(*name);
                line.changed(sim(0), CallState::Ringing, Some(&name), None, RANG);
            }
            line.changed(sim(0), CallState::Idle, None, None, RANG.plus_ms(4_000));
            let rings = line.take_unlogged();
            assert!(rings.iter().all(|ring| ring.duration_s() == -1), "missed");
            rings.len()
        };
        assert_eq!(rings(&["Bank", "Bank"]), 1);
        assert_eq!(rings(&["Bank", "Shop"]), 2);
        assert_eq!(rings(&[FRIEND, "5550009"]), 1);
    }
}
