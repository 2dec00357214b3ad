//! `GET /organizations/{organization_id}/billing`

use crate::organizations::enter_whole;
use crate::{ApiResult, Call};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::organizations::usage::present;
use hub_domain::{Organization, Permission, UsageType};
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
    let (actor, organization) = enter_whole(&hub, &call, Permission::ViewBilling).await?;
    let with_usage = call.params.get("usage").boolean()?.unwrap_or(false);
    let wanted = Fields::read(&call.params)?;
    let mut shown = bill(&organization);
    if with_usage {
        let mut usage = Map::new();
        for kind in UsageType::ALL.iter().filter(|kind| kind.is_in_plan()) {
            let counted = present(&actor, &organization, *kind).await?;
            usage.insert(kind.as_str().to_owned(), Value::from(counted));
        }
        shown["usage"] = json!(usage);
    }
    Ok(Answer::value(&shown, &wanted)?)
}

/// Shows the bill of a hub of one's own: nobody is paid, and nothing is limited by a plan.
fn bill(organization: &Organization) -> Value {
    let limits: Map<_, _> = UsageType::ALL
        .iter()
        .filter(|kind| kind.is_in_plan())
        .map(|kind| (kind.as_str().to_owned(), Value::Null))
        .collect();
    let features: Map<_, _> = FEATURES
        .iter()
        .map(|(name, has)| ((*name).to_owned(), Value::Bool(*has)))
        .collect();
    json!({
        "balance": "0.00",
        "balance_currency": "USD",
        "plan_name": "Self-hosted",
        "plan_price": "0.00",
        "plan_currency": "USD",
        "plan_rrule": null,
        "plan_paid": true,
        "plan_start_time": organization.time_created.seconds(),
        "plan_end_time": null,
        "plan_suspend_time": null,
        "plan_limits": limits,
        "plan_features": features,
        "minimum_usage_fees": [],
        "recurring_billing_enabled": false,
        "auto_refill_enabled": false,
    })
}
