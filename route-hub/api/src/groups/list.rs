//! `GET /projects/{project_id}/groups`

use crate::lists::{DEFAULT, Entry, List, TEXT, each};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::groups::view::GroupView;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::groups::{self, by};
use hub_store::list::Sort;

/// What groups are filtered and sorted by, those of a contact too.
pub(crate) const LIST: List = List {
    filters: &[
        Entry::text("name", by::NAME, TEXT),
        Entry::presence("dynamic", by::FILTERS),
    ],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the groups of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewContacts).await?;
    let id = project.id;
    let asked = LIST.read(&call.params)?;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| groups::list(tx, id, query),
            move |tx, query| groups::count(tx, id, query),
            each(GroupView),
        )
        .await
}
