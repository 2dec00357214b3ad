//! What a request to send says, read into domain types.

use crate::auth::Call;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::labels;
use crate::messages::sender::Sender;
use crate::messages::sending::{self, Body, Operation, Sending};
use crate::messages::unsupported_params;
use crate::messages::writing::Writing;
use crate::parse;
use hub_domain::{Address, MessageSource, OnUnknown, Project, Vars, VarsChange, numbers};
use hub_web::{ApiError, Field, Object, Params};
use postrider_model::{
    BroadcastId, ContactId, LabelId, Now, PhoneNumber, ScheduledId, Secret, UnixMs,
};

/// Longest `ttl_sec`: 30 days.
const TTL_SEC_MAX: i64 = 30 * 86_400;
/// Longest number that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 64;

/// Whom a message is for, as the request names them.
#[derive(Debug, Clone)]
pub enum Recipient {
    Number(PhoneNumber),
    Contact(ContactId),
    /// The contact must have the number.
    Both(ContactId, PhoneNumber),
    /// A USSD code, which is nobody's.
    Code(Address),
}

/// What one message of a request says.
#[derive(Debug, Clone)]
pub struct Draft {
    pub to: Recipient,
    pub body: Body,
    pub priority: u8,
    pub vars: Vars,
    pub status_url: Option<String>,
    pub status_secret: Option<Secret>,
}

/// What all messages of a request share.
#[derive(Debug, Clone)]
pub struct Shared {
    /// What sends, and whether the request named it: then no contact's own goes before.
    pub sender: Sender,
    pub sender_named: bool,
    pub sending: Sending,
    pub writing: Writing,
    pub simulated: bool,
    pub on_unknown: OnUnknown,
    pub life_end: UnixMs,
    pub labels: Vec<LabelId>,
    pub origin: Origin,
    /// Whether who asks for them may view contacts; `None` where that was not kept.
    pub maker_sees: Option<bool>,
}

/// Who makes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub source: MessageSource,
    pub scheduled_id: Option<ScheduledId>,
    pub broadcast_id: Option<BroadcastId>,
}

impl Origin {
    /// A program, by the REST API.
    pub(crate) const API: Self = Self {
        source: MessageSource::Api,
        scheduled_id: None,
        broadcast_id: None,
    };
}

/// Where one message's own parameters are: at the top, or in an item of `messages`.
#[derive(Clone, Copy)]
pub enum Place<'a> {
    Top(&'a Params),
    Item(&'a Object<'a>),
}

impl<'a> Place<'a> {
    pub(crate) fn get(self, name: &'a str) -> Field<'a> {
        match self {
            Self::Top(params) => params.get(name),
            Self::Item(object) => object.get(name),
        }
    }
}

impl Shared {
    /// Reads what stands at the top of a request.
    pub async fn read(
        hub: &Hub,
        call: &Call,
        project: &Project,
        operation: Operation,
        now: Now,
    ) -> Result<Self, Failure> {
        let shared = Self::of(hub, &call.params, project, operation, now).await?;
        Ok(Self {
            maker_sees: Some(call.caller.sight().sees_contacts()),
            ..shared
        })
    }

    /// Reads what all messages of these parameters share.
    pub(crate) async fn of(
        hub: &Hub,
        params: &Params,
        project: &Project,
        operation: Operation,
        now: Now,
    ) -> Result<Self, Failure> {
        params.refuse_later(unsupported_params::SENDING)?;
        let sending = Sending::read(params, operation)?;
        let writing = Writing::read(Place::Top(params), &sending, project)?;
        let (sender, sender_named) = Sender::read(hub, params, project).await?;
        let on_unknown = params
            .get("on_unknown")
            .one_of(&[("report", OnUnknown::Report), ("resend", OnUnknown::Resend)])?;
        let ttl_sec = params.get("ttl_sec").integer(1..=TTL_SEC_MAX)?;
        let life_ms = ttl_sec.map_or(project.message_life_ms, |sec| sec * 1_000);
        Ok(Self {
            sender,
            sender_named,
            sending,
            writing,
            simulated: params.get("simulated").boolean()?.unwrap_or(false),
            on_unknown: on_unknown.unwrap_or(OnUnknown::Report),
            life_end: now.unix.plus_ms(life_ms),
            labels: labels::read(hub, params, project).await?,
            origin: Origin::API,
            maker_sees: None,
        })
    }

    /// Reads a recipient: a number, a contact or a code.
    pub(crate) fn recipient(
        &self,
        place: Place<'_>,
        project: &Project,
    ) -> Result<Recipient, ApiError> {
        recipient(place, &self.sending, self.region(project))
    }

    /// Reads a recipient's number, as this kind of message takes it.
    pub(crate) fn number(
        &self,
        field: &Field<'_>,
        project: &Project,
    ) -> Result<Option<PhoneNumber>, ApiError> {
        number(field, &self.sending, self.region(project))
    }

    /// Returns the region in which recipients' numbers are read.
    pub(super) fn region<'a>(&'a self, project: &'a Project) -> Option<&'a str> {
        self.sender.country().or(project.country.as_deref())
    }
}

impl Draft {
    /// Reads one message; what it leaves out, `defaults` says.
    pub fn read(
        place: Place<'_>,
        defaults: Option<&Defaults>,
        shared: &Shared,
        project: &Project,
    ) -> Result<Self, ApiError> {
        let to = shared.recipient(place, project)?;
        let body = shared
            .sending
            .body(&place.get("content"), &shared.writing)?;
        let own = Defaults::read(place)?;
        let own = match defaults {
            Some(defaults) => own.over(defaults),
            None => own,
        };
        let mut vars = Vars::default();
        let too_many = |invalid| {
            place
                .get("vars")
                .refuse(format_args!("cannot be taken: {invalid}"))
        };
        vars.apply(own.vars).map_err(too_many)?;
        Ok(Self {
            to,
            body,
            priority: own.priority.unwrap_or(1),
            vars,
            status_url: own.status_url,
            status_secret: own.status_secret,
        })
    }

    /// Makes one of many that say the same.
    pub fn of(to: Recipient, body: Body, defaults: &Defaults) -> Self {
        let own = defaults.clone();
        Self {
            to,
            body,
            priority: own.priority.unwrap_or(1),
            vars: Vars::from_change(own.vars),
            status_url: own.status_url,
            status_secret: own.status_secret,
        }
    }
}

/// What an item of `messages` may override.
#[derive(Debug, Clone, Default)]
pub struct Defaults {
    priority: Option<u8>,
    vars: VarsChange,
    status_url: Option<String>,
    status_secret: Option<Secret>,
}

impl Defaults {
    pub fn read(place: Place<'_>) -> Result<Self, ApiError> {
        let priority = place.get("priority").integer(1..=2)?;
        Ok(Self {
            priority: priority.and_then(|value| u8::try_from(value).ok()),
            vars: parse::vars(&place.get("vars"))?,
            status_url: parse::url(&place.get("status_url"))?,
            status_secret: parse::secret(&place.get("status_secret"))?,
        })
    }

    fn over(self, defaults: &Self) -> Self {
        Self {
            priority: self.priority.or(defaults.priority),
            vars: defaults.vars.clone().overlaid(self.vars),
            status_url: self.status_url.or_else(|| defaults.status_url.clone()),
            status_secret: self
                .status_secret
                .or_else(|| defaults.status_secret.clone()),
        }
    }
}

fn recipient(
    place: Place<'_>,
    sending: &Sending,
    region: Option<&str>,
) -> Result<Recipient, ApiError> {
    let field = place.get("to_number");
    let contact_field = place.get("contact_id");
    if *sending == Sending::Ussd {
        if !contact_field.is_empty() {
            return Err(contact_field.refuse("is nobody that a code is sent to"));
        }
        return Ok(Recipient::Code(sending::code(&field)?));
    }
    let number = number(&field, sending, region)?;
    let contact = parse::id(&contact_field, "contact")?;
    match (contact, number) {
        (None, Some(number)) => Ok(Recipient::Number(number)),
        (Some(contact), None) => Ok(Recipient::Contact(contact)),
        (Some(contact), Some(number)) => Ok(Recipient::Both(contact, number)),
        (None, None) => Err(field.refuse("is required, or contact_id")),
    }
}

/// Reads a number that a message of this kind may go to.
fn number(
    field: &Field<'_>,
    sending: &Sending,
    region: Option<&str>,
) -> Result<Option<PhoneNumber>, ApiError> {
    let typed = field.string(NUMBER_LENGTH_MAX)?;
    let number = typed
        .filter(|typed| !typed.is_empty())
        .map(|typed| numbers::parse(typed, region, numbers::Names::Refused))
        .transpose()
        .map_err(|error| field.refuse(error))?;
    match number.as_ref().and_then(|number| sending.refuses(number)) {
        Some(rule) => Err(field.refuse(rule)),
        None => Ok(number),
    }
}
