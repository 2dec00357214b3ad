//! Contacts: the people on the other side.

use crate::code::coded;
use crate::{Address, RouteId, Vars};
use postrider_model::{BroadcastId, ContactId, MessageId, PhoneNumber, ProjectId, UnixMs};

coded! {
    /// Whether somebody still has to answer.
    ConversationStatus {
        /// A message came and nobody dealt with it yet.
        Active = "active" / 1,
        /// It was dealt with.
        Handled = "handled" / 2,
        /// The conversation is over.
        Closed = "closed" / 3,
    }
}

/// A contact of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Its id.
    pub id: ContactId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// Its name.
    pub name: Option<String>,
    /// Its number as it is shown and dialled, or what else it calls itself.
    pub phone_number: Option<Address>,
    /// The same in E.164, when it can be written so.
    pub number_e164: Option<PhoneNumber>,
    /// Whether nothing may be sent to it.
    pub send_blocked: bool,
    /// Whether somebody still has to answer.
    pub conversation_status: ConversationStatus,
    /// The phone or custom route that sends to it; `None`: the project's default.
    pub default_route_id: Option<RouteId>,
    /// The caller's own variables.
    pub vars: Vars,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it was changed last.
    pub time_updated: UnixMs,
    /// When the last message was made, either way.
    pub last_message_time: Option<UnixMs>,
    /// When the last incoming message was made.
    pub last_incoming_message_time: Option<UnixMs>,
    /// When the last outgoing message was made.
    pub last_outgoing_message_time: Option<UnixMs>,
    /// Messages that are not deleted, both ways.
    pub message_count: i64,
    /// Those that came in.
    pub incoming_message_count: i64,
    /// Those that went out.
    pub outgoing_message_count: i64,
    /// The last message.
    pub last_message_id: Option<MessageId>,
    /// The broadcast of the last message that went out, if it is part of one.
    pub last_broadcast_id: Option<BroadcastId>,
}

impl Contact {
    /// Makes a contact that has no message yet.
    pub fn new(
        id: ContactId,
        project_id: ProjectId,
        phone_number: Option<Address>,
        number_e164: Option<PhoneNumber>,
        now: UnixMs,
    ) -> Self {
        Self {
            id,
            project_id,
            name: None,
            phone_number,
            number_e164,
            send_blocked: false,
            conversation_status: ConversationStatus::Closed,
            default_route_id: None,
            vars: Vars::default(),
            time_created: now,
            time_updated: now,
            last_message_time: None,
            last_incoming_message_time: None,
            last_outgoing_message_time: None,
            message_count: 0,
            incoming_message_count: 0,
            outgoing_message_count: 0,
            last_message_id: None,
            last_broadcast_id: None,
        }
    }
}
