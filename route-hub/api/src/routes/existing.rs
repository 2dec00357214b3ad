//! `GET /projects/{project_id}/routes`, of one route, and of `route_list`.

use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::phones::PHONE;
use crate::routes::ROUTE;
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::routes::{self, VIEW};
use hub_store::list::Sort;
use hub_store::routes::by;
use hub_web::{Answer, Fields, Resource};

const ROUTES: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

operation! {
    /// Lists the custom routes of a project; phones are not among them.
    LIST = "listRoutes": Project(VIEW), list -> List(&ROUTES, &ROUTE);
}

async fn list(actor: Actor, call: Call) -> ApiResult {
    let asked = call.list()?;
    let listed = routes::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

operation! {
    /// Shows one custom route.
    GET = "getRoute": Project(VIEW), get -> Object(&ROUTE);
}

async fn get(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("route_id", "route")?;
    let fields = Fields::read(&call.params)?;
    let route = routes::get(&actor, id).await?;
    Ok(Answer::object(&route, &fields))
}

operation! {
    /// Lists everything that messages can be sent by, as a bare array: phones, then custom routes.
    ROUTE_LIST = "getRouteList": Project(VIEW), route_list -> Either(&PHONE, &ROUTE);
}

async fn route_list(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let (phones, routes) = routes::list_all(&actor).await?;
    let mut all: Vec<Box<dyn Resource>> = Vec::with_capacity(phones.len() + routes.len());
    for phone in phones {
        all.push(Box::new(phone));
    }
    for route in routes {
        all.push(Box::new(route));
    }
    Ok(Answer::array(&all, &fields))
}
