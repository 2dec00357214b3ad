//! `GET /projects/{project_id}/broadcasts`

use crate::lists::{DEFAULT, Entry, List, MIN_MAX};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::broadcasts::view::BroadcastView;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::broadcasts::{self, by};
use hub_store::list::Sort;

const LIST: List = List {
    filters: &[
        Entry::time("time_created", by::TIME_CREATED, MIN_MAX),
        Entry::time("last_message_time", by::LAST_MESSAGE_TIME, MIN_MAX),
    ],
    sorts: &[
        DEFAULT,
        ("last_message_time", Sort::by(by::LAST_MESSAGE_TIME)),
    ],
};

/// Lists the broadcasts of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = project.id;
    let asked = LIST.read(&call.params)?;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| broadcasts::list(tx, id, query),
            move |tx, query| broadcasts::count(tx, id, query),
            |tx, rows| {
                let views = rows.into_iter();
                views
                    .map(|broadcast| BroadcastView::read(tx, broadcast))
                    .collect()
            },
        )
        .await
}
