//! Writing what became of attempts: many in one unit of work.

use hub_domain::{DeliveryAttempt, DeliveryStatus, OutboxRow};
use hub_store::webhook_deliveries::{self, Noted};
use hub_store::{StoreError, Tx, outbox};
use postrider_model::{ProjectId, UnixMs};
use std::sync::Arc;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending {
    /// In a word, for the log.
    pub outcome: &'static str,
    /// The receiver's status, when there was an answer.
    pub http_status: Option<u16>,
}

impl Ending {
    /// Returns the ending for an answer.
    pub(crate) fn answered(http_status: u16) -> Self {
        Self {
            outcome: if http_status == 200 {
                "delivered"
            } else {
                "refused"
            },
            http_status: Some(http_status),
        }
    }

    /// Says whether the receiver took it: 200 and nothing else.
    pub(crate) fn is_delivered(self) -> bool {
        self.http_status == Some(200)
    }
}

/// What happens to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It arrived and is removed.
    Delivered,
    /// Its day is over and it is removed.
    GivenUp,
    /// It stays and is due again.
    Again {
        /// When.
        due_at: UnixMs,
        /// Attempts made so far.
        attempts: u32,
    },
}

impl Fate {
    fn is_end(self) -> bool {
        !matches!(self, Self::Again { .. })
    }
}

/// One row's fate, to be committed.
#[derive(Debug, Clone)]
pub(crate) struct Settlement {
    /// The row as it was read.
    pub row: Arc<OutboxRow>,
    /// What happens to it.
    pub fate: Fate,
    /// The end of the attempt that decided it, unless none was made.
    pub ending: Option<Ending>,
    /// When it was decided.
    pub time: UnixMs,
}

/// Writes settlements of one project, and notes of each what happened; the project keeps its newest
/// `kept_max` deliveries. Returns how many rows are gone.
pub(crate) fn commit(
    tx: &mut Tx<'_>,
    project: ProjectId,
    batch: &[Settlement],
    kept_max: u64,
) -> Result<u64, StoreError> {
    let (ended, again): (Vec<_>, Vec<_>) = batch.iter().partition(|one| one.fate.is_end());
    let gone = outbox::delete(tx, project, ended.iter().map(|one| one.row.id))?;
    let stay = outbox::there(tx, project, again.iter().map(|one| one.row.id))?;
    for settlement in again {
        if let Fate::Again { due_at, attempts } = settlement.fate {
            outbox::mark_attempt(tx, settlement.row.id, attempts, due_at)?;
            outbox::put_off_followers(tx, &settlement.row, due_at)?;
        }
    }
    let was_there = |one: &&Settlement| gone.contains(&one.row.id) || stay.contains(&one.row.id);
    let happened = batch.iter().filter(was_there).filter_map(noted);
    webhook_deliveries::note(tx, project, happened, kept_max)?;
    Ok(gone.len() as u64)
}

/// Returns what is noted of a row; nothing of one that only waits behind another.
fn noted(settlement: &Settlement) -> Option<Noted<'_>> {
    let status = match settlement.fate {
        Fate::Delivered => DeliveryStatus::Delivered,
        Fate::GivenUp => DeliveryStatus::GivenUp,
        Fate::Again { .. } => DeliveryStatus::Waiting,
    };
    if settlement.ending.is_none() && status == DeliveryStatus::Waiting {
        return None;
    }
    let attempt = settlement.ending.map(|ending| DeliveryAttempt {
        time: settlement.time,
        outcome: ending.outcome.to_owned(),
        http_status: ending.http_status,
    });
    Some(Noted {
        row: &settlement.row,
        status,
        attempt,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::testing::{Fixture, project, row};

    #[test]
    fn what_was_deleted_under_way_leaves_no_trace() {
        let fixture = Fixture::new();
        let ending = Some(Ending::answered(200));
        let settled = |id, fate| Settlement {
            row: Arc::new(row(id)),
            fate,
            ending,
            time: UnixMs(5),
        };
        let again = Fate::Again {
            due_at: UnixMs(9),
            attempts: 1,
        };
        let batch = [
            settled(1, Fate::Delivered),
            settled(2, Fate::Delivered),
            settled(3, again),
            settled(4, again),
        ];
        let gone = fixture.work(fixture.now, move |work| {
            for there in [1, 3] {
                outbox::insert(work.tx, &row(there))?;
            }
            commit(work.tx, project(1), &batch, 100)
        });
        assert_eq!(gone, 1);
        let kept = fixture.deliveries();
        let kept: Vec<_> = kept.iter().map(|one| (one.id.get(), one.status)).collect();
        let expected = [(1, DeliveryStatus::Delivered), (3, DeliveryStatus::Waiting)];
        assert_eq!(kept, expected);
    }
}
