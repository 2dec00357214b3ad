//! Messages that are sent later: their parameters are checked when they are planned, and read again
//! when they go out.

use crate::dispatch::unit_of_work::UnitOfWork;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::messages::draft::{Defaults, Draft, Origin, Place, Recipient, Shared};
use crate::messages::new_message::To;
use crate::messages::outgoing::{self, SendError};
use crate::messages::ready::{self, Ready};
use crate::messages::sending::{Body, Operation, Sending};
use hub_domain::{
    Address, Broadcast, MessageSource, MessageType, Project, ScheduledTo, numbers, ussd,
};
use hub_store::StoreError;
use hub_store::contacts::Touches;
use hub_view::Refusal;
use hub_web::{ApiError, Field, Params};
use postrider_model::{Now, PhoneNumber, ScheduledId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most numbers of one request.
const NUMBERS_MAX: usize = 500;

/// What a planned message carries, whoever gets it.
#[derive(Debug, Clone)]
pub struct Planned {
    shared: Shared,
    body: Body,
    defaults: Defaults,
}

/// Why a planned message was not made.
#[derive(Debug)]
pub enum Unsent {
    /// Its contact is blocked.
    Blocked,
    /// It was refused, for this reason.
    Refused(String),
    /// The database could not do it.
    Store(StoreError),
}

impl From<StoreError> for Unsent {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Planned {
    /// Reads and checks the parameters of a message.
    pub async fn read(
        hub: &Hub,
        params: &Params,
        project: &Project,
        now: Now,
    ) -> Result<Self, Failure> {
        Self::read_as(hub, params, project, Operation::Single, now).await
    }

    /// As [`Planned::read`], for a message to many: a code is nobody's.
    pub async fn read_for_many(
        hub: &Hub,
        params: &Params,
        project: &Project,
        now: Now,
    ) -> Result<Self, Failure> {
        Self::read_as(hub, params, project, Operation::Multi, now).await
    }

    async fn read_as(
        hub: &Hub,
        params: &Params,
        project: &Project,
        operation: Operation,
        now: Now,
    ) -> Result<Self, Failure> {
        let shared = Shared::of(hub, params, project, operation, now).await?;
        let content = params.get("content");
        Ok(Self {
            body: shared.sending.body(&content, &shared.writing)?,
            defaults: Defaults::read(Place::Top(params))?,
            shared,
        })
    }

    /// Returns the type of the messages.
    pub fn message_type(&self) -> MessageType {
        self.shared.sending.message_type()
    }

    /// Says whether it goes to a code, which is nobody's.
    pub fn is_for_code(&self) -> bool {
        self.shared.sending == Sending::Ussd
    }

    /// Says whom somebody names: a number, a code or a contact.
    pub fn recipient(&self, to: &To, project: &Project) -> Result<ScheduledTo, Refusal> {
        let refused = |rule: &str| Refusal::invalid_param("to_number", rule);
        match (&to.number, to.contact_id) {
            (_, Some(_)) if self.is_for_code() => {
                let rule = "is nobody that a code is sent to";
                Err(Refusal::invalid_param("contact_id", rule))
            }
            (Some(code), None) if self.is_for_code() => ussd::read(code.as_str())
                .map(ScheduledTo::Number)
                .map_err(|invalid| Refusal::invalid_param("to_number", invalid)),
            (Some(number), None) => {
                let number = self.number(number, "to_number", project)?;
                Ok(ScheduledTo::Number(number.into()))
            }
            (None, Some(id)) => Ok(ScheduledTo::Contact(id)),
            (Some(_), Some(_)) => Err(refused("and contact_id are two recipients: name one")),
            (None, None) if self.is_for_code() => Err(refused("is required: the code to dial")),
            (None, None) => Err(refused("is required, or contact_id")),
        }
    }

    /// Says which numbers somebody names in `to_numbers`, each once.
    pub fn numbers(&self, typed: &[Address], project: &Project) -> Result<Vec<Address>, Refusal> {
        if typed.is_empty() {
            let rule = "must have at least one number";
            return Err(Refusal::invalid_param("to_numbers", rule));
        }
        let mut seen = BTreeSet::new();
        let mut numbers = Vec::with_capacity(typed.len());
        for (index, typed) in typed.iter().enumerate() {
            let path = format_args!("to_numbers[{index}]").to_string();
            let number = Address::from(self.number(typed, &path, project)?);
            if seen.insert(number.clone()) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    fn number(
        &self,
        typed: &Address,
        path: &str,
        project: &Project,
    ) -> Result<PhoneNumber, Refusal> {
        let region = self.shared.region(project);
        let number = numbers::parse(typed.as_str(), region, numbers::Names::Refused)
            .map_err(|error| Refusal::invalid_param(path, error))?;
        match self.shared.sending.refuses(&number) {
            Some(rule) => Err(Refusal::invalid_param(path, rule)),
            None => Ok(number),
        }
    }

    /// Says whether who planned it may view contacts; `None` where that was not kept.
    pub(crate) fn made_by(mut self, maker_sees: Option<bool>) -> Self {
        self.shared.maker_sees = maker_sees;
        self
    }

    /// Says which schedule sends it.
    pub(crate) fn scheduled_by(mut self, id: ScheduledId) -> Self {
        self.shared.origin = Origin {
            source: MessageSource::Scheduled,
            scheduled_id: Some(id),
            broadcast_id: None,
        };
        self
    }

    /// Says which broadcast it is part of.
    pub(crate) fn part_of(mut self, broadcast: &Broadcast) -> Self {
        self.shared.origin = Origin {
            source: broadcast.source,
            scheduled_id: broadcast.scheduled_id,
            broadcast_id: Some(broadcast.id),
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
        let draft = |recipient| Draft::of(recipient, self.body.clone(), &self.defaults);
        let recipients = to.into_iter().map(|to| self.recipient_of(to));
        let drafts: Vec<_> = recipients.map(|to| to.map(draft)).collect();
        let drafts: Vec<_> = drafts.iter().map(Option::as_ref).collect();
        let made = Ready::of(hub, project, &self.shared, &drafts, now).await;
        made.unwrap_or_default()
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
        let draft = Draft::of(recipient, self.body.clone(), &self.defaults);
        let text = ready.text(place);
        let refused = match outgoing::store(work, &self.shared, &draft, text, touches) {
            Ok(stored) => {
                work.tell_status(&stored.0)?;
                return Ok(());
            }
            Err(SendError::Blocked) => return Err(Unsent::Blocked),
            Err(SendError::NoContact) => "the contact is gone or has no number".to_owned(),
            Err(SendError::NoPhone) => format!("the route {}", outgoing::NO_PHONE),
            Err(SendError::Refused(rule)) => format!("the recipient {rule}"),
            Err(SendError::Unwritable(rule)) => format!("content {rule}"),
            Err(SendError::Store(error)) => return Err(error.into()),
        };
        Err(Unsent::Refused(refused))
    }

    fn recipient_of(&self, to: &ScheduledTo) -> Option<Recipient> {
        match to {
            ScheduledTo::Contact(id) => Some(Recipient::Contact(*id)),
            ScheduledTo::Number(code) if self.is_for_code() => Some(Recipient::Code(code.clone())),
            ScheduledTo::Number(number) => number.number().map(Recipient::Number),
            ScheduledTo::Group(_) => None,
        }
    }
}

/// Reads the numbers of a request, once each that stands twice.
pub fn numbers(
    field: &Field<'_>,
    shared: &Shared,
    project: &Project,
) -> Result<Vec<PhoneNumber>, ApiError> {
    let items = field.array(NUMBERS_MAX)?.unwrap_or_default();
    if items.is_empty() {
        return Err(field.refuse("must have at least one number"));
    }
    let mut seen = BTreeSet::new();
    let mut numbers = Vec::with_capacity(items.len());
    for item in &items {
        let number = shared.number(item, project)?;
        let number = number.ok_or_else(|| item.refuse("is required"))?;
        if seen.insert(number.as_str().to_owned()) {
            numbers.push(number);
        }
    }
    Ok(numbers)
}
