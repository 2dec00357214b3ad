//! `GET /projects/{project_id}/contacts/{contact_id}/messages`

use crate::messages::{Within, list_within};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::contacts;
use hub_web::ApiError;

/// Lists the messages of one contact.
pub async fn messages(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let (project_id, id) = (project.id, call.path_id("contact_id", "contact")?);
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| contacts::get(tx, project_id, id));
    let found = reading.await?;
    found.ok_or_else(|| ApiError::not_found("contact"))?;
    list_within(&hub, &call, &project, Within::Contact(id)).await
}
