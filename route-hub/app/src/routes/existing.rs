//! Looking at custom routes, alone and beside the phones.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::routes::{VIEW, found};
use crate::views::phone::PhoneView;
use crate::views::route::RouteView;
use hub_store::{StoreError, Tx, phones, routes};
use postrider_model::CustomRouteId;

/// Returns one custom route.
pub async fn get(actor: &Actor, id: CustomRouteId) -> Result<RouteView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let route = share.read(move |tx| routes::get(tx, project, id)).await?;
    Ok(RouteView(found(route)?))
}

/// Lists the custom routes of a project; phones are not among them.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<RouteView>, Failure> {
    actor.require(VIEW)?;
    listing::of_project(actor, request, routes::list, routes::count, RouteView).await
}

/// Lists everything that messages can be sent by: phones, and custom routes.
pub async fn list_all(actor: &Actor) -> Result<(Vec<PhoneView>, Vec<RouteView>), Failure> {
    actor.require(VIEW)?;
    let project = actor.project.clone();
    let reading = actor.hub.store.of(project.id).read(move |tx: &mut Tx<'_>| {
        let phones = phones::of_project(tx, project.id)?;
        let routes = routes::of_project(tx, project.id)?;
        let routes = routes.into_iter().map(RouteView).collect();
        Ok::<_, StoreError>((PhoneView::read_all(tx, phones, &project)?, routes))
    });
    Ok(reading.await?)
}
