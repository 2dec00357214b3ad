//! Adding an incoming message as if a phone had received it.

use crate::actor::Actor;
use crate::commands::new_message::Given;
use crate::failure::Failure;
use crate::files;
use crate::labels;
use crate::messages::PERMISSION;
use crate::messages::inbound;
use crate::messages::outgoing::{self, annotate};
use crate::transaction::{Once, Repeat, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::views::message::MessageView;
use hub_domain::{
    Address, Medium, Message, MessageSource, MessageType, Phone, Project, Vars, files_of, numbers,
};
use hub_store::usage;
use hub_view::Refusal;
use postrider_model::{LabelId, MessageText, PhoneId};
use std::sync::Arc;

/// A message that came in elsewhere.
#[derive(Debug, Clone)]
pub struct NewIncoming {
    /// The phone that is to have received it.
    pub phone_id: PhoneId,
    /// What kind of message it is.
    pub message_type: MessageType,
    /// Its text.
    pub content: Option<MessageText>,
    /// Whom it is from, as typed.
    pub from: Address,
    /// Whom it is for, as typed; `None` for the phone's own number.
    pub to: Option<Address>,
    /// Whether it is only a test.
    pub simulated: bool,
    /// Whether it is starred.
    pub starred: bool,
    /// Its custom variables.
    pub vars: Vars,
    /// Its labels.
    pub labels: Vec<LabelId>,
    /// What it carries beside its text, as a parameter says it.
    pub media: Option<Given<Vec<Medium>>>,
}

impl NewIncoming {
    fn media(&self) -> &[Medium] {
        self.media.as_ref().map_or(&[], |media| &media.value)
    }
}

/// Adds an incoming message.
pub async fn receive(
    actor: &Actor,
    mut command: NewIncoming,
    repeat: Option<Repeat>,
    show: impl Fn(MessageView) -> String + Send + 'static,
) -> Result<Once<MessageView>, Failure> {
    actor.require(PERMISSION)?;
    let phone = phone(actor, command.phone_id).await?;
    let ends = Ends::of(&command, &phone, &actor.project)?;
    if let Some(media) = &command.media
        && command.message_type == MessageType::Call
    {
        return Err(Refusal::invalid_param(&media.param, "cannot come with a call").into());
    }
    files::keep(actor, command.media.as_mut()).await?;
    let carried = files_of(command.media());
    let labels = labels::all_known(&actor.hub, &actor.project, command.labels.clone()).await?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        usage::let_go(work.tx);
        let (id, now) = (work.id(), work.now.unix);
        let mut message = Message::incoming(id, &phone, command.message_type, now, now);
        fill(&mut message, &command, &ends);
        if !files::are_there(work.tx, work.project.id, &carried)? {
            return Err(Refusal::invalid_param("media", outgoing::FILE_GONE).into());
        }
        annotate(work, &message, &labels)?;
        hub_store::files::note_message(work.tx, work.project.id, &carried, id)?;
        Ok::<_, Failure>(MessageView {
            message: inbound::store(work, &phone, message, Some(&command.from))?,
            waiting: None,
            addresses: work.addresses(),
            links: Vec::new(),
            label_ids: labels.clone(),
        })
    };
    run_once(actor, repeat, decide, show).await
}

async fn phone(actor: &Actor, id: PhoneId) -> Result<Arc<Phone>, Failure> {
    let (hub, project) = (&actor.hub, actor.project.id);
    let rule = "is not the id of a phone of this project";
    let found = hub.cache.phone(&hub.store, project, id).await?;
    Ok(found.ok_or_else(|| Refusal::invalid_param("phone_id", rule))?)
}

/// Both ends of a message, read in its phone's region.
struct Ends {
    from: Address,
    to: Option<Address>,
}

impl Ends {
    fn of(command: &NewIncoming, phone: &Phone, project: &Project) -> Result<Self, Refusal> {
        let region = phone.country.as_deref().or(project.country.as_deref());
        let to = command.to.as_ref();
        let to = to.map(|typed| numbers::parse(typed.as_str(), region, numbers::Names::Allowed));
        let to = to.transpose();
        let to = to.map_err(|error| Refusal::invalid_param("to_number", error))?;
        Ok(Self {
            from: numbers::sender(command.from.as_str(), region)
                .unwrap_or_else(|| command.from.clone()),
            to: to
                .map(Address::from)
                .or_else(|| phone.phone_number.as_ref().map(Address::from)),
        })
    }
}

fn fill(message: &mut Message, command: &NewIncoming, ends: &Ends) {
    message.source = MessageSource::Api;
    message.content.clone_from(&command.content);
    message.media = command.media().to_vec();
    message.from_number = Some(ends.from.clone());
    message.to_number.clone_from(&ends.to);
    message.simulated = command.simulated;
    message.starred = command.starred;
    message.vars = command.vars.clone();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::tests::Desk;
    use hub_domain::Direction;
    use hub_store::phones;

    fn from(number: &str, phone_id: PhoneId) -> NewIncoming {
        NewIncoming {
            phone_id,
            message_type: MessageType::Sms,
            content: Some("Hi".into()),
            from: Address::new(number).unwrap(),
            to: None,
            simulated: false,
            starred: true,
            vars: Vars::default(),
            labels: Vec::new(),
            media: None,
        }
    }

    #[tokio::test]
    async fn a_number_is_read_where_the_phone_is_and_the_phone_is_its_recipient() {
        let mut desk = Desk::new().await;
        let mut project = (*desk.actor.project).clone();
        project.country = Some("NO".to_owned());
        desk.actor.project = Arc::new(project);
        let mut phone = desk.phone.clone();
        phone.country = Some("US".to_owned());
        let storing = desk
            .actor
            .hub
            .store
            .write(move |tx| phones::update(tx, &phone));
        storing.await.unwrap();
        let command = from("(500) 555-0101", desk.phone.id);
        let done = receive(&desk.actor, command, None, |_| String::new()).await;
        let Ok(Once::Done(view)) = done else {
            panic!("it was not added");
        };
        let message = desk.stored(view.message.id).await;
        assert_eq!(message.from_number, "+15005550101".parse().ok());
        assert_eq!(message.to_number, "+15005550100".parse().ok());
        assert_eq!(message.direction, Direction::Incoming);
        assert_eq!(message.source, MessageSource::Api);
        assert!(message.starred && message.contact_id.is_some());
    }

    #[tokio::test]
    async fn what_cannot_be_added_is_named() {
        let desk = Desk::new().await;
        let nobody = "PN0000000000000001".parse().unwrap();
        let code = NewIncoming {
            to: Address::new("no number at all"),
            ..from("+15005550101", desk.phone.id)
        };
        let address = Medium::of_url("https://files.example/a.jpg".to_owned());
        let carries = |message_type, medium| NewIncoming {
            message_type,
            media: Some(Given::new("media", vec![medium])),
            ..from("+15005550101", desk.phone.id)
        };
        let call = carries(MessageType::Call, address);
        let gone = Medium {
            file_id: Some("FI0000000000000001".parse().unwrap()),
            ..Medium::default()
        };
        let gone = carries(MessageType::Sms, gone);
        for (command, named) in [
            (from("+15005550101", nobody), "phone_id"),
            (code, "to_number"),
            (call, "media"),
            (gone, "media[0][file_id]"),
        ] {
            let refused = receive(&desk.actor, command, None, |_| String::new()).await;
            let refusal = refused.err().map(Failure::into_refusal).unwrap();
            assert_eq!(refusal.param(), Some(named));
        }
    }
}
