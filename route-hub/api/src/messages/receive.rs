//! `POST /projects/{project_id}/messages/receive`

use crate::idempotency::Idempotency;
use crate::messages::{patch, unsupported_params};
use crate::{ApiResult, Call, enter, parse, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::messages::inbound;
use hub_app::messages::model::MessageView;
use hub_app::messages::outgoing::annotate;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Address, Message, MessageSource, MessageType, Permission, Phone, Vars, numbers};
use hub_web::{Answer, ApiError, Field, Fields, Params};
use postrider_model::MessageText;

/// Longest text that is taken, in characters: 255 parts.
const CONTENT_LENGTH_MAX: usize = 39_015;
/// Longest number that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 64;

/// Adds an incoming message as if a phone had received it.
pub async fn receive(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    let idempotency = Idempotency::of(&call, "receive")?;
    call.params
        .refuse_unsupported(unsupported_params::RECEIVING)?;
    let field = call.params.get("phone_id");
    let phone_id = parse::id(&field, "phone")?.ok_or_else(|| field.refuse("is required"))?;
    let found = hub.cache.phone(&hub.store, project.id, phone_id).await?;
    let phone = found.ok_or_else(|| parse::no_such(&field, "phone"))?;
    let region = phone.country.as_deref().or(project.country.as_deref());
    let given = NewIncoming::read(&call.params, region)?;
    let labels = patch::labels(&call.params.get("label_ids"))?;
    let labels = hub_app::labels::all_known(&hub, &project, labels).await?;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut message = inbound::blank(work, &phone, given.message_type, now.unix);
        given.fill(&mut message, &phone);
        annotate(work, &message, &labels)?;
        let stored = inbound::store(work, &phone, message, Some(&given.from_raw))?;
        Ok((stored, labels.clone()))
    };
    let show = move |(message, label_ids)| {
        let view = MessageView {
            message,
            waiting: None,
            label_ids,
        };
        Answer::object(&view, &fields)
    };
    transaction::answer(&project, idempotency, decide, show).await
}

struct NewIncoming {
    message_type: MessageType,
    content: Option<MessageText>,
    from: Address,
    /// As it was given.
    from_raw: Address,
    to: Option<Address>,
    simulated: bool,
    starred: bool,
    vars: Vars,
}

impl NewIncoming {
    fn read(params: &Params, region: Option<&str>) -> Result<Self, ApiError> {
        let message_type = message_type(&params.get("message_type"))?;
        let field = params.get("content");
        let content = match message_type {
            MessageType::Call => field.string(CONTENT_LENGTH_MAX)?,
            _ => Some(field.required_string(CONTENT_LENGTH_MAX)?),
        };
        let from = params.get("from_number");
        let typed = Address::new(from.string(NUMBER_LENGTH_MAX)?.unwrap_or_default());
        let from_raw = typed.ok_or_else(|| from.refuse("is required"))?;
        Ok(Self {
            message_type,
            content: content
                .filter(|text| !text.is_empty())
                .map(MessageText::from),
            from: numbers::sender(from_raw.as_str(), region)
                .ok_or_else(|| from.refuse("is required"))?,
            from_raw,
            to: number(&params.get("to_number"), region)?,
            simulated: params.get("simulated").boolean()?.unwrap_or(false),
            starred: params.get("starred").boolean()?.unwrap_or(false),
            vars: Vars::from_change(parse::vars(&params.get("vars"))?),
        })
    }

    fn fill(&self, message: &mut Message, phone: &Phone) {
        message.source = MessageSource::Api;
        message.content.clone_from(&self.content);
        message.from_number = Some(self.from.clone());
        message.to_number = self
            .to
            .clone()
            .or_else(|| phone.phone_number.as_ref().map(Address::from));
        message.simulated = self.simulated;
        message.starred = self.starred;
        message.vars = self.vars.clone();
    }
}

fn message_type(field: &Field<'_>) -> Result<MessageType, ApiError> {
    let read = field.one_of(&[
        ("sms", Some(MessageType::Sms)),
        ("call", Some(MessageType::Call)),
        ("chat", None),
    ])?;
    match read {
        None => Ok(MessageType::Sms),
        Some(Some(message_type)) => Ok(message_type),
        Some(None) => Err(field.refuse("is not offered by this hub yet: only sms and call are")),
    }
}

fn number(field: &Field<'_>, region: Option<&str>) -> Result<Option<Address>, ApiError> {
    let typed = field
        .string(NUMBER_LENGTH_MAX)?
        .filter(|typed| !typed.is_empty());
    typed
        .map(|typed| numbers::parse(typed, region, numbers::Names::Allowed).map(Address::from))
        .transpose()
        .map_err(|error| field.refuse(error))
}
