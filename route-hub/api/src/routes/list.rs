//! `GET /projects/{project_id}/routes`

use crate::lists::{DEFAULT, Entry, List, TEXT, each};
use crate::routes::model::RouteView;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::list::Sort;
use hub_store::routes::{self, by};

const LIST: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the custom routes of a project; phones are not among them.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewRoutes).await?;
    let asked = LIST.read(&call.params)?;
    let id = project.id;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| routes::list(tx, id, query),
            move |tx, query| routes::count(tx, id, query),
            each(RouteView),
        )
        .await
}
