//! `GET /projects/{project_id}/data_table_stats`

use crate::statistics::series::{self, CUMULATIVE, ROLLUP};
use crate::statistics::{END_DATE, START_DATE, asked};
use crate::{ApiResult, Call, operation};
use hub_app::actor::Actor;
use hub_app::statistics::{PERMISSION, RowSeries, Wanted, data_table_stats};
use hub_web::{Answer, ApiError, Fields, Kind, Member, Params, Shape};

const TAKES: &[Member] = &[
    START_DATE,
    END_DATE,
    ROLLUP,
    CUMULATIVE,
    Member::new(
        "series",
        Kind::Text(500),
        "Up to ten ids of tables and views, separated by commas.",
    )
    .required(),
];

const STATISTICS: Shape = Shape {
    name: "DataTableStatistics",
    about: "How many rows there were in each interval that has begun.",
    members: series::MEMBERS,
};

operation! {
    /// Counts the rows of tables and views by intervals of days.
    /// They are the rows of now, by when they were made.
    DATA_TABLE_STATS = "getDataTableStats": Project(PERMISSION), stats -> Object(&STATISTICS);
    .takes(&[TAKES])
    .example(r#"{"start_date":"2026-01-01","end_date":"2026-01-31","series":"DT0000000000000001"}"#)
}

async fn stats(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let wanted = read(&call.params)?;
    let names: Vec<_> = wanted.series.iter().map(name).collect();
    let counted = data_table_stats(&actor, wanted).await?;
    Ok(Answer::value(&series::shown(&names, counted), &fields)?)
}

fn read(params: &Params) -> Result<Wanted<RowSeries>, ApiError> {
    let field = params.get("series");
    field.required_string()?;
    let series = series::read(&field, |id| {
        let table = id.parse().map(RowSeries::Table);
        let series = table.or_else(|_| id.parse().map(RowSeries::View));
        series.map_err(|_| field.refuse("must be ids of tables and views of this project"))
    })?;
    Ok(Wanted {
        asked: asked(params)?,
        cumulative: params.get("cumulative").boolean()?.unwrap_or(true),
        series,
    })
}

fn name(series: &RowSeries) -> String {
    match series {
        RowSeries::Table(id) => id.to_string(),
        RowSeries::View(id) => id.to_string(),
    }
}
