//! `GET`, `POST` and `DELETE /projects/{project_id}/contacts/{contact_id}`

use crate::contacts::create::GROUPS_MAX;
use crate::contacts::{READ_ONLY, read};
use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::contacts::{self, PERMISSION, VIEW};
use hub_app::hub::Hub;
use hub_web::{Answer, Fields};

/// Shows one contact.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("contact_id", "contact")?;
    let fields = Fields::read(&call.params)?;
    let view = contacts::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Changes what is given of one contact.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("contact_id", "contact")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, &["id"])?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let region = actor.project.country.as_deref();
    let patch = read::patch(|name| call.params.get(name), region)?;
    let groups = read::groups(&call.params, GROUPS_MAX)?;
    let view = contacts::update(&actor, id, patch, groups).await?;
    Ok(Answer::object(&view, &fields))
}

/// Removes a contact; its messages stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("contact_id", "contact")?;
    contacts::delete(&actor, id).await?;
    Ok(Answer::void())
}
