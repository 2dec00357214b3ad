//! Deliveries of events: body and attempts of each, for those who look, and to deliver again.
//!
//! A row is written when the first attempt ended; before that the event is in the outbox alone. A project
//! keeps its newest. How many it has is kept beside them.

use crate::list::{self, Column, Index, Kind, ListQuery, Page, Scope, Table};
use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::value::{KEYS_OF_A_LOOK, keys_of_parameters, look_at};
use crate::{Row, StoreError, Tx, values};
use hub_domain::{DeliveryAttempt, DeliveryStatus, OutboxRow, WebhookDelivery, WebhookEvent};
use postrider_model::{Key, MessageId, ProjectId, UnixMs, WebhookDeliveryId};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::LazyLock;

/// Most attempts of one delivery that are kept.
const ATTEMPTS_MAX: usize = 50;
/// Most rows that go in one job: those above the number that a project may have.
const TRIMMED_MAX: u64 = 256;

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, webhook_id, message_id, event, status, time_created, url, attempts, body"
    };
}

/// What lists may be filtered by.
pub mod by {
    use super::{Column, Kind};

    /// What it tells about.
    pub const EVENT: Column = Column::new("event", Kind::Int);
    /// Where it stands.
    pub const STATUS: Column = Column::new("status", Kind::Int);
    /// The webhook object it is for.
    pub const WEBHOOK_ID: Column = Column::new("webhook_id", Kind::Int);
    /// The message it tells about.
    pub const MESSAGE_ID: Column = Column::new("message_id", Kind::Int);
    /// When its cause was committed.
    pub const TIME_CREATED: Column = Column::new("time_created", Kind::Time);
}

const TABLE: Table<WebhookDelivery> = Table {
    indexes: &[Index::alone("message_id")],
    ..Table::plain("webhook_deliveries", columns!(), read)
};

/// What happened to an event.
#[derive(Debug, Clone)]
pub struct Noted<'a> {
    /// Its row in the outbox.
    pub row: &'a OutboxRow,
    /// Where it stands now.
    pub status: DeliveryStatus,
    /// The attempt that ended, unless none was made.
    pub attempt: Option<DeliveryAttempt>,
}

/// Notes what happened to events of a project, and keeps its newest `most`. Who notes has seen the
/// event in the outbox: one that is gone was deleted with its message, and is not kept.
pub fn note<'a>(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    noted: impl IntoIterator<Item = Noted<'a>>,
    most: u64,
) -> Result<(), StoreError> {
    let noted: Vec<_> = noted.into_iter().collect();
    let mut known = attempts_of(tx, project_id, &noted)?;
    let before = known.len();
    for noted in noted {
        match known.entry(noted.row.id) {
            Entry::Vacant(new) => {
                insert(tx, &noted)?;
                new.insert(noted.attempt.into_iter().collect());
            }
            Entry::Occupied(mut attempts) => {
                attempts.get_mut().extend(noted.attempt);
                add(tx, noted.row.id, noted.status, attempts.get())?;
            }
        }
    }
    let new = i64::try_from(known.len() - before).unwrap_or(i64::MAX);
    if new > 0 {
        count_by(tx, project_id, new)?;
        trim(tx, project_id, most)?;
    }
    Ok(())
}

/// Returns the attempts of those events that something was noted of before.
fn attempts_of(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    noted: &[Noted<'_>],
) -> Result<BTreeMap<i64, Vec<DeliveryAttempt>>, StoreError> {
    static LOOK: LazyLock<String> = LazyLock::new(|| {
        let look =
            "SELECT id, attempts FROM webhook_deliveries WHERE (project_id + 0) = $1 AND id IN (";
        format!("{look}{})", keys_of_parameters())
    });
    let ids: Vec<_> = noted.iter().map(|noted| noted.row.id).collect();
    let mut known = BTreeMap::new();
    for some in ids.chunks(KEYS_OF_A_LOOK) {
        known.extend(tx.query(&LOOK, &look_at(project_id, some), |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.int()?, columns.parsed(attempts_from_json)?))
        })?);
    }
    Ok(known)
}

/// Not `INSERT … SELECT` from the outbox: SQLite copies each page that such a statement changes, to be
/// able to undo half of it.
fn insert(tx: &mut Tx<'_>, noted: &Noted<'_>) -> Result<(), StoreError> {
    let row = noted.row;
    tx.run(
        concat!(
            "INSERT INTO webhook_deliveries (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        &values![
            row.id,
            row.project_id,
            row.webhook_id,
            row.message_id,
            row.event.code(),
            noted.status.code(),
            row.time_created,
            &row.url,
            attempts_json(noted.attempt.as_slice()),
            &row.body,
        ],
    )
}

fn add(
    tx: &mut Tx<'_>,
    id: i64,
    status: DeliveryStatus,
    attempts: &[DeliveryAttempt],
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE webhook_deliveries SET status = $2, attempts = $3 WHERE id = $1",
        &values![id, status.code(), attempts_json(newest(attempts))],
    )
}

/// Returns those attempts that are kept.
fn newest(attempts: &[DeliveryAttempt]) -> &[DeliveryAttempt] {
    &attempts[attempts.len().saturating_sub(ATTEMPTS_MAX)..]
}

/// Stores where a delivery goes and stands, and its last attempts.
pub fn update(tx: &mut Tx<'_>, delivery: &WebhookDelivery) -> Result<(), StoreError> {
    tx.run(
        "UPDATE webhook_deliveries SET status = $3, url = $4, attempts = $5 \
         WHERE id = $1 AND project_id = $2",
        &values![
            delivery.id,
            delivery.project_id,
            delivery.status.code(),
            &delivery.url,
            attempts_json(newest(&delivery.attempts)),
        ],
    )
}

/// Removes a project's oldest above `most`, or the first of them.
fn trim(tx: &mut Tx<'_>, project_id: ProjectId, most: u64) -> Result<(), StoreError> {
    let over = kept(tx, project_id)?.saturating_sub(most);
    if over > 0 {
        remove(tx, project_id, i64::MAX, over.min(TRIMMED_MAX))?;
    }
    Ok(())
}

/// Removes a project's deliveries of events from before `before`, one step of them.
pub fn purge(tx: &mut Tx<'_>, project_id: ProjectId, before: UnixMs) -> Result<Purged, StoreError> {
    let first_kept = Key::first_of_ms(before.0).get();
    purge::step(tx, |tx, limit| {
        remove(tx, project_id, first_kept, limit.into())
    })
}

/// Removes the oldest of a project below a key, and returns how many there were.
fn remove(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    below: i64,
    limit: u64,
) -> Result<usize, StoreError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let gone = tx.execute(
        "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries \
         WHERE project_id = $1 AND id < $2 ORDER BY id LIMIT $3)",
        &values![project_id, below, limit],
    )?;
    uncount(tx, project_id, gone)?;
    Ok(gone)
}

/// Removes the deliveries about a message that is no more.
pub fn forget(tx: &mut Tx<'_>, message: MessageId) -> Result<(), StoreError> {
    let project = tx.query_one(
        "SELECT project_id FROM webhook_deliveries WHERE message_id = $1 ORDER BY id LIMIT 1",
        &values![message],
        |row| Cursor::new(row).id(),
    )?;
    let Some(project) = project else {
        return Ok(());
    };
    let gone = tx.execute(
        "DELETE FROM webhook_deliveries WHERE message_id = $1",
        &values![message],
    )?;
    uncount(tx, project, gone)
}

fn uncount(tx: &mut Tx<'_>, project_id: ProjectId, gone: usize) -> Result<(), StoreError> {
    match i64::try_from(gone).unwrap_or(i64::MAX) {
        0 => Ok(()),
        gone => count_by(tx, project_id, -gone),
    }
}

fn count_by(tx: &mut Tx<'_>, project_id: ProjectId, change: i64) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO webhook_deliveries_kept (project_id, kept) VALUES ($1, $2) \
         ON CONFLICT (project_id) DO UPDATE SET kept = webhook_deliveries_kept.kept + $2",
        &values![project_id, change],
    )
}

fn kept(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<u64, StoreError> {
    let kept = tx.query_one(
        "SELECT kept FROM webhook_deliveries_kept WHERE project_id = $1",
        &values![project_id],
        |row| Cursor::new(row).count(),
    )?;
    Ok(kept.unwrap_or(0))
}

/// Returns a project's delivery.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: WebhookDeliveryId,
) -> Result<Option<WebhookDelivery>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM webhook_deliveries WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a page of a project's deliveries.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<WebhookDelivery>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's deliveries that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

fn attempts_json(attempts: &[DeliveryAttempt]) -> String {
    serde_json::json!(attempts).to_string()
}

fn attempts_from_json(text: &str) -> Option<Vec<DeliveryAttempt>> {
    serde_json::from_str(text).ok()
}

fn read(row: &Row<'_>) -> Result<WebhookDelivery, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(WebhookDelivery {
        id: columns.id()?,
        project_id: columns.id()?,
        webhook_id: columns.opt_id()?,
        message_id: columns.opt_id()?,
        event: columns.coded(WebhookEvent::from_code)?,
        status: columns.coded(DeliveryStatus::from_code)?,
        time_created: columns.time()?,
        url: columns.text()?,
        attempts: columns.parsed(attempts_from_json)?,
        body: columns.text()?,
    })
}
