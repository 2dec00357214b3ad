//! `GET /projects/{project_id}/messages`, and the messages of one phone or contact.

use super::waiting;
use crate::api::lists::{self, Listed, Meaning, code, id, plain};
use crate::api::{ApiResult, Call, Failure, enter};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::{Direction, MessageSource, MessageType, Permission, Project, status_code};
use hub_store::list::{Filter, Op, Operand, Page};
use hub_store::messages::{self, by};
use hub_web::{FilterKind, FilterSpec, ListQuery, ListSpec, Modifier};
use postrider_model::{ContactId, PhoneId, kind};
use std::sync::Arc;

const ID_MODIFIERS: &[Modifier] = &[Modifier::Ne, Modifier::Exists];

const SPEC: ListSpec = ListSpec {
    sorts: &["default"],
    filters: &[
        filter("label_id", FilterKind::Id, &[]),
        filter(
            "direction",
            FilterKind::OneOf(&["incoming", "outgoing"]),
            &[],
        ),
        filter(
            "message_type",
            FilterKind::OneOf(&[
                "sms",
                "mms",
                "ussd",
                "ussd_session",
                "call",
                "chat",
                "service",
            ]),
            &[],
        ),
        filter(
            "source",
            FilterKind::OneOf(&[
                "phone",
                "provider",
                "web",
                "api",
                "service",
                "webhook",
                "scheduled",
                "integration",
                "mcp",
            ]),
            &[],
        ),
        filter("starred", FilterKind::Boolean, &[]),
        filter(
            "status",
            FilterKind::OneOf(&[
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
            ]),
            &[],
        ),
        filter(
            "time_created",
            FilterKind::Timestamp,
            &[Modifier::Min, Modifier::Max],
        ),
        filter("external_id", FilterKind::Text, ID_MODIFIERS),
        filter("contact_id", FilterKind::Id, ID_MODIFIERS),
        filter("phone_id", FilterKind::Id, &[]),
        filter("broadcast_id", FilterKind::Id, ID_MODIFIERS),
        filter("scheduled_id", FilterKind::Id, ID_MODIFIERS),
        filter("group_id", FilterKind::Id, &[]),
    ],
};

const fn filter(
    name: &'static str,
    kind: FilterKind,
    modifiers: &'static [Modifier],
) -> FilterSpec {
    FilterSpec {
        name,
        kind,
        modifiers,
    }
}

const MEANINGS: &[Meaning] = &[
    Meaning::none("label_id"),
    Meaning::new("direction", by::DIRECTION, |value| {
        code(value, |name| name.parse().ok().map(Direction::code))
    }),
    Meaning::new("message_type", by::MESSAGE_TYPE, |value| {
        code(value, |name| name.parse().ok().map(MessageType::code))
    }),
    Meaning::new("source", by::SOURCE, |value| {
        code(value, |name| name.parse().ok().map(MessageSource::code))
    }),
    Meaning::new("starred", by::STARRED, plain),
    Meaning::new("status", by::STATUS, |value| {
        code(value, |name| name.parse().ok().map(status_code))
    }),
    Meaning::new("time_created", by::TIME_CREATED, plain),
    Meaning::new("external_id", by::EXTERNAL_ID, plain),
    Meaning::new("contact_id", by::CONTACT_ID, id::<kind::Contact>),
    Meaning::new("phone_id", by::PHONE_ID, id::<kind::Phone>),
    Meaning::none("broadcast_id"),
    Meaning::none("scheduled_id"),
    Meaning::none("group_id"),
];

/// Lists the messages of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    list_within(&hub, &call, &project, Within::Project).await
}

/// Whose messages a list is limited to.
#[derive(Debug, Clone, Copy)]
pub(in crate::api) enum Within {
    /// All of the project's.
    Project,
    /// Those of one phone.
    Phone(PhoneId),
    /// Those of one contact.
    Contact(ContactId),
}

impl Within {
    fn filter(self) -> Option<Filter> {
        let (column, key) = match self {
            Self::Project => return None,
            Self::Phone(id) => (by::PHONE_ID, id.get()),
            Self::Contact(id) => (by::CONTACT_ID, id.get()),
        };
        Some(Filter::new(column, Op::Eq, Operand::Int(key)))
    }
}

/// Lists messages with every filter that messages have.
pub(in crate::api) async fn list_within(
    hub: &Hub,
    call: &Call,
    project: &Arc<Project>,
    within: Within,
) -> ApiResult {
    let asked = ListQuery::read(&call.params, &SPEC)?;
    let mut query = lists::query(&asked, MEANINGS, &[])?;
    query.filters.extend(within.filter());
    let (inside, of, now) = (hub.clone(), Arc::clone(project), hub.now());
    let count_only = asked.count_only;
    let reading = hub.store.read(move |tx| {
        if count_only {
            return Ok(Listed::Count(messages::count(tx, of.id, &query)?));
        }
        let page = messages::list(tx, of.id, &query)?;
        Ok(Listed::Page(Page {
            rows: waiting::show(&inside, tx, &of, page.rows, now)?,
            truncated: page.truncated,
            next_marker: page.next_marker,
        }))
    });
    let listed = reading.await.map_err(Failure::from)?;
    lists::answer(listed, &asked, |view| view)
}
