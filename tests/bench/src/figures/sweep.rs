//! Single sends while the hub sweeps files that nothing names any more.

use super::{Scale, fresh_numbers, postgres_hub, single_send};
use crate::{
    Failure,
    http::Caller,
    hub::{Hub, Serving},
    load::{Numbers, block_on, closed_loop},
    report::{Figure, Limit},
    stats::{median, percentile},
};
use hub_store::{StoreError, Tx, values};
use postrider_model::ProjectId;

pub(super) const NAMES: &[&str] = &["single_sends_p99_beside_sweep_ratio"];
pub(super) const POSTGRES_NAMES: &[&str] = &["postgres_single_sends_p99_beside_sweep_ratio"];

/// Connections that send at once.
const CONNECTIONS: usize = 64;
/// Files that are stored with one job.
const FILES: u64 = 2_000;
/// A number for the hub's keys that no hub here has.
const PROCESS: u8 = 202;
/// Any moment more than a day ago.
const LONG_AGO_MS: i64 = 1_700_000_000_000;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let ratio = block_on(async { on(Hub::start_paused(1).await?, scale).await })?;
    Ok(vec![Figure::new(
        NAMES[0],
        ratio,
        "ratio",
        Limit::AtMost(2.0),
    )])
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let ratio = block_on(async { on(postgres_hub(1).await?, scale).await })?;
    Ok(vec![Figure::new(
        POSTGRES_NAMES[0],
        ratio,
        "ratio",
        Limit::None,
    )])
}

/// A hub sweeps when it starts: it is started without anything to sweep, and then with much.
async fn on(mut hub: Hub, scale: Scale) -> Result<f64, Failure> {
    hub.kill();
    let numbers = fresh_numbers();
    let mut ratios = Vec::new();
    for _ in 0..scale.runs {
        let alone = started_p99(&hub, scale, &numbers).await?;
        fill(&hub, scale.many / 20).await?;
        let beside = started_p99(&hub, scale, &numbers).await?;
        eprintln!("  {} files were left to sweep", empty(&hub).await?);
        ratios.push(beside / alone);
    }
    Ok(median(ratios))
}

async fn started_p99(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<f64, Failure> {
    let mut serving = hub.serve(0, &[]).await?;
    let p99 = sends_p99(hub, &serving, scale, numbers).await;
    serving.kill();
    p99
}

async fn sends_p99(
    hub: &Hub,
    serving: &Serving,
    scale: Scale,
    numbers: &Numbers,
) -> Result<f64, Failure> {
    let caller = Caller {
        address: serving.address,
        ..hub.caller.clone()
    };
    let request = single_send(&hub.project);
    let loaded = closed_loop(&caller, CONNECTIONS, scale.span / 2, numbers, &request).await?;
    Ok(percentile(&loaded.latencies_us, 99.0) as f64)
}

/// Stores files that came with messages and that nothing names, without their bytes.
async fn fill(hub: &Hub, files: u64) -> Result<(), Failure> {
    let project: ProjectId = hub.project.rsplit('/').next().unwrap_or_default().parse()?;
    let store = hub.operator().store(PROCESS)?;
    for first in (1..=files).step_by(usize::try_from(FILES)?) {
        let written = store.of(project).write(move |tx| {
            tx.run(
                "INSERT INTO files (id, project_id, type, served_type, size, category, source, sha256, \
                 time_created, time_touched) \
                 WITH RECURSIVE numbers (number) AS (SELECT CAST($2 AS BIGINT) UNION ALL \
                 SELECT number + 1 FROM numbers WHERE number + 1 < CAST($2 AS BIGINT) + CAST($3 AS BIGINT)) \
                 SELECT number, CAST($1 AS BIGINT), 'image/png', 'image/png', 100, 1, 2, \
                 'bench ' || number, CAST($4 AS BIGINT), CAST($4 AS BIGINT) FROM numbers",
                &values![project, first, FILES, LONG_AGO_MS],
            )
        });
        written.await?;
    }
    Ok(())
}

/// Removes the files that are left, and returns how many there were.
async fn empty(hub: &Hub) -> Result<i64, Failure> {
    let project: ProjectId = hub.project.rsplit('/').next().unwrap_or_default().parse()?;
    let store = hub.operator().store(PROCESS)?;
    let mut left = 0;
    loop {
        // As many as one job may remove.
        let removing = store.of(project).write(move |tx: &mut Tx<'_>| {
            let some = "DELETE FROM files WHERE id IN \
                (SELECT id FROM files WHERE source = 2 ORDER BY id LIMIT $1)";
            tx.execute(some, &values![FILES])
        });
        let removed: Result<usize, StoreError> = removing.await;
        match removed? {
            0 => return Ok(left),
            removed => left += i64::try_from(removed)?,
        }
    }
}
