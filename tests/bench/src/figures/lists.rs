//! One list of fifty, requested again and again.

use crate::{Failure, clock::now, http::Connection, hub::Hub, load::Request, stats::percentile};

/// How often each list is requested.
const LISTS: usize = 200;

/// A list and how long it took.
pub(super) struct List {
    path: String,
    p50_us: u64,
    /// The 99th percentile.
    pub(super) p99_us: u64,
}

/// Measures a list of a project, whose path has its filters.
pub(super) async fn list(hub: &Hub, path: String) -> Result<List, Failure> {
    asked(hub, format!("{path}&page_size=50")).await
}

/// Measures what is asked of a project again and again.
pub(super) async fn asked(hub: &Hub, path: String) -> Result<List, Failure> {
    let request = Request::get(format!("{}/{path}", hub.project));
    let mut connection = Connection::open(&hub.caller).await?;
    let mut body = Vec::new();
    let mut spans = Vec::with_capacity(LISTS);
    for turn in 0..LISTS + LISTS / 10 {
        let began = now();
        crate::load::send(&mut connection, &hub.caller, &request, 0, &mut body).await?;
        if turn >= LISTS / 10 {
            spans.push(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
        }
    }
    spans.sort_unstable();
    Ok(List {
        path,
        p50_us: percentile(&spans, 50.0),
        p99_us: percentile(&spans, 99.0),
    })
}

/// Prints the same lists in a small and in a large store; returns the worst ratio of their medians
/// and the slowest 99th percentile of the large one, in milliseconds.
pub(super) fn compare(few: &[List], many: &[List]) -> (f64, f64) {
    let (mut worst, mut slowest_us) = (0.0_f64, 0);
    for (few, many) in few.iter().zip(many) {
        let ratio = many.p50_us as f64 / few.p50_us as f64;
        eprintln!(
            "  {:<60} p50 {} us, then {} us ({ratio:.2}), p99 {} us",
            many.path, few.p50_us, many.p50_us, many.p99_us
        );
        worst = worst.max(ratio);
        slowest_us = slowest_us.max(many.p99_us);
    }
    (worst, slowest_us as f64 / 1000.0)
}
