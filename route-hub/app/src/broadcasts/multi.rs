//! Sending up to a hundred messages at once, as part of a broadcast or of none.

use crate::actor::Actor;
use crate::broadcasts::PERMISSION;
use crate::broadcasts::new_broadcast::{NewBroadcast, Recipients};
use crate::commands::new_message::{MessageItem, SendOptions, To};
use crate::commands::stored_message::{MessagePatch, StoredMessage};
use crate::failure::Failure;
use crate::messages::draft::{Draft, Path, Shared};
use crate::messages::outgoing::{self, SendError};
use crate::messages::ready::{Ready, Text};
use crate::messages::sending::Operation;
use crate::transaction::{Once, Repeat, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue;
use hub_store::contacts::{self, Touches};
use hub_store::{StoreError, broadcasts};
use hub_view::Refusal;
use postrider_model::{BroadcastId, MessageId};
use serde::Serialize;
use std::borrow::Cow;

/// Messages that are sent together, all of them or none.
#[derive(Debug, Clone, Default)]
pub struct WantedMessages {
    /// What they share.
    pub shared: MessagePatch,
    /// The broadcast that they are part of.
    pub part_of: Option<PartOf>,
    /// Whom each is for, and what it says.
    pub messages: Vec<(To, MessageItem)>,
}

/// The broadcast that messages are part of.
#[derive(Debug, Clone)]
pub enum PartOf {
    /// One that is there.
    Existing(BroadcastId),
    /// A new one.
    New {
        /// What people call it.
        title: String,
        /// What it shows of its messages.
        message: MessagePatch,
    },
}

/// What became of messages that were sent together, in their order.
#[derive(Debug, Clone, Serialize)]
pub struct SentMessages {
    messages: Vec<SentMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    broadcast_id: Option<BroadcastId>,
}

#[derive(Debug, Clone, Serialize)]
struct SentMessage {
    id: Option<MessageId>,
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_message: Option<Cow<'static, str>>,
}

/// Sends messages together, and answers in their order.
pub async fn send(
    actor: &Actor,
    command: WantedMessages,
    repeat: Option<Repeat>,
    show: impl Fn(SentMessages) -> String + Send + 'static,
) -> Result<Once<SentMessages>, Failure> {
    actor.require(PERMISSION)?;
    let (hub, project, now) = (&actor.hub, &actor.project, actor.now);
    let message = StoredMessage::new(actor, command.shared).await?;
    let (options, sees) = (&message.options, message.maker_sees);
    let mut shared = Shared::of(hub, project, options, sees, Operation::Multi, now).await?;
    let joined = command.part_of;
    let joined = joined.map(|part_of| Joined::of(part_of, &shared, &message.options));
    let joined = joined.transpose()?;
    let drafts = drafts(actor, &shared, &command.messages)?;
    actor.make_room(drafts.len()).await?;
    let all: Vec<_> = drafts.iter().map(Some).collect();
    let ready = Ready::of(hub, project, &shared, &all, now).await?;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if let Some(joined) = &joined {
            shared.origin.broadcast_id = Some(joined.join(work, drafts.len())?);
        }
        ready.begin(work);
        outgoing::look_up(work, drafts.iter().map(|draft| &draft.to))?;
        let mut touches = Touches::default();
        let mut messages = Vec::with_capacity(drafts.len());
        for (index, draft) in drafts.iter().enumerate() {
            let text = ready.text(index);
            messages.push(store_one(work, &shared, draft, text, &mut touches)?);
        }
        contacts::touch(work.tx, &touches)?;
        Ok::<_, Failure>(SentMessages {
            messages,
            broadcast_id: shared.origin.broadcast_id,
        })
    };
    run_once(actor, repeat, decide, show).await
}

fn drafts(
    actor: &Actor,
    shared: &Shared,
    messages: &[(To, MessageItem)],
) -> Result<Vec<Draft>, Refusal> {
    let drafts = messages.iter().enumerate().map(|(index, (to, item))| {
        let path = Path::within(format_args!("messages[{index}]"));
        Draft::new(shared, to, item, &path, &actor.project)
    });
    drafts.collect()
}

/// The broadcast that the messages join.
enum Joined {
    Existing(BroadcastId),
    New(Box<NewBroadcast>),
}

impl Joined {
    fn of(part_of: PartOf, shared: &Shared, options: &SendOptions) -> Result<Self, Refusal> {
        let (title, message) = match part_of {
            PartOf::Existing(id) => return Ok(Self::Existing(id)),
            PartOf::New { title, message } => (title, message),
        };
        let mut message = message.new_message(None)?;
        message.options.media.clone_from(&options.media);
        Ok(Self::New(Box::new(NewBroadcast {
            source: shared.origin.source,
            scheduled_id: None,
            campaign_id: None,
            message_type: shared.sending.message_type(),
            message,
            title: Some(title),
            recipients: Recipients::requests(),
        })))
    }

    /// Finds or makes the broadcast, for so many more recipients.
    fn join(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        recipients: usize,
    ) -> Result<BroadcastId, Failure> {
        let refused = |rule| Err(Refusal::invalid_param("broadcast_id", rule).into());
        let id = match self {
            Self::New(given) => given.store(work)?.id,
            Self::Existing(id) => match broadcasts::get(work.tx, work.project.id, *id)? {
                None => return refused("is not the id of a broadcast of this project"),
                Some(broadcast) if broadcast.is_cancelled() => {
                    return refused("is a broadcast that was cancelled");
                }
                Some(_) => *id,
            },
        };
        let recipients = i64::try_from(recipients).unwrap_or(i64::MAX);
        work.tallies.expect(id, recipients);
        Ok(id)
    }
}

fn store_one(
    work: &mut UnitOfWork<'_, '_>,
    shared: &Shared,
    draft: &Draft,
    text: Option<&Text>,
    touches: &mut Touches,
) -> Result<SentMessage, StoreError> {
    let error_message = match outgoing::store(work, shared, draft, text, touches) {
        Ok(stored) => {
            let (message, ..) = *stored;
            enqueue::send_status(work, &message)?;
            return Ok(SentMessage {
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
        Err(SendError::FileGone) => Some(Cow::Owned(format!("media {}", outgoing::FILE_GONE))),
        Err(SendError::NoPhone) => Some(Cow::Owned(format!("the route {}", outgoing::NO_PHONE))),
        Err(SendError::Refused(rule)) => Some(Cow::Owned(format!("the recipient {rule}"))),
        Err(SendError::Store(error)) => return Err(error),
    };
    Ok(SentMessage {
        id: None,
        status: None,
        error_message,
    })
}
