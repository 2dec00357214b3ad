//! Sends on PostgreSQL beside what hinders it: a table that grows from empty, a snapshot that stays
//! open, another project's gate that somebody holds.

use super::postgres::CONNECTIONS;
use super::{Scale, fresh_numbers, postgres_hub, single_send};
use crate::{
    Failure,
    clock::now,
    hub::Hub,
    load::{Beside, Numbers, block_on, closed_loop},
    report::{Figure, Limit},
    stats::{median, percentile},
};
use postrider_model::ProjectId;
use std::time::Duration;

pub(super) const NAMES: &[&str] = &[
    "postgres_sends_from_empty_ratio",
    "postgres_sends_beside_gate_p99_ms",
    "postgres_sends_beside_snapshot_ratio",
];

/// Messages that are sent into an empty database, in tenths.
const FROM_EMPTY: u64 = 100_000;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = postgres_hub(1).await?;
        let numbers = fresh_numbers();
        let from_empty = from_empty(&hub, scale, &numbers).await?;
        let gate_ms = beside_gate(&hub, scale, &numbers).await?;
        let snapshot = beside_snapshot(&hub, scale, &numbers).await?;
        let figure =
            |place: usize, value, unit, limit| Figure::new(NAMES[place], value, unit, limit);
        Ok(vec![
            figure(0, from_empty, "ratio", Limit::AtLeast(0.8)),
            figure(1, gate_ms, "ms", Limit::AtMost(20.0)),
            figure(2, snapshot, "ratio", Limit::AtLeast(0.5)),
        ])
    })
}

/// Returns the rate of the last tenth, divided by that of the first.
async fn from_empty(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<f64, Failure> {
    let (sends, tenth) = (single_send(&hub.project), FROM_EMPTY.min(scale.many) / 10);
    let mut rates = Vec::new();
    while (rates.len() as u64) < 10 {
        let (began, first) = (now(), numbers.so_far());
        while numbers.so_far() < first + tenth {
            let a_little = Duration::from_millis(100);
            closed_loop(&hub.caller, CONNECTIONS, a_little, numbers, &sends).await?;
        }
        let sent = (numbers.so_far() - first) as f64;
        rates.push(sent / began.elapsed().as_secs_f64());
    }
    Ok(rates[9] / rates[0])
}

/// Returns how much later the 99th percentile is while another project's gate is held, and that
/// project is sent to.
async fn beside_gate(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<f64, Failure> {
    let (caller, other) = hub.another_project().await?;
    let sends = single_send(&hub.project);
    let p99_ms = async || {
        let loaded = closed_loop(&hub.caller, CONNECTIONS, scale.span, numbers, &sends).await?;
        Ok::<_, Failure>(percentile(&loaded.latencies_us, 99.0) as f64 / 1000.0)
    };
    let gate: ProjectId = other.rsplit('/').next().unwrap_or_default().parse()?;
    let mut later_ms = Vec::new();
    for _ in 0..scale.runs {
        let alone_ms = p99_ms().await?;
        let lock = format!("SELECT pg_advisory_xact_lock({})", gate.get());
        let held = hold(hub, [lock], scale.span * 2)?;
        let (caller, path) = (caller.clone(), other.clone());
        let waiting = Beside::start(async move |over| {
            let (numbers, sends) = (fresh_numbers(), single_send(&path));
            while !over.is_over() {
                let a_little = Duration::from_millis(100);
                // Whoever waits too long for the gate is told so.
                drop(closed_loop(&caller, 4, a_little, &numbers, &sends).await);
            }
            Ok(())
        });
        later_ms.push(p99_ms().await? - alone_ms);
        held.end()?;
        waiting.end()?;
    }
    Ok(median(later_ms))
}

/// Returns the rate after a snapshot was open for so long, divided by the one before.
async fn beside_snapshot(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<f64, Failure> {
    let sends = single_send(&hub.project);
    let rate = async |span| {
        let loaded = closed_loop(&hub.caller, CONNECTIONS, span, numbers, &sends).await?;
        Ok::<_, Failure>(loaded.per_s)
    };
    let before = rate(scale.span).await?;
    let seen = "SELECT count(*) FROM projects".to_owned();
    let open = hold(hub, [seen], scale.snapshot + scale.span * 2)?;
    rate(scale.snapshot).await?;
    let beside = rate(scale.span).await?;
    open.end()?;
    Ok(beside / before)
}

/// Runs statements in a transaction that stays open for so long.
fn hold<const N: usize>(
    hub: &Hub,
    statements: [String; N],
    span: Duration,
) -> Result<Beside, Failure> {
    let database = hub.database()?;
    Ok(Beside::start(async move |_| {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ".to_owned();
        let sleep = format!("SELECT pg_sleep({})", span.as_secs_f64());
        let all: Vec<_> = [begin]
            .into_iter()
            .chain(statements)
            .chain([sleep])
            .collect();
        let all: Vec<_> = all.iter().map(String::as_str).chain(["COMMIT"]).collect();
        Ok(database.run(&all)?)
    }))
}
