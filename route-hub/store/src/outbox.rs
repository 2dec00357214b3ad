//! Events that wait to be delivered.
//!
//! A row is written in the transaction of its cause. The events of one message go in the order of
//! their keys, so only the first of them is ever due.

use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{OutboxRow, WebhookEvent};
use postrider_model::{ProjectId, Secret, UnixMs};

macro_rules! columns {
    () => {
        "id, project_id, message_id, origin, url, secret, basic_password, event, body, attempts, \
         due_at, time_created"
    };
}

/// Keeps only the first event of each message.
macro_rules! first_of_message {
    () => {
        " AND (message_id IS NULL OR NOT EXISTS (SELECT 1 FROM outbox AS earlier \
         WHERE earlier.message_id = outbox.message_id AND earlier.id < outbox.id))"
    };
}

/// Stores an event.
///
/// # Errors
/// What the database says.
pub fn insert(tx: &mut Tx<'_>, row: &OutboxRow) -> Result<(), StoreError> {
    tx.execute(
        concat!(
            "INSERT INTO outbox (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
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
        ],
    )?;
    Ok(())
}

/// Returns events that are due, the longest due first, those past `after` alone.
///
/// `after` is the `(due_at, id)` of the last event of the page before: a backlog that one slow
/// endpoint holds does not hide the others.
///
/// # Errors
/// What the database says.
pub fn due(
    tx: &mut Tx<'_>,
    now: UnixMs,
    after: Option<(UnixMs, i64)>,
    limit: u32,
) -> Result<Vec<OutboxRow>, StoreError> {
    let (after_time, after_id) = after.unwrap_or((UnixMs(i64::MIN), i64::MIN));
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM outbox WHERE due_at <= $1 AND (due_at, id) > ($2, $3)",
            first_of_message!(),
            " ORDER BY due_at, id LIMIT $4"
        ),
        &values![now, after_time, after_id, limit],
        read,
    )
}

/// Returns one endpoint's events that are due, the longest due first.
///
/// # Errors
/// What the database says.
pub fn due_at_endpoint(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    origin: &str,
    now: UnixMs,
    limit: u32,
) -> Result<Vec<OutboxRow>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM outbox WHERE project_id = $1 AND origin = $2 AND due_at <= $3",
            first_of_message!(),
            " ORDER BY due_at, id LIMIT $4"
        ),
        &values![project_id, origin, now, limit],
        read,
    )
}

/// Returns each endpoint that has events, with the earliest moment one is due.
///
/// Costs one step for each endpoint, however many events wait.
///
/// # Errors
/// What the database says.
pub fn endpoints(tx: &mut Tx<'_>) -> Result<Vec<(ProjectId, String, UnixMs)>, StoreError> {
    tx.query(
        "WITH RECURSIVE endpoint (project_id, origin) AS (\
         SELECT * FROM (SELECT project_id, origin FROM outbox \
         ORDER BY project_id, origin LIMIT 1) AS first \
         UNION ALL SELECT \
         (SELECT n.project_id FROM outbox AS n WHERE (n.project_id, n.origin) > \
         (endpoint.project_id, endpoint.origin) ORDER BY n.project_id, n.origin LIMIT 1), \
         (SELECT n.origin FROM outbox AS n WHERE (n.project_id, n.origin) > \
         (endpoint.project_id, endpoint.origin) ORDER BY n.project_id, n.origin LIMIT 1) \
         FROM endpoint WHERE endpoint.project_id IS NOT NULL) \
         SELECT project_id, origin, (SELECT min(due_at) FROM outbox WHERE \
         outbox.project_id = endpoint.project_id AND outbox.origin = endpoint.origin) \
         FROM endpoint WHERE project_id IS NOT NULL",
        &[],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.id()?, columns.text()?, columns.time()?))
        },
    )
}

/// Returns an event.
///
/// # Errors
/// What the database says.
pub fn get(tx: &mut Tx<'_>, id: i64) -> Result<Option<OutboxRow>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM outbox WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns the moment at which the next event is due.
///
/// # Errors
/// What the database says.
pub fn next_due(tx: &mut Tx<'_>) -> Result<Option<UnixMs>, StoreError> {
    tx.query_one(
        "SELECT due_at FROM outbox ORDER BY due_at, id LIMIT 1",
        &[],
        |row| row.time(0),
    )
}

/// Notes an attempt that failed and when the next one is due.
///
/// # Errors
/// What the database says.
pub fn mark_attempt(
    tx: &mut Tx<'_>,
    id: i64,
    attempts: u32,
    due_at: UnixMs,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE outbox SET attempts = $2, due_at = $3 WHERE id = $1",
        &values![id, attempts, due_at],
    )?;
    Ok(())
}

/// Removes an event: delivered, or given up.
///
/// # Errors
/// What the database says.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<(), StoreError> {
    tx.execute("DELETE FROM outbox WHERE id = $1", &values![id])?;
    Ok(())
}

/// Removes the events of a message that was deleted.
///
/// # Errors
/// What the database says.
pub fn delete_of_message(
    tx: &mut Tx<'_>,
    message_id: postrider_model::MessageId,
) -> Result<usize, StoreError> {
    tx.execute(
        "DELETE FROM outbox WHERE message_id = $1",
        &values![message_id],
    )
}

/// Returns the first endpoint behind `after` that has events, and when its first one is due.
///
/// # Errors
/// What the database says.
pub fn next_endpoint(
    tx: &mut Tx<'_>,
    after: Option<(ProjectId, &str)>,
) -> Result<Option<(ProjectId, String, UnixMs)>, StoreError> {
    let (project, origin) = after.map_or((-1, ""), |(id, origin)| (id.get(), origin));
    tx.query_one(
        "SELECT project_id, origin, due_at FROM outbox WHERE (project_id, origin) > ($1, $2) \
         ORDER BY project_id, origin, due_at, id LIMIT 1",
        &values![project, origin],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.id()?, columns.text()?, columns.time()?))
        },
    )
}

/// Returns the keys of one endpoint's events that are due, the longest due first.
///
/// # Errors
/// What the database says.
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
///
/// # Errors
/// What the database says.
pub fn before(tx: &mut Tx<'_>, event: &OutboxRow) -> Result<Option<(i64, UnixMs)>, StoreError> {
    let Some(message_id) = event.message_id else {
        return Ok(None);
    };
    tx.query_one(
        "SELECT id, due_at FROM outbox WHERE message_id = $1 AND id < $2 AND project_id = $3 \
         AND origin = $4 ORDER BY id DESC LIMIT 1",
        &values![message_id, event.id, event.project_id, &event.origin],
        |row| Ok((row.int(0)?, row.time(1)?)),
    )
}

/// Makes the later events of the same message to the same endpoint wait with this one.
///
/// # Errors
/// What the database says.
pub fn put_off_followers(
    tx: &mut Tx<'_>,
    event: &OutboxRow,
    due_at: UnixMs,
) -> Result<(), StoreError> {
    let Some(message_id) = event.message_id else {
        return Ok(());
    };
    tx.execute(
        "UPDATE outbox SET due_at = $1 WHERE message_id = $2 AND id > $3 AND project_id = $4 \
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
///
/// # Errors
/// What the database says.
pub fn count(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let counted = tx.query_one("SELECT count(*) FROM outbox", &[], |row| {
        Cursor::new(row).count()
    })?;
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
    })
}
