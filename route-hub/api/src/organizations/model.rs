//! An organization as the API shows it.

use hub_domain::{Organization, UsageType};
use hub_web::{ObjectWriter, Resource};
use serde_json::{Map, Value, json};

/// An organization.
#[derive(Debug, Clone)]
pub struct OrganizationView(pub Organization);

impl Resource for OrganizationView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let organization = &self.0;
        out.put("id", &organization.id);
        out.put("name", &organization.name);
        out.put("timezone_id", &organization.timezone_id);
    }
}

/// Shows the bill of a hub of one's own: nobody is paid, and nothing is limited by a plan.
pub(super) fn billing(organization: &Organization, features: &[(&str, bool)]) -> Value {
    let limits: Map<_, _> = UsageType::ALL
        .iter()
        .filter(|kind| kind.is_in_plan())
        .map(|kind| (kind.as_str().to_owned(), Value::Null))
        .collect();
    let features: Map<_, _> = features
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
