//! `POST /projects/{project_id}/contacts` and `POST /projects/{project_id}/import_contacts`

use crate::contacts::READ_ONLY;
use crate::contacts::read::{self, Key};
use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::contacts::{self, NewContact, NewContacts, PERMISSION};
use hub_app::hub::Hub;
use hub_web::{Answer, ApiError, Fields, Params};
use postrider_model::ContactId;
use serde::Serialize;

/// Most groups that one contact joins, or leaves, at once.
pub(super) const GROUPS_MAX: usize = 20;
/// Most contacts of an import.
const IMPORT_MAX: usize = 200;
/// Most groups that the contacts of an import join, or leave.
const IMPORT_GROUPS_MAX: usize = 5;

/// Finds the contact that is meant, or makes it, and changes what is given.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let key = Key::read(&call.params.get("lookup_key"), true)?;
    let region = actor.project.country.as_deref();
    let contact = key.single(|name| call.params.get(name), region)?;
    let groups = read::groups(&call.params, GROUPS_MAX)?;
    let view = contacts::create(&actor, contact, groups).await?;
    Ok(Answer::object(&view, &fields))
}

/// Finds or makes up to 200 contacts, all of them or none, and answers in their order.
pub async fn import(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let command = read_import(&call.params, actor.project.country.as_deref())?;
    let ids = contacts::import(&actor, command).await?;
    let contacts = ids.into_iter().map(|id| Imported { id }).collect();
    Ok(Answer::value(&Import { contacts }, &fields).unwrap_or_else(|_| Answer::void()))
}

#[derive(Serialize)]
struct Import {
    contacts: Vec<Imported>,
}

#[derive(Serialize)]
struct Imported {
    id: ContactId,
}

fn read_import(params: &Params, region: Option<&str>) -> Result<NewContacts, ApiError> {
    let route = params.get("default_route_id");
    let route_id = parse::route_id(&route)?;
    Ok(NewContacts {
        default_route_id: route.is_present().then_some(route_id),
        groups: read::groups(params, IMPORT_GROUPS_MAX)?,
        contacts: read_items(params, region)?,
    })
}

fn read_items(params: &Params, region: Option<&str>) -> Result<Vec<NewContact>, ApiError> {
    let key = Key::read(&params.get("lookup_key"), false)?;
    let field = params.get("contacts");
    let items = field.array(IMPORT_MAX)?;
    let items = items.ok_or_else(|| field.refuse("is required"))?;
    let contacts = items.iter().map(|item| {
        let object = item.object()?;
        let object = object.ok_or_else(|| item.refuse("must be an object"))?;
        key.item(|name| object.get(name), region)
    });
    contacts.collect()
}
