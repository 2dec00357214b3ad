//! `GET /projects/{project_id}/webhooks`

use crate::lists::{DEFAULT, List, each};
use crate::webhooks::model::WebhookView;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::webhooks;

const LIST: List = List {
    filters: &[],
    sorts: &[DEFAULT],
};

/// Lists the webhook objects of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ManageWebhooks).await?;
    let asked = LIST.read(&call.params)?;
    let id = project.id;
    asked
        .answer(
            hub.store.of(id),
            move |tx, query| webhooks::list(tx, id, query),
            move |tx, query| webhooks::count(tx, id, query),
            each(WebhookView),
        )
        .await
}
