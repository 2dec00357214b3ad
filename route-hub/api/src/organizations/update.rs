//! `POST /organizations/{organization_id}`

use crate::organizations::enter_whole;
use crate::{ApiResult, Call, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::organizations::{self, OrganizationPatch, OrganizationView};
use hub_web::{Answer, Fields};

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
