//! `GET /organizations/{organization_id}/billing`

use crate::messages::{COUNT, TEXT};
use crate::{ApiResult, Call, operation};
use hub_app::actor::OrganizationActor;
use hub_app::organizations;
use hub_app::organizations::usage::present;
use hub_domain::{Organization, Permission, UsageType};
use hub_web::{Answer, Fields, Kind, Member, Shape};
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

const TAKES: &[Member] = &[Member::new(
    "usage",
    Kind::Boolean,
    "Whether to show what it has and uses, too.",
)
.or("false")];

const BILL: Shape = Shape {
    name: "BillingDetails",
    about: "What an organization pays, and what its plan allows.",
    members: &[
        Member::new("balance", TEXT, "What is left."),
        Member::new("balance_currency", TEXT, "Its currency."),
        Member::new("plan_name", TEXT, "The name of the plan."),
        Member::new("plan_price", TEXT, "What the plan costs."),
        Member::new("plan_currency", TEXT, "The currency of the price."),
        Member::new("plan_rrule", TEXT, "When it is paid.").nullable(),
        Member::new("plan_paid", Kind::Boolean, "Whether it is paid."),
        Member::new("plan_start_time", Kind::Time, "When it began.").nullable(),
        Member::new("plan_end_time", Kind::Time, "When it ends.").nullable(),
        Member::new("plan_suspend_time", Kind::Time, "When sending stops.").nullable(),
        Member::new(
            "plan_limits",
            Kind::Map(&LIMIT),
            "The most of each thing; null for no limit.",
        ),
        Member::new(
            "plan_features",
            Kind::Map(&Kind::Boolean),
            "What the plan has.",
        ),
        Member::new("overage_rates", Kind::Map(&Kind::Any), "What more costs.").optional(),
        Member::new(
            "minimum_usage_fees",
            Kind::Array(&Kind::Any, usize::MAX),
            "The least fees.",
        ),
        Member::new(
            "recurring_billing_enabled",
            Kind::Boolean,
            "Whether it is paid by itself.",
        ),
        Member::new(
            "auto_refill_enabled",
            Kind::Boolean,
            "Whether the balance is refilled.",
        ),
        Member::new(
            "usage",
            Kind::Map(&COUNT),
            "How much of each thing there is.",
        )
        .optional(),
    ],
};
const LIMIT: Kind = Kind::Either(&[COUNT, Kind::Null]);

operation! {
    /// Shows what an organization pays, which is nothing, and with `usage` what it has and uses.
    BILLING = "getBillingDetails": WholeOrganization(Permission::ViewBilling), billing -> Object(&BILL);
    .takes(&[TAKES])
}

async fn billing(actor: OrganizationActor, call: Call) -> ApiResult {
    let organization = organizations::get(&actor).await?;
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
