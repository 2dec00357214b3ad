//! `GET /projects/{project_id}/relative_scheduled`

use crate::lists::{DEFAULT, EQUAL, Entry, List, MIN_MAX, code};
use crate::scheduled::TYPES;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::relative::view::RelativeView;
use hub_domain::{MessageType, Permission};
use hub_store::relative_schedules::{self, by};
use postrider_model::kind;

const LIST: List = List {
    filters: &[
        Entry::one_of("message_type", TYPES, by::MESSAGE_TYPE, |value| {
            code(value, |name| name.parse().ok().map(MessageType::code))
        }),
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::id::<kind::Group>("group_id", by::GROUP_ID, EQUAL),
        Entry::id::<kind::Contact>("contact_id", by::CONTACT_ID, EQUAL),
    ],
    sorts: &[DEFAULT],
};

/// Lists the relative scheduled messages of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let asked = LIST.read(&call.params)?;
    let id = project.id;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| relative_schedules::list(tx, id, query),
            move |tx, query| relative_schedules::count(tx, id, query),
            move |tx, rows| {
                let views = rows.into_iter();
                views.map(|row| RelativeView::read(tx, row)).collect()
            },
        )
        .await
}
