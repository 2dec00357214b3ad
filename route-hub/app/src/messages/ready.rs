//! What is made ready for a job by a reader, before the job: texts with variables in them, and which
//! groups that change by themselves the recipients are in.
//!
//! Everybody waits for the one writer, and its budget does not see work outside the engine. So texts
//! are written here, from an unchanging state of the database, and the job only looks whether what
//! they were written from is still so; if not, it writes the text itself.

use crate::hub::Hub;
use crate::messages::draft::{Draft, Shared};
use crate::messages::outgoing::{self, Reached, SendError};
use crate::messages::sender::Sender;
use crate::messages::sending::Body;
use crate::messages::writing::Writing;
use crate::unit_of_work::{KnownGroups, UnitOfWork};
use hub_domain::{Contact, Phone, Project};
use hub_rules::{Scope, Template};
use hub_store::StoreError;
use postrider_model::{Id, Key, Now};
use std::borrow::Cow;
use std::sync::Arc;

/// Most messages that one job of a reader makes ready.
const STEP: usize = 10;

/// What was made ready for the messages of a job.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ready {
    texts: Vec<Option<Text>>,
    groups: KnownGroups,
}

/// A text that was written before its job.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    /// What tells the variables that it was written from, from others.
    fingerprint: u64,
    /// What its message carries, or why it cannot be written.
    body: Result<Body, String>,
}

impl Ready {
    /// Makes ready what messages need; nothing where they need nothing. Who cannot be sent to at all
    /// is `None`, and has a place all the same.
    pub(crate) async fn of(
        hub: &Hub,
        project: &Arc<Project>,
        shared: &Shared,
        drafts: &[Option<&Draft>],
        now: Now,
    ) -> Result<Self, StoreError> {
        let mut ready = Self::default();
        let mut bodies = drafts.iter().flatten().map(|draft| &draft.body);
        if !bodies.any(|body| needs_a_reader(shared, body)) {
            return Ok(ready);
        }
        let shared = Arc::new(shared.clone());
        for step in drafts.chunks(STEP) {
            let (inside, of, shared) = (hub.clone(), Arc::clone(project), Arc::clone(&shared));
            let step: Vec<_> = step.iter().map(|draft| draft.cloned()).collect();
            let reading = hub.store.of(project.id).read(move |tx| {
                let mut work = UnitOfWork::new(&inside, tx, &of, now);
                let texts = step.iter().map(|draft| match draft {
                    Some(draft) => text(&mut work, &shared, draft),
                    None => Ok(None),
                });
                let texts = texts.collect::<Result<Vec<_>, StoreError>>()?;
                Ok((texts, std::mem::take(&mut work.groups)))
            });
            let (texts, groups) = reading.await?;
            ready.texts.extend(texts);
            ready.groups.extend(groups);
        }
        Ok(ready)
    }

    /// Tells a job what is known of groups; its texts are asked for one by one.
    pub(crate) fn begin(&self, work: &mut UnitOfWork<'_, '_>) {
        work.groups.extend(&self.groups);
    }

    /// Returns the text of one of the messages, by their order.
    pub(crate) fn text(&self, index: usize) -> Option<&Text> {
        self.texts.get(index).and_then(Option::as_ref)
    }
}

/// Says whether there is anything to make ready for a message.
pub(crate) fn needs_a_reader(shared: &Shared, body: &Body) -> bool {
    body.template.is_some()
        || matches!(&shared.sender, Sender::Route(route) if !route.actions.groups().is_empty())
}

/// Writes one text as its job would, and has whoever picks its phone look at its groups.
fn text(
    work: &mut UnitOfWork<'_, '_>,
    shared: &Shared,
    draft: &Draft,
) -> Result<Option<Text>, StoreError> {
    let reached = match outgoing::reach(work, shared, draft) {
        Err(SendError::Store(error)) => return Err(error),
        reached => reached,
    };
    let (Ok(reached), Some(template)) = (reached, &draft.body.template) else {
        return Ok(None);
    };
    let contact = contact_of(work, &reached);
    let by = (&*reached.phone, work.project);
    Ok(Some(Text::write(&shared.writing, template, &contact, by)))
}

/// Returns what a message carries: its text as it was made ready, unless what it was written from
/// has changed.
///
/// # Errors
/// Why its text cannot be written.
pub(crate) fn body_of<'d>(
    work: &UnitOfWork<'_, '_>,
    writing: &Writing,
    draft: &'d Draft,
    reached: &Reached,
    ready: Option<&'d Text>,
) -> Result<Cow<'d, Body>, String> {
    let Some(template) = &draft.body.template else {
        return Ok(Cow::Borrowed(&draft.body));
    };
    let contact = contact_of(work, reached);
    let (phone, project) = (&reached.phone, work.project);
    match ready.and_then(|text| text.still(template, &scope(&contact, phone, project))) {
        Some(body) => body.as_ref().map(Cow::Borrowed).map_err(String::clone),
        None => {
            let written = writing.written(template, &contact, phone, project);
            written.map(Cow::Owned)
        }
    }
}

impl Text {
    /// Writes a text for whom its variables stand for.
    fn write(
        writing: &Writing,
        template: &Template,
        contact: &Contact,
        by: (&Phone, &Project),
    ) -> Self {
        let (phone, project) = by;
        Self {
            fingerprint: template.fingerprint(&scope(contact, phone, project)),
            body: writing.written(template, contact, phone, project),
        }
    }

    /// Returns it, unless what it was written from has changed.
    fn still(&self, template: &Template, scope: &Scope<'_>) -> Option<&Result<Body, String>> {
        (self.fingerprint == template.fingerprint(scope)).then_some(&self.body)
    }
}

/// Returns the contact that a text is written for, who may be new.
fn contact_of<'r>(work: &UnitOfWork<'_, '_>, reached: &'r Reached) -> Cow<'r, Contact> {
    match &reached.contact {
        Some(contact) => Cow::Borrowed(contact),
        None => {
            let (no_id_yet, to) = (Id::new(Key::default()), Some(reached.to.clone()));
            let new = Contact::new(no_id_yet, work.project.id, to, None, work.now.unix);
            Cow::Owned(new)
        }
    }
}

/// Returns what the variables of a message stand for.
pub(crate) fn scope<'s>(contact: &'s Contact, phone: &'s Phone, project: &'s Project) -> Scope<'s> {
    Scope::new()
        .with("contact", contact)
        .with("phone", phone)
        .with("project", project)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::new_message::SendOptions;
    use crate::messages::linking::Linking;
    use crate::messages::sending::Sending;
    use crate::messages::tests::{message, phone, project};
    use hub_domain::VarsChange;
    use postrider_model::UnixMs;
    use serde_json::json;

    #[test]
    fn a_text_is_taken_as_it_was_made_ready_until_what_it_says_changes() {
        let (phone, project) = (phone(), project());
        let to = message().to_number;
        let id = Id::new(Key::default());
        let mut contact = Contact::new(id, project.id, to, None, UnixMs(0));
        let set = |contact: &mut Contact, vars| {
            let change = VarsChange::parse(&vars).unwrap();
            contact.vars.apply(change).unwrap();
        };
        set(&mut contact, json!({ "city": "Oslo" }));
        let template = Template::parse("[[contact.vars.city]] [[phone.name]]").unwrap();
        let plain = (SendOptions::default(), Linking::plain(false));
        let writing = Writing::of(&plain.0, &Sending::Text, &project, plain.1).unwrap();
        let text = Text::write(&writing, &template, &contact, (&phone, &project));
        let current = |contact: &Contact| {
            let body = text.still(&template, &scope(contact, &phone, &project))?;
            let content = body.as_ref().ok()?.content.as_ref()?;
            Some(content.blank().to_owned())
        };
        let written = format!("Oslo {}", phone.name);
        assert_eq!(current(&contact).as_ref(), Some(&written));
        contact.message_count += 1;
        set(&mut contact, json!({ "other": "x" }));
        assert_eq!(current(&contact), Some(written), "nothing that it says");
        set(&mut contact, json!({ "city": "Rome" }));
        assert_eq!(current(&contact), None);
    }
}
