//! Sends on PostgreSQL beside those on SQLite, in turn.

use super::{MULTI, Scale, fresh_numbers, multi_send, postgres_hub, single_send};
use crate::{
    Failure,
    hub::Hub,
    load::{Request, block_on, closed_loop},
    report::{Figure, Limit},
    stats::{median, percentile},
};

pub(super) const NAMES: &[&str] = &[
    "postgres_single_sends_ratio",
    "postgres_single_sends_per_s",
    "postgres_single_sends_p99_ms",
    "postgres_send_multi_ratio",
    "postgres_send_multi_messages_per_s",
];

/// Connections that send at once.
pub(super) const CONNECTIONS: usize = 64;
pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let file = Hub::start_paused(1).await?;
        let server = postgres_hub(1).await?;
        let numbers = fresh_numbers();
        let (mut single, mut single_ratios, mut p99_ms) = (Vec::new(), Vec::new(), Vec::new());
        let (mut multi, mut multi_ratios) = (Vec::new(), Vec::new());
        let load = async |hub: &Hub, request: fn(&str) -> Request| {
            let request = request(&hub.project);
            closed_loop(&hub.caller, CONNECTIONS, scale.span, &numbers, &request).await
        };
        for _ in 0..scale.runs {
            let on_file = load(&file, single_send).await?;
            let on_server = load(&server, single_send).await?;
            single_ratios.push(on_server.per_s / on_file.per_s);
            single.push(on_server.per_s);
            p99_ms.push(percentile(&on_server.latencies_us, 99.0) as f64 / 1000.0);
            let on_file = load(&file, multi_send).await?;
            let on_server = load(&server, multi_send).await?;
            multi_ratios.push(on_server.per_s / on_file.per_s);
            multi.push(on_server.per_s * MULTI as f64);
        }
        let figure = |place: usize, values, unit, limit| {
            Figure::new(NAMES[place], median(values), unit, limit)
        };
        Ok(vec![
            figure(0, single_ratios, "ratio", Limit::AtLeast(0.15)),
            figure(1, single, "1/s", Limit::None),
            figure(2, p99_ms, "ms", Limit::None),
            figure(3, multi_ratios, "ratio", Limit::AtLeast(0.12)),
            figure(4, multi, "1/s", Limit::None),
        ])
    })
}
