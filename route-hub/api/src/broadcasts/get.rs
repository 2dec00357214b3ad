//! `GET /projects/{project_id}/broadcasts/{broadcast_id}`

use crate::broadcasts::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::broadcasts::view::BroadcastView;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::broadcasts;
use hub_web::{Answer, Fields};

/// Shows one broadcast.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewMessages).await?;
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let of = project.id;
    let reading = hub.store.of(of).read(move |tx| {
        let broadcast = broadcasts::get(tx, of, id)?;
        let view = broadcast.map(|broadcast| BroadcastView::read(tx, broadcast));
        view.transpose()
    });
    let view = found(reading.await?)?;
    Ok(Answer::object(&view, &fields))
}
