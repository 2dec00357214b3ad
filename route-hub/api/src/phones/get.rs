//! `GET /projects/{project_id}/phones/{phone_id}`

use crate::phones::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones::model::PhoneView;
use hub_domain::Permission;
use hub_store::{Tx, phones};
use hub_web::{Answer, Fields};

/// Shows one phone.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let id = call.path_id("phone_id", "phone")?;
    let reading = hub.store.of(project.id).read(move |tx: &mut Tx<'_>| {
        let phone = phones::get(tx, project.id, id)?;
        let view = phone.map(|phone| PhoneView::read(tx, phone, &project));
        view.transpose()
    });
    let view = found(reading.await?)?;
    Ok(Answer::object(&view, &fields))
}
