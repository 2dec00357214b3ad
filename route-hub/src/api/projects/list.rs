//! `GET /projects` and `GET /organizations/{organization_id}/projects`

use super::model::ProjectView;
use crate::api::lists::{self, Listed, Meaning, plain};
use crate::api::{ApiResult, Call};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;
use hub_store::list::Sort;
use hub_store::projects::{self, Reach, by};
use hub_web::{ApiError, FilterKind, FilterSpec, ListQuery, ListSpec, Modifier};

const SPEC: ListSpec = ListSpec {
    sorts: &["default", "name"],
    filters: &[FilterSpec {
        name: "name",
        kind: FilterKind::Text,
        modifiers: Modifier::TEXT,
    }],
};

const MEANINGS: &[Meaning] = &[Meaning::new("name", by::NAME, plain)];
const SORTS: &[(&str, Sort)] = &[("default", Sort::BY_ID), ("name", Sort::by(by::NAME))];

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
    call.caller.require(Permission::ViewProjects)?;
    let asked = ListQuery::read(&call.params, &SPEC)?;
    let query = lists::query(&asked, MEANINGS, SORTS)?;
    let count_only = asked.count_only;
    let reading = hub.store.read(move |tx| {
        Ok(if count_only {
            Listed::Count(projects::count(tx, reach, &query)?)
        } else {
            Listed::Page(projects::list(tx, reach, &query)?)
        })
    });
    lists::answer(reading.await?, &asked, ProjectView)
}
