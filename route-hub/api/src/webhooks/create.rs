//! `POST /projects/{project_id}/webhooks`

use crate::idempotency::Idempotency;
use crate::webhooks::model::{WebhookPatch, WebhookView};
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Permission, Webhook};
use hub_store::webhooks;
use hub_web::{Answer, ApiError, Fields};

/// Makes a webhook object.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ManageWebhooks).await?;
    let fields = Fields::read(&call.params)?;
    let patch = WebhookPatch::read(&call.params)?;
    let missing = || ApiError::invalid_param("url", "is required");
    let now = hub.now();
    let webhook = Webhook {
        id: hub.id(now),
        project_id: project.id,
        url: patch.url.ok_or_else(missing)?,
        secret: patch.secret.flatten(),
        events: patch.events.unwrap_or_default(),
        time_created: now.unix,
    };
    let _actor = call.caller.key.id;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let cap = work.hub.caps().webhooks;
        if webhooks::count_of_project(work.tx, webhook.project_id)? >= cap {
            let rule = format!("is one too many: a project has at most {cap} webhooks");
            return Err(ApiError::invalid_param("url", rule).into());
        }
        webhooks::insert(work.tx, &webhook)?;
        work.note("webhook.create", webhook.id)?;
        Ok(webhook.clone())
    };
    let show = move |webhook| Answer::object(&WebhookView(webhook), &fields);
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_webhooks(project.id);
    Ok(answer)
}
