//! Accepting messages: one by one over many connections and over one, and by the hundred.

use super::{MULTI, Scale, bare, fresh_numbers, multi_send, single_send};
use crate::{
    Failure,
    disk::fsyncs_per_s,
    hub::Hub,
    load::{Loaded, Numbers, Request, block_on, closed_loop},
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
    "single_sends_share_of_light",
    "bare_inserts_per_s",
    "bare_inserts_with_key_per_s",
    "single_sends_share_of_bare",
    "fsyncs_per_s",
];

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start_paused(1).await?;
        let numbers = fresh_numbers();
        let mut fsyncs = Vec::new();
        let (mut single, mut p99, mut keyed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut one, mut multi, mut light) = (Vec::new(), Vec::new(), Vec::new());
        let send = single_send(&hub.project);
        let with_key = Request {
            keyed: true,
            ..send.clone()
        };
        let hundred = multi_send(&hub.project);
        let glance = Request::get(hub.project.clone());
        for _ in 0..scale.runs {
            fsyncs.push(fsyncs_per_s(hub.disk())?);
            let loaded = run(&hub, CONNECTIONS, scale, &numbers, &send).await?;
            p99.push(percentile(&loaded.latencies_us, 99.0) as f64 / 1000.0);
            single.push(loaded.per_s);
            keyed.push(
                run(&hub, CONNECTIONS, scale, &numbers, &with_key)
                    .await?
                    .per_s,
            );
            one.push(run(&hub, 1, scale, &numbers, &send).await?.per_s);
            let loaded = run(&hub, MULTI_CONNECTIONS, scale, &numbers, &hundred).await?;
            multi.push(loaded.per_s * MULTI as f64);
            light.push(
                run(&hub, CONNECTIONS, scale, &numbers, &glance)
                    .await?
                    .per_s,
            );
        }
        drop(hub);
        let bare = bare::measure(scale.span)?;
        let (single, light) = (median(single), median(light));
        let per_s = |name, value, limit| Figure {
            name,
            value,
            unit: "1/s",
            limit,
        };
        let share = |name, value| Figure {
            name,
            value,
            unit: "ratio",
            limit: Limit::None,
        };
        Ok(vec![
            per_s(NAMES[0], single, Limit::AtLeast(10_000.0)),
            Figure {
                name: NAMES[1],
                value: median(p99),
                unit: "ms",
                limit: Limit::AtMost(25.0),
            },
            per_s(NAMES[2], median(keyed), Limit::None),
            per_s(NAMES[3], median(one), Limit::AtLeast(3_000.0)),
            per_s(NAMES[4], median(multi), Limit::AtLeast(25_000.0)),
            per_s(NAMES[5], light, Limit::None),
            share(NAMES[6], single / light),
            per_s(NAMES[7], bare.plain, Limit::None),
            per_s(NAMES[8], bare.with_key, Limit::None),
            share(NAMES[9], single / bare.plain),
            per_s(NAMES[10], median(fsyncs), Limit::None),
        ])
    })
}

async fn run(
    hub: &Hub,
    connections: usize,
    scale: Scale,
    numbers: &Numbers,
    request: &Request,
) -> Result<Loaded, Failure> {
    closed_loop(&hub.caller, connections, scale.span, numbers, request).await
}
