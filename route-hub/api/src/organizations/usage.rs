//! `GET /organizations/{organization_id}/usage/{usage_type}` and `…/usage_history`

use crate::members::TIMEZONE_ID;
use crate::messages::COUNT;
use crate::{ApiResult, Call, operation};
use hub_app::actor::OrganizationActor;
use hub_app::organizations;
use hub_app::organizations::usage::{Days, history, present, zone_of};
use hub_domain::{Day, Permission, UsageType};
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, Shape};
use serde::Serialize;

operation! {
    /// Answers with a bare number: how much of a type the organization has, or has used today.
    USAGE = "getUsage": WholeOrganization(Permission::ViewBilling), usage -> Value(COUNT);
}

async fn usage(actor: OrganizationActor, call: Call) -> ApiResult {
    let organization = organizations::get(&actor).await?;
    let kind = call.path("usage_type").and_then(UsageType::named);
    let kind = kind.ok_or_else(|| ApiError::not_found("usage type"))?;
    let counted = present(&actor, &organization, kind).await?;
    Ok(Answer::value(&counted, Fields::ALL)?)
}

/// Most days of one answer.
const DAYS_MAX: i32 = 500;

const USAGE_TYPE: Member = Member::new("usage_type", Kind::Text(64), "What is counted.");
const TAKES: &[Member] = &[
    USAGE_TYPE.required(),
    Member::new("start_date", Kind::Date, "The first day.").required(),
    Member::new("end_date", Kind::Date, "The last day, at most 500 days on.").required(),
];

const HISTORY: Shape = Shape {
    name: "UsageHistory",
    about: "How much of something there was, day by day.",
    members: &[
        TIMEZONE_ID,
        USAGE_TYPE,
        Member::new(
            "history",
            Kind::Array(&Kind::Object(ENTRY), usize::MAX),
            "The days.",
        ),
    ],
};
const ENTRY: &[Member] = &[
    Member::new("date", Kind::Date, "The day."),
    Member::new(
        "usage",
        COUNT,
        "How much there was at its end, or was used on it.",
    ),
    Member::new("current", Kind::Boolean, "Whether the day goes on.").optional(),
];

operation! {
    /// Shows how much of a type there was at the end of each day, or was used on it.
    USAGE_HISTORY = "getUsageHistory": WholeOrganization(Permission::ViewBilling), usage_history -> Object(&HISTORY);
    .takes(&[TAKES])
    .example(r#"{"usage_type":"contacts","start_date":"2026-01-01","end_date":"2026-01-31"}"#)
}

async fn usage_history(actor: OrganizationActor, call: Call) -> ApiResult {
    let organization = organizations::get(&actor).await?;
    let zone = zone_of(&organization);
    let today = Day::of(&zone, actor.now.unix).ok_or_else(|| ApiError::internal("no such day"))?;
    let wanted = Fields::read(&call.params)?;
    let kind = kind(&call.params.get("usage_type"))?;
    let (start, end) = (call.params.get("start_date"), call.params.get("end_date"));
    let (first, last) = (day(&start)?, day(&end)?);
    if last < first {
        return Err(end.refuse("must not be before start_date").into());
    }
    if last.since(first) >= DAYS_MAX {
        let rule = format_args!("must be at most {DAYS_MAX} days before end_date");
        return Err(start.refuse(rule).into());
    }
    let last = last.min(today);
    let counted = history(&actor, &organization, kind, Days { first, last }).await?;
    let shown = History {
        timezone_id: zone.name(),
        usage_type: kind.as_str(),
        history: counted.into_iter().map(|at| entry(at, today)).collect(),
    };
    Ok(Answer::value(&shown, &wanted)?)
}

fn kind(field: &Field<'_>) -> Result<UsageType, ApiError> {
    let name = field.required_string()?;
    let unknown = || field.refuse("is not something that is counted");
    UsageType::named(name).ok_or_else(unknown)
}

fn day(field: &Field<'_>) -> Result<Day, ApiError> {
    let read = field.required_string()?.parse();
    read.map_err(|invalid| field.refuse(invalid))
}

fn entry((day, usage): (Day, u64), today: Day) -> Entry {
    Entry {
        date: day.to_string(),
        usage,
        current: (day == today).then_some(true),
    }
}

#[derive(Serialize)]
struct History<'a> {
    timezone_id: &'a str,
    usage_type: &'a str,
    history: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    date: String,
    usage: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<bool>,
}
