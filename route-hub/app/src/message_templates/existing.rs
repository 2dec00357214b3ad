//! Looking at message templates.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::message_templates::{VIEW, found};
use crate::views::message_template::MessageTemplateView;
use hub_store::message_templates;
use postrider_model::MessageTemplateId;

/// Returns one template.
pub async fn get(actor: &Actor, id: MessageTemplateId) -> Result<MessageTemplateView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let reading = share.read(move |tx| message_templates::get(tx, project, id));
    let template = found(reading.await?)?;
    Ok(MessageTemplateView::new(template, &actor.addresses()))
}

/// Lists the templates of a project.
pub async fn list(
    actor: &Actor,
    request: ListRequest,
) -> Result<Listed<MessageTemplateView>, Failure> {
    actor.require(VIEW)?;
    let addresses = actor.addresses();
    let view = move |template| MessageTemplateView::new(template, &addresses);
    let (list, count) = (message_templates::list, message_templates::count);
    listing::of_project(actor, request, list, count, view).await
}
