//! `GET /projects/{project_id}/labels`

use crate::lists::{DEFAULT, Entry, List, TEXT, each};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::labels::view::LabelView;
use hub_domain::Permission;
use hub_store::labels::{self, by};
use hub_store::list::Sort;

const LIST: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the labels of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = project.id;
    let asked = LIST.read(&call.params)?;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| labels::list(tx, id, query),
            move |tx, query| labels::count(tx, id, query),
            each(LabelView),
        )
        .await
}
