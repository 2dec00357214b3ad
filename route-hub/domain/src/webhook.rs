//! Webhook objects, the outbox and its log.

use crate::code::coded;
use postrider_model::{MessageId, ProjectId, Secret, UnixMs, WebhookDeliveryId, WebhookId};

coded! {
    /// What a webhook tells about.
    WebhookEvent {
        /// A status change of an outgoing message.
        SendStatus = "send_status" / 1,
        /// A broadcast was made.
        SendBroadcast = "send_broadcast" / 2,
        /// A contact changed.
        ContactUpdate = "contact_update" / 3,
        /// What people noted on a message changed.
        MessageMetadata = "message_metadata" / 4,
        /// A message came in.
        IncomingMessage = "incoming_message" / 5,
        /// Something needs the operator.
        Alert = "alert" / 6,
    }
}

/// A webhook object of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// Where events go, http or https.
    pub url: String,
    /// The password of HTTP Basic; at most 200 characters.
    pub secret: Option<Secret>,
    /// What it tells about.
    pub events: Vec<WebhookEvent>,
    /// When it was made.
    pub time_created: UnixMs,
}

/// One event for one receiver, waiting to be delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxRow {
    /// Its key; deliveries of one message go in this order.
    pub id: i64,
    /// The project of its cause.
    pub project_id: ProjectId,
    /// The webhook object it is for; none for an address of settings or of a message.
    pub webhook_id: Option<WebhookId>,
    /// The message it tells about: these go one after the other.
    pub message_id: Option<MessageId>,
    /// Scheme, host and port of `url`: the endpoint that shares a limit.
    pub origin: String,
    /// Where it goes.
    pub url: String,
    /// The `secret` parameter, also the key of the signature.
    pub secret: Option<Secret>,
    /// The password of HTTP Basic, where a webhook object asks for it.
    pub basic_password: Option<Secret>,
    /// What it tells about.
    pub event: WebhookEvent,
    /// The form-encoded parameters, without `secret`.
    pub body: String,
    /// Attempts made so far.
    pub attempts: u32,
    /// When the next attempt is due.
    pub due_at: UnixMs,
    /// When its cause was committed.
    pub time_created: UnixMs,
}

coded! {
    /// Where a delivery stands.
    DeliveryStatus {
        /// It is being delivered, or waits for its next attempt.
        Waiting = "waiting" / 1,
        /// Its receiver answered 200.
        Delivered = "delivered" / 2,
        /// It was tried for a day.
        GivenUp = "given_up" / 3,
        /// It ended for newer events: too many of its project waited.
        OverCap = "over_cap" / 4,
    }
}

/// What became of one event for one receiver.
#[derive(Debug, Clone, PartialEq)]
pub struct WebhookDelivery {
    /// Its id; the key is that of the outbox row.
    pub id: WebhookDeliveryId,
    /// The project of its cause.
    pub project_id: ProjectId,
    /// The webhook object it is for; none for an address of settings or of a message.
    pub webhook_id: Option<WebhookId>,
    /// The message it tells about.
    pub message_id: Option<MessageId>,
    /// What it tells about.
    pub event: WebhookEvent,
    /// Where it stands.
    pub status: DeliveryStatus,
    /// When its cause was committed.
    pub time_created: UnixMs,
    /// Where it goes.
    pub url: String,
    /// Its last attempts, the first of them first.
    pub attempts: Vec<DeliveryAttempt>,
    /// The form-encoded parameters, without `secret`.
    pub body: String,
}

/// One attempt to deliver. Rows keep it as JSON.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DeliveryAttempt {
    /// When it ended.
    pub time: UnixMs,
    /// How it ended, in a word.
    pub outcome: String,
    /// The receiver's answer.
    pub http_status: Option<u16>,
}
