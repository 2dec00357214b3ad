//! `GET /projects/{project_id}/scheduled/{scheduled_id}`

use crate::scheduled::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::view::ScheduleView;
use hub_domain::Permission;
use hub_store::schedules;
use hub_web::{Answer, Fields};

/// Returns one scheduled message.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let of = project.id;
    let reading = hub.store.of(of).read(move |tx| {
        let schedule = schedules::get(tx, of, id)?;
        let view = schedule.map(|schedule| ScheduleView::read(tx, schedule));
        view.transpose()
    });
    let view = found(reading.await?)?;
    Ok(Answer::object(&view, &fields))
}
