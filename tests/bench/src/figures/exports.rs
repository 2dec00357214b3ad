//! An export of all messages: how fast it is, how much memory it takes, and single sends beside it.

use super::million::fill;
use super::people::sends_p99;
use super::tasks::{again_and_again, run_task};
use super::{Scale, fresh_numbers, postgres_hub};
use crate::{
    Failure,
    clock::now,
    hub::Hub,
    load::block_on,
    process::{AnonymousPeak, anonymous_mib, memory_mib, peak_memory_mib},
    report::{Figure, Limit},
    stats::median,
};

pub(super) const NAMES: &[&str] = &[
    "export_messages_per_s",
    "export_memory_mib",
    "export_anonymous_mib",
    "single_sends_p99_beside_export_ratio",
];
pub(super) const POSTGRES_NAMES: &[&str] = &[
    "postgres_export_messages_per_s",
    "postgres_export_memory_mib",
    "postgres_export_anonymous_mib",
    "postgres_single_sends_p99_beside_export_ratio",
];

/// What was measured, in the order of the names.
type Values = [f64; 4];

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let values = block_on(async { on(&Hub::start_paused(1).await?, scale).await })?;
    let limits = [
        Limit::AtLeast(30_000.0),
        Limit::AtMost(64.0),
        Limit::None,
        Limit::AtMost(2.0),
    ];
    Ok(figures(NAMES, values, limits))
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let values = block_on(async { on(&postgres_hub(1).await?, scale).await })?;
    Ok(figures(POSTGRES_NAMES, values, [Limit::None; 4]))
}

fn figures(names: &[&'static str], values: Values, limits: [Limit; 4]) -> Vec<Figure> {
    let units = ["1/s", "MiB", "MiB", "ratio"];
    let places = 0..names.len();
    let figure = |at: usize| Figure::new(names[at], values[at], units[at], limits[at]);
    places.map(figure).collect()
}

async fn on(hub: &Hub, scale: Scale) -> Result<Values, Failure> {
    let numbers = fresh_numbers();
    fill(hub, &numbers, scale.many).await?;
    let (mut rates, mut ratios) = (Vec::new(), Vec::new());
    let (mut more_mib, mut own_mib) = (None, 0.0_f64);
    for run in 0..scale.runs {
        let (began, before) = (now(), memory_mib(hub.pid())?);
        let most_before = peak_memory_mib(hub.pid())?;
        let own_before = anonymous_mib(hub.pid())?;
        let own = AnonymousPeak::watch(hub.pid());
        let done = run_task(&hub.caller, &hub.project, &of_messages(run)).await?;
        let rows = done["current_row"].as_f64().unwrap_or(0.0);
        rates.push(rows / began.elapsed().as_secs_f64());
        own_mib = own_mib.max(own.end_mib()? - own_before);
        // What it held at its most is known of the first one alone, unless a later one takes more.
        let most = peak_memory_mib(hub.pid())?;
        if most > most_before || more_mib.is_none() {
            more_mib = Some(most - before);
        }
        let alone = sends_p99(hub, scale, &numbers).await?;
        let beside = again_and_again(hub, of_messages);
        let in_export = sends_p99(hub, scale, &numbers).await?;
        beside.end()?;
        ratios.push(in_export / alone);
    }
    let more_mib = more_mib.unwrap_or(0.0);
    Ok([median(rates), more_mib, own_mib, median(ratios)])
}

/// Returns the task that writes all messages to a file.
fn of_messages(turn: usize) -> String {
    format!(
        r#"{{"task_type":"export_messages","task_params":{{"filename":"messages-{turn}.csv"}},
        "filter_type":"query_messages","filter_params":{{"all":true}}}}"#
    )
}
