//! Making, changing and removing custom routes.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::routes::{PERMISSION, RoutePatch, found};
use crate::transaction::run_audited;
use crate::views::route::RouteView;
use hub_domain::routing::{Actions, Route};
use hub_domain::{Vars, VarsChange};
use hub_store::routes;
use postrider_model::CustomRouteId;

/// A custom route to be made.
#[derive(Debug, Clone)]
pub struct NewRoute {
    /// Its name.
    pub name: String,
    /// How it picks a phone.
    pub actions: Actions,
    /// Its custom variables.
    pub vars: VarsChange,
}

/// Makes a custom route.
pub async fn create(actor: &Actor, command: NewRoute) -> Result<RouteView, Failure> {
    actor.require(PERMISSION)?;
    let settings = RoutePatch {
        name: Some(command.name),
        actions: Some(command.actions),
        vars: command.vars,
    };
    run_audited(actor, move |work| {
        let mut route = Route {
            id: work.id(),
            project_id: work.project.id,
            name: String::new(),
            actions: Actions::default(),
            vars: Vars::default(),
            time_created: work.now.unix,
        };
        settings.apply(work, &mut route)?;
        routes::insert(work.tx, &route)?;
        work.note("route.create", route.id)?;
        Ok(RouteView(route))
    })
    .await
}

/// Changes a custom route; what it has given to phones stays there while they can send.
pub async fn update(
    actor: &Actor,
    id: CustomRouteId,
    patch: RoutePatch,
) -> Result<RouteView, Failure> {
    actor.require(PERMISSION)?;
    let changed = run_audited(actor, move |work| {
        let mut route = found(routes::get(work.tx, work.project.id, id)?)?;
        patch.apply(work, &mut route)?;
        routes::update(work.tx, &route)?;
        work.note("route.update", id)?;
        Ok::<_, Failure>(RouteView(route))
    });
    let changed = changed.await?;
    actor.hub.cache.forget_route(id);
    Ok(changed)
}

/// Removes a custom route: its messages keep their phones, and who had it as default has none.
pub async fn delete(actor: &Actor, id: CustomRouteId) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    let deleted = run_audited(actor, move |work| {
        let deleted = routes::delete(work.tx, work.project.id, id)?;
        found(deleted.then_some(()))?;
        work.note("route.delete", id)?;
        Ok::<_, Failure>(())
    });
    deleted.await?;
    actor.hub.cache.forget_route(id);
    Ok(())
}
