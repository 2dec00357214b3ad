//! Accepting messages: one by one over many connections and over one, and by the hundred.

use super::bare::{self, Bare};
use super::{MULTI, Scale, fresh_numbers, multi_send, single_send};
use crate::{
    Failure,
    disk::fsyncs_per_s,
    hub::Hub,
    load::{Numbers, Request, block_on, closed_loop},
    report::{Figure, Limit},
    stats::{median, percentile},
};

/// Connections that send at once.
const CONNECTIONS: usize = 64;
/// Connections that send hundreds at once: enough to keep the writer busy.
const MULTI_CONNECTIONS: usize = 8;

pub(super) const NAMES: &[&str] = &[
    "single_sends_per_s",
    "single_sends_p99_ms",
    "single_sends_with_key_per_s",
    "single_sends_one_connection_per_s",
    "send_multi_messages_per_s",
    "light_requests_per_s",
    "light_requests_one_connection_per_s",
    "single_sends_share_of_light",
    "bare_inserts_per_s",
    "bare_inserts_with_key_per_s",
    "single_sends_share_of_bare",
    "fsyncs_per_s",
];

/// What each run measured, one list for each figure.
#[derive(Default)]
struct Runs {
    fsyncs: Vec<f64>,
    single: Vec<f64>,
    p99_ms: Vec<f64>,
    with_key: Vec<f64>,
    one: Vec<f64>,
    multi: Vec<f64>,
    light: Vec<f64>,
    light_one: Vec<f64>,
}

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start_paused(1).await?;
        let numbers = fresh_numbers();
        let mut runs = Runs::default();
        for _ in 0..scale.runs {
            one_run(&hub, scale, &numbers, &mut runs).await?;
        }
        drop(hub);
        Ok(figures(runs, &bare::measure(scale.span)?))
    })
}

async fn one_run(
    hub: &Hub,
    scale: Scale,
    numbers: &Numbers,
    runs: &mut Runs,
) -> Result<(), Failure> {
    let send = single_send(&hub.project);
    let with_key = Request {
        keyed: true,
        ..send.clone()
    };
    let hundred = multi_send(&hub.project);
    let glance = Request::get(hub.project.clone());
    let rate = async |connections, request| {
        closed_loop(&hub.caller, connections, scale.span, numbers, request).await
    };
    runs.fsyncs.push(fsyncs_per_s(hub.disk())?);
    let loaded = rate(CONNECTIONS, &send).await?;
    let p99_us = percentile(&loaded.latencies_us, 99.0);
    runs.p99_ms.push(p99_us as f64 / 1000.0);
    runs.single.push(loaded.per_s);
    let loaded = rate(CONNECTIONS, &with_key).await?;
    runs.with_key.push(loaded.per_s);
    runs.one.push(rate(1, &send).await?.per_s);
    let loaded = rate(MULTI_CONNECTIONS, &hundred).await?;
    runs.multi.push(loaded.per_s * MULTI as f64);
    runs.light.push(rate(CONNECTIONS, &glance).await?.per_s);
    runs.light_one.push(rate(1, &glance).await?.per_s);
    Ok(())
}

fn figures(runs: Runs, bare: &Bare) -> Vec<Figure> {
    let (single, light) = (median(runs.single), median(runs.light));
    let figure = Figure::new;
    let per_s = |name, value, limit| figure(name, value, "1/s", limit);
    let share = |name, value| figure(name, value, "ratio", Limit::None);
    let p99_ms = median(runs.p99_ms);
    vec![
        per_s(NAMES[0], single, Limit::AtLeast(10_000.0)),
        figure(NAMES[1], p99_ms, "ms", Limit::AtMost(25.0)),
        per_s(NAMES[2], median(runs.with_key), Limit::None),
        per_s(NAMES[3], median(runs.one), Limit::AtLeast(3_000.0)),
        per_s(NAMES[4], median(runs.multi), Limit::AtLeast(25_000.0)),
        per_s(NAMES[5], light, Limit::None),
        per_s(NAMES[6], median(runs.light_one), Limit::None),
        share(NAMES[7], single / light),
        per_s(NAMES[8], bare.plain, Limit::None),
        per_s(NAMES[9], bare.with_key, Limit::None),
        share(NAMES[10], single / bare.plain),
        per_s(NAMES[11], median(runs.fsyncs), Limit::None),
    ]
}
