//! `POST /projects/{project_id}/webhooks/{webhook_id}`

use crate::idempotency::Idempotency;
use crate::webhooks::found;
use crate::webhooks::model::{WebhookPatch, WebhookView};
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::webhooks;
use hub_web::{Answer, Fields};

/// Changes a webhook object.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ManageWebhooks).await?;
    let id = call.path_id("webhook_id", "webhook")?;
    let fields = Fields::read(&call.params)?;
    let patch = WebhookPatch::read(&call.params)?;
    let _now = hub.now();
    let _actor = call.caller.key.id;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut webhook = found(webhooks::get(work.tx, work.project.id, id)?)?;
        if let Some(url) = &patch.url {
            webhook.url.clone_from(url);
        }
        if let Some(secret) = &patch.secret {
            webhook.secret.clone_from(secret);
        }
        if let Some(events) = &patch.events {
            webhook.events.clone_from(events);
        }
        webhooks::update(work.tx, &webhook)?;
        work.note("webhook.update", id)?;
        Ok(webhook)
    };
    let show = move |webhook| Answer::object(&WebhookView(webhook), &fields);
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_webhooks(project.id);
    Ok(answer)
}
