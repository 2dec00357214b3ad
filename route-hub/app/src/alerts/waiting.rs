//! How many events of a project may wait: an alert near the cap, and the oldest end beyond it.

use crate::alerts::{self, About};
use crate::hub::Hub;
use crate::outbox::{Event, Receiver};
use crate::unit_of_work::{Effects, UnitOfWork};
use hub_domain::{AlertKind, DeliveryStatus};
use hub_store::webhook_deliveries::{self, Noted};
use hub_store::{StoreError, Tx, outbox, projects};
use postrider_model::{Now, ProjectId};

/// Most events that are ended in one unit of work: a cap that was lowered is reached in steps.
const ENDED_MAX: u64 = 64;
/// The alert begins at this share of the cap, in percent.
const ALERT_PERCENT: u64 = 80;
/// It ends below this share, in percent, so that it does not come and go around one line.
const CLEAR_PERCENT: u64 = 60;

/// Writes an event for its receivers, and keeps to the cap.
pub(crate) fn write(
    work: &mut UnitOfWork<'_, '_>,
    event: Event,
    receivers: &[Receiver<'_>],
) -> Result<(), StoreError> {
    if receivers.is_empty() {
        return Ok(());
    }
    event.write(work, receivers)?;
    written(work, u64::try_from(receivers.len()).unwrap_or(u64::MAX))
}

/// Keeps to the cap after `count` events were written.
pub(crate) fn written(work: &mut UnitOfWork<'_, '_>, count: u64) -> Result<(), StoreError> {
    let cap = work.hub.caps().webhooks_waiting;
    let waiting = outbox::waiting(work.tx, work.project.id)?;
    let over = waiting.saturating_sub(cap).min(ENDED_MAX);
    if over > 0 {
        end_oldest(work, over)?;
    }
    let line = percent(cap, ALERT_PERCENT);
    let before = waiting.saturating_sub(count);
    if over > 0 || before < line && waiting >= line {
        alerts::raise(work, About::Project, AlertKind::WebhooksWaiting)?;
    }
    Ok(())
}

/// Ends the alert once `count` events of the project are gone and few enough are left.
pub(crate) fn left(work: &mut UnitOfWork<'_, '_>, count: u64) -> Result<(), StoreError> {
    if are_few_again(work.hub, work.tx, work.project.id, count)? {
        alerts::clear(work, About::Project, AlertKind::WebhooksWaiting)
    } else {
        Ok(())
    }
}

/// As [`left`], for a job that has not read the project.
pub(crate) fn left_of(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    count: u64,
    now: Now,
) -> Result<Effects, StoreError> {
    if !are_few_again(hub, tx, project_id, count)? {
        return Ok(Effects::default());
    }
    let Some(project) = projects::get(tx, project_id)? else {
        return Ok(Effects::default());
    };
    let mut work = UnitOfWork::new(hub, tx, &project, now);
    alerts::clear(&mut work, About::Project, AlertKind::WebhooksWaiting)?;
    work.finish()
}

/// Says whether the events that wait have just become few enough for the alert to end.
fn are_few_again(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    gone: u64,
) -> Result<bool, StoreError> {
    let line = percent(hub.caps().webhooks_waiting, CLEAR_PERCENT);
    let waiting = outbox::waiting(tx, project_id)?;
    Ok(waiting < line && waiting + gone >= line)
}

fn percent(cap: u64, percent: u64) -> u64 {
    (cap / 100).saturating_mul(percent) + cap % 100 * percent / 100
}

fn end_oldest(work: &mut UnitOfWork<'_, '_>, count: u64) -> Result<(), StoreError> {
    let limit = u32::try_from(count).unwrap_or(u32::MAX);
    let project = work.project.id;
    let oldest = outbox::oldest(work.tx, project, limit)?;
    outbox::delete(work.tx, project, oldest.iter().map(|row| row.id))?;
    let ended = oldest.iter().map(|row| Noted {
        row,
        status: DeliveryStatus::OverCap,
        attempt: None,
    });
    webhook_deliveries::note(work.tx, project, ended, work.hub.caps().deliveries)
}
