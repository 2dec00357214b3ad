//! `GET /projects/{project_id}/message_stats`, and that of an organization.

use crate::members::{MESSAGE_TYPE, SOURCE};
use crate::messages::{DIRECTION, STATUS};
use crate::statistics::groups::{self, ROLLUP};
use crate::statistics::{END_DATE, START_DATE, asked, listed};
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::{Actor, OrganizationActor};
use hub_app::organizations;
use hub_app::statistics::{IntervalGroups, MessageStats, PERMISSION, of_organization, of_project};
use hub_domain::{CountFilters, Metric, Property};
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, Params, Shape};
use postrider_model::kind;
use serde::Serialize;

const TAKES: &[Member] = &[
    START_DATE,
    END_DATE,
    ROLLUP,
    Member::new(
        "properties",
        Kind::Text(1_000),
        "What the messages of a group have in common: names separated by commas.",
    ),
    Member::new(
        "metrics",
        Kind::Text(1_000),
        "What is added up: count, num_parts, duration, price.USD (or another currency), separated by \
         commas.",
    )
    .required(),
    Member::new(
        "filters",
        Kind::Object(FILTERS),
        "Which messages are counted.",
    ),
];
const METRICS: &[&str] = &[
    "count",
    "num_parts",
    "duration",
    "price.USD (or another currency)",
];
const FILTERS: &[Member] = &[
    Member::id::<kind::Phone>("phone_id", "Those of a phone."),
    DIRECTION,
    SOURCE,
    STATUS,
    MESSAGE_TYPE,
    Member::new("simulated", Kind::Boolean, "Tests, or not."),
    Member::new(
        "network_code",
        Kind::Text(16),
        "Those of a network, by MCC and MNC.",
    ),
    Member::new("user_id", Kind::Text(34), "Those of somebody: none yet."),
    Member::new(
        "service_id",
        Kind::Text(34),
        "Those of a service: none yet.",
    ),
];

const STATISTICS: Shape = Shape {
    name: "MessageStatistics",
    about: "How many messages there were in each interval that has any.",
    members: groups::MEMBERS,
};

operation! {
    /// Counts a project's messages by intervals of days, and by what they have in common.
    /// Today counts so far. Days are those of the project's zone, weeks begin on Monday, and deleted
    /// messages stay counted.
    MESSAGE_STATS = "getMessageStats": Project(PERMISSION), message_stats -> Object(&STATISTICS);
    .takes(&[TAKES])
    .example(r#"{"start_date":"2026-01-01","end_date":"2026-01-31","metrics":"count","properties":"status"}"#)
}

async fn message_stats(actor: Actor, call: Call) -> ApiResult {
    let wanted = Fields::read(&call.params)?;
    let stats = read(&call.params)?;
    let counted = of_project(&actor, &stats).await?;
    Ok(Answer::value(&shown(&stats, counted), &wanted)?)
}

operation! {
    /// Counts the messages of an organization's projects until the end of yesterday.
    /// Days are those of the organization's zone.
    MESSAGE_STATS_OF_ORGANIZATION = "getOrganizationMessageStats": WholeOrganization(PERMISSION),
        message_stats_of_organization -> Object(&STATISTICS);
    .takes(&[TAKES])
    .example(r#"{"start_date":"2026-01-01","end_date":"2026-01-31","metrics":"count"}"#)
}

async fn message_stats_of_organization(actor: OrganizationActor, call: Call) -> ApiResult {
    let wanted = Fields::read(&call.params)?;
    let stats = read(&call.params)?;
    let organization = organizations::get(&actor).await?;
    let counted = of_organization(&actor, &organization, &stats).await?;
    Ok(Answer::value(&shown(&stats, counted), &wanted)?)
}

fn read(params: &Params) -> Result<MessageStats, ApiError> {
    let (properties, metrics) = (params.get("properties"), params.get("metrics"));
    let unknown = |field: &Field<'_>, names: &[&str]| {
        field.refuse(format_args!("must be some of: {}", names.join(", ")))
    };
    let property = |name: &str| {
        name.parse()
            .map_err(|_| unknown(&properties, Property::NAMES))
    };
    let metric = |name: &str| {
        name.parse::<Metric>()
            .map_err(|_| unknown(&metrics, METRICS))
    };
    metrics.required_string()?;
    Ok(MessageStats {
        asked: asked(params)?,
        properties: listed(&properties, property)?,
        metrics: listed(&metrics, metric)?,
        filters: filters(&params.get("filters"))?,
    })
}

fn filters(field: &Field<'_>) -> Result<CountFilters, ApiError> {
    let Some(object) = field.object()? else {
        return Ok(CountFilters::default());
    };
    let known = |name: &str| FILTERS.iter().any(|filter| filter.name == name);
    if let Some((_, unknown)) = object.members().find(|(name, _)| !known(name)) {
        return Err(unknown.refuse("is not a filter of statistics"));
    }
    let is_given = |name| -> Result<bool, ApiError> {
        Ok(object
            .get(name)
            .string()?
            .is_some_and(|text| !text.is_empty()))
    };
    let network_code = object.get("network_code").string()?;
    Ok(CountFilters {
        phone_id: parse::id(&object.get("phone_id"), "phone")?,
        direction: object.get("direction").named()?,
        source: object.get("source").named()?,
        status: object.get("status").named()?,
        simulated: object.get("simulated").boolean()?,
        message_type: object.get("message_type").named()?,
        network_code: network_code
            .filter(|code| !code.is_empty())
            .map(str::to_owned),
        nobody: is_given("user_id")? | is_given("service_id")?,
    })
}

fn shown(stats: &MessageStats, counted: Vec<IntervalGroups>) -> impl Serialize + use<> {
    let properties: Vec<_> = stats.properties.iter().map(|one| one.as_str()).collect();
    groups::shown(&properties, &stats.metrics, counted)
}
