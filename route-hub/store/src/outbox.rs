//! Events that wait to be delivered.
//!
//! A row is written in the transaction of its cause. The events of one message go in the order of
//! their keys: a later one waits for those before it. How many a project has is kept beside them.
//!
//! `(project_id + 0)` keeps the planner from the indexes of a project, whose backlog may be long: a
//! message has few events, and is found by its own.

use crate::row::Cursor;
use crate::value::{KEYS_OF_A_LOOK, keys_of_parameters, look_at};
use crate::{Row, StoreError, Tx, values};
use hub_domain::{OutboxRow, WebhookEvent};
use postrider_model::{MessageId, ProjectId, Secret, UnixMs};
use std::{collections::BTreeSet, sync::LazyLock};

macro_rules! columns {
    () => {
        "id, project_id, message_id, origin, url, secret, basic_password, event, body, attempts, \
         due_at, time_created, webhook_id"
    };
}

/// Stores an event.
pub fn insert(tx: &mut Tx<'_>, row: &OutboxRow) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO outbox (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
        ),
        &values![
            row.id,
            row.project_id,
            row.message_id,
            &row.origin,
            &row.url,
            &row.secret,
            &row.basic_password,
            row.event.code(),
            &row.body,
            row.attempts,
            row.due_at,
            row.time_created,
            row.webhook_id,
        ],
    )?;
    count_by(tx, row.project_id, 1)
}

/// Returns an event.
pub fn get(tx: &mut Tx<'_>, id: i64) -> Result<Option<OutboxRow>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM outbox WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns which of these events of a project are still there.
pub fn there(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    ids: impl IntoIterator<Item = i64>,
) -> Result<BTreeSet<i64>, StoreError> {
    static LOOK: LazyLock<String> = LazyLock::new(|| {
        let look = "SELECT id FROM outbox WHERE (project_id + 0) = $1 AND id IN (";
        format!("{look}{})", keys_of_parameters())
    });
    let ids: Vec<i64> = ids.into_iter().collect();
    let mut there = BTreeSet::new();
    for some in ids.chunks(KEYS_OF_A_LOOK) {
        there.extend(tx.query(&LOOK, &look_at(project_id, some), |row| row.int(0))?);
    }
    Ok(there)
}

/// Notes an attempt that failed and when the next one is due.
pub fn mark_attempt(
    tx: &mut Tx<'_>,
    id: i64,
    attempts: u32,
    due_at: UnixMs,
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE outbox SET attempts = $2, due_at = $3 WHERE id = $1",
        &values![id, attempts, due_at],
    )
}

/// Sends an event that waits to another address, as soon as it may go.
pub fn redirect(tx: &mut Tx<'_>, row: &OutboxRow) -> Result<(), StoreError> {
    tx.run(
        "UPDATE outbox SET origin = $3, url = $4, secret = $5, basic_password = $6, due_at = $7 \
         WHERE id = $1 AND project_id = $2",
        &values![
            row.id,
            row.project_id,
            &row.origin,
            &row.url,
            &row.secret,
            &row.basic_password,
            row.due_at,
        ],
    )?;
    Ok(())
}

/// Removes events of a project, delivered or given up, and returns those that were still there.
pub fn delete(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    ids: impl IntoIterator<Item = i64>,
) -> Result<BTreeSet<i64>, StoreError> {
    let gone = there(tx, project_id, ids)?;
    for id in &gone {
        tx.run("DELETE FROM outbox WHERE id = $1", &values![*id])?;
    }
    left(tx, project_id, gone.len())?;
    Ok(gone)
}

/// Removes the events of a message that was deleted, and returns how many there were.
pub fn delete_of_message(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    message_id: MessageId,
) -> Result<u64, StoreError> {
    let gone = tx.execute(
        "DELETE FROM outbox WHERE message_id = $1 AND (project_id + 0) = $2",
        &values![message_id, project_id],
    )?;
    left(tx, project_id, gone)
}

fn left(tx: &mut Tx<'_>, project_id: ProjectId, gone: usize) -> Result<u64, StoreError> {
    let count = i64::try_from(gone).unwrap_or(i64::MAX);
    if count > 0 {
        count_by(tx, project_id, -count)?;
    }
    Ok(count.unsigned_abs())
}

fn count_by(tx: &mut Tx<'_>, project_id: ProjectId, change: i64) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO outbox_waiting (project_id, waiting) VALUES ($1, $2) \
         ON CONFLICT (project_id) DO UPDATE SET waiting = outbox_waiting.waiting + $2",
        &values![project_id, change],
    )?;
    Ok(())
}

/// Returns how many events of a project wait.
pub fn waiting(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<u64, StoreError> {
    let waiting = tx.query_one(
        "SELECT waiting FROM outbox_waiting WHERE project_id = $1",
        &values![project_id],
        |row| Cursor::new(row).count(),
    )?;
    Ok(waiting.unwrap_or(0))
}

/// Returns a project's oldest events.
pub fn oldest(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    limit: u32,
) -> Result<Vec<OutboxRow>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM outbox WHERE project_id = $1 ORDER BY id LIMIT $2"
        ),
        &values![project_id, limit],
        read,
    )
}

/// Returns the first project behind `after` that has events.
pub fn next_project(
    tx: &mut Tx<'_>,
    after: Option<ProjectId>,
) -> Result<Option<ProjectId>, StoreError> {
    tx.query_one(
        "SELECT project_id FROM outbox WHERE project_id > $1 ORDER BY project_id LIMIT 1",
        &values![after.map_or(-1, ProjectId::get)],
        |row| Cursor::new(row).id(),
    )
}

/// Returns the first endpoint of a project behind `after` that has events, and when its first one
/// is due.
pub fn next_endpoint(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    after: &str,
) -> Result<Option<(String, UnixMs)>, StoreError> {
    tx.query_one(
        "SELECT origin, due_at FROM outbox WHERE project_id = $1 AND origin > $2 \
         ORDER BY origin, due_at, id LIMIT 1",
        &values![project_id, after],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.text()?, columns.time()?))
        },
    )
}

/// Returns the keys of one endpoint's events that are due, the longest due first.
pub fn due_keys(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    origin: &str,
    now: UnixMs,
    limit: u32,
) -> Result<Vec<i64>, StoreError> {
    tx.query(
        "SELECT id FROM outbox WHERE project_id = $1 AND origin = $2 AND due_at <= $3 \
         ORDER BY due_at, id LIMIT $4",
        &values![project_id, origin, now, limit],
        |row| row.int(0),
    )
}

/// Returns the event before this one of the same message to the same endpoint: its key, and when
/// it is due.
pub fn before(tx: &mut Tx<'_>, event: &OutboxRow) -> Result<Option<(i64, UnixMs)>, StoreError> {
    let Some(message_id) = event.message_id else {
        return Ok(None);
    };
    tx.query_one(
        "SELECT id, due_at FROM outbox WHERE message_id = $1 AND id < $2 AND (project_id + 0) = $3 \
         AND origin = $4 ORDER BY id DESC LIMIT 1",
        &values![message_id, event.id, event.project_id, &event.origin],
        |row| Ok((row.int(0)?, row.time(1)?)),
    )
}

/// Makes the later events of the same message to the same endpoint wait with this one.
pub fn put_off_followers(
    tx: &mut Tx<'_>,
    event: &OutboxRow,
    due_at: UnixMs,
) -> Result<(), StoreError> {
    let Some(message_id) = event.message_id else {
        return Ok(());
    };
    tx.run(
        "UPDATE outbox SET due_at = $1 WHERE message_id = $2 AND id > $3 AND (project_id + 0) = $4 \
         AND origin = $5 AND due_at < $1",
        &values![
            due_at,
            message_id,
            event.id,
            event.project_id,
            &event.origin
        ],
    )?;
    Ok(())
}

/// Counts the events that wait.
pub fn count(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let counted = tx.query_one(
        "SELECT CAST(sum(waiting) AS BIGINT) FROM outbox_waiting",
        &[],
        |row| {
            let sum: Option<i64> = row.opt_int(0)?;
            Ok(sum.unwrap_or(0).max(0).unsigned_abs())
        },
    )?;
    Ok(counted.unwrap_or(0))
}

fn read(row: &Row<'_>) -> Result<OutboxRow, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(OutboxRow {
        id: columns.int()?,
        project_id: columns.id()?,
        message_id: columns.opt_id()?,
        origin: columns.text()?,
        url: columns.text()?,
        secret: columns.opt_text()?.map(Secret::new),
        basic_password: columns.opt_text()?.map(Secret::new),
        event: columns.coded(WebhookEvent::from_code)?,
        body: columns.text()?,
        attempts: columns.count()?,
        due_at: columns.time()?,
        time_created: columns.time()?,
        webhook_id: columns.opt_id()?,
    })
}
