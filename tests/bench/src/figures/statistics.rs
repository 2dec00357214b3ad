//! A year of statistics over ten million messages. The counters are written as they would be, without
//! the messages.

use super::lists::asked;
use super::people::ask;
use super::{Scale, postgres_hub};
use crate::{
    Failure,
    hub::Hub,
    load::block_on,
    report::{Figure, Limit},
};
use hub_store::{StoreError, Tx, values};
use postrider_model::ProjectId;

pub(super) const NAMES: &[&str] = &["message_stats_year_p99_ms"];
pub(super) const POSTGRES_NAMES: &[&str] = &["postgres_message_stats_year_p99_ms"];

/// Messages of the year for each one of the scale.
const MESSAGES: u64 = 10;
/// Messages of the scale for each day, so that a million makes a year.
const MANY_OF_A_DAY: u64 = 2_740;
/// Phones, and statuses that the messages of each have come to: with 365 days some 9,000 groups, of 10,000 that
/// an answer may have.
const PHONES: usize = 5;
const STATUSES: u64 = 5;
/// Quarter hours of a day.
const QUARTERS: u64 = 96;
/// The first quarter hour of 2025, in UTC.
const FIRST: u64 = 1_735_689_600 / 900;
/// A number for the hub's keys that no hub here has.
const PROCESS: u8 = 200;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let p99_ms = block_on(async { on(&Hub::start_paused(PHONES).await?, scale).await })?;
    Ok(vec![Figure::new(
        NAMES[0],
        p99_ms,
        "ms",
        Limit::AtMost(50.0),
    )])
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let p99_ms = block_on(async { on(&postgres_hub(PHONES).await?, scale).await })?;
    let figure = Figure::new(POSTGRES_NAMES[0], p99_ms, "ms", Limit::None);
    Ok(vec![figure])
}

async fn on(hub: &Hub, scale: Scale) -> Result<f64, Failure> {
    ask(hub, "POST", &hub.project, br#"{"timezone_id":"UTC"}"#).await?;
    let days = scale.many.div_ceil(MANY_OF_A_DAY);
    fill(hub, days, scale.many * MESSAGES).await?;
    let path = format!(
        "{}/message_stats?start_date=2025-01-01&end_date=2025-12-31&metrics=count,num_parts",
        hub.project
    );
    let all = ask(hub, "GET", &format!("{path}&rollup=all"), b"").await?;
    let counted = all["intervals"][0]["groups"][0]["metrics"]["count"].as_u64();
    if counted.is_none_or(|counted| counted < scale.many * MESSAGES) {
        return Err(format!("the hub counts {counted:?} messages of the year").into());
    }
    let path = "message_stats?start_date=2025-01-01&end_date=2025-12-31&rollup=day\
        &metrics=count,num_parts&properties=phone_id,status";
    let measured = asked(hub, path.to_owned()).await?;
    Ok(measured.p99_us as f64 / 1000.0)
}

/// Writes the counters of so many messages, evenly over the quarter hours of the days, and adds the days up.
async fn fill(hub: &Hub, days: u64, messages: u64) -> Result<(), Failure> {
    let project: ProjectId = hub.project.rsplit('/').next().unwrap_or_default().parse()?;
    let each = messages.div_ceil(days * QUARTERS * PHONES as u64 * STATUSES);
    let store = hub.operator().store(PROCESS)?;
    for day in 0..days {
        let first = FIRST + day * QUARTERS;
        let written = store
            .of(project)
            .write(move |tx| fill_day(tx, project, first, each));
        written.await?;
    }
    Ok(())
}

fn fill_day(tx: &mut Tx<'_>, project: ProjectId, first: u64, each: u64) -> Result<(), StoreError> {
    let until = first + QUARTERS;
    tx.run(
        "INSERT INTO message_counts (project_id, quarter, phone_id, direction, message_type, source, \
         status, simulated, network_code, currency, messages, num_parts, duration_sec, price) \
         WITH RECURSIVE quarters (quarter) AS (SELECT CAST($2 AS BIGINT) UNION ALL \
         SELECT quarter + 1 FROM quarters WHERE quarter + 1 < CAST($3 AS BIGINT)), \
         statuses (status) AS (SELECT 1 UNION ALL \
         SELECT status + 1 FROM statuses WHERE status < CAST($4 AS BIGINT)) \
         SELECT CAST($1 AS BIGINT), quarter, phones.id, 1, 1, 4, status, 0, '', '', \
         CAST($5 AS BIGINT), CAST($5 AS BIGINT), 0, 0 \
         FROM quarters CROSS JOIN statuses CROSS JOIN phones \
         WHERE phones.project_id = $1 AND phones.device_id IS NOT NULL",
        &values![project, first, until, STATUSES, each],
    )?;
    tx.run(
        "INSERT INTO message_day_sums (project_id, first, until, phone_id, direction, message_type, \
         source, status, simulated, network_code, currency, messages, num_parts, duration_sec, \
         price) SELECT project_id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), phone_id, direction, \
         message_type, source, status, simulated, network_code, currency, \
         CAST(sum(messages) AS BIGINT), CAST(sum(num_parts) AS BIGINT), 0, 0 FROM message_counts \
         WHERE project_id = $1 AND quarter >= $2 AND quarter < $3 GROUP BY project_id, phone_id, \
         direction, message_type, source, status, simulated, network_code, currency",
        &values![project, first, until],
    )?;
    tx.run(
        "INSERT INTO message_days (project_id, first, until, done) VALUES ($1, $2, $3, $3)",
        &values![project, first, until],
    )
}
