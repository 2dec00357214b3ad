//! `GET /projects/{project_id}/webhooks`

use super::model::WebhookView;
use crate::api::lists::{self, Listed};
use crate::api::{ApiResult, Call, enter};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::Permission;
use hub_store::webhooks;
use hub_web::{ListQuery, ListSpec};

const SPEC: ListSpec = ListSpec {
    sorts: &["default"],
    filters: &[],
};

/// Lists the webhook objects of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ManageWebhooks).await?;
    let asked = ListQuery::read(&call.params, &SPEC)?;
    let query = lists::query(&asked, &[], &[])?;
    let (project_id, count_only) = (project.id, asked.count_only);
    let reading = hub.store.read(move |tx| {
        Ok(if count_only {
            Listed::Count(webhooks::count(tx, project_id, &query)?)
        } else {
            Listed::Page(webhooks::list(tx, project_id, &query)?)
        })
    });
    lists::answer(reading.await?, &asked, WebhookView)
}
