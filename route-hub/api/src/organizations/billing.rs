//! `GET /organizations/{organization_id}/billing`

use crate::organizations::usage::present;
use crate::organizations::{enter_whole, model};
use crate::{ApiResult, Call};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::{Permission, UsageType};
use hub_web::{Answer, Fields};
use serde_json::{Map, Value, json};

/// What a hub of one's own has beyond sending and receiving; the others come with their issues.
const FEATURES: &[(&str, bool)] = &[
    ("direct_connectivity", false),
    ("airtime_transfer", false),
    ("click_tracking", false),
    ("custom_gateway", false),
    ("custom_logo", false),
    ("custom_domain", true),
    ("soft_limits", false),
    ("auto_resend", true),
    ("export_storage", false),
    ("static_ip_address", true),
    ("script_modules", false),
    ("service_templates", false),
    ("single_sign_on", false),
    ("contact_sync", false),
    ("external_airtime_providers", false),
    ("wire_payments", false),
    ("custom_dashboards", false),
    ("branded_short_links", false),
    ("custom_solutions", false),
];

/// Shows what an organization pays, which is nothing, and with `usage` what it has and uses.
pub async fn billing(State(hub): State<Hub>, call: Call) -> ApiResult {
    let organization = enter_whole(&hub, &call, Permission::ViewBilling).await?;
    let with_usage = call.params.get("usage").boolean()?.unwrap_or(false);
    let wanted = Fields::read(&call.params)?;
    let mut shown = model::billing(&organization, FEATURES);
    if with_usage {
        let mut usage = Map::new();
        for kind in UsageType::ALL.iter().filter(|kind| kind.is_in_plan()) {
            let counted = present(&hub, &organization, *kind).await?;
            usage.insert(kind.as_str().to_owned(), Value::from(counted));
        }
        shown["usage"] = json!(usage);
    }
    Ok(Answer::value(&shown, &wanted)?)
}
