//! Messages, both ways.

use crate::code::coded;
use crate::{
    Address, DataSms, Disclosure, Medium, MessageType, Phone, PhoneType, Price, Sight, Vars,
};
use postrider_link::ownership::hub::{self, HubState, Ownership, Rules};
use postrider_model::{
    BroadcastId, CampaignId, ContactId, CustomRouteId, MessageId, MessageStatus, MessageText,
    PhoneId, ProjectId, ScheduledId, Secret, UnixMs,
};

coded! {
    /// Which way a message goes.
    Direction {
        /// To the project.
        Incoming = "incoming" / 0,
        /// From the project.
        Outgoing = "outgoing" / 1,
    }
}

coded! {
    /// Who made a message.
    MessageSource {
        /// A phone.
        Phone = "phone" / 1,
        /// A gateway provider.
        Provider = "provider" / 2,
        /// A person in the console.
        Web = "web" / 3,
        /// A program, by the REST API.
        Api = "api" / 4,
        /// A service.
        Service = "service" / 5,
        /// The answer of a webhook.
        Webhook = "webhook" / 6,
        /// A schedule.
        Scheduled = "scheduled" / 7,
        /// An integration.
        Integration = "integration" / 8,
        /// A tool of a language model.
        Mcp = "mcp" / 9,
    }
}

coded! {
    /// What the sender wants when nobody can know whether a message went on the air.
    OnUnknown {
        /// It ends as `failed` with `unknown_outcome`.
        Report = "report" / 0,
        /// It is sent again, at the risk of a double.
        Resend = "resend" / 1,
    }
}

/// Returns the integer that stands for a status in the database.
pub const fn status_code(status: MessageStatus) -> i64 {
    match status {
        MessageStatus::Queued => 1,
        MessageStatus::Sent => 2,
        MessageStatus::Failed => 3,
        MessageStatus::FailedQueued => 4,
        MessageStatus::Delivered => 5,
        MessageStatus::NotDelivered => 6,
        MessageStatus::Cancelled => 7,
        MessageStatus::Received => 8,
        MessageStatus::Processing => 9,
        MessageStatus::Ignored => 10,
        MessageStatus::Read => 11,
    }
}

/// Returns the status of a stored integer.
pub const fn status_from_code(code: i64) -> Option<MessageStatus> {
    Some(match code {
        1 => MessageStatus::Queued,
        2 => MessageStatus::Sent,
        3 => MessageStatus::Failed,
        4 => MessageStatus::FailedQueued,
        5 => MessageStatus::Delivered,
        6 => MessageStatus::NotDelivered,
        7 => MessageStatus::Cancelled,
        8 => MessageStatus::Received,
        9 => MessageStatus::Processing,
        10 => MessageStatus::Ignored,
        11 => MessageStatus::Read,
        _ => return None,
    })
}

/// A message of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// The contact on the other side; `None` where the project makes no contacts by itself.
    pub contact_id: Option<ContactId>,
    /// The phone that sends or received it.
    pub phone_id: PhoneId,
    /// The custom route that picked the phone.
    pub route_id: Option<CustomRouteId>,
    /// Which way it goes.
    pub direction: Direction,
    /// What kind of message it is.
    pub message_type: MessageType,
    /// Who made it.
    pub source: MessageSource,
    /// Its status as the API shows it.
    pub status: MessageStatus,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it went on the air, or was sent by the other side.
    pub time_sent: Option<UnixMs>,
    /// When it was changed last.
    pub time_updated: UnixMs,
    /// Whom it is from.
    pub from_number: Option<Address>,
    /// Whom it is for.
    pub to_number: Option<Address>,
    /// Its text.
    pub content: Option<MessageText>,
    /// Whether somebody starred it.
    pub starred: bool,
    /// Whether it is only a test.
    pub simulated: bool,
    /// 1 or 2; higher is sent first.
    pub priority: u8,
    /// What went wrong, for people.
    pub error_message: Option<String>,
    /// What went wrong, for programs.
    pub error_code: Option<String>,
    /// The id that a gateway gave it.
    pub external_id: Option<String>,
    /// Its SMS parts.
    pub num_parts: Option<u32>,
    /// The network it went through.
    pub network_code: Option<String>,
    /// What it cost, once it was sent on a phone that has a tariff.
    pub price: Option<Price>,
    /// Seconds of a call, -1 when nobody answered.
    pub duration_sec: Option<i64>,
    /// Seconds that a call rang.
    pub ring_time_sec: Option<i64>,
    /// The caller's own variables.
    pub vars: Vars,
    /// Parameters for the route, as JSON.
    pub route_params: Option<String>,
    /// Where its status changes are reported, before the project's setting.
    pub status_url: Option<String>,
    /// The `secret` parameter of those reports.
    pub status_secret: Option<Secret>,
    /// Who may send it; `None` of one that came in.
    pub ownership: Option<Ownership>,
    /// What the sender wants when the outcome is unknown.
    pub on_unknown: OnUnknown,
    /// When it may no longer be sent.
    pub life_end: Option<UnixMs>,
    /// Whether it was deleted.
    pub hidden: bool,
    /// Which parts have ended and how, as JSON, while there are several.
    pub parts_done: Option<String>,
    /// The scheduled message that made it.
    pub scheduled_id: Option<ScheduledId>,
    /// The broadcast that it is part of.
    pub broadcast_id: Option<BroadcastId>,
    /// The campaign that it is part of.
    pub campaign_id: Option<CampaignId>,
    /// What it shows to those who may not view contacts.
    pub disclosure: Disclosure,
    /// What it carries beside its text.
    pub media: Vec<Medium>,
    /// Whether the URLs in its text are short links whose clicks count.
    pub track_clicks: bool,
}

impl Message {
    /// Makes a message that a phone received; what it says is still to be set.
    pub fn incoming(
        id: MessageId,
        phone: &Phone,
        message_type: MessageType,
        time_created: UnixMs,
        now: UnixMs,
    ) -> Self {
        Self {
            direction: Direction::Incoming,
            source: MessageSource::Phone,
            status: MessageStatus::Received,
            time_created,
            ..Self::blank(id, phone, message_type, now)
        }
    }

    /// Makes a message that waits until a phone sends it; whom it is for and what it says are still
    /// to be set.
    pub fn outgoing(id: MessageId, phone: &Phone, message_type: MessageType, now: UnixMs) -> Self {
        let mut message = Self {
            ownership: Some(Ownership::new()),
            ..Self::blank(id, phone, message_type, now)
        };
        message.send_by(phone);
        message
    }

    /// Makes a message that says the same as this one, and waits until a phone sends it.
    #[must_use]
    pub fn copied(&self, id: MessageId, now: UnixMs, life_end: UnixMs) -> Self {
        Self {
            id,
            source: MessageSource::Api,
            status: MessageStatus::Queued,
            time_created: now,
            time_sent: None,
            time_updated: now,
            starred: false,
            error_message: None,
            error_code: None,
            external_id: None,
            network_code: None,
            price: None,
            duration_sec: None,
            ring_time_sec: None,
            ownership: Some(Ownership::new()),
            life_end: Some(life_end),
            parts_done: None,
            scheduled_id: None,
            broadcast_id: None,
            campaign_id: None,
            ..self.clone()
        }
    }

    /// Says which phone is to send it; on a test route it is only a test.
    pub fn send_by(&mut self, phone: &Phone) {
        self.phone_id = phone.id;
        self.from_number = phone.phone_number.as_ref().map(Address::from);
        self.simulated |= phone.phone_type == PhoneType::Simulated;
    }

    fn blank(id: MessageId, phone: &Phone, message_type: MessageType, now: UnixMs) -> Self {
        Self {
            id,
            project_id: phone.project_id,
            contact_id: None,
            phone_id: phone.id,
            route_id: None,
            direction: Direction::Outgoing,
            message_type,
            source: MessageSource::Api,
            status: MessageStatus::Queued,
            time_created: now,
            time_sent: None,
            time_updated: now,
            from_number: None,
            to_number: None,
            content: None,
            starred: false,
            simulated: false,
            priority: 1,
            error_message: None,
            error_code: None,
            external_id: None,
            num_parts: None,
            network_code: None,
            price: None,
            duration_sec: None,
            ring_time_sec: None,
            vars: Vars::default(),
            route_params: None,
            status_url: None,
            status_secret: None,
            ownership: None,
            on_unknown: OnUnknown::Report,
            life_end: None,
            hidden: false,
            parts_done: None,
            scheduled_id: None,
            broadcast_id: None,
            campaign_id: None,
            disclosure: Disclosure::default(),
            media: Vec::new(),
            track_clicks: false,
        }
    }

    /// Returns where an outgoing message is; `None` of one that came in.
    pub fn state(&self) -> Option<HubState> {
        self.ownership.as_ref().map(|owned| owned.state)
    }

    /// Says whether it waits at the hub.
    pub fn is_waiting(&self) -> bool {
        self.state() == Some(HubState::Waiting)
    }

    /// Returns how often it was given to a phone.
    pub fn send_attempts(&self) -> u32 {
        self.ownership
            .as_ref()
            .map_or(0, |owned| owned.send_attempts)
    }

    /// Returns what its transitions go by at `now`, as far as the message itself says it.
    pub fn rules(&self, now: UnixMs) -> Rules {
        Rules {
            on_unknown: match self.on_unknown {
                OnUnknown::Report => hub::OnUnknown::Report,
                OnUnknown::Resend => hub::OnUnknown::Resend,
            },
            life_left: self.life_end.is_none_or(|end| now < end),
            other_route: false,
        }
    }

    /// Says whether there may be short links in its text.
    pub fn may_have_links(&self) -> bool {
        self.direction == Direction::Outgoing && (self.track_clicks || !self.media.is_empty())
    }

    /// Returns the payload of a data message.
    pub fn data(&self) -> Option<DataSms> {
        if self.message_type != MessageType::Sms {
            return None;
        }
        DataSms::of_params(self.route_params.as_ref()?)
    }

    /// Notes what was true of its phone when it was sent: the network, and what the tariff makes of it.
    pub fn note_sent_on(&mut self, phone: &Phone) {
        self.network_code.clone_from(&phone.mccmnc);
        self.note_price(phone);
    }

    /// Returns the message as a reader may see it.
    ///
    /// Of a message from before it was kept how texts were written, only those who may view
    /// messages or contacts see the text: it may hold anything.
    #[must_use]
    pub fn shown_to(mut self, sight: Sight) -> Self {
        if sight.sees_contacts() || self.direction == Direction::Incoming {
            return self;
        }
        let is_old = self.disclosure.maker_sees.is_none();
        if let Some(template) = &self.disclosure.template {
            self.content = Some(template.clone());
            self.num_parts = None;
        } else if is_old && sight == Sight::Sender {
            self.content = None;
            self.num_parts = None;
        }
        self
    }

    /// Notes how long a call lasted and rang, in seconds, as its phone says; says whether that was
    /// new. A negative length means that nobody answered, a negative ring time that it is not known.
    pub fn note_call(&mut self, duration_sec: Option<i64>, ring_sec: Option<i64>) -> bool {
        let duration = duration_sec.map(|seconds| seconds.max(-1));
        let ring = ring_sec.filter(|seconds| *seconds >= 0);
        let before = (self.duration_sec, self.ring_time_sec);
        self.duration_sec = duration.or(self.duration_sec);
        self.ring_time_sec = ring.or(self.ring_time_sec);
        (self.duration_sec, self.ring_time_sec) != before
    }
}
