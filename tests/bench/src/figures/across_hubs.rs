//! From a request to one hub to the radio of a phone that another one holds.

use super::{Scale, accept_to_radio::across_us, empty_database, fresh_numbers};
use crate::{
    Failure,
    http::Caller,
    hub::Hub,
    load::block_on,
    report::{Figure, Limit},
    stats::{median, percentile},
};
use hub_store::testing::PostgresDatabase;

pub(super) const NAMES: &[&str] = &[
    "across_hubs_by_notify_p50_ms",
    "across_hubs_by_notify_p99_ms",
    "across_hubs_without_hints_p99_ms",
    "across_hubs_by_nats_p50_ms",
    "across_hubs_by_nats_p99_ms",
];

/// Phones among which the messages are spread.
const PHONES: usize = 2;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let [p50, p99] = spans_ms(scale, empty_database()?, &[])?;
    let [_, without] = spans_ms(scale, without_notices()?, &[])?;
    let figure = |place: usize, value, limit| Figure::new(NAMES[place], value, "ms", limit);
    let mut figures = vec![
        figure(0, p50, Limit::None),
        figure(1, p99, Limit::AtMost(60.0)),
        figure(2, without, Limit::AtMost(6_000.0)),
    ];
    // The database's own notices are lost: what comes in time came through NATS.
    match std::env::var("POSTRIDER_TEST_NATS") {
        Ok(nats) => {
            let [p50, p99] = spans_ms(scale, without_notices()?, &["--nats", &nats])?;
            figures.push(figure(3, p50, Limit::None));
            figures.push(figure(4, p99, Limit::AtMost(40.0)));
        }
        Err(_) => eprintln!("skipped, without NATS: {}", NAMES[3..].join(", ")),
    }
    Ok(figures)
}

/// Returns a database in which each notice is lost, and nobody learns of it.
fn without_notices() -> Result<PostgresDatabase, Failure> {
    let database = empty_database()?;
    database.run(&[
        "CREATE SCHEMA lost",
        "CREATE FUNCTION lost.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT'",
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = lost, pg_catalog, public', \
         current_database()); END $$",
    ])?;
    Ok(database)
}

/// Returns the median and the 99th percentile, each the median of the runs.
fn spans_ms(
    scale: Scale,
    database: PostgresDatabase,
    arguments: &[&str],
) -> Result<[f64; 2], Failure> {
    block_on(async {
        let hub = Hub::start_with(Some(database), PHONES, arguments)?;
        let other = hub.serve(0, arguments).await?;
        let caller = Caller {
            address: other.address,
            ..hub.caller.clone()
        };
        let numbers = fresh_numbers();
        let (mut p50, mut p99) = (Vec::new(), Vec::new());
        for _ in 0..scale.runs {
            let sorted = across_us(&hub, &caller, scale, &numbers).await?;
            p50.push(percentile(&sorted, 50.0) as f64 / 1000.0);
            p99.push(percentile(&sorted, 99.0) as f64 / 1000.0);
        }
        Ok([median(p50), median(p99)])
    })
}
