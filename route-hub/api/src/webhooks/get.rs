//! `GET /projects/{project_id}/webhooks/{webhook_id}`

use crate::webhooks::found;
use crate::webhooks::model::WebhookView;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::webhooks;
use hub_web::{Answer, Fields};

/// Shows one webhook object.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ManageWebhooks).await?;
    let id = call.path_id("webhook_id", "webhook")?;
    let fields = Fields::read(&call.params)?;
    let project_id = project.id;
    let reading = hub
        .store
        .of(project_id)
        .read(move |tx| webhooks::get(tx, project_id, id));
    let view = WebhookView(found(reading.await?)?);
    Ok(Answer::object(&view, &fields))
}
