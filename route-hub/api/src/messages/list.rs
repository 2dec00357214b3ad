//! `GET /projects/{project_id}/messages`, and the messages of one phone or contact.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, NE_EXISTS, code};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::messages::waiting;
use hub_domain::{Direction, MessageSource, MessageType, Permission, Project, status_code};
use hub_store::list::{Filter, Op, Operand};
use hub_store::messages::{self, by};
use postrider_model::{ContactId, LabelId, PhoneId, kind};
use std::sync::Arc;

const LIST: List = List {
    filters: &[
        Entry::within::<kind::Label>("label_id", by::LABEL),
        Entry::one_of(
            "direction",
            &["incoming", "outgoing"],
            by::DIRECTION,
            |value| code(value, |name| name.parse().ok().map(Direction::code)),
        ),
        Entry::one_of("message_type", TYPES, by::MESSAGE_TYPE, |value| {
            code(value, |name| name.parse().ok().map(MessageType::code))
        }),
        Entry::one_of("source", SOURCES, by::SOURCE, |value| {
            code(value, |name| name.parse().ok().map(MessageSource::code))
        }),
        Entry::flag("starred", by::STARRED),
        Entry::one_of("status", STATUSES, by::STATUS, |value| {
            code(value, |name| name.parse().ok().map(status_code))
        }),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::text("external_id", by::EXTERNAL_ID, NE_EXISTS),
        Entry::id::<kind::Contact>("contact_id", by::CONTACT_ID, NE_EXISTS),
        Entry::id::<kind::Phone>("phone_id", by::PHONE_ID, EQUAL),
        Entry::id::<kind::Broadcast>("broadcast_id", by::BROADCAST_ID, NE_EXISTS),
        Entry::id::<kind::Scheduled>("scheduled_id", by::SCHEDULED_ID, NE_EXISTS),
        Entry::within::<kind::Group>("group_id", by::GROUP),
    ],
    sorts: &[DEFAULT],
};

const TYPES: &[&str] = &[
    "sms",
    "mms",
    "ussd",
    "ussd_session",
    "call",
    "chat",
    "service",
];

const SOURCES: &[&str] = &[
    "phone",
    "provider",
    "web",
    "api",
    "service",
    "webhook",
    "scheduled",
    "integration",
    "mcp",
];

const STATUSES: &[&str] = &[
    "ignored",
    "processing",
    "received",
    "sent",
    "queued",
    "failed",
    "failed_queued",
    "cancelled",
    "delivered",
    "not_delivered",
    "read",
];

/// Lists the messages of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    list_within(&hub, &call, &project, Within::Project).await
}

/// Whose messages a list is limited to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Within {
    /// All of the project's.
    Project,
    /// Those of one phone.
    Phone(PhoneId),
    /// Those of one contact.
    Contact(ContactId),
    /// Those that have a label.
    Label(LabelId),
}

impl Within {
    fn filter(self) -> Option<Filter> {
        let (column, key) = match self {
            Self::Project => return None,
            Self::Phone(id) => (by::PHONE_ID, id.get()),
            Self::Contact(id) => (by::CONTACT_ID, id.get()),
            Self::Label(id) => return Some(Filter::within(by::LABEL, id.get())),
        };
        Some(Filter::new(column, Op::Eq, Operand::Int(key)))
    }
}

/// Lists messages with every filter that messages have.
pub(crate) async fn list_within(
    hub: &Hub,
    call: &Call,
    project: &Arc<Project>,
    within: Within,
) -> ApiResult {
    let mut asked = LIST.read(&call.params)?;
    asked.query.filters.extend(within.filter());
    let (id, now, sight) = (project.id, hub.now(), call.caller.sight());
    let (inside, of) = (hub.clone(), Arc::clone(project));
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| messages::list(tx, id, query),
            move |tx, query| messages::count(tx, id, query),
            move |tx, rows| waiting::show(&inside, tx, &of, rows, sight, now),
        )
        .await
}
