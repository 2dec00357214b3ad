//! `GET /projects/{project_id}/phones`

use crate::lists::{DEFAULT, Entry, List, MIN_MAX_EXISTS, TEXT};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones;
use hub_domain::Permission;
use hub_store::list::Sort;
use hub_store::phones::by;

const LIST: List = List {
    filters: &[
        Entry::text("name", by::NAME, TEXT),
        Entry::text("phone_number", by::PHONE_NUMBER, TEXT),
        Entry::time("last_active_time", by::LAST_ACTIVE_TIME, MIN_MAX_EXISTS),
    ],
    sorts: &[
        DEFAULT,
        ("name", Sort::by(by::NAME)),
        ("phone_number", Sort::by(by::PHONE_NUMBER)),
    ],
};

/// Lists the phones of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, Permission::ViewRoutes).await?;
    let asked = LIST.read(&call.params)?;
    let listed = phones::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}
