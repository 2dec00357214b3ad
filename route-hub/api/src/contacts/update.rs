//! `POST /projects/{project_id}/contacts/{contact_id}`

use crate::contacts::create::GROUPS_MAX;
use crate::contacts::found;
use crate::idempotency::Idempotency;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::contacts::patch::{ContactPatch, GroupChanges, check_route};
use hub_app::contacts::saving;
use hub_app::contacts::view::{ContactView, READ_ONLY};
use hub_app::hub::Hub;
use hub_app::parse;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::Permission;
use hub_store::contacts;
use hub_web::{Answer, Fields};

/// Changes what is given of one contact.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditContacts).await?;
    let id = call.path_id("contact_id", "contact")?;
    let _now = hub.now();
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, &["id"])?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = ContactPatch::read(|name| call.params.get(name), project.country.as_deref())?;
    check_route(&hub, &project, patch.route(), "default_route_id").await?;
    let groups = GroupChanges::read(&call.params, GROUPS_MAX)?;

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let before = found(contacts::get(work.tx, work.project.id, id)?)?;
        let groups = groups.find(work.tx, work.project)?;
        let mut contact = before.clone();
        patch.apply(&mut contact, false)?;
        let (join, leave) = (&groups.join, &groups.leave);
        let saved = saving::save(work, Some(&before), contact, join, leave)?;
        Ok(ContactView::read(work.tx, saved.contact)?)
    };
    let show = move |view: ContactView| Answer::object(&view, &fields);
    transaction::answer(&project, Idempotency::none(), decide, show).await
}
