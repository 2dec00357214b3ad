//! Messages that are sent later: their parameters are checked when they are planned, and read again
//! when they go out.

use crate::commands::new_message::{MessageItem, To};
use crate::commands::stored_message::StoredMessage;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::messages::draft::{Draft, Origin, Path, Recipient, Shared};
use crate::messages::outgoing::{self, SendError};
use crate::messages::ready::{self, Ready};
use crate::messages::sender::Sender;
use crate::messages::sending::{Body, Operation, Sending};
use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue;
use hub_domain::{
    Address, Broadcast, MessageSource, MessageType, Phone, PhoneType, Project, ScheduledTo,
};
use hub_store::StoreError;
use hub_store::contacts::Touches;
use hub_view::Refusal;
use postrider_model::{CampaignId, Now, PhoneNumber, ScheduledId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a planned message carries, whoever gets it.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    shared: Shared,
    body: Body,
    item: MessageItem,
}

/// Why a planned message was not made.
#[derive(Debug)]
pub(crate) enum Unsent {
    /// Its contact is blocked.
    Blocked,
    /// It was refused, for this reason.
    Refused(String),
    /// It is beyond a limit of the organization's plan that stays, for this reason.
    Beyond(String),
    /// The day has no room for it within the plan's limits.
    Tomorrow,
    /// The database could not do it.
    Store(StoreError),
}

impl From<StoreError> for Unsent {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Planned {
    /// Checks a message as one that is made now.
    pub(crate) async fn of(
        hub: &Hub,
        project: &Project,
        message: &StoredMessage,
        operation: Operation,
        now: Now,
    ) -> Result<Self, Failure> {
        let shared = Shared::of(
            hub,
            project,
            &message.options,
            message.maker_sees,
            operation,
            now,
        )
        .await?;
        Ok(Self {
            body: shared.body(&message.item, &Path::default())?,
            item: message.item.clone(),
            shared,
        })
    }

    /// Returns the type of the messages.
    pub(crate) fn message_type(&self) -> MessageType {
        self.shared.sending.message_type()
    }

    /// Says whether it is only a test, whoever gets it.
    pub(crate) fn is_test(&self) -> bool {
        let test_route = |phone: &Phone| phone.phone_type == PhoneType::Simulated;
        let by_test_route = match &self.shared.sender {
            Sender::Phone(phone) => test_route(phone),
            Sender::Route(_) => false,
        };
        self.shared.simulated || (by_test_route && self.shared.sender_named)
    }

    /// Says whether it goes to a code, which is nobody's.
    pub(crate) fn is_for_code(&self) -> bool {
        self.shared.sending == Sending::Ussd
    }

    /// Says whom somebody names: a number, a code or a contact.
    pub(crate) fn recipient(&self, to: &To, project: &Project) -> Result<ScheduledTo, Refusal> {
        Ok(
            match self.shared.recipient(to, &Path::default(), project)? {
                Recipient::Number(number) => ScheduledTo::Number(number.into()),
                Recipient::Code(code) => ScheduledTo::Number(code),
                Recipient::Contact(id) => ScheduledTo::Contact(id),
                Recipient::Both(..) => {
                    let rule = "and contact_id are two recipients: name one";
                    return Err(Refusal::invalid_param("to_number", rule));
                }
            },
        )
    }

    /// Says which numbers somebody names in `to_numbers`, each once.
    pub(crate) fn numbers(
        &self,
        typed: &[Address],
        project: &Project,
    ) -> Result<Vec<Address>, Refusal> {
        let numbers = numbers(typed, &self.shared, project)?;
        Ok(numbers.into_iter().map(Address::from).collect())
    }

    /// Says which schedule sends it.
    pub(crate) fn scheduled_by(mut self, id: ScheduledId) -> Self {
        self.shared.origin = Origin {
            source: MessageSource::Scheduled,
            scheduled_id: Some(id),
            broadcast_id: None,
            campaign_id: None,
        };
        self
    }

    /// Says which campaign it is part of.
    pub(crate) fn of_campaign(mut self, id: CampaignId) -> Self {
        self.shared.origin.campaign_id = Some(id);
        self
    }

    /// Says which broadcast it is part of.
    pub(crate) fn part_of(mut self, broadcast: &Broadcast) -> Self {
        self.shared.origin = Origin {
            source: broadcast.source,
            scheduled_id: broadcast.scheduled_id,
            broadcast_id: Some(broadcast.id),
            campaign_id: broadcast.campaign_id,
        };
        self
    }

    /// Makes ready what the messages to these recipients need, before the job that stores them. Where
    /// a reader cannot, the job does it itself, and says which of them it fails for.
    pub(crate) async fn ready(
        &self,
        hub: &Hub,
        project: &Arc<Project>,
        to: impl IntoIterator<Item = &ScheduledTo>,
        now: Now,
    ) -> Ready {
        if !ready::needs_a_reader(&self.shared, &self.body) {
            return Ready::default();
        }
        let draft = |recipient| Draft::of(recipient, self.body.clone(), &self.item);
        let recipients = to.into_iter().map(|to| self.recipient_of(to));
        let drafts: Vec<_> = recipients.map(|to| to.map(draft)).collect();
        let drafts: Vec<_> = drafts.iter().map(Option::as_ref).collect();
        let made = Ready::of(hub, project, &self.shared, &drafts, now).await;
        made.unwrap_or_default()
    }

    /// Looks up together whom a job is going to send to.
    pub(crate) fn look_up<'r>(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        to: impl Iterator<Item = &'r ScheduledTo>,
    ) -> Result<(), StoreError> {
        let recipients: Vec<_> = to.filter_map(|to| self.recipient_of(to)).collect();
        outgoing::look_up(work, &recipients)
    }

    /// Stores a message to one recipient, and tells of it; `text` is its place in what was made
    /// ready.
    ///
    /// A group is nobody here: its contacts are.
    pub(crate) fn store(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        to: &ScheduledTo,
        (ready, place): (&Ready, usize),
        touches: &mut Touches,
    ) -> Result<(), Unsent> {
        let Some(recipient) = self.recipient_of(to) else {
            let rule = "the recipient has no number that can be written to";
            return Err(Unsent::Refused(rule.to_owned()));
        };
        let draft = Draft::of(recipient, self.body.clone(), &self.item);
        let text = ready.text(place);
        let refused = match outgoing::store(work, &self.shared, &draft, text, touches) {
            Ok(stored) => {
                enqueue::send_status(work, &stored.0)?;
                return Ok(());
            }
            Err(SendError::Blocked) => return Err(Unsent::Blocked),
            Err(SendError::NoContact) => "the contact is gone or has no number".to_owned(),
            Err(SendError::FileGone) => format!("media {}", outgoing::FILE_GONE),
            Err(SendError::NoPhone) => format!("the route {}", outgoing::NO_PHONE),
            Err(SendError::Refused(rule)) => format!("the recipient {rule}"),
            Err(SendError::Unwritable(rule)) => format!("content {rule}"),
            Err(SendError::Store(StoreError::Beyond(exceeded))) => {
                return Err(if exceeded.limit.starts_again() {
                    Unsent::Tomorrow
                } else {
                    Unsent::Beyond(exceeded.to_string())
                });
            }
            Err(SendError::Store(error)) => return Err(error.into()),
        };
        Err(Unsent::Refused(refused))
    }

    fn recipient_of(&self, to: &ScheduledTo) -> Option<Recipient> {
        match to {
            ScheduledTo::Contact(id) => Some(Recipient::Contact(*id)),
            ScheduledTo::Number(code) if self.is_for_code() => Some(Recipient::Code(code.clone())),
            ScheduledTo::Number(number) => number.number().map(Recipient::Number),
            ScheduledTo::Group(_) | ScheduledTo::Filter(_) => None,
        }
    }
}

/// Reads the numbers that somebody names in `to_numbers`, each once.
pub(crate) fn numbers(
    typed: &[Address],
    shared: &Shared,
    project: &Project,
) -> Result<Vec<PhoneNumber>, Refusal> {
    if typed.is_empty() {
        let rule = "must have at least one number";
        return Err(Refusal::invalid_param("to_numbers", rule));
    }
    let mut seen = BTreeSet::new();
    let mut numbers = Vec::with_capacity(typed.len());
    for (index, typed) in typed.iter().enumerate() {
        let number = shared.number(typed, &format!("to_numbers[{index}]"), project)?;
        if seen.insert(number.as_str().to_owned()) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}
