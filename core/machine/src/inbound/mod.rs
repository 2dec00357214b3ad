//! Incoming things: each once, in order.
//!
//! The platform may report a message by broadcast, again by broadcast, and from its provider; it
//! may also fail to broadcast it at all. A message is identified by SIM, sender, service-centre
//! time and text together, never by its text alone. If all four agree, the provider's row tells
//! two real copies apart. So a second broadcast with the same four counts as a repeat, and a second
//! row as a second message.

mod content;
mod fingerprint;
mod source;

pub(crate) use content::{bounded_address, bounded_text, sane_time};
pub use fingerprint::Fingerprint;
pub use source::{NoSuchSource, Source};

use crate::{
    change::{Change, SeenRow},
    log::Log,
};
use postrider_model::{Now, UnixMs};
use std::collections::{BTreeMap, VecDeque};

/// How long something is remembered; the logs are read 24 h back.
pub(crate) const SEEN_MS: i64 = 259_200_000;
/// Most things that are remembered. When full, the oldest is forgotten early, and rows of its log
/// that are as old are no longer reported.
pub const SEEN_MAX: usize = 20_000;

/// One report of something that came in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub(crate) source: Source,
    pub(crate) fingerprint: Fingerprint,
    /// Its row in the platform's log, if it was read there.
    pub(crate) row: Option<i64>,
    /// The date that the log gives it.
    pub(crate) dated: Option<UnixMs>,
}

#[derive(Debug, Clone, Copy)]
struct Seen {
    no: u64,
    row: Option<i64>,
}

#[derive(Debug, Clone, Copy)]
struct Aged {
    no: u64,
    at: UnixMs,
    fingerprint: Fingerprint,
    log: Option<Log>,
    dated: UnixMs,
}

/// The change that forgets things on disk, and up to which date each log is no longer reported.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Forgotten {
    pub(crate) below: u64,
    pub(crate) floors: BTreeMap<Log, UnixMs>,
}

/// Whether a report is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hearing {
    /// New.
    First,
    /// A repeat.
    Again,
}

/// Remembers what came in.
#[derive(Debug, Default)]
pub(crate) struct Inbound {
    seen: BTreeMap<Fingerprint, Vec<Seen>>,
    by_age: VecDeque<Aged>,
    last_no: u64,
}

impl Inbound {
    /// Restores from the rows of the journal, in order of their numbers.
    pub(crate) fn new(rows: &[SeenRow]) -> Self {
        let mut inbound = Self::default();
        for row in rows {
            inbound.remember(row);
        }
        inbound
    }

    /// Tells whether something is new, and returns the row that remembers it.
    pub(crate) fn hear(&mut self, heard: Heard, now: Now) -> (Hearing, Option<Change>) {
        let copies = self.seen.get_mut(&heard.fingerprint);
        let copies = copies.map(Vec::as_mut_slice).unwrap_or_default();
        match (copies, heard.row) {
            ([], _) => {}
            ([..], None) => return (Hearing::Again, None),
            (copies, Some(row)) => {
                if copies.iter().any(|seen| seen.row == Some(row)) {
                    return (Hearing::Again, None);
                }
                if let Some(seen) = copies.iter_mut().find(|seen| seen.row.is_none()) {
                    seen.row = heard.row;
                    let (no, row) = (seen.no, seen.row);
                    return (Hearing::Again, Some(Change::SeenBound { no, row }));
                }
            }
        }
        let row = SeenRow {
            no: self.last_no + 1,
            fingerprint: heard.fingerprint,
            provider_row: heard.row,
            at: now.unix,
            source: heard.source,
            dated: heard.dated.unwrap_or(now.unix),
        };
        self.remember(&row);
        (Hearing::First, Some(Change::SeenAdded(row)))
    }

    /// Tells whether a row of a log was seen before.
    pub(crate) fn knows(&self, fingerprint: Fingerprint, row: i64) -> bool {
        let copies = self.seen.get(&fingerprint);
        copies.is_some_and(|copies| copies.iter().any(|seen| seen.row == Some(row)))
    }

    /// Forgets what is too old or too much.
    pub(crate) fn forget(&mut self, now: Now) -> Option<Forgotten> {
        let mut forgotten: Option<Forgotten> = None;
        while let Some(aged) = self.by_age.front().copied() {
            let is_old = aged.at.plus_ms(SEEN_MS) <= now.unix;
            if !is_old && self.by_age.len() <= SEEN_MAX {
                break;
            }
            self.by_age.pop_front();
            self.drop_copy(aged);
            let all = forgotten.get_or_insert_with(|| Forgotten {
                below: 0,
                floors: BTreeMap::new(),
            });
            all.below = aged.no + 1;
            if let Some(log) = aged.log {
                let floor = all.floors.entry(log).or_insert(aged.dated);
                *floor = aged.dated.max(*floor);
            }
        }
        forgotten
    }

    fn drop_copy(&mut self, aged: Aged) {
        if let Some(copies) = self.seen.get_mut(&aged.fingerprint) {
            copies.retain(|seen| seen.no != aged.no);
            if copies.is_empty() {
                self.seen.remove(&aged.fingerprint);
            }
        }
    }

    /// Returns the number of the last message that was remembered.
    pub(crate) fn last_no(&self) -> u64 {
        self.last_no
    }

    /// Tells whether more is remembered than allowed.
    pub(crate) fn is_over_full(&self) -> bool {
        self.by_age.len() > SEEN_MAX
    }

    fn remember(&mut self, row: &SeenRow) {
        let copies = self.seen.entry(row.fingerprint).or_default();
        copies.push(Seen {
            no: row.no,
            row: row.provider_row,
        });
        self.by_age.push_back(Aged {
            no: row.no,
            at: row.at,
            fingerprint: row.fingerprint,
            log: row.source.log(),
            dated: row.dated,
        });
        self.last_no = row.no;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::ReceivedSms;
    use postrider_link::frame::Address;
    use postrider_model::{MessageText, SimSlot};

    fn sms(text: &str, second: i64, row: Option<i64>) -> ReceivedSms {
        ReceivedSms {
            receipt: 0,
            sim: SimSlot::default(),
            from: Address::new("+15005550001"),
            to: None,
            text: MessageText::new(text),
            parts: 1,
            sent_at: Some(UnixMs(second * 1_000)),
            received_at: row.map(|_| UnixMs(second * 1_000)),
            row,
        }
    }

    fn heard(sms: &ReceivedSms) -> Heard {
        Heard {
            source: Source::Sms,
            fingerprint: Fingerprint::of(sms),
            row: sms.row,
            dated: sms.received_at,
        }
    }

    fn hear(inbound: &mut Inbound, sms: &ReceivedSms) -> Hearing {
        inbound.hear(heard(sms), Now::new(0, 1_000_000)).0
    }

    #[test]
    fn a_repeated_broadcast_counts_once() {
        let mut inbound = Inbound::default();
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 8, None)), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("no", 7, None)), Hearing::First);
    }

    #[test]
    fn two_true_copies_of_one_second_stay_two() {
        let mut inbound = Inbound::default();
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(41))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(42))), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(41))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(42))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
    }

    #[test]
    fn a_message_without_a_broadcast_comes_in_by_its_row() {
        let mut inbound = Inbound::default();
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(5))), Hearing::First);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, None)), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(5))), Hearing::Again);
    }

    #[test]
    fn what_was_seen_is_still_known_after_a_restart() {
        let mut rows: Vec<SeenRow> = Vec::new();
        let mut inbound = Inbound::default();
        for copy in [sms("yes", 7, None), sms("yes", 7, Some(1))] {
            match inbound.hear(heard(&copy), Now::new(0, 0)).1 {
                Some(Change::SeenAdded(row)) => rows.push(row),
                Some(Change::SeenBound { no, row }) => {
                    let bound = rows.iter_mut().find(|seen| seen.no == no);
                    bound.unwrap().provider_row = row;
                }
                other => panic!("{other:?}"),
            }
        }
        let mut inbound = Inbound::new(&rows);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(1))), Hearing::Again);
        assert_eq!(hear(&mut inbound, &sms("yes", 7, Some(2))), Hearing::First);
    }

    #[test]
    fn the_old_and_the_too_many_are_forgotten() {
        let mut inbound = Inbound::default();
        inbound.hear(heard(&sms("yes", 7, None)), Now::new(0, 0));
        assert_eq!(inbound.forget(Now::new(0, SEEN_MS - 1)), None);
        let forgotten = inbound.forget(Now::new(0, SEEN_MS)).unwrap();
        assert_eq!(forgotten.below, 2);
        assert_eq!(forgotten.floors.get(&Log::Sms), Some(&UnixMs(0)));
        let many = i64::try_from(SEEN_MAX).unwrap() + 3;
        for second in 0..many {
            inbound.hear(heard(&sms("yes", second, None)), Now::new(0, SEEN_MS));
        }
        assert!(inbound.is_over_full());
        let forgotten = inbound.forget(Now::new(0, SEEN_MS)).unwrap();
        assert_eq!(forgotten.below, 5);
        assert!(!inbound.is_over_full(), "as many as fit");
    }

    #[test]
    fn a_fingerprint_never_changes() {
        let fingerprint = Fingerprint::of(&sms("yes", 7, None));
        assert_eq!(fingerprint, Fingerprint(FINGERPRINT_OF_YES));
    }

    const FINGERPRINT_OF_YES: u128 = 338_789_692_556_527_520_030_907_677_482_422_667_862;
}
