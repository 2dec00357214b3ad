//! Whose the platform's sent messages are: each row speaks for one exposure.
//!
//! The platform's rows carry no id of ours. Two exposures of the same SIM, recipient and text are
//! never with the radio at once, and a row counts for none that was handed over after its date; so
//! what is left to prevent is that one row speaks twice.

use crate::{
    change::{Change, ClaimRow},
    fact::SentRow,
};
use postrider_model::UnixMs;
use std::collections::{BTreeSet, VecDeque};

/// Most rows that are looked at for one hand-over; more of them alike are not waiting at once.
pub const SENT_ROWS_MAX: usize = 16;
/// How long a claim is remembered, in milliseconds; the provider may use a row's number again.
const CLAIM_MS: i64 = 259_200_000;
/// Most claims that are remembered; when full, the oldest is forgotten before its time.
const CLAIMS_MAX: usize = 2_000;

/// The claims of the last days.
#[derive(Debug, Default)]
pub(super) struct Claims {
    rows: BTreeSet<i64>,
    by_age: VecDeque<ClaimRow>,
}

impl Claims {
    pub(super) fn new(rows: Vec<ClaimRow>) -> Self {
        Self {
            rows: rows.iter().map(|claim| claim.row).collect(),
            by_age: rows.into(),
        }
    }

    /// Claims the oldest row that is nobody's and not older than a hand-over.
    pub(super) fn claim(
        &mut self,
        found: &[SentRow],
        since: UnixMs,
        now: UnixMs,
    ) -> Option<Change> {
        let is_free =
            |found: &&SentRow| (since..=now).contains(&found.at) && !self.rows.contains(&found.row);
        let row = found.iter().take(SENT_ROWS_MAX).find(is_free)?.row;
        let claim = ClaimRow { row, at: now };
        self.rows.insert(row);
        self.by_age.push_back(claim);
        Some(Change::SentRowClaimed(claim))
    }

    /// Forgets what is old or too much; returns the change that does so on disk.
    pub(super) fn forget(&mut self, now: UnixMs) -> Option<Change> {
        let oldest = now.plus_ms(-CLAIM_MS);
        let mut before = None;
        while let Some(&ClaimRow { row, at }) = self.by_age.front() {
            if at >= oldest && self.by_age.len() <= CLAIMS_MAX {
                break;
            }
            self.by_age.pop_front();
            self.rows.remove(&row);
            before = Some(at.plus_ms(1));
        }
        before.map(|before| Change::ClaimsForgotten { before })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMs = UnixMs(1_000_000_000);

    fn row(row: i64, at: i64) -> SentRow {
        SentRow {
            row,
            at: NOW.plus_ms(at),
        }
    }

    fn claim(claims: &mut Claims, found: &[SentRow], since: i64) -> Option<i64> {
        match claims.claim(found, NOW.plus_ms(since), NOW) {
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
        let mut claims = Claims::new(vec![ClaimRow { row: 1, at: NOW }]);
        assert_eq!(claim(&mut claims, &[row(1, 0)], 0), None);
        assert_eq!(claims.forget(NOW.plus_ms(CLAIM_MS)), None);
        let before = NOW.plus_ms(1);
        let forgotten = claims.forget(NOW.plus_ms(CLAIM_MS + 1));
        assert_eq!(forgotten, Some(Change::ClaimsForgotten { before }));
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
