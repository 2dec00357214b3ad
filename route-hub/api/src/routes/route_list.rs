//! `GET /projects/{project_id}/route_list`

use crate::routes::model::RouteView;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::phones::PhoneView;
use hub_domain::Permission;
use hub_store::{StoreError, Tx, phones, routes};
use hub_web::{Answer, Fields, Resource};

/// Lists everything that messages can be sent by, as a bare array: phones, then custom routes.
pub async fn route_list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewRoutes).await?;
    let fields = Fields::read(&call.params)?;
    let id = project.id;
    let reading = hub.store.of(id).read(move |tx: &mut Tx<'_>| {
        let phones = phones::of_project(tx, id)?;
        Ok::<_, StoreError>((
            PhoneView::read_all(tx, phones, &project)?,
            routes::of_project(tx, id)?,
        ))
    });
    let (phones, routes) = reading.await?;
    let mut all: Vec<Box<dyn Resource>> = Vec::with_capacity(phones.len() + routes.len());
    for phone in phones {
        all.push(Box::new(phone));
    }
    for route in routes {
        all.push(Box::new(RouteView(route)));
    }
    Ok(Answer::array(&all, &fields))
}
