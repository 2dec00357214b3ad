//! `GET /projects/{project_id}/relative_scheduled/{relative_scheduled_id}`

use crate::relative_scheduled::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::relative::view::RelativeView;
use hub_domain::Permission;
use hub_store::relative_schedules;
use hub_web::{Answer, Fields};

/// Returns one relative scheduled message.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let of = project.id;
    let reading = hub.store.of(of).read(move |tx| {
        let relative = relative_schedules::get(tx, of, id)?;
        let view = relative.map(|relative| RelativeView::read(tx, relative));
        view.transpose()
    });
    let view = found(reading.await?)?;
    Ok(Answer::object(&view, &fields))
}
