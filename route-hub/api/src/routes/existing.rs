//! `GET /projects/{project_id}/routes`, of one route, and of `route_list`.

use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::routes::{self, VIEW};
use hub_store::list::Sort;
use hub_store::routes::by;
use hub_web::{Answer, Fields, Resource};

const LIST: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the custom routes of a project; phones are not among them.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let asked = LIST.read(&call.params)?;
    let listed = routes::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Shows one custom route.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("route_id", "route")?;
    let fields = Fields::read(&call.params)?;
    let route = routes::get(&actor, id).await?;
    Ok(Answer::object(&route, &fields))
}

/// Lists everything that messages can be sent by, as a bare array: phones, then custom routes.
pub async fn route_list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
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
