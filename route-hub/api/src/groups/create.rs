//! `POST /projects/{project_id}/groups` and `POST /projects/{project_id}/create_group`

use crate::groups::patch::GroupPatch;
use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::groups::view::GroupView;
use hub_app::hub::Hub;
use hub_app::parse;
use hub_app::stored_caps::Cap;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Group, Permission};
use hub_store::groups;
use hub_web::{Answer, ApiError, Fields};

/// Finds the group of a name, or makes a normal one.
pub async fn get_or_create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let fields = Fields::read(&call.params)?;
    let field = call.params.get("name");
    let name = parse::name(&field)?.ok_or_else(|| field.refuse("is required"))?;
    let now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        if let Some(group) = groups::by_name(work.tx, work.project.id, &name)? {
            return Ok(group);
        }
        let group = Group::new(work.hub.id(now), work.project.id, &name, now.unix);
        groups::insert(work.tx, &group)?;
        Ok(group)
    };
    let show = move |group| Answer::object(&GroupView(group), &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}

/// Makes a group, dynamic when it has filters.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let fields = Fields::read(&call.params)?;
    let patch = GroupPatch::read(&call.params)?;
    let missing = || ApiError::invalid_param("name", "is required");
    let name = patch.name.clone().ok_or_else(missing)?;
    let now = hub.now();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        patch.check(work.tx, work.project, None)?;
        let mut group = Group::new(work.hub.id(now), work.project.id, &name, now.unix);
        patch.apply(&mut group)?;
        if group.is_dynamic()
            && let Some(reached) = Cap::DynamicGroups.reached(work.tx, group.project_id)?
        {
            return Err(reached.refuse("filters").into());
        }
        groups::insert(work.tx, &group)?;
        Ok(group)
    };
    let show = move |group| Answer::object(&GroupView(group), &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
