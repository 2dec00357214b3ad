//! What somebody wants sent, checked: what all messages of a request share, and each of them.

use crate::commands::new_message::{MessageItem, SendOptions, To};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::labels;
use crate::messages::linking::Linking;
use crate::messages::sender::Sender;
use crate::messages::sending::{Body, Operation, Sending};
use crate::messages::writing::Writing;
use hub_domain::{Address, MessageSource, OnUnknown, Project, Vars, numbers, ussd};
use hub_view::Refusal;
use postrider_model::{
    BroadcastId, CampaignId, ContactId, LabelId, Now, PhoneNumber, ScheduledId, Secret, UnixMs,
};
use std::fmt;

/// Whom a message is for, as the request names them.
#[derive(Debug, Clone)]
pub(crate) enum Recipient {
    /// A number.
    Number(PhoneNumber),
    /// A contact.
    Contact(ContactId),
    /// The contact must have the number.
    Both(ContactId, PhoneNumber),
    /// A USSD code, which is nobody's.
    Code(Address),
}

/// What one message of a request says.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    /// Whom it is for.
    pub to: Recipient,
    /// What it carries.
    pub body: Body,
    /// 1 or 2.
    pub priority: u8,
    /// Its custom variables.
    pub vars: Vars,
    /// Where its status is reported.
    pub status_url: Option<String>,
    /// What signs such a report.
    pub status_secret: Option<Secret>,
}

/// What all messages of a request share.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    /// What sends.
    pub sender: Sender,
    /// Whether it was named: then no contact's own goes before.
    pub sender_named: bool,
    /// What kind of message they are.
    pub sending: Sending,
    /// How their texts are written.
    pub writing: Writing,
    /// Whether they stay within the hub.
    pub simulated: bool,
    /// What becomes of one of which nobody knows whether it went out.
    pub on_unknown: OnUnknown,
    /// Until when they may be sent.
    pub life_end: UnixMs,
    /// Their labels, in order.
    pub labels: Vec<LabelId>,
    /// What makes them.
    pub origin: Origin,
    /// Whether who asks for them may view contacts; `None` where that was not kept.
    pub maker_sees: Option<bool>,
}

/// Who makes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Origin {
    /// How they came to be.
    pub source: MessageSource,
    /// The schedule that makes them.
    pub scheduled_id: Option<ScheduledId>,
    /// The broadcast that they are part of.
    pub broadcast_id: Option<BroadcastId>,
    /// The campaign that they are part of.
    pub campaign_id: Option<CampaignId>,
}

impl Origin {
    /// A program, by the REST API.
    pub(crate) const API: Self = Self {
        source: MessageSource::Api,
        scheduled_id: None,
        broadcast_id: None,
        campaign_id: None,
    };
}

impl Shared {
    /// Checks what all messages of a request share.
    pub(crate) async fn of(
        hub: &Hub,
        project: &Project,
        options: &SendOptions,
        maker_sees: Option<bool>,
        operation: Operation,
        now: Now,
    ) -> Result<Self, Failure> {
        let sending = Sending::of(options, operation)?;
        let links = Linking::of(hub, project, options, &sending).await?;
        let writing = Writing::of(options, &sending, project, links)?;
        let (sender, sender_named) = Sender::of(hub, options.sender.as_ref(), project).await?;
        let life_ms = options.ttl_sec.map(|sec| sec * 1_000);
        let life_ms = life_ms.unwrap_or(project.message_life_ms);
        Ok(Self {
            sender,
            sender_named,
            sending,
            writing,
            simulated: options.simulated,
            on_unknown: options.on_unknown.unwrap_or(OnUnknown::Report),
            life_end: now.unix.plus_ms(life_ms),
            labels: labels::all_known(hub, project, options.labels.clone()).await?,
            origin: Origin::API,
            maker_sees,
        })
    }

    /// Says what a message carries; `path` is where its parameters stand.
    pub(crate) fn body(&self, item: &MessageItem, path: &Path) -> Result<Body, Refusal> {
        let content = item.content.as_ref().map_or("", |content| content.as_str());
        let body = self.sending.body(content, &self.writing);
        body.map_err(|rule| path.refuse("content", rule))
    }

    /// Says whom a message is for: a number, a contact or a code.
    pub(crate) fn recipient(
        &self,
        to: &To,
        path: &Path,
        project: &Project,
    ) -> Result<Recipient, Refusal> {
        if self.sending == Sending::Ussd {
            return code(to, path);
        }
        let number = to.number.as_ref();
        let number = number.map(|typed| self.number(typed, &path.of("to_number"), project));
        match (to.contact_id, number.transpose()?) {
            (None, Some(number)) => Ok(Recipient::Number(number)),
            (Some(contact), None) => Ok(Recipient::Contact(contact)),
            (Some(contact), Some(number)) => Ok(Recipient::Both(contact, number)),
            (None, None) => Err(path.refuse("to_number", "is required, or contact_id")),
        }
    }

    /// Reads a number that a message of this kind may go to; a refusal names `param`.
    pub(super) fn number(
        &self,
        typed: &Address,
        param: &str,
        project: &Project,
    ) -> Result<PhoneNumber, Refusal> {
        let region = self.sender.country().or(project.country.as_deref());
        let number = numbers::parse(typed.as_str(), region, numbers::Names::Refused)
            .map_err(|error| Refusal::invalid_param(param, error))?;
        match self.sending.refuses(&number) {
            Some(rule) => Err(Refusal::invalid_param(param, rule)),
            None => Ok(number),
        }
    }
}

fn code(to: &To, path: &Path) -> Result<Recipient, Refusal> {
    if to.contact_id.is_some() {
        return Err(path.refuse("contact_id", "is nobody that a code is sent to"));
    }
    let Some(typed) = &to.number else {
        return Err(path.refuse("to_number", "is required: the code to dial"));
    };
    let code = ussd::read(typed.as_str());
    code.map(Recipient::Code)
        .map_err(|invalid| path.refuse("to_number", invalid))
}

/// Where a message's own parameters stand: at the top of a request, or in an item of a list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path(String);

impl Path {
    /// Those of an item.
    pub(crate) fn within(item: impl fmt::Display) -> Self {
        Self(item.to_string())
    }

    /// Names a parameter there.
    fn of(&self, name: &str) -> String {
        if self.0.is_empty() {
            name.to_owned()
        } else {
            format!("{}[{name}]", self.0)
        }
    }

    fn refuse(&self, name: &str, rule: impl fmt::Display) -> Refusal {
        Refusal::invalid_param(self.of(name), rule)
    }
}

impl Draft {
    /// Checks one message.
    pub(crate) fn new(
        shared: &Shared,
        to: &To,
        item: &MessageItem,
        path: &Path,
        project: &Project,
    ) -> Result<Self, Refusal> {
        let to = shared.recipient(to, path, project)?;
        Ok(Self::of(to, shared.body(item, path)?, item))
    }

    /// Makes one of many that say the same.
    pub(crate) fn of(to: Recipient, body: Body, item: &MessageItem) -> Self {
        Self {
            to,
            body,
            priority: item.priority.unwrap_or(1),
            vars: item.vars.clone(),
            status_url: item.status_url.clone(),
            status_secret: item.status_secret.clone(),
        }
    }
}
