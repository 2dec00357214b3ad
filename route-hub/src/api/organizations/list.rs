//! `GET /organizations`

use super::model::OrganizationView;
use crate::api::{ApiResult, Call};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::{Permission, fold};
use hub_store::organizations;
use hub_web::{Answer, ApiError, FilterKind, FilterSpec, FilterValue, ListQuery, Modifier, Page};

const NAME: FilterSpec = FilterSpec {
    name: "name",
    kind: FilterKind::Text,
    modifiers: Modifier::TEXT,
};

/// Lists the organizations that the caller's key reaches: the one that it belongs to.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    call.caller.require(Permission::ViewProjects)?;
    let asked = ListQuery::read(&call.params, &["default", "name"], [&NAME])?;
    if asked.marker.is_some() {
        return Err(
            ApiError::invalid_param("marker", "is none of this list, which has one page").into(),
        );
    }
    let id = call.caller.key.organization_id;
    let reading = hub
        .store
        .of_organization(id)
        .read(move |tx| organizations::get(tx, id));
    let own = reading.await?.filter(|own| {
        let name = fold(&own.name);
        asked.filters.iter().all(|filter| holds(&name, filter))
    });
    if asked.count_only {
        return Ok(Answer::count(u64::from(own.is_some())));
    }
    let is_on_page = asked.offset == 0;
    let page = Page {
        items: own
            .filter(|_| is_on_page)
            .map(OrganizationView)
            .into_iter()
            .collect(),
        next_marker: None,
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
