//! Fields: what a project says of its contacts' and messages' variables.
//!
//! Both kinds have the same three operations, beside each other.

mod read;

pub(crate) use read::{MANY_TABLE, TABLE, TABLE_FIELD};

use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::fields;
use hub_domain::FieldOwner;
use hub_web::{Answer, Fields};

operation! {
    /// Lists the fields of contacts, all in one array.
    CONTACT_FIELDS = "listContactFields": Project(fields::permission_to_view(FieldOwner::Contact)), contact_fields -> Array(&read::CONTACT_FIELD);
}

async fn contact_fields(actor: Actor, call: Call) -> ApiResult {
    list(&actor, &call, FieldOwner::Contact).await
}

operation! {
    /// Says how a variable of contacts is shown.
    CHANGE_CONTACT_FIELD = "updateContactField": Project(fields::permission_to_change(FieldOwner::Contact)), change_contact_field -> Object(&read::CONTACT_FIELD);
    .takes(&[read::CONTACT])
    .example(r#"{"name":"City"}"#)
}

async fn change_contact_field(actor: Actor, call: Call) -> ApiResult {
    change(&actor, &call, FieldOwner::Contact).await
}

operation! {
    /// Says how up to a hundred variables of contacts are shown, or removes them, and lists all fields.
    CHANGE_CONTACT_FIELDS = "updateContactFields": Project(fields::permission_to_change(FieldOwner::Contact)), change_contact_fields -> Array(&read::CONTACT_FIELD);
    .takes(&[read::MANY_CONTACT])
    .example(r#"{"metadata":[{"variable":"city","name":"City"}]}"#)
}

async fn change_contact_fields(actor: Actor, call: Call) -> ApiResult {
    change_many(&actor, &call, FieldOwner::Contact).await
}

operation! {
    /// Lists the fields of messages, all in one array.
    MESSAGE_FIELDS = "listMessageFields": Project(fields::permission_to_view(FieldOwner::Message)), message_fields -> Array(&read::MESSAGE_FIELD);
}

async fn message_fields(actor: Actor, call: Call) -> ApiResult {
    list(&actor, &call, FieldOwner::Message).await
}

operation! {
    /// Says how a variable of messages is shown.
    CHANGE_MESSAGE_FIELD = "updateMessageField": Project(fields::permission_to_change(FieldOwner::Message)), change_message_field -> Object(&read::MESSAGE_FIELD);
    .takes(&[read::MESSAGE])
    .example(r#"{"name":"City"}"#)
}

async fn change_message_field(actor: Actor, call: Call) -> ApiResult {
    change(&actor, &call, FieldOwner::Message).await
}

operation! {
    /// Says how up to a hundred variables of messages are shown, or removes them, and lists all fields.
    CHANGE_MESSAGE_FIELDS = "updateMessageFields": Project(fields::permission_to_change(FieldOwner::Message)), change_message_fields -> Array(&read::MESSAGE_FIELD);
    .takes(&[read::MANY_MESSAGE])
    .example(r#"{"metadata":[{"variable":"city","name":"City"}]}"#)
}

async fn change_message_fields(actor: Actor, call: Call) -> ApiResult {
    change_many(&actor, &call, FieldOwner::Message).await
}

pub(crate) async fn list(actor: &Actor, call: &Call, owner: FieldOwner) -> ApiResult {
    let wanted = Fields::read(&call.params)?;
    let all = fields::list(actor, owner).await?;
    Ok(Answer::value(&all, &wanted)?)
}

pub(crate) async fn change(actor: &Actor, call: &Call, owner: FieldOwner) -> ApiResult {
    let wanted = Fields::read(&call.params)?;
    let variable = call.path("variable").unwrap_or_default().to_owned();
    let patch = read::patch(owner, |name| call.params.get(name))?;
    let field = fields::change(actor, owner, variable, patch).await?;
    Ok(Answer::value(&field, &wanted)?)
}

pub(crate) async fn change_many(actor: &Actor, call: &Call, owner: FieldOwner) -> ApiResult {
    let wanted = Fields::read(&call.params)?;
    let changes = read::changes(owner, &call.params.get("metadata"))?;
    let all = fields::change_many(actor, owner, changes).await?;
    Ok(Answer::value(&all, &wanted)?)
}
