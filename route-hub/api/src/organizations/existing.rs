//! `GET /organizations`, and `GET` and `POST` of one.

use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::members::{TIMEZONE_ID, name, own_id};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::OrganizationActor;
use hub_app::organizations::{self, OrganizationPatch, OrganizationView};

use hub_domain::{Permission, fold};
use hub_store::list::{Column, Kind as Stored, Sort};
use hub_web::{Answer, ApiError, Fields, FilterValue, Member, Modifier, Page, Shape};
use postrider_model::kind;

const NAME: Member = name("What it is called.");
const BY_NAME: Column = Column::new("name", Stored::Text);
/// Its single row is read as it is: the columns are never asked for.
const ORGANIZATIONS: List = List {
    filters: &[Entry::text("name", BY_NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(BY_NAME))],
};

const ORGANIZATION: Shape = Shape {
    name: "Organization",
    about: "An account that owns projects.",
    members: &[own_id::<kind::Organization>(), NAME, TIMEZONE_ID],
};

operation! {
    /// Lists the organizations that the caller's key reaches: the one that it belongs to.
    LIST = "listOrganizations": Organization(Permission::ViewProjects), list -> List(&ORGANIZATIONS, &ORGANIZATION);
}

async fn list(actor: OrganizationActor, call: Call) -> ApiResult {
    let asked = ORGANIZATIONS.query(&call.params)?;
    let id = actor.organization_id;
    // The only page that anything follows is the one that is full with a single row.
    let end = format!("{}-{}-{id}", asked.sort, asked.sort_dir());
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

operation! {
    /// Shows the organization of the caller's key.
    GET = "getOrganization": Organization(Permission::ViewProjects), get -> Object(&ORGANIZATION);
}

async fn get(actor: OrganizationActor, call: Call) -> ApiResult {
    let organization = organizations::get(&actor).await?;
    let fields = Fields::read(&call.params)?;
    Ok(Answer::object(&OrganizationView(organization), &fields))
}

operation! {
    /// Changes an organization's name, and the zone in which its days begin.
    UPDATE = "updateOrganization": WholeOrganization(organizations::UPDATE), update -> Object(&ORGANIZATION);
    .takes(&[&[NAME, TIMEZONE_ID, Member::read_only("id")]])
    .example(r#"{"timezone_id":"Africa/Nairobi"}"#)
}

async fn update(actor: OrganizationActor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let name = parse::name(&call.params.get("name"))?;
    let zone = parse::zone(&call.params.get("timezone_id"))?;
    let timezone_id =
        zone.map(|zone| zone.map_or_else(|| "UTC".to_owned(), |zone| zone.name().to_owned()));
    let patch = OrganizationPatch { name, timezone_id };
    let changed = organizations::update(&actor, patch).await?;
    Ok(Answer::object(&OrganizationView(changed), &fields))
}
