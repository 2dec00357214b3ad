//! Removing old rows without delaying others.
//!
//! One step removes at most [`ROWS_MAX`] rows and takes about 5 ms at most, counted in steps of the
//! engine. Before the next step others may work for as long as the last one took.

use crate::{StoreError, Tx};

/// Most rows of one step.
pub const ROWS_MAX: u32 = 500;
/// Rows between two looks at how much the step has done.
const PART: u32 = 50;
/// Steps of the engine after which a step of a purge ends: a quarter of what a job may take.
pub(crate) const STEPS_MAX: u64 = crate::JOB_STEPS_MAX / 4;

/// What one step of a purge came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Purged {
    /// How many rows went.
    pub rows: u32,
    /// Whether more of them are left.
    pub more: bool,
}

/// Takes one step: `remove` removes up to as many rows as it is told, and says how many went.
pub(crate) fn step(
    tx: &mut Tx<'_>,
    mut remove: impl FnMut(&mut Tx<'_>, u32) -> Result<usize, StoreError>,
) -> Result<Purged, StoreError> {
    let before = tx.steps();
    let mut purged = Purged::default();
    loop {
        let part = PART.min(ROWS_MAX - purged.rows);
        let gone = u32::try_from(remove(tx, part)?).unwrap_or(u32::MAX);
        purged.rows = purged.rows.saturating_add(gone);
        purged.more = gone >= part;
        let enough = purged.rows >= ROWS_MAX || tx.steps() - before >= STEPS_MAX;
        if !purged.more || enough {
            return Ok(purged);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    const WORK: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
         WHERE i < 200) SELECT count(*) FROM n";

    /// Takes a step that removes whatever it is told, after this many steps of the engine for a part.
    fn step_of(steps: u64) -> Purged {
        let database = TestDatabase::fresh();
        let store = database.open();
        let job = move |tx: &mut Tx<'_>| {
            step(tx, |tx, limit| {
                let end = tx.steps() + steps;
                while tx.steps() < end {
                    tx.query_one(WORK, &[], |_| Ok(()))?;
                }
                Ok(limit as usize)
            })
        };
        store.write_blocking(job).unwrap()
    }

    #[test]
    fn a_step_ends_with_its_rows_or_with_its_work() {
        let easy = step_of(1);
        assert_eq!((easy.rows, easy.more), (ROWS_MAX, true));
        let hard = step_of(STEPS_MAX / 2);
        assert!((PART..=PART * 4).contains(&hard.rows), "{hard:?}");
        assert!(hard.more);
    }
}
