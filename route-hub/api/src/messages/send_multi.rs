//! `POST /projects/{project_id}/send_multi`

use crate::broadcasts::title;
use crate::idempotency::Idempotency;
use crate::messages::{patch, unsupported_params};
use crate::{ApiResult, Call, Failure, enter, transaction};
use axum::extract::State;
use hub_app::broadcasts::new_broadcast::{NewBroadcast, Recipients};
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::messages::draft::{Draft, Path, Shared};
use hub_app::messages::outgoing::{self, SendError};
use hub_app::messages::ready::{Ready, Text};
use hub_app::messages::sending::Operation;
use hub_app::messages::stored_message::{MessagePatch, StoredMessage};
use hub_app::parse;
use hub_domain::{Permission, Project};
use hub_store::contacts::{self, Touches};
use hub_store::{StoreError, broadcasts};
use hub_web::{Answer, ApiError, Fields, Params};
use postrider_model::{BroadcastId, MessageId, Now};
use serde::Serialize;
use std::borrow::Cow;

/// Most messages of one request.
const MESSAGES_MAX: usize = 100;

/// Sends up to a hundred messages, all of them or none, and answers in their order.
pub async fn send_multi(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let idempotency = Idempotency::of(&call, "send_multi")?;
    let wanted = Fields::read(&call.params)?;
    let given = patch::of_all(&call.params)?;
    let message = StoredMessage::new(&project, given.clone())?;
    let mut shared = Shared::of(&hub, &project, &message, Operation::Multi, now).await?;
    let joins = Joins::read(&hub, &call.params, &shared, now)?;
    shared.origin.broadcast_id = joins.as_ref().map(Joins::id);
    let drafts = read_drafts(&call.params, &given, &shared, &project)?;
    hub.queue_caps.accept(&project, drafts.len()).await?;
    let all: Vec<_> = drafts.iter().map(Some).collect();
    let ready = Ready::of(&hub, &project, &shared, &all, now).await?;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if let Some(joins) = &joins {
            joins.join(work, drafts.len())?;
        }
        ready.begin(work);
        let mut touches = Touches::default();
        let mut items = Vec::with_capacity(drafts.len());
        for (index, draft) in drafts.iter().enumerate() {
            let text = ready.text(index);
            items.push(store_one(work, &shared, draft, text, &mut touches)?);
        }
        contacts::touch(work.tx, &touches)?;
        Ok(Sent {
            messages: items,
            broadcast_id: shared.origin.broadcast_id,
        })
    };
    let show = move |sent: Sent| Answer::value(&sent, &wanted).unwrap_or_else(|_| Answer::void());
    transaction::answer(&project, idempotency, decide, show).await
}

fn read_drafts(
    params: &Params,
    all: &MessagePatch,
    shared: &Shared,
    project: &Project,
) -> Result<Vec<Draft>, ApiError> {
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
            unsupported_params::check_item(&object)?;
            let to = patch::to(|name| object.get(name))?;
            let (message, path) = (patch::item(&object, all)?, Path::within(item.path()));
            Ok(Draft::new(shared, &to, &message, &path, project)?)
        })
        .collect()
}

#[derive(Serialize)]
struct Sent {
    messages: Vec<Item>,
    #[serde(skip_serializing_if = "Option::is_none")]
    broadcast_id: Option<BroadcastId>,
}

/// The broadcast that the messages of a request are part of.
enum Joins {
    /// One that is there.
    Existing(BroadcastId),
    /// One that the request makes.
    New(Box<NewBroadcast>),
}

impl Joins {
    /// Reads `broadcast_id`, or without it `broadcast_title`.
    fn read(
        hub: &Hub,
        params: &Params,
        shared: &Shared,
        now: Now,
    ) -> Result<Option<Self>, ApiError> {
        if let Some(id) = parse::id(&params.get("broadcast_id"), "broadcast")? {
            return Ok(Some(Self::Existing(id)));
        }
        let Some(title) = title(params, "broadcast_title")? else {
            return Ok(None);
        };
        Ok(Some(Self::New(Box::new(NewBroadcast {
            id: hub.id(now),
            source: shared.origin.source,
            scheduled_id: None,
            message_type: shared.sending.message_type(),
            message: patch::read(params)?.new_message(None)?,
            title: Some(title),
            recipients: Recipients::requests(),
        }))))
    }

    fn id(&self) -> BroadcastId {
        match self {
            Self::Existing(id) => *id,
            Self::New(given) => given.id,
        }
    }

    /// Finds or makes the broadcast, for so many more recipients.
    fn join(&self, work: &mut UnitOfWork<'_, '_>, recipients: usize) -> Result<(), Failure> {
        let refused = |rule| ApiError::invalid_param("broadcast_id", rule).into();
        match self {
            Self::New(given) => drop(given.store(work)?),
            Self::Existing(id) => match broadcasts::get(work.tx, work.project.id, *id)? {
                None => return Err(refused("is not the id of a broadcast of this project")),
                Some(broadcast) if broadcast.is_cancelled() => {
                    return Err(refused("is a broadcast that was cancelled"));
                }
                Some(_) => {}
            },
        }
        let recipients = i64::try_from(recipients).unwrap_or(i64::MAX);
        work.tallies.expect(self.id(), recipients);
        Ok(())
    }
}

#[derive(Serialize)]
struct Item {
    id: Option<MessageId>,
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<Cow<'static, str>>,
}

fn store_one(
    work: &mut UnitOfWork<'_, '_>,
    shared: &Shared,
    draft: &Draft,
    text: Option<&Text>,
    touches: &mut Touches,
) -> Result<Item, StoreError> {
    let error_message = match outgoing::store(work, shared, draft, text, touches) {
        Ok(stored) => {
            let (message, _) = *stored;
            work.tell_status(&message)?;
            return Ok(Item {
                id: Some(message.id),
                status: Some(message.status.as_str()),
                error_message: message.error_message.map(Cow::Owned),
            });
        }
        Err(SendError::Blocked) => None,
        Err(SendError::NoContact) => Some(Cow::Borrowed(
            "contact_id is not a contact with this number",
        )),
        Err(SendError::Unwritable(rule)) => Some(Cow::Owned(format!("content {rule}"))),
        Err(SendError::NoPhone) => Some(Cow::Owned(format!("the route {}", outgoing::NO_PHONE))),
        Err(SendError::Refused(rule)) => Some(Cow::Owned(format!("the recipient {rule}"))),
        Err(SendError::Store(error)) => return Err(error),
    };
    Ok(Item {
        id: None,
        status: None,
        error_message,
    })
}
