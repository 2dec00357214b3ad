//! Sending one message: once it is answered, it is on disk and will be sent or accounted for.

use crate::actor::Actor;
use crate::commands::new_message::NewMessage;
use crate::devices::presence;
use crate::failure::Failure;
use crate::files;
use crate::messages::PERMISSION;
use crate::messages::draft::{Draft, Path, Recipient, Shared};
use crate::messages::outgoing::{self, Queued, SendError};
use crate::messages::ready::Ready;
use crate::messages::sending::Operation;
use crate::messages::waiting::LinkOf;
use crate::transaction::{Once, Repeat, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::views::message::MessageView;
use crate::webhooks::enqueue;
use hub_store::contacts::{self, Touches};
use hub_view::Refusal;
use postrider_model::{LabelId, MessageStatus};

/// A message that is queued.
pub struct Sent {
    queued: Queued,
    is_connected: bool,
    labels: Vec<LabelId>,
}

impl Sent {
    /// Returns it as whoever sent it may see it.
    pub fn view(self, actor: &Actor) -> MessageView {
        let (message, phone, links) = *self.queued;
        let link = LinkOf {
            is_connected: self.is_connected,
            is_frozen: false,
        };
        let (labels, sight) = (self.labels, actor.sight());
        let phone = (&*phone, link);
        let shown = outgoing::show(&actor.project, phone, message, sight, actor.now);
        MessageView {
            message: shown.0,
            waiting: shown.1,
            label_ids: labels,
            addresses: actor.addresses(),
            links,
        }
    }
}

/// Sends one message; it comes boxed, since futures that hold it are copied.
pub async fn send(
    actor: &Actor,
    command: Box<NewMessage>,
    repeat: Option<Repeat>,
    show: impl Fn(Sent) -> String + Send + 'static,
) -> Result<Once<Sent>, Failure> {
    actor.require(PERMISSION)?;
    let prepared = prepare(actor, command).await?;
    run_once(actor, repeat, move |work| prepared.store(work), show).await
}

/// What a job stores of one message.
struct Prepared {
    shared: Shared,
    draft: Draft,
    ready: Ready,
}

/// Checks a message and gets ready what its job needs.
async fn prepare(actor: &Actor, mut command: Box<NewMessage>) -> Result<Box<Prepared>, Failure> {
    let (hub, project, now) = (&actor.hub, &actor.project, actor.now);
    let sees = Some(actor.sight().sees_contacts());
    files::keep(actor, command.options.media.as_mut()).await?;
    let shared = Shared::of(hub, project, &command.options, sees, Operation::Single, now).await?;
    let (to, item) = (&command.to, &command.item);
    let draft = Draft::new(&shared, to, item, &Path::default(), project)?;
    actor.make_room(1).await?;
    let ready = Ready::of(hub, project, &shared, &[Some(&draft)], now).await?;
    Ok(Box::new(Prepared {
        shared,
        draft,
        ready,
    }))
}

impl Prepared {
    fn store(&self, work: &mut UnitOfWork<'_, '_>) -> Result<Sent, Failure> {
        self.ready.begin(work);
        let mut touches = Touches::default();
        let text = self.ready.text(0);
        let queued = outgoing::store(work, &self.shared, &self.draft, text, &mut touches);
        let queued = queued.map_err(|error| failure(&self.draft, error))?;
        contacts::touch(work.tx, &touches)?;
        if queued.0.status == MessageStatus::Failed {
            enqueue::send_status(work, &queued.0)?;
        }
        Ok(Sent {
            is_connected: presence::is_connected(work.hub, work.tx, &queued.1)?,
            labels: self.shared.labels.clone(),
            queued,
        })
    }
}

/// Names the parameter that is at fault.
fn failure(draft: &Draft, error: SendError) -> Failure {
    let recipient = match draft.to {
        Recipient::Number(_) | Recipient::Code(_) => "to_number",
        Recipient::Contact(_) | Recipient::Both(..) => "contact_id",
    };
    let refusal = match error {
        SendError::Blocked => Refusal::invalid_param(recipient, "is a contact that is blocked"),
        SendError::NoContact => {
            Refusal::invalid_param(recipient, "is not a contact with this number")
        }
        SendError::Refused(rule) => Refusal::invalid_param(recipient, rule),
        SendError::NoPhone => Refusal::invalid_param("route_id", outgoing::NO_PHONE),
        SendError::FileGone => Refusal::invalid_param("media", outgoing::FILE_GONE),
        SendError::Unwritable(rule) => Refusal::invalid_param("content", rule),
        SendError::Store(error) => return error.into(),
    };
    refusal.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::tests::{Desk, to};

    #[tokio::test]
    async fn the_hub_itself_sends_and_is_told_which_parameter_is_at_fault() {
        let desk = Desk::new().await;
        assert_eq!(desk.send().await.content, Some("Hello".into()));
        let nobody = send(&desk.actor, to("nobody"), None, |_| String::new()).await;
        let refusal = nobody.err().map(Failure::into_refusal).unwrap();
        assert_eq!(refusal.param(), Some("to_number"));
    }
}
