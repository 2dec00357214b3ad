//! `POST /projects/{project_id}/groups/{group_id}`

use crate::groups::found;
use crate::groups::patch::GroupPatch;
use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::groups::view::{GroupView, READ_ONLY};
use hub_app::hub::Hub;
use hub_app::parse;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::groups;
use hub_web::{Answer, ApiError, Fields};

/// Changes what is given of one group.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let id = call.path_id("group_id", "group")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = GroupPatch::read(&call.params)?;
    let _now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut group = found(groups::get(work.tx, work.project.id, id)?)?;
        if patch.filters.is_some() && !group.is_dynamic() {
            let rule = "can only be changed of a dynamic group";
            return Err(ApiError::invalid_param("filters", rule).into());
        }
        patch.check(work.tx, work.project, Some(id))?;
        patch.apply(&mut group)?;
        groups::update(work.tx, &group)?;
        Ok(group)
    };
    let show = move |group| Answer::object(&GroupView(group), &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
