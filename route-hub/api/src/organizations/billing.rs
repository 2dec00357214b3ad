//! `GET /organizations/{organization_id}/billing`

use crate::messages::{COUNT, TEXT};
use crate::{ApiResult, Call, operation};
use hub_app::actor::OrganizationActor;
use hub_app::organizations;
use hub_app::organizations::usage::present;
use hub_domain::{Feature, Organization, Overage, Permission, Plan, Rate, UsageType};
use hub_web::{Answer, Fields, Kind, Member, Shape};
use postrider_model::UnixMs;
use serde_json::{Map, Value, json};

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
    /// Shows an organization's plan as the operator set it, and with `usage` what it has and uses.
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
        for kind in organization.plan.limited() {
            let counted = present(&actor, &organization, kind).await?;
            usage.insert(kind.as_str().to_owned(), Value::from(counted));
        }
        shown["usage"] = json!(usage);
    }
    Ok(Answer::value(&shown, &wanted)?)
}

/// Shows the plan that the operator set. Nobody is paid by this hub: there is no balance.
fn bill(organization: &Organization) -> Value {
    let plan = &organization.plan;
    let limit = |kind: UsageType| (kind.to_string(), json!(plan.limits.get(&kind)));
    let features = Feature::ALL.iter();
    let feature = |one: &Feature| (one.to_string(), Value::Bool(plan.has(*one)));
    let mut shown = json!({
        "balance": "0.00",
        "balance_currency": "USD",
        "plan_name": plan.name.as_deref().unwrap_or("Self-hosted"),
        "plan_price": plan.price.map_or_else(|| "0.00".to_owned(), |price| price.amount.to_string()),
        "plan_currency": plan.price.map_or("USD".to_owned(), |price| price.currency.to_string()),
        "plan_rrule": plan.rrule,
        "plan_paid": true,
        "plan_start_time": plan.start_time.unwrap_or(organization.time_created).seconds(),
        "plan_end_time": plan.end_time.map(UnixMs::seconds),
        "plan_suspend_time": plan.suspend_time.map(UnixMs::seconds),
        "plan_limits": plan.limited().map(limit).collect::<Map<_, _>>(),
        "plan_features": features.map(feature).collect::<Map<_, _>>(),
        "minimum_usage_fees": [],
        "recurring_billing_enabled": false,
        "auto_refill_enabled": false,
    });
    if plan.has(Feature::SoftLimits) {
        shown["overage_rates"] = overage_rates(plan);
    }
    shown
}

fn overage_rates(plan: &Plan) -> Value {
    let rate = |(one, rate): (&Overage, &Rate)| {
        let shown = json!({
            "amount": rate.amount.to_f64(),
            "currency": rate.currency.to_string(),
        });
        (one.to_string(), shown)
    };
    plan.overage_rates
        .iter()
        .map(rate)
        .collect::<Map<_, _>>()
        .into()
}
