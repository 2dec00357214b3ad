//! `GET /projects/{project_id}/phones`, and what there is of one of them.

use crate::lists::{DEFAULT, Entry, List, MIN_MAX_EXISTS, TEXT};
use crate::messages::list_within;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::messages::{VIEW as VIEW_MESSAGES, existing::Within};
use hub_app::phones;
use hub_domain::Permission;
use hub_store::list::Sort;
use hub_store::phones::by;
use hub_web::{Answer, Fields};

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

/// Shows one phone.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, Permission::ViewRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let id = call.path_id("phone_id", "phone")?;
    let view = phones::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Lists the messages of one phone.
pub async fn messages(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW_MESSAGES).await?;
    let id = call.path_id("phone_id", "phone")?;
    phones::find(&actor, id).await?;
    list_within(&actor, &call, Within::Phone(id)).await
}

/// Removes a test route or a phone at a provider, whose secret is erased; its messages stay.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    phones::delete(&actor, id).await?;
    Ok(Answer::void())
}

/// Lets what waits in the present quiet hours of a phone go: the word that mode `confirm` waits for.
///
/// It holds until these hours end. Outside of them there is nothing to release.
pub async fn release_quiet_hours(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    phones::release_quiet_hours(&actor, id).await?;
    Ok(Answer::void())
}

/// Begins a phone's count anew; one that its limit paused sends again.
pub async fn reset_sent_message_count(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, phones::PERMISSION).await?;
    let id = call.path_id("phone_id", "phone")?;
    phones::reset_sent_count(&actor, id).await?;
    Ok(Answer::void())
}
