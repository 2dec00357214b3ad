//! `GET /projects/{project_id}/contact_stats`

use crate::statistics::series::{self, CUMULATIVE, ROLLUP};
use crate::statistics::{END_DATE, START_DATE, asked};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::statistics::{PERMISSION, Series, Wanted, contact_stats};
use hub_web::{Answer, ApiError, Fields, Kind, Member, Params, Shape};

const TAKES: &[Member] = &[
    START_DATE,
    END_DATE,
    ROLLUP,
    CUMULATIVE,
    Member::new(
        "series",
        Kind::Text(500),
        "Up to ten, separated by commas: total, or ids of normal groups.",
    )
    .or("\"total\""),
];

const STATISTICS: Shape = Shape {
    name: "ContactStatistics",
    about: "How many contacts there were in each interval that has begun.",
    members: series::MEMBERS,
};

operation! {
    /// Counts a project's contacts, or the members of normal groups, by intervals of days.
    /// They are the contacts of now, by when they were made or joined the group.
    CONTACT_STATS = "getContactStats": Project(PERMISSION), stats -> Object(&STATISTICS);
    .takes(&[TAKES])
    .example(r#"{"start_date":"2026-01-01","end_date":"2026-01-31"}"#)
}

async fn stats(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let wanted = read(&call.params)?;
    let names: Vec<_> = wanted.series.iter().map(name).collect();
    let counted = contact_stats(&actor, wanted).await?;
    Ok(Answer::value(&series::shown(&names, counted), &fields)?)
}

fn read(params: &Params) -> Result<Wanted<Series>, ApiError> {
    let field = params.get("series");
    let mut series = series::read(&field, |name| match name {
        "total" => Ok(Series::Total),
        id => {
            let rule = "must be total or the ids of groups that people fill";
            let group = id.parse().map(Series::Group);
            group.map_err(|_| field.refuse(rule))
        }
    })?;
    if series.is_empty() {
        series.push(Series::Total);
    }
    Ok(Wanted {
        asked: asked(params)?,
        cumulative: params.get("cumulative").boolean()?.unwrap_or(true),
        series,
    })
}

fn name(series: &Series) -> String {
    match series {
        Series::Total => "total".to_owned(),
        Series::Group(id) => id.to_string(),
    }
}
