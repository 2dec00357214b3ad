//! `GET /organizations`, and `GET` and `POST` of one.

use crate::organizations::{actor_of, enter, enter_whole};
use crate::{ApiResult, Call, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::organizations::{self, OrganizationPatch, OrganizationView};

use hub_domain::{Permission, fold};
use hub_web::{
    Answer, ApiError, Fields, FilterKind, FilterSpec, FilterValue, ListQuery, Modifier, Page,
};

const NAME: FilterSpec = FilterSpec {
    name: "name",
    kind: FilterKind::Text,
    modifiers: Modifier::TEXT,
};

/// Lists the organizations that the caller's key reaches: the one that it belongs to.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = actor_of(&hub, &call);
    actor.who.require(Permission::ViewProjects)?;
    let asked = ListQuery::read(&call.params, &["default", "name"], [&NAME])?;
    let id = actor.organization_id;
    // The only page that anything follows is the one that is full with a single row.
    let end = format!("{}-{id}", asked.sort);
    if asked.marker.as_ref().is_some_and(|marker| *marker != end) {
        let rule = "is not a marker of this list in this order";
        return Err(ApiError::invalid_param("marker", rule).into());
    }
    let own = organizations::get(&actor).await?;
    let name = fold(&own.name);
    let is_meant = asked.filters.iter().all(|filter| holds(&name, filter));
    let own = Some(own).filter(|_| is_meant);
    if asked.count_only {
        return Ok(Answer::count(u64::from(own.is_some())));
    }
    let is_on_page = asked.offset == 0 && asked.marker.is_none();
    let own = own.filter(|_| is_on_page).map(OrganizationView);
    let is_full = own.is_some() && asked.page_size == 1;
    let page = Page {
        items: own.into_iter().collect(),
        next_marker: is_full.then_some(end),
    };
    Ok(Answer::page(&page, &asked))
}

/// Says whether a folded name meets a filter.
fn holds(name: &str, filter: &hub_web::Filter) -> bool {
    let FilterValue::Text(text) = &filter.value else {
        return true;
    };
    let text = fold(text);
    match filter.modifier {
        Modifier::Eq => name == text,
        Modifier::Ne => name != text,
        Modifier::Prefix => name.starts_with(&text),
        Modifier::NotPrefix => !name.starts_with(&text),
        Modifier::Gte | Modifier::Min => *name >= *text,
        Modifier::Gt => *name > *text,
        Modifier::Lt | Modifier::Max => *name < *text,
        Modifier::Lte => *name <= *text,
        Modifier::Exists | Modifier::Null => true,
    }
}

/// Shows the organization of the caller's key.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let (_, organization) = enter(&hub, &call, Permission::ViewProjects).await?;
    let fields = Fields::read(&call.params)?;
    Ok(Answer::object(&OrganizationView(organization), &fields))
}

/// Changes an organization's name, and the zone in which its days begin.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let (actor, _) = enter_whole(&hub, &call, organizations::UPDATE).await?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, &["id"])?;
    let name = parse::name(&call.params.get("name"))?;
    let zone = parse::zone(&call.params.get("timezone_id"))?;
    let timezone_id =
        zone.map(|zone| zone.map_or_else(|| "UTC".to_owned(), |zone| zone.name().to_owned()));
    let patch = OrganizationPatch { name, timezone_id };
    let changed = organizations::update(&actor, patch).await?;
    Ok(Answer::object(&OrganizationView(changed), &fields))
}
