//! `GET /projects/{project_id}/scheduled`, and the schedules of one contact or group.

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, MIN_MAX_EXISTS, code};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::view::ScheduleView;
use hub_app::schedules::{VIEW, existing};
use hub_domain::{MessageType, Project};
use hub_store::list::{Filter, Sort};
use hub_store::schedules::{self, by};
use postrider_model::kind;

/// The types that messages may be filtered by.
pub(crate) const TYPES: &[&str] = &[
    "sms",
    "mms",
    "ussd",
    "ussd_session",
    "call",
    "chat",
    "service",
];

const LIST: List = List {
    filters: &[
        Entry::one_of("message_type", TYPES, by::MESSAGE_TYPE, |value| {
            code(value, |name| name.parse().ok().map(MessageType::code))
        }),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::time("next_time", by::NEXT_TIME, MIN_MAX_EXISTS),
        Entry::id::<kind::RelativeScheduled>("relative_scheduled_id", by::RELATIVE_ID, EQUAL),
    ],
    sorts: &[DEFAULT, ("next_time", Sort::by(by::NEXT_TIME))],
};

/// Lists the scheduled messages of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, VIEW).await?;
    list_within(&hub, &call, &project, None).await
}

/// Lists the scheduled messages to a contact itself, not those to its groups.
pub async fn of_contact(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("contact_id", "contact")?;
    let within = existing::of_contact(&project, id).await?;
    list_within(&hub, &call, &project, Some(within)).await
}

/// Lists the scheduled messages to a group.
pub async fn of_group(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("group_id", "group")?;
    let within = existing::of_group(&project, id).await?;
    list_within(&hub, &call, &project, Some(within)).await
}

async fn list_within(
    hub: &Hub,
    call: &Call,
    project: &Project,
    within: Option<Filter>,
) -> ApiResult {
    let mut asked = LIST.read(&call.params)?;
    asked.query.filters.extend(within);
    let id = project.id;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| schedules::list(tx, id, query),
            move |tx, query| schedules::count(tx, id, query),
            ScheduleView::read_all,
        )
        .await
}
