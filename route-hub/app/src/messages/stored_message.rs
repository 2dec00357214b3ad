//! A message that is sent later, made, changed and checked by whoever asks.

use crate::commands::stored_message::{MessagePatch, StoredMessage};

use crate::actor::Actor;
use crate::failure::Failure;
use crate::files;
use crate::hub::Hub;
use crate::labels;
use crate::messages::planned::Planned;
use crate::messages::sending::Operation;
use hub_domain::Project;
use hub_view::RefusalCode;
use postrider_model::Now;
use std::mem;

impl StoredMessage {
    /// Makes the message that somebody gives.
    pub async fn new(actor: &Actor, given: MessagePatch) -> Result<Self, Failure> {
        let mut message = given.new_message(Some(actor.sight().sees_contacts()))?;
        files::keep(actor, message.options.media.as_mut()).await?;
        Ok(message)
    }

    /// Changes what somebody gives, and checks the whole; labels that are not given and are gone
    /// since are left out.
    pub(crate) async fn change(
        &mut self,
        actor: &Actor,
        given: MessagePatch,
    ) -> Result<Planned, Failure> {
        let names_labels = given.labels.is_some();
        let names_media = given.media.is_some();
        given.change(self, actor.sight().sees_contacts())?;
        if names_media {
            files::keep(actor, self.options.media.as_mut()).await?;
        }
        if names_labels {
            self.planned(&actor.hub, &actor.project, actor.now).await
        } else {
            self.planned_again(&actor.hub, &actor.project, actor.now)
                .await
        }
    }

    /// Checks it as a message that is made now.
    pub(crate) async fn planned(
        &self,
        hub: &Hub,
        project: &Project,
        now: Now,
    ) -> Result<Planned, Failure> {
        Planned::of(hub, project, self, Operation::Single, now).await
    }

    /// As [`Self::planned`], for many: a code is nobody's.
    pub(crate) async fn planned_for_many(&self, actor: &Actor) -> Result<Planned, Failure> {
        let (hub, project) = (&actor.hub, &actor.project);
        Planned::of(hub, project, self, Operation::Multi, actor.now).await
    }

    /// Checks what was checked before: labels that are gone since are left out.
    async fn planned_again(
        &mut self,
        hub: &Hub,
        project: &Project,
        now: Now,
    ) -> Result<Planned, Failure> {
        let labels = mem::take(&mut self.options.labels);
        self.options.labels = labels::still_known(hub, project, labels).await?;
        self.planned(hub, project, now).await
    }

    /// Checks what is to be sent now, or says why it cannot be; `None` when that may be over in a
    /// moment.
    pub(crate) async fn ready(
        &mut self,
        hub: &Hub,
        project: &Project,
        now: Now,
    ) -> Option<Result<Planned, String>> {
        match self.planned_again(hub, project, now).await {
            Ok(planned) => Some(Ok(planned)),
            Err(failure) => {
                let refusal = failure.into_refusal();
                let is_its_own = refusal.code() == RefusalCode::InvalidParam;
                is_its_own.then(|| Err(refusal.message().to_owned()))
            }
        }
    }
}
