//! Webhook objects.

use crate::changes;
use crate::list::{self, Column, Kind, ListQuery, Page, Scope, Table};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Webhook, WebhookEvent};
use postrider_model::{ProjectId, Secret, WebhookId};

/// The columns in the order in which [`read`] takes them.
macro_rules! columns {
    () => {
        "id, project_id, url, secret, events, time_created"
    };
}

/// What lists may be filtered and sorted by.
pub mod by {
    use super::{Column, Kind};

    /// The id.
    pub const ID: Column = Column::new("id", Kind::Int);
}

const TABLE: Table<Webhook> = Table::plain("webhooks", columns!(), read);

/// Stores a new webhook object.
pub fn insert(tx: &mut Tx<'_>, webhook: &Webhook) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO webhooks (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6)"
        ),
        &values![
            webhook.id,
            webhook.project_id,
            &webhook.url,
            &webhook.secret,
            events_json(&webhook.events),
            webhook.time_created,
        ],
    )?;
    changes::raise(tx, changes::Scope::Rows(webhook.project_id))
}

/// Stores a changed address, secret and events.
pub fn update(tx: &mut Tx<'_>, webhook: &Webhook) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE webhooks SET url = $3, secret = $4, events = $5 WHERE id = $1 AND project_id = $2",
        &values![
            webhook.id,
            webhook.project_id,
            &webhook.url,
            &webhook.secret,
            events_json(&webhook.events),
        ],
    )?;
    changes::raise(tx, changes::Scope::Rows(webhook.project_id))?;
    Ok(changed == 1)
}

/// Removes a project's webhook object; says whether there was one.
pub fn delete(tx: &mut Tx<'_>, project_id: ProjectId, id: WebhookId) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "DELETE FROM webhooks WHERE id = $1 AND project_id = $2",
        &values![id, project_id],
    )?;
    changes::raise(tx, changes::Scope::Rows(project_id))?;
    Ok(changed == 1)
}

/// Returns a project's webhook object.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    id: WebhookId,
) -> Result<Option<Webhook>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM webhooks WHERE id = $1 AND project_id = $2"
        ),
        &values![id, project_id],
        read,
    )
}

/// Returns a project's webhook objects, oldest first.
pub fn of_project(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<Vec<Webhook>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM webhooks WHERE project_id = $1 ORDER BY id"
        ),
        &values![project_id],
        read,
    )
}

/// Counts a project's webhook objects.
pub fn count_of_project(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<u64, StoreError> {
    let counted = tx.query_one(
        "SELECT count(*) FROM webhooks WHERE project_id = $1",
        &values![project_id],
        |row| Cursor::new(row).count(),
    )?;
    Ok(counted.unwrap_or(0))
}

/// Returns every webhook object, oldest first.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<Webhook>, StoreError> {
    tx.query(
        concat!("SELECT ", columns!(), " FROM webhooks ORDER BY id"),
        &[],
        read,
    )
}

fn events_json(events: &[WebhookEvent]) -> String {
    let names: Vec<&str> = events.iter().map(|event| event.as_str()).collect();
    serde_json::Value::from(names).to_string()
}

fn events_from_json(text: &str) -> Option<Vec<WebhookEvent>> {
    let names: Vec<String> = serde_json::from_str(text).ok()?;
    names.iter().map(|name| name.parse().ok()).collect()
}

/// Returns a page of a project's webhooks.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn list(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    query: &ListQuery,
) -> Result<Page<Webhook>, StoreError> {
    list::page(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

/// Counts a project's webhooks that a query lets through.
///
/// # Errors
/// [`StoreError::TooSlow`] after [`list::TIME_MAX`].
pub fn count(tx: &mut Tx<'_>, project_id: ProjectId, query: &ListQuery) -> Result<u64, StoreError> {
    list::count(tx, &TABLE, &[Scope::of_project(project_id)], query)
}

pub(crate) fn read(row: &Row<'_>) -> Result<Webhook, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Webhook {
        id: columns.id()?,
        project_id: columns.id()?,
        url: columns.text()?,
        secret: columns.opt_text()?.map(Secret::new),
        events: columns.parsed(events_from_json)?,
        time_created: columns.time()?,
    })
}
