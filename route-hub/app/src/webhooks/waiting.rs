//! How many events of a project may wait: an alert near the cap, and the oldest end beyond it.

use crate::alerts;
use crate::hub::Hub;
use hub_domain::{AlertKind, OutboxRow, Project, WebhookLogEntry};
use hub_store::{StoreError, Tx, outbox, projects, webhook_log};
use postrider_model::{Now, ProjectId};

/// The log's word for an event that was ended for newer ones.
const OVER_CAP: &str = "over_cap";
/// Most events that are ended in one unit of work: a cap that was lowered is reached in steps.
const ENDED_MAX: u64 = 64;
/// The alert begins at this share of the cap, in percent.
const ALERT_PERCENT: u64 = 80;
/// It ends below this share, in percent, so that it does not come and go around one line.
const CLEAR_PERCENT: u64 = 60;

/// Keeps to the cap after `count` events of a project were written.
pub fn written(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    count: u64,
    now: Now,
) -> Result<(), StoreError> {
    let cap = hub.caps().webhooks_waiting;
    let waiting = outbox::waiting(tx, project.id)?;
    let over = waiting.saturating_sub(cap).min(ENDED_MAX);
    if over > 0 {
        end_oldest(hub, tx, project.id, over, now)?;
    }
    let line = percent(cap, ALERT_PERCENT);
    let before = waiting.saturating_sub(count);
    if over > 0 || before < line && waiting >= line {
        alerts::raise_for_project(hub, tx, project, AlertKind::WebhooksWaiting, now)?;
    }
    Ok(())
}

/// Ends the alert once `count` events of a project are gone and few enough are left; says whether
/// that wrote another event.
pub fn left(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    count: u64,
    now: Now,
) -> Result<bool, StoreError> {
    let line = percent(hub.caps().webhooks_waiting, CLEAR_PERCENT);
    let waiting = outbox::waiting(tx, project_id)?;
    if waiting >= line || waiting + count < line {
        return Ok(false);
    }
    match projects::get(tx, project_id)? {
        Some(project) => {
            alerts::clear_for_project(hub, tx, &project, AlertKind::WebhooksWaiting, now)
        }
        None => Ok(false),
    }
}

fn percent(cap: u64, percent: u64) -> u64 {
    (cap / 100).saturating_mul(percent) + cap % 100 * percent / 100
}

fn end_oldest(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: ProjectId,
    count: u64,
    now: Now,
) -> Result<(), StoreError> {
    let limit = u32::try_from(count).unwrap_or(u32::MAX);
    let oldest = outbox::oldest(tx, project, limit)?;
    outbox::delete(tx, project, oldest.iter().map(|row| row.id))?;
    for row in oldest {
        webhook_log::insert(tx, &line(hub, row, now))?;
    }
    Ok(())
}

fn line(hub: &Hub, row: OutboxRow, now: Now) -> WebhookLogEntry {
    WebhookLogEntry {
        id: hub.key(now).get(),
        outbox_id: row.id,
        project_id: row.project_id,
        message_id: row.message_id,
        event: row.event,
        url_origin: row.origin,
        attempt: row.attempts,
        outcome: OVER_CAP.to_owned(),
        http_status: None,
        time: now.unix,
    }
}
