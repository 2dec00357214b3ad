//! Making, changing and removing message templates.

use crate::actor::Actor;
use crate::commands::stored_message::{MessagePatch, StoredMessage};
use crate::failure::Failure;
use crate::files;
use crate::message_templates::{PERMISSION, found};
use crate::messages::sending::{Operation, Sending};
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::vars;
use crate::views::message_template::MessageTemplateView;
use hub_domain::{FileHolder, MessageTemplate, Vars, VarsChange};
use hub_store::message_templates;
use hub_view::Refusal;
use postrider_model::{FileId, MessageTemplateId};

/// What is to be changed of a template; `None` stays.
#[derive(Debug, Clone, Default)]
pub struct TemplatePatch {
    /// Its name.
    pub name: Option<String>,
    /// Its text, its attachments and the parameters of its route.
    pub message: MessagePatch,
    /// Whether clicks on the links of its text are to count.
    pub track_clicks: Option<bool>,
    /// How such links are to be made, as JSON; an inner `None` takes it away.
    pub short_link_params: Option<Option<String>>,
    /// Its custom variables.
    pub vars: VarsChange,
}

impl TemplatePatch {
    /// Makes files of the bytes that it brings.
    async fn keep_files(&mut self, actor: &Actor) -> Result<(), Failure> {
        let media = self.message.media.as_mut();
        files::keep(actor, media.and_then(Option::as_mut)).await
    }

    /// Puts it into a template; returns the files that this names then.
    fn apply(&self, template: &mut MessageTemplate) -> Result<Vec<FileId>, Failure> {
        let mut message = StoredMessage::read(&template.message)
            .map_err(|unreadable| unreadable.in_column(message_templates::MESSAGE))?;
        self.message.clone().change(&mut message, true)?;
        if let Some(name) = &self.name {
            template.name.clone_from(name);
        }
        if let Some(track_clicks) = self.track_clicks {
            template.track_clicks = track_clicks;
        }
        if let Some(params) = &self.short_link_params {
            template.short_link_params.clone_from(params);
        }
        vars::apply(&mut template.vars, &self.vars)?;
        if message.item.content.is_none() {
            return Err(Refusal::invalid_param("content", "is required").into());
        }
        Sending::of(&message.options, Operation::Multi)?;
        template.message = message.to_text();
        Ok(message.files())
    }
}

/// Makes a template.
pub async fn create(
    actor: &Actor,
    name: String,
    mut patch: TemplatePatch,
) -> Result<MessageTemplateView, Failure> {
    actor.require(PERMISSION)?;
    patch.keep_files(actor).await?;
    run(actor, move |work| {
        let now = work.now.unix;
        let mut template = MessageTemplate {
            id: work.id(),
            project_id: work.project.id,
            name: name.clone(),
            message: StoredMessage::default().to_text(),
            track_clicks: false,
            short_link_params: None,
            vars: Vars::default(),
            time_created: now,
            time_updated: now,
        };
        let carried = patch.apply(&mut template)?;
        message_templates::insert(work.tx, &template)?;
        stored(work, template, &carried)
    })
    .await
}

/// Changes a template.
pub async fn update(
    actor: &Actor,
    id: MessageTemplateId,
    mut patch: TemplatePatch,
) -> Result<MessageTemplateView, Failure> {
    actor.require(PERMISSION)?;
    patch.keep_files(actor).await?;
    run(actor, move |work| {
        let project = work.project.id;
        let mut template = found(message_templates::get(work.tx, project, id)?)?;
        let carried = patch.apply(&mut template)?;
        template.time_updated = work.now.unix;
        message_templates::update(work.tx, &template)?;
        stored(work, template, &carried)
    })
    .await
}

fn stored(
    work: &mut UnitOfWork<'_, '_>,
    template: MessageTemplate,
    carried: &[FileId],
) -> Result<MessageTemplateView, Failure> {
    let by = (FileHolder::Template, template.id.get());
    files::name_by(work, by, carried)?;
    Ok(MessageTemplateView::new(template, &work.addresses()))
}

/// Removes a template.
pub async fn delete(actor: &Actor, id: MessageTemplateId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        let deleted = message_templates::delete(work.tx, work.project.id, id)?;
        found(deleted.then_some(()))?;
        hub_store::files::let_go(work.tx, FileHolder::Template, id.get(), work.now.unix)?;
        Ok(())
    })
    .await
}
