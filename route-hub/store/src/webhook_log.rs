//! Attempts to deliver, each kept.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{WebhookEvent, WebhookLogEntry};
use postrider_model::{Key, ProjectId, UnixMs};

macro_rules! columns {
    () => {
        "id, outbox_id, project_id, message_id, event, url_origin, attempt, outcome, http_status, \
         time"
    };
}

/// Keeps an attempt.
pub fn insert(tx: &mut Tx<'_>, entry: &WebhookLogEntry) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO webhook_log (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"
        ),
        &values![
            entry.id,
            entry.outbox_id,
            entry.project_id,
            entry.message_id,
            entry.event.code(),
            &entry.url_origin,
            entry.attempt,
            &entry.outcome,
            entry.http_status,
            entry.time,
        ],
    )?;
    Ok(())
}

/// Returns a project's last attempts, newest first.
pub fn latest(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    limit: u32,
) -> Result<Vec<WebhookLogEntry>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM webhook_log WHERE project_id = $1 ORDER BY id DESC LIMIT $2"
        ),
        &values![project_id, limit],
        read,
    )
}

/// Removes a project's attempts that ended before `before`, one step of them.
///
/// Their ids are made as they end, so that the order of ids is that of time.
pub fn purge(tx: &mut Tx<'_>, project_id: ProjectId, before: UnixMs) -> Result<Purged, StoreError> {
    let first_kept = Key::first_of_ms(before.0).get();
    purge::step(tx, |tx, limit| {
        tx.execute(
            "DELETE FROM webhook_log WHERE id IN (SELECT id FROM webhook_log \
             WHERE project_id = $1 AND id < $2 ORDER BY id LIMIT $3)",
            &values![project_id, first_kept, limit],
        )
    })
}

fn read(row: &Row<'_>) -> Result<WebhookLogEntry, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(WebhookLogEntry {
        id: columns.int()?,
        outbox_id: columns.int()?,
        project_id: columns.id()?,
        message_id: columns.opt_id()?,
        event: columns.coded(WebhookEvent::from_code)?,
        url_origin: columns.text()?,
        attempt: columns.count()?,
        outcome: columns.text()?,
        http_status: columns.opt_count()?,
        time: columns.time()?,
    })
}
