//! Events for other servers, as rows that wait for their delivery.

mod form;

pub(crate) use form::Form;

use crate::unit_of_work::UnitOfWork;
use hub_domain::{OutboxRow, Webhook, WebhookEvent};
use hub_outgoing::Target;
use hub_store::{StoreError, outbox};
use postrider_model::{MessageId, Secret, WebhookId};

/// Somebody who wants to be told.
pub(crate) struct Receiver<'a> {
    pub(crate) url: &'a str,
    /// The `secret` parameter and the key of the signature.
    pub(crate) secret: Option<&'a Secret>,
    /// Whether the secret signs in by HTTP Basic too.
    pub(crate) basic: bool,
    /// The webhook object that asks for it.
    pub(crate) webhook_id: Option<WebhookId>,
}

impl<'a> Receiver<'a> {
    /// Returns who is told by a URL of the project's settings, or of a message.
    pub(crate) fn at(url: &'a str, secret: Option<&'a Secret>) -> Self {
        Self {
            url,
            secret,
            basic: false,
            webhook_id: None,
        }
    }

    /// Returns who is told by a webhook object.
    pub(crate) fn of(object: &'a Webhook) -> Self {
        Self {
            url: &object.url,
            secret: object.secret.as_ref(),
            basic: true,
            webhook_id: Some(object.id),
        }
    }
}

/// One event, while its form is filled.
pub(crate) struct Event {
    kind: WebhookEvent,
    message_id: Option<MessageId>,
    /// What the receivers are told.
    pub(crate) form: Form,
}

impl Event {
    /// Begins an event; `message_id` is the message that it is about.
    pub(crate) fn new(kind: WebhookEvent, message_id: Option<MessageId>) -> Self {
        let mut form = Form::default();
        form.text("event", kind.as_str());
        Self {
            kind,
            message_id,
            form,
        }
    }

    /// Writes a row for each receiver.
    pub(crate) fn write(
        self,
        work: &mut UnitOfWork<'_, '_>,
        receivers: &[Receiver<'_>],
    ) -> Result<(), StoreError> {
        let (kind, message_id) = (self.kind, self.message_id);
        let body = self.form.finish();
        for receiver in receivers {
            let secret = receiver.secret.cloned();
            let row = OutboxRow {
                id: work.key().get(),
                project_id: work.project.id,
                webhook_id: receiver.webhook_id,
                message_id,
                origin: origin(receiver.url),
                url: receiver.url.to_owned(),
                basic_password: secret.clone().filter(|_| receiver.basic),
                secret,
                event: kind,
                body: body.clone(),
                attempts: 0,
                due_at: work.now.unix,
                time_created: work.now.unix,
            };
            outbox::insert(work.tx, &row)?;
            work.effects.webhooks();
        }
        Ok(())
    }
}

/// Returns the endpoint of a URL. URLs are checked where they are set. A row whose URL became
/// unusable is kept, so that the log says why it is never delivered.
pub(crate) fn origin(url: &str) -> String {
    Target::parse(url).map_or_else(|_| "unusable".to_owned(), |target| target.origin())
}
