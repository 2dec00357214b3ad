//! `POST /projects/{project_id}`

use crate::idempotency::Idempotency;
use crate::projects::change::Change;
use crate::projects::model::ProjectView;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::projects;
use hub_web::{Answer, ApiError, Fields};

/// Changes a project's settings; phones that keep its zone hear of a new one after the commit.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditProject).await?;
    let fields = Fields::read(&call.params)?;
    let change = Change::read(&call.params)?;
    let (_now, _actor) = (hub.now(), call.caller.key.id);

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let Some(mut changed) = projects::get(work.tx, work.project.id)? else {
            return Err(ApiError::not_found("project").into());
        };
        let before = changed.timezone_id.clone();
        change.apply(work.tx, &mut changed)?;
        projects::update(work.tx, &changed)?;
        work.note("project.update", changed.id)?;
        if before != changed.timezone_id {
            work.effects.project(changed.id);
        }
        Ok(changed)
    };
    let show = move |changed| Answer::object(&ProjectView(changed), &fields);
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_project(project.id);
    Ok(answer)
}
