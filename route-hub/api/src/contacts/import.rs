//! `POST /projects/{project_id}/import_contacts`

use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, Failure, enter, transaction};
use axum::extract::State;
use hub_app::contacts::lookup::{Key, Means, can_be_new};
use hub_app::contacts::patch::{ContactPatch, GroupChanges, check_route};
use hub_app::contacts::saving::{Saved, Saving};
use hub_app::hub::Hub;
use hub_app::parse;
use hub_app::unit_of_work::UnitOfWork;
use hub_app::webhooks::enqueue::ContactAdded;
use hub_domain::{Contact, Permission, RouteId};
use hub_web::{Answer, ApiError, Fields, Params};
use postrider_model::ContactId;
use serde::Serialize;

/// Most contacts of one request.
const CONTACTS_MAX: usize = 200;
/// Most groups that all of them are put into, or taken out of.
const GROUPS_MAX: usize = 5;

/// Finds or makes up to 200 contacts, all of them or none, and answers in their order.
pub async fn import(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let now = hub.now();
    let wanted = Fields::read(&call.params)?;
    let route = call.params.get("default_route_id");
    let route_id = parse::route_id(&route)?;
    check_route(&hub, &project, route_id, route.path()).await?;
    let route_id = route.is_present().then_some(route_id);
    let groups = GroupChanges::read(&call.params, GROUPS_MAX)?;
    let items = read_items(&call.params, project.country.as_deref(), route_id)?;
    for (index, item) in items.iter().enumerate() {
        let param = format!("contacts[{index}][default_route_id]");
        check_route(&hub, &project, item.patch.route(), param).await?;
    }

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let groups = groups.find(work.tx, work.project)?;
        for item in items
            .iter()
            .filter(|item| matches!(item.means, Means::Id(..)))
        {
            item.means.find(work.tx, work.project, &item.patch)?;
        }
        let hub = work.hub;
        let mut fresh_key = || hub.key(now).get();
        let mut saving = Saving::new(work.project.id, &mut fresh_key, now);
        let mut contacts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let (before, contact) = item.meant(work, index)?;
            let (join, leave) = (&groups.join, &groups.leave);
            let saved = saving.save(work.tx, before.as_ref(), contact, join, leave)?;
            contacts.push(saved);
        }
        saving.finish(work)?;
        for saved in contacts.iter().filter(|saved| saved.is_new) {
            work.tell_contact_added(&saved.contact, ContactAdded::ByRequest)?;
        }
        let contacts = contacts.iter().map(Imported::of).collect();
        Ok(Answered { contacts })
    };
    let show = move |answered: Answered| {
        Answer::value(&answered, &wanted).unwrap_or_else(|_| Answer::void())
    };
    transaction::answer(&project, Idempotency::none(), decide, show).await
}

/// One contact of an import.
struct Item {
    patch: ContactPatch,
    means: Means,
}

#[derive(Serialize)]
struct Answered {
    contacts: Vec<Imported>,
}

#[derive(Serialize)]
struct Imported {
    id: ContactId,
}

impl Imported {
    fn of(saved: &Saved) -> Self {
        Self {
            id: saved.contact.id,
        }
    }
}

fn read_items(
    params: &Params,
    region: Option<&str>,
    route: Option<Option<RouteId>>,
) -> Result<Vec<Item>, ApiError> {
    let key = Key::read(&params.get("lookup_key"), false)?;
    let field = params.get("contacts");
    let items = field.array(CONTACTS_MAX)?;
    let items = items.ok_or_else(|| field.refuse("is required"))?;
    items
        .iter()
        .map(|item| {
            let object = item
                .object()?
                .ok_or_else(|| item.refuse("must be an object"))?;
            let mut patch = ContactPatch::read(|name| object.get(name), region)?;
            patch.sent_by(route);
            let means = key.means(&patch, |name| object.get(name), false)?;
            if !matches!(means, Means::Id(..) | Means::Value(..)) && !can_be_new(&patch) {
                return Err(object.get("phone_number").refuse("is required, or name"));
            }
            Ok(Item { patch, means })
        })
        .collect()
}

impl Item {
    /// Returns the contact as it is stored, if it is, and as it is to be.
    ///
    /// What it refuses may depend on the items before, whose writes are then rolled back.
    fn meant(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        index: usize,
    ) -> Result<(Option<Contact>, Contact), Failure> {
        let before = self.means.find(work.tx, work.project, &self.patch)?;
        let mut contact = match &before {
            Some(contact) => contact.clone(),
            None if can_be_new(&self.patch) => {
                let (id, now) = (work.hub.id(work.now), work.now.unix);
                Contact::new(id, work.project.id, None, None, now)
            }
            None => {
                let param = format!("contacts[{index}][phone_number]");
                let rule = "is required, or name: no contact has this value yet";
                return Err(ApiError::invalid_param(param, rule).into());
            }
        };
        let by_number = before.is_some() && matches!(self.means, Means::Number);
        self.patch.apply(&mut contact, by_number)?;
        Ok((before, contact))
    }
}
