//! `GET /projects/{project_id}/airtime_stats`

use crate::statistics::groups::{self, ROLLUP};
use crate::statistics::{END_DATE, START_DATE, asked, listed};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::statistics::{PERMISSION, airtime_stats};
use hub_domain::Currency;
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, Params, Shape};

/// What airtime is put together by, and filtered by.
const PROPERTIES: [&str; 6] = [
    "country",
    "operator_name",
    "product_id",
    "provider_id",
    "provider_category",
    "category_name",
];

const TAKES: &[Member] = &[
    START_DATE,
    END_DATE,
    ROLLUP,
    Member::new(
        "properties",
        Kind::Text(1_000),
        "What the airtime of a group has in common: names separated by commas.",
    ),
    Member::new(
        "metrics",
        Kind::Text(1_000),
        "What is added up: count, value.USD, price.USD (or another currency), separated by commas.",
    )
    .required(),
    Member::new(
        "filters",
        Kind::Object(FILTERS),
        "Which airtime is counted.",
    ),
];
const FILTERS: &[Member] = &[
    Member::new(PROPERTIES[0], Kind::Text(64), "That of a country."),
    Member::new(PROPERTIES[1], Kind::Text(64), "That of an operator."),
    Member::new(PROPERTIES[2], Kind::Text(64), "That of a product."),
    Member::new(PROPERTIES[3], Kind::Text(64), "That of a provider."),
    Member::new(PROPERTIES[4], Kind::Text(64), "That of a kind of provider."),
    Member::new(PROPERTIES[5], Kind::Text(64), "That of a category."),
];

const STATISTICS: Shape = Shape {
    name: "AirtimeStatistics",
    about: "How much airtime there was in each interval that has any: none yet.",
    members: groups::MEMBERS,
};

operation! {
    /// Counts the airtime that a project has sent: none, as long as no service sends any.
    AIRTIME_STATS = "getAirtimeStats": Project(PERMISSION), stats -> Object(&STATISTICS);
    .takes(&[TAKES])
    .example(r#"{"start_date":"2026-01-01","end_date":"2026-01-31","metrics":"count"}"#)
}

async fn stats(actor: Actor, call: Call) -> ApiResult {
    let wanted = Fields::read(&call.params)?;
    check(&call.params)?;
    let counted = airtime_stats(&actor, asked(&call.params)?)?;
    Ok(Answer::value(&groups::shown(&[], &[], counted), &wanted)?)
}

/// Refuses what airtime cannot be counted by.
fn check(params: &Params) -> Result<(), ApiError> {
    let (properties, metrics) = (params.get("properties"), params.get("metrics"));
    metrics.required_string()?;
    listed(&properties, |name| {
        if PROPERTIES.contains(&name) {
            Ok(())
        } else {
            Err(properties.refuse(format_args!("must be some of: {}", PROPERTIES.join(", "))))
        }
    })?;
    listed(&metrics, |name| {
        if is_metric(name) {
            Ok(())
        } else {
            Err(metrics
                .refuse("must be some of: count, value.USD, price.USD (or another currency)"))
        }
    })?;
    check_filters(&params.get("filters"))
}

fn is_metric(name: &str) -> bool {
    match name.split_once('.') {
        Some(("value" | "price", currency)) => currency.parse::<Currency>().is_ok(),
        _ => name == "count",
    }
}

fn check_filters(field: &Field<'_>) -> Result<(), ApiError> {
    let Some(object) = field.object()? else {
        return Ok(());
    };
    for (name, value) in object.members() {
        if !PROPERTIES.contains(&name) {
            return Err(value.refuse("is not a filter of airtime"));
        }
        value.string()?;
    }
    Ok(())
}
