//! Which exposure each of the platform's sent messages belongs to: a row counts for one only.
//!
//! The platform's rows do not have our ids. Two exposures of the same SIM, recipient and text are
//! never with the radio at once, and a row does not count for a hand-over after its date. So
//! what is left to prevent is that one row counts twice.
//!
//! Rows are dated by the wall clock. When that is set back, rows of earlier hand-overs seem to lie
//! ahead, and the clock passes their dates a second time. Then only rows count that are dated later
//! than all of those.
//!
//! A test of the owner has a row, too, and may be with the radio beside an equal message, even in
//! another process. So rows that may be a test's never count for a message with its number and
//! text: the journal remembers the test's fingerprint in place of a row.

use crate::{
    change::{Change, ClaimRow},
    fact::SentRow,
    inbound::Fingerprint,
    snapshot::Snapshot,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, UnixMs};
use std::collections::{BTreeMap, VecDeque};

/// Most rows that are examined for one hand-over; more equal messages do not wait at once.
pub const SENT_ROWS_MAX: usize = 16;
/// How long a claim is remembered, in milliseconds; the provider may use a row's number again.
const CLAIM_MS: i64 = 259_200_000;
/// Most claims that are remembered; when full, the oldest is forgotten early.
const CLAIMS_MAX: usize = 2_000;

/// How long after its hand-over a row may be dated, in milliseconds.
const ROW_LATE_MS: i64 = 600_000;
/// In the journal, means every row up to a date; the platform numbers its rows from 1.
const EVERY_ROW: i64 = 0;

/// The claims of the last days.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// When each was claimed; negative keys are tests, with the time of their hand-over.
    rows: BTreeMap<i64, UnixMs>,
    by_age: VecDeque<ClaimRow>,
    /// The latest date that a row of ours may have, as far as this process knows.
    latest: Option<UnixMs>,
    /// No row up to this date counts: the wall clock was set back from there.
    passed: Option<UnixMs>,
}

impl Claims {
    /// Restores from the journal; `ended` is when the last exposure that it keeps was over.
    pub(super) fn new(rows: Vec<ClaimRow>, ended: Option<UnixMs>) -> Self {
        let (every, rows): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|claim| claim.row == EVERY_ROW);
        Self {
            rows: rows.iter().map(|claim| (claim.row, claim.at)).collect(),
            latest: rows.iter().map(|claim| claim.at).max().max(ended),
            by_age: rows.into(),
            passed: every.iter().map(|claim| claim.at).max(),
        }
    }

    /// Notes that a message is with the radio, or was at this wall-clock time.
    pub(super) fn handed_over(&mut self, at: UnixMs) {
        self.latest = self.latest.max(Some(at.plus_ms(ROW_LATE_MS)));
    }

    /// Notes that the wall clock was set back to `now`; it was never later than `before`.
    ///
    /// Returns the change that remembers which dates it passes again, if our rows may have
    /// them.
    pub(super) fn set_back(&mut self, before: UnixMs, now: UnixMs) -> Option<Change> {
        let passed = self.latest?.min(before);
        if passed < now || self.passed >= Some(passed) {
            return None;
        }
        self.passed = Some(passed);
        let row = EVERY_ROW;
        Some(Change::SentRowClaimed(ClaimRow { row, at: passed }))
    }

    /// Claims the oldest unclaimed row that is not older than a hand-over; `alike` is the
    /// fingerprint of such rows.
    pub(super) fn claim(
        &mut self,
        found: &[SentRow],
        alike: Option<Fingerprint>,
        since: UnixMs,
        now: UnixMs,
    ) -> Option<Change> {
        let test = alike.and_then(|alike| self.rows.get(&place_of(alike)));
        let test = test.map(|at| at.plus_ms(ROW_LATE_MS));
        let is_free = |found: &&SentRow| {
            let is_of_its_time = (since..=now).contains(&found.at)
                && Some(found.at) > self.passed
                && Some(found.at) > test;
            is_of_its_time && !self.rows.contains_key(&found.row)
        };
        let row = found.iter().take(SENT_ROWS_MAX).find(is_free)?.row;
        Some(self.remember(row, now))
    }

    /// Notes that a test is handed over: the platform's row of it counts for nothing else.
    pub(super) fn disown(&mut self, to: &Address, text: &MessageText, now: UnixMs) -> Change {
        self.remember(place_of(Fingerprint::of_sent(to, text)), now)
    }

    fn remember(&mut self, row: i64, at: UnixMs) -> Change {
        let claim = ClaimRow { row, at };
        self.rows.insert(row, at);
        self.by_age.push_back(claim);
        Change::SentRowClaimed(claim)
    }

    /// Forgets what is too old or too much; returns the change for the disk.
    pub(super) fn forget(&mut self, now: UnixMs) -> Option<Change> {
        let oldest = now.plus_ms(-CLAIM_MS);
        let mut before = None;
        while let Some(&ClaimRow { row, at }) = self.by_age.front() {
            if at >= oldest && self.by_age.len() <= CLAIMS_MAX {
                break;
            }
            self.by_age.pop_front();
            if self.rows.get(&row) == Some(&at) {
                self.rows.remove(&row);
            }
            before = Some(at.plus_ms(1));
        }
        before.map(|before| Change::ClaimsForgotten { before })
    }
}

/// Returns the negative key of a test; rows of the platform have positive ones.
fn place_of(alike: Fingerprint) -> i64 {
    let digits = i64::try_from(alike.0 >> 65).unwrap_or(i64::MAX);
    -1 - digits
}

/// Returns what another installation of the app takes over from a journal, so that no row of
/// a message from here proves that one of its own was sent.
pub fn claims_to_keep(journal: &Snapshot) -> Vec<Change> {
    let ended = journal.ended.iter().map(|row| row.at).max();
    let mut claims = Claims::new(journal.claims.clone(), ended);
    let submitted = journal.messages.iter().map(|row| &row.progress.submitted);
    submitted
        .flatten()
        .for_each(|at| claims.handed_over(at.unix));
    let every = claims.latest.max(claims.passed);
    let every = every.map(|at| ClaimRow { row: EVERY_ROW, at });
    let kept = claims.by_age.into_iter().chain(every);
    kept.map(Change::SentRowClaimed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{change::EndedRow, token::MessageRef};
    use postrider_model::{Key, MessageId, WireState};

    const NOW: UnixMs = UnixMs(1_000_000_000);

    fn row(row: i64, at: i64) -> SentRow {
        SentRow {
            row,
            at: NOW.plus_ms(at),
        }
    }

    fn claim(claims: &mut Claims, found: &[SentRow], since: i64) -> Option<i64> {
        match claims.claim(found, None, NOW.plus_ms(since), NOW) {
            Some(Change::SentRowClaimed(claim)) => Some(claim.row),
            _ => None,
        }
    }

    #[test]
    fn a_row_is_claimed_once_and_the_oldest_first() {
        let found = [row(4, -30), row(2, -20)];
        let mut claims = Claims::default();
        assert_eq!(claim(&mut claims, &found, -40), Some(4));
        assert_eq!(claim(&mut claims, &found, -40), Some(2));
        assert_eq!(claim(&mut claims, &found, -40), None);
    }

    #[test]
    fn a_row_of_another_time_is_not_claimed() {
        let mut claims = Claims::default();
        assert_eq!(claim(&mut claims, &[row(1, -50), row(2, 1)], -40), None);
        assert_eq!(claim(&mut claims, &[row(1, -40)], -40), Some(1));
    }

    #[test]
    fn claims_outlive_a_restart_and_end_after_three_days() {
        let mut claims = Claims::new(vec![ClaimRow { row: 1, at: NOW }], None);
        assert_eq!(claim(&mut claims, &[row(1, 0)], 0), None);
        assert_eq!(claims.forget(NOW.plus_ms(CLAIM_MS)), None);
        let before = NOW.plus_ms(1);
        let forgotten = claims.forget(NOW.plus_ms(CLAIM_MS + 1));
        assert_eq!(forgotten, Some(Change::ClaimsForgotten { before }));
        assert_eq!(claim(&mut claims, &[row(1, 0)], 0), Some(1));
    }

    #[test]
    fn dates_that_the_clock_passes_again_count_for_nobody() {
        let mut claims = Claims::default();
        claims.handed_over(NOW.plus_ms(-50));
        let before = NOW.plus_ms(100);
        let passed = claims.set_back(before, NOW.plus_ms(-10));
        let row_of_all = ClaimRow { row: 0, at: before };
        assert_eq!(passed, Some(Change::SentRowClaimed(row_of_all)));
        assert_eq!(claims.set_back(before, NOW.plus_ms(-10)), None);
        let found = |n, at| [row(n, at)];
        let mut again = Claims::new(vec![row_of_all], None);
        for claims in [&mut claims, &mut again] {
            let now = NOW.plus_ms(1_000);
            assert_eq!(claims.claim(&found(1, 100), None, NOW, now), None);
            assert!(claims.claim(&found(2, 101), None, NOW, now).is_some());
        }
    }

    #[test]
    fn another_installation_takes_no_row_of_this_one_for_its_own() {
        let claimed = ClaimRow { row: 4, at: NOW };
        let ended = EndedRow {
            message: MessageRef {
                id: MessageId::new(Key::new(1).unwrap()),
                ep: 1,
            },
            state: WireState::Sent,
            partial: false,
            unsent: false,
            proof: None,
            s: 1,
            fact: 1,
            at: NOW.plus_ms(9),
        };
        let journal = Snapshot {
            claims: vec![claimed],
            ended: vec![ended],
            ..Snapshot::default()
        };
        let row = EVERY_ROW;
        let at = NOW.plus_ms(9);
        let kept = [claimed, ClaimRow { row, at }].map(Change::SentRowClaimed);
        assert_eq!(claims_to_keep(&journal), kept);
        assert_eq!(claims_to_keep(&Snapshot::default()), []);
    }

    #[test]
    fn a_clock_that_is_set_back_from_where_nothing_was_handed_over_costs_nothing() {
        let mut claims = Claims::default();
        assert_eq!(claims.set_back(NOW.plus_ms(100), NOW), None);
        claims.handed_over(NOW.plus_ms(-10 * ROW_LATE_MS));
        assert_eq!(claims.set_back(NOW.plus_ms(100), NOW), None);
        let mut over = Claims::new(Vec::new(), Some(NOW.plus_ms(5)));
        assert!(over.set_back(NOW.plus_ms(100), NOW).is_some());
        assert_eq!(claim(&mut claims, &[row(1, 0)], 0), Some(1));
    }

    #[test]
    fn no_more_claims_than_the_bound_are_kept() {
        let mut claims = Claims::default();
        for n in 0..=i64::try_from(CLAIMS_MAX).unwrap() {
            assert_eq!(claim(&mut claims, &[row(n, 0)], 0), Some(n));
        }
        assert!(claims.forget(NOW).is_some());
        assert_eq!(claims.by_age.len(), CLAIMS_MAX);
    }
}
