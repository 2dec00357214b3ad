//! Writing what became of attempts: many in one unit of work.

use hub_domain::{OutboxRow, WebhookLogEntry};
use hub_store::{StoreError, Tx, outbox, webhook_log};
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

/// An attempt that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tried {
    /// Which one it was, from 1.
    pub attempt: u32,
    /// How it ended.
    pub ending: Ending,
}

/// One row's fate, to be committed.
#[derive(Debug, Clone)]
pub(crate) struct Settlement {
    /// The row as it was read.
    pub row: Arc<OutboxRow>,
    /// What happens to it.
    pub fate: Fate,
    /// The attempt that decided it, unless none was made.
    pub tried: Option<Tried>,
    /// When it was decided.
    pub time: UnixMs,
}

/// The log's word for a row that is no longer tried.
const GIVEN_UP: &str = "given_up";

/// Writes settlements of one project and their log. Returns how many rows are gone.
pub(crate) fn commit(
    tx: &mut Tx<'_>,
    project: ProjectId,
    batch: &[Settlement],
    now: UnixMs,
) -> Result<u64, StoreError> {
    let mut gone = Vec::new();
    for settlement in batch {
        match settlement.fate {
            Fate::Delivered | Fate::GivenUp => gone.push(settlement.row.id),
            Fate::Again { due_at, attempts } => {
                outbox::mark_attempt(tx, settlement.row.id, attempts, due_at)?;
                outbox::put_off_followers(tx, &settlement.row, due_at)?;
            }
        }
        for entry in lines(settlement) {
            let id = tx.key(now).get();
            webhook_log::insert(tx, &WebhookLogEntry { id, ..entry })?;
        }
    }
    outbox::delete(tx, project, gone)
}

fn lines(settlement: &Settlement) -> impl Iterator<Item = WebhookLogEntry> {
    let attempt = settlement.tried.map(|tried| {
        let ending = tried.ending;
        line(
            settlement,
            tried.attempt,
            ending.outcome,
            ending.http_status,
        )
    });
    let made = settlement
        .tried
        .map_or(settlement.row.attempts, |tried| tried.attempt);
    let over = settlement.fate == Fate::GivenUp;
    let over = over.then(|| line(settlement, made, GIVEN_UP, None));
    attempt.into_iter().chain(over)
}

fn line(
    settlement: &Settlement,
    attempt: u32,
    outcome: &str,
    http_status: Option<u16>,
) -> WebhookLogEntry {
    let row = &settlement.row;
    WebhookLogEntry {
        id: 0,
        outbox_id: row.id,
        project_id: row.project_id,
        message_id: row.message_id,
        event: row.event,
        url_origin: row.origin.clone(),
        attempt,
        outcome: outcome.to_owned(),
        http_status,
        time: settlement.time,
    }
}
