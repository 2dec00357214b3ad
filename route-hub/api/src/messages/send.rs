//! `POST /projects/{project_id}/messages/send`

use crate::idempotency::Idempotency;
use crate::messages::patch;
use crate::{ApiResult, Call, Failure, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::messages::draft::{Draft, Path, Recipient, Shared};
use hub_app::messages::outgoing::{self, Queued, SendError};
use hub_app::messages::ready::Ready;
use hub_app::messages::sending::Operation;
use hub_app::messages::stored_message::StoredMessage;
use hub_domain::Permission;
use hub_store::contacts::{self, Touches};
use hub_web::{Answer, ApiError, Fields};
use postrider_model::MessageStatus;
use std::sync::Arc;

/// Sends one message: once it is answered, it is on disk and will be sent or accounted for.
pub async fn send(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    let idempotency = Idempotency::of(&call, "send")?;
    for name in ["broadcast_id", "broadcast_title"] {
        let field = call.params.get(name);
        if !field.is_empty() {
            return Err(field.refuse("is for send_multi").into());
        }
    }
    let message = StoredMessage::new(&project, patch::read(&call.params)?)?;
    let to = patch::to(|name| call.params.get(name))?;
    let shared = Shared::of(&hub, &project, &message, Operation::Single, now).await?;
    let draft = Draft::new(&shared, &to, &message.item, &Path::default(), &project)?;
    hub.queue_caps.accept(&project, 1).await?;
    let ready = Ready::of(&hub, &project, &shared, &[Some(&draft)], now).await?;

    let show = {
        let (hub, project) = (hub.clone(), Arc::clone(&project));
        let (labels, sight) = (shared.labels.clone(), call.caller.sight());
        move |stored: Queued| {
            let (message, phone) = *stored;
            let view = outgoing::show(&hub, &project, &phone, message, labels.clone(), sight, now);
            Answer::object(&view, &fields)
        }
    };
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        ready.begin(work);
        let mut touches = Touches::default();
        let text = ready.text(0);
        let stored = outgoing::store(work, &shared, &draft, text, &mut touches);
        let stored = stored.map_err(|error| failure(&draft, error))?;
        contacts::touch(work.tx, &touches)?;
        if stored.0.status == MessageStatus::Failed {
            work.tell_status(&stored.0)?;
        }
        Ok(stored)
    };
    transaction::answer(&project, idempotency, decide, show).await
}

/// Names the parameter that is at fault.
fn failure(draft: &Draft, error: SendError) -> Failure {
    let recipient = match draft.to {
        Recipient::Number(_) | Recipient::Code(_) => "to_number",
        Recipient::Contact(_) | Recipient::Both(..) => "contact_id",
    };
    let refused = match error {
        SendError::Blocked => ApiError::invalid_param(recipient, "is a contact that is blocked"),
        SendError::NoContact => {
            ApiError::invalid_param(recipient, "is not a contact with this number")
        }
        SendError::Refused(rule) => ApiError::invalid_param(recipient, rule),
        SendError::NoPhone => ApiError::invalid_param("route_id", outgoing::NO_PHONE),
        SendError::Unwritable(rule) => ApiError::invalid_param("content", rule),
        SendError::Store(error) => return error.into(),
    };
    refused.into()
}
