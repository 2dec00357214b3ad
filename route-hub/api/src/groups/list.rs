//! `GET /projects/{project_id}/groups`, the groups of a contact, and the contacts of a group

use crate::contacts;
use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::contacts::VIEW;
use hub_app::groups;
use hub_app::hub::Hub;
use hub_store::groups::by;
use hub_store::list::Sort;

const LIST: List = List {
    filters: &[
        Entry::text("name", by::NAME, TEXT),
        Entry::presence("dynamic", by::FILTERS),
    ],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the groups of a project.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let asked = LIST.read(&call.params)?;
    let listed = groups::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Lists the groups that a contact is in, dynamic ones included.
pub async fn of_contact(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("contact_id", "contact")?;
    let asked = LIST.read(&call.params)?;
    let listed = groups::of_contact(&actor, id, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Lists the contacts of a group; those of a dynamic one are those that meet its filters now.
pub async fn contacts(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("group_id", "group")?;
    let asked = contacts::asked(&call.params, actor.project.country.as_deref())?;
    let listed = groups::contacts_of(&actor, id, asked.request()).await?;
    Ok(asked.show(listed))
}
