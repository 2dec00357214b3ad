//! `POST /projects/{project_id}/send_multi`

use super::draft::{Defaults, Draft, Place, Shared};
use super::later;
use super::outgoing::{self, Stored};
use super::sending::Operation;
use crate::api::idempotency::Idempotency;
use crate::api::{ApiResult, Call, accepting, enter, unit};
use crate::dispatch::settle::Work;
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::{Permission, Project};
use hub_store::contacts::{self, Touches};
use hub_store::{StoreError, Tx};
use hub_web::{Answer, ApiError, Params};
use postrider_model::MessageId;
use serde::Serialize;
use std::borrow::Cow;

/// Most messages of one request.
const MESSAGES_MAX: usize = 100;

/// Sends up to a hundred messages, all of them or none, and answers in their order.
pub async fn send_multi(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let idempotency = Idempotency::of(&call, "send_multi")?;
    let shared = Shared::read(&hub, &call, &project, Operation::Multi, now).await?;
    let drafts = read_drafts(&call.params, &shared, &project)?;
    accepting(&hub, &project, drafts.len(), now).await?;

    let decide = move |work: &mut Work<'_, '_>, tx: &mut Tx<'_>| {
        let mut touches = Touches::default();
        let mut items = Vec::with_capacity(drafts.len());
        for draft in &drafts {
            items.push(store_one(work, tx, &shared, draft, &mut touches)?);
        }
        contacts::touch(tx, &touches)?;
        Ok(Ok(Sent { messages: items }))
    };
    let show = |sent: Sent| Answer::value(&sent).unwrap_or_else(|_| Answer::void());
    unit::answer(&hub, &project, now, idempotency, decide, show).await
}

fn read_drafts(
    params: &Params,
    shared: &Shared,
    project: &Project,
) -> Result<Vec<Draft>, ApiError> {
    let defaults = Defaults::read(Place::Top(params))?;
    let field = params.get("messages");
    let items = field.array(MESSAGES_MAX)?.unwrap_or_default();
    if items.is_empty() {
        return Err(field.refuse("must have at least one message"));
    }
    items
        .iter()
        .map(|item| {
            let object = item
                .object()?
                .ok_or_else(|| item.refuse("must be an object"))?;
            later::check_item(&object)?;
            Draft::read(Place::Item(&object), Some(&defaults), shared, project)
        })
        .collect()
}

#[derive(Serialize)]
struct Sent {
    messages: Vec<Item>,
}

#[derive(Serialize)]
struct Item {
    id: Option<MessageId>,
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<Cow<'static, str>>,
}

fn store_one(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    shared: &Shared,
    draft: &Draft,
    touches: &mut Touches,
) -> Result<Item, StoreError> {
    let nothing = |error_message| Item {
        id: None,
        status: None,
        error_message,
    };
    Ok(match outgoing::store(work, tx, shared, draft, touches)? {
        Stored::Queued(stored) => {
            let (message, _) = *stored;
            work.tell_status(tx, &message)?;
            Item {
                id: Some(message.id),
                status: Some(message.status.as_str()),
                error_message: message.error_message.map(Cow::Owned),
            }
        }
        Stored::Blocked => nothing(None),
        Stored::NoContact => nothing(Some(Cow::Borrowed(
            "contact_id is not a contact with this number",
        ))),
        Stored::Unwritable(rule) => nothing(Some(Cow::Owned(format!("content {rule}")))),
        Stored::NoPhone => nothing(Some(Cow::Owned(format!(
            "the route {}",
            outgoing::NO_PHONE
        )))),
        Stored::Refused(rule) => nothing(Some(Cow::Owned(format!("the recipient {rule}")))),
    })
}
