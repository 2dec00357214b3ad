//! `POST /projects/{project_id}/messages/{message_id}/cancel`

use crate::messages::found;
use crate::{ApiResult, Call, Failure, enter};
use axum::extract::State;
use hub_app::dispatch::transitions::Detail;
use hub_app::hub::Hub;
use hub_app::messages::waiting;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Direction, Message, Permission, Project};
use hub_store::{StoreError, Tx, messages};
use hub_web::{Answer, ApiError, ErrorCode, Fields};
use postrider_link::ownership::hub::{Fact, HubState, Verdict};
use postrider_model::{MessageId, Now};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long the phone's answer is waited for.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// Cancels a message: at once while no phone holds it, else by the phone's word.
///
/// Without that word in time the message is shown as it is; the truth follows by webhook.
pub async fn cancel(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("message_id", "message")?;
    let fields = Fields::read(&call.params)?;
    let (now, sight) = (hub.now(), call.caller.sight());
    let mut verdict = ask(&hub, &project, id, now).await?;
    if verdict == Verdict::Asked {
        let answered = timeout(ANSWER_WITHIN, answered(&hub, &project, id)).await;
        hub.bus.unwatch_message(id);
        verdict = answered.unwrap_or(Ok(Verdict::Asked))?;
    }
    if verdict == Verdict::NotCancellable {
        return Err(not_cancellable().into());
    }
    let (inside, of) = (hub.clone(), Arc::clone(&project));
    let reading = hub.store.of(of.id).read(move |tx| {
        let message = messages::get(tx, of.id, id)?;
        waiting::show(&inside, tx, &of, message.into_iter().collect(), sight, now)
    });
    let view = found(reading.await?.pop())?;
    Ok(Answer::object(&view, &fields))
}

/// Records the wish and asks the phone, where one holds the message.
async fn ask(
    hub: &Hub,
    project: &Arc<Project>,
    id: MessageId,
    now: Now,
) -> Result<Verdict, Failure> {
    let (inside, of) = (hub.clone(), Arc::clone(project));
    let job = move |tx: &mut Tx<'_>| {
        let message = outgoing(messages::get(tx, of.id, id)?)?;
        Ok::<_, Failure>(record(&inside, tx, &of, message, now)?)
    };
    let (verdict, effects) = hub.store.of(project.id).write(job).await?;
    effects.perform(hub);
    Ok(verdict)
}

fn outgoing(message: Option<Message>) -> Result<Message, ApiError> {
    let message = found(message)?;
    match message.direction {
        Direction::Outgoing => Ok(message),
        Direction::Incoming => Err(not_cancellable()),
    }
}

fn record(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    mut message: Message,
    now: Now,
) -> Result<(Verdict, hub_app::unit_of_work::Effects), StoreError> {
    let mut work = UnitOfWork::new(hub, tx, project, now);
    let applied = work.apply(&mut message, Fact::CancelAsked, &Detail::default())?;
    let verdict = applied.and_then(|outcome| outcome.verdict);
    let effects = work.finish()?;
    Ok((verdict.unwrap_or(Verdict::NotCancellable), effects))
}

/// Waits until the message is cancelled or past being so.
async fn answered(hub: &Hub, project: &Arc<Project>, id: MessageId) -> Result<Verdict, Failure> {
    loop {
        let changed = hub.bus.watch_message(id);
        let project_id = project.id;
        let reading = hub
            .store
            .of(project_id)
            .read(move |tx| messages::get(tx, project_id, id));
        let message = found(reading.await?)?;
        if let Some(verdict) = verdict(&message) {
            return Ok(verdict);
        }
        // A sender that went away has spoken: look again.
        let _ = changed.await;
    }
}

fn verdict(message: &Message) -> Option<Verdict> {
    match HubState::from_code(message.ownership.state)? {
        HubState::Waiting | HubState::Exposed | HubState::OnPhone | HubState::Retrying => None,
        HubState::Cancelled => Some(Verdict::Cancelled),
        HubState::Submitting
        | HubState::Unknown
        | HubState::Sent
        | HubState::Failed
        | HubState::NotDelivered
        | HubState::Delivered
        | HubState::Expired => Some(Verdict::NotCancellable),
    }
}

fn not_cancellable() -> ApiError {
    let text = "the message has left, or has ended: it can no longer be cancelled";
    ApiError::new(ErrorCode::NotCancellable, text)
}
