//! `POST /projects/{project_id}/contacts`

use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::contacts::lookup::{Key, Means, can_be_new};
use hub_app::contacts::patch::{ContactPatch, GroupChanges, check_route};
use hub_app::contacts::saving;
use hub_app::contacts::view::{ContactView, READ_ONLY};
use hub_app::hub::Hub;
use hub_app::parse;
use hub_app::unit_of_work::UnitOfWork;
use hub_app::webhooks::enqueue::ContactAdded;
use hub_domain::{Contact, Permission};
use hub_web::{Answer, Fields};

/// Most groups that one contact is put into, or taken out of, at once.
pub(super) const GROUPS_MAX: usize = 20;

/// Finds the contact that is meant, or makes it, and changes what is given.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = ContactPatch::read(|name| call.params.get(name), project.country.as_deref())?;
    let key = Key::read(&call.params.get("lookup_key"), true)?;
    let means = key.means(&patch, |name| call.params.get(name), true)?;
    if matches!(means, Means::New | Means::Value(..)) && !can_be_new(&patch) {
        let number = call.params.get("phone_number");
        if matches!(means, Means::New) {
            return Err(number.refuse("is required, or name").into());
        }
    }
    check_route(&hub, &project, patch.route(), "default_route_id").await?;
    let groups = GroupChanges::read(&call.params, GROUPS_MAX)?;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let found = means.find(work.tx, work.project, &patch)?;
        let groups = groups.find(work.tx, work.project)?;
        let by_number = matches!(means, Means::Number);
        let mut contact = match &found {
            Some(contact) => contact.clone(),
            None if can_be_new(&patch) => {
                Contact::new(work.hub.id(now), work.project.id, None, None, now.unix)
            }
            None => {
                let rule = "is required, or name: no contact has this value yet";
                return Err(hub_web::ApiError::invalid_param("phone_number", rule).into());
            }
        };
        patch.apply(&mut contact, by_number && found.is_some())?;
        let before = found.as_ref();
        let (join, leave) = (&groups.join, &groups.leave);
        let saved = saving::save(work, before, contact, join, leave)?;
        if saved.is_new {
            work.tell_contact_added(&saved.contact, ContactAdded::ByRequest)?;
        }
        Ok(ContactView::read(work.tx, saved.contact)?)
    };
    let show = move |view: ContactView| Answer::object(&view, &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
