//! `GET /projects` and `GET /organizations/{organization_id}/projects`

use crate::lists::{DEFAULT, Entry, List, TEXT, each};
use crate::{ApiResult, Call, who};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::projects::ProjectView;
use hub_domain::Permission;
use hub_store::list::Sort;
use hub_store::projects::{self, Reach, by};
use hub_web::ApiError;

const LIST: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the projects that the caller's key reaches.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let reach = Reach {
        organization_id: call.caller.key.organization_id,
        project_id: call.caller.key.project_id,
    };
    if call.has_path("organization_id") {
        let named = call.path_id("organization_id", "organization")?;
        if named != reach.organization_id {
            return Err(ApiError::not_found("organization").into());
        }
    }
    who(&call).require(Permission::ViewProjects)?;
    let asked = LIST.read(&call.params)?;
    asked
        .answer(
            hub.store.of_organization(call.caller.key.organization_id),
            move |tx, query| projects::list(tx, reach, query),
            move |tx, query| projects::count(tx, reach, query),
            each(ProjectView),
        )
        .await
}
