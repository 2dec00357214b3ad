//! `GET /projects/{project_id}/contacts/{contact_id}`

use crate::contacts::found;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::contacts::view::ContactView;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_store::contacts;
use hub_web::{Answer, Fields};

/// Shows one contact.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewContacts).await?;
    let id = call.path_id("contact_id", "contact")?;
    let fields = Fields::read(&call.params)?;
    let project_id = project.id;
    let reading = hub.store.of(project_id).read(move |tx| {
        let contact = contacts::get(tx, project_id, id)?;
        contact
            .map(|contact| ContactView::read(tx, contact))
            .transpose()
    });
    let view = found(reading.await?)?;
    Ok(Answer::object(&view, &fields))
}
