//! `POST /projects/{project_id}/messages/send_batch`, and `messages/outgoing_batch`, its older name.

use super::draft::{Defaults, Draft, Place, Recipient, Shared};
use super::outgoing::{self, Stored};
use super::sending::Operation;
use crate::api::idempotency::Idempotency;
use crate::api::{ApiResult, Call, accepting, enter, unit};
use crate::dispatch::settle::Work;
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::{Permission, Project};
use hub_store::Tx;
use hub_store::contacts::{self, Touches};
use hub_web::{Answer, ApiError, Params};
use serde::Serialize;
use std::collections::BTreeSet;

/// Most numbers of one request.
const NUMBERS_MAX: usize = 500;

/// Sends one text to up to five hundred numbers, and answers how many messages were queued.
pub async fn send_batch(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let idempotency = Idempotency::of(&call, "send_batch")?;
    let group = call.params.get("group_id");
    if !group.is_empty() {
        return Err(group
            .refuse("is not offered by this hub yet: to_numbers is")
            .into());
    }
    let shared = Shared::read(&hub, &call, &project, Operation::Multi, now).await?;
    let drafts = read_drafts(&call.params, &shared, &project)?;
    accepting(&hub, &project, drafts.len(), now).await?;

    let decide = move |work: &mut Work<'_, '_>, tx: &mut Tx<'_>| {
        let mut touches = Touches::default();
        let mut queued = 0;
        for draft in &drafts {
            if let Stored::Queued(stored) = outgoing::store(work, tx, &shared, draft, &mut touches)?
            {
                work.tell_status(tx, &stored.0)?;
                queued += 1;
            }
        }
        contacts::touch(tx, &touches)?;
        Ok(Ok(Sent {
            count_queued: queued,
            broadcast_id: None,
        }))
    };
    let show = |sent: Sent| Answer::value(&sent).unwrap_or_else(|_| Answer::void());
    unit::answer(&hub, &project, now, idempotency, decide, show).await
}

#[derive(Serialize)]
struct Sent {
    count_queued: usize,
    broadcast_id: Option<&'static str>,
}

/// Reads one draft for each number, once where it stands twice.
fn read_drafts(
    params: &Params,
    shared: &Shared,
    project: &Project,
) -> Result<Vec<Draft>, ApiError> {
    let defaults = Defaults::read(Place::Top(params))?;
    let body = shared
        .sending
        .body(&params.get("content"), &shared.writing)?;
    let field = params.get("to_numbers");
    let numbers = field.array(NUMBERS_MAX)?.unwrap_or_default();
    if numbers.is_empty() {
        return Err(field.refuse("must have at least one number"));
    }
    let mut seen = BTreeSet::new();
    let mut drafts = Vec::with_capacity(numbers.len());
    for number in &numbers {
        let to = shared.number(number, project)?;
        let to = to.ok_or_else(|| number.refuse("is required"))?;
        if seen.insert(to.as_str().to_owned()) {
            drafts.push(Draft::of(Recipient::Number(to), body.clone(), &defaults));
        }
    }
    Ok(drafts)
}
