//! Making, changing and removing webhook objects.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::transaction::run_audited;
use crate::views::webhook::WebhookView;
use crate::webhook_objects::{PERMISSION, found};
use hub_domain::{Webhook, WebhookEvent};
use hub_store::webhooks;
use hub_view::Refusal;
use postrider_model::{Secret, WebhookId};

/// A webhook object to be made.
#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// Where events go.
    pub url: String,
    /// The password of HTTP Basic.
    pub secret: Option<Secret>,
    /// What it tells about.
    pub events: Vec<WebhookEvent>,
}

/// Makes a webhook object.
pub async fn create(actor: &Actor, command: NewWebhook) -> Result<WebhookView, Failure> {
    actor.require(PERMISSION)?;
    let cap = actor.hub.caps().webhooks;
    let made = run_audited(actor, move |work| {
        if webhooks::count_of_project(work.tx, work.project.id)? >= cap {
            let rule = format!("is one too many: a project has at most {cap} webhooks");
            return Err(Failure::from(Refusal::invalid_param("url", rule)));
        }
        let webhook = Webhook {
            id: work.id(),
            project_id: work.project.id,
            url: command.url.clone(),
            secret: command.secret.clone(),
            events: command.events.clone(),
            time_created: work.now.unix,
        };
        webhooks::insert(work.tx, &webhook)?;
        work.note("webhook.create", webhook.id)?;
        Ok(WebhookView(webhook))
    });
    let made = made.await?;
    actor.hub.cache.forget_webhooks(actor.project.id);
    Ok(made)
}

/// What is to be changed of a webhook object; `None` stays.
#[derive(Debug, Clone, Default)]
pub struct WebhookPatch {
    /// Where events go.
    pub url: Option<String>,
    /// The password of HTTP Basic; an inner `None` takes it away.
    pub secret: Option<Option<Secret>>,
    /// What it tells about.
    pub events: Option<Vec<WebhookEvent>>,
}

impl WebhookPatch {
    fn apply(&self, webhook: &mut Webhook) {
        if let Some(url) = &self.url {
            webhook.url.clone_from(url);
        }
        if let Some(secret) = &self.secret {
            webhook.secret.clone_from(secret);
        }
        if let Some(events) = &self.events {
            webhook.events.clone_from(events);
        }
    }
}

/// Changes a webhook object.
pub async fn update(
    actor: &Actor,
    id: WebhookId,
    patch: WebhookPatch,
) -> Result<WebhookView, Failure> {
    actor.require(PERMISSION)?;
    let changed = run_audited(actor, move |work| {
        let mut webhook = found(webhooks::get(work.tx, work.project.id, id)?)?;
        patch.apply(&mut webhook);
        webhooks::update(work.tx, &webhook)?;
        work.note("webhook.update", id)?;
        Ok::<_, Failure>(WebhookView(webhook))
    });
    let changed = changed.await?;
    actor.hub.cache.forget_webhooks(actor.project.id);
    Ok(changed)
}

/// Removes a webhook object; what waits to be delivered for it is still delivered.
pub async fn delete(actor: &Actor, id: WebhookId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let deleted = run_audited(actor, move |work| {
        let project = work.project.id;
        found(webhooks::get(work.tx, project, id)?)?;
        webhooks::delete(work.tx, project, id)?;
        work.note("webhook.delete", id)?;
        Ok::<_, Failure>(())
    });
    deleted.await?;
    actor.hub.cache.forget_webhooks(actor.project.id);
    Ok(())
}
