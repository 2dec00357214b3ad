//! `POST /organizations/{organization_id}`

use crate::organizations::enter_whole;
use crate::organizations::model::OrganizationView;
use crate::{ApiResult, Call, Failure};
use axum::extract::State;
use hub_app::audit;
use hub_app::hub::Hub;
use hub_app::parse;
use hub_domain::Permission;
use hub_store::{Tx, organizations};
use hub_web::{Answer, ApiError, Fields};

/// Changes an organization's name, and the zone in which its days begin.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let organization = enter_whole(&hub, &call, Permission::EditOrganization).await?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, &["id"])?;
    let name = parse::name(&call.params.get("name"))?;
    let zone = parse::zone(&call.params.get("timezone_id"))?;
    let zone =
        zone.map(|zone| zone.map_or_else(|| "UTC".to_owned(), |zone| zone.name().to_owned()));
    let (now, actor) = (hub.now(), call.caller.key.id);
    let (worker, of) = (hub.clone(), organization.id);
    let job = move |tx: &mut Tx<'_>| {
        let Some(mut changed) = organizations::get(tx, organization.id)? else {
            return Err(ApiError::not_found("organization").into());
        };
        changed.name = name.clone().unwrap_or(changed.name);
        changed.timezone_id = zone.clone().unwrap_or(changed.timezone_id);
        organizations::update(tx, &changed)?;
        let line = audit::Line {
            organization_id: changed.id,
            project_id: None,
            action: "organization.update",
            target: changed.id.to_string(),
        };
        audit::write_as(&worker, tx, &actor.to_string(), line, now)?;
        Ok::<_, Failure>(changed)
    };
    let changed = hub.store.of_organization(of).write(job).await?;
    Ok(Answer::object(&OrganizationView(changed), &fields))
}
