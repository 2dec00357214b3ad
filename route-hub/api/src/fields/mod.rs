//! Fields: what a project says of its contacts' and messages' variables.
//!
//! Both kinds have the same three operations, beside each other.

mod read;

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::fields;
use hub_app::hub::Hub;
use hub_domain::FieldOwner;
use hub_web::{Answer, Fields};

/// Lists the fields of contacts, all in one array.
pub async fn contact_fields(State(hub): State<Hub>, call: Call) -> ApiResult {
    list(&hub, &call, FieldOwner::Contact).await
}

/// Says how a variable of contacts is shown.
pub async fn change_contact_field(State(hub): State<Hub>, call: Call) -> ApiResult {
    change(&hub, &call, FieldOwner::Contact).await
}

/// Says how up to a hundred variables of contacts are shown, or removes them, and lists all fields.
pub async fn change_contact_fields(State(hub): State<Hub>, call: Call) -> ApiResult {
    change_many(&hub, &call, FieldOwner::Contact).await
}

/// Lists the fields of messages, all in one array.
pub async fn message_fields(State(hub): State<Hub>, call: Call) -> ApiResult {
    list(&hub, &call, FieldOwner::Message).await
}

/// Says how a variable of messages is shown.
pub async fn change_message_field(State(hub): State<Hub>, call: Call) -> ApiResult {
    change(&hub, &call, FieldOwner::Message).await
}

/// Says how up to a hundred variables of messages are shown, or removes them, and lists all fields.
pub async fn change_message_fields(State(hub): State<Hub>, call: Call) -> ApiResult {
    change_many(&hub, &call, FieldOwner::Message).await
}

async fn list(hub: &Hub, call: &Call, owner: FieldOwner) -> ApiResult {
    let actor = enter(hub, call, fields::permission_to_view(owner)).await?;
    let wanted = Fields::read(&call.params)?;
    let all = fields::list(&actor, owner).await?;
    Ok(Answer::value(&all, &wanted)?)
}

async fn change(hub: &Hub, call: &Call, owner: FieldOwner) -> ApiResult {
    let actor = enter(hub, call, fields::permission_to_change(owner)).await?;
    let wanted = Fields::read(&call.params)?;
    let variable = call.path("variable").unwrap_or_default().to_owned();
    let patch = read::patch(owner, |name| call.params.get(name))?;
    let field = fields::change(&actor, owner, variable, patch).await?;
    Ok(Answer::value(&field, &wanted)?)
}

async fn change_many(hub: &Hub, call: &Call, owner: FieldOwner) -> ApiResult {
    let actor = enter(hub, call, fields::permission_to_change(owner)).await?;
    let wanted = Fields::read(&call.params)?;
    let changes = read::changes(owner, &call.params.get("metadata"))?;
    let all = fields::change_many(&actor, owner, changes).await?;
    Ok(Answer::value(&all, &wanted)?)
}
