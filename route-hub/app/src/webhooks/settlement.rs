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
    webhook_deliveries::note(tx, project, batch.iter().filter_map(noted), kept_max)?;
    let mut gone = Vec::new();
    for settlement in batch {
        match settlement.fate {
            Fate::Delivered | Fate::GivenUp => gone.push(settlement.row.id),
            Fate::Again { due_at, attempts } => {
                outbox::mark_attempt(tx, settlement.row.id, attempts, due_at)?;
                outbox::put_off_followers(tx, &settlement.row, due_at)?;
            }
        }
    }
    outbox::delete(tx, project, gone)
}

/// Returns what is noted of a row; nothing of one that only waits behind another.
fn noted(settlement: &Settlement) -> Option<Noted> {
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
        id: settlement.row.id,
        status,
        attempt,
    })
}
