//! From the request to the virtual phone's radio call, through both processes' disks.
//!
//! The time begins just before the request is written and ends with the radio log's line. The log
//! counts milliseconds, so half of one is added, which is right on average.

use super::{Scale, fresh_numbers, recipient};
use crate::{
    Failure,
    clock::now,
    http::Caller,
    hub::Hub,
    load::{Numbers, Request, Started, block_on, open_loop},
    report::{Figure, Limit},
    stats::{median, percentile},
};
use serde_json::Value;
use std::{collections::BTreeMap, io::Write, path::Path, time::Duration};

pub(super) const SLOW_NAMES: &[&str] = &["accept_to_radio_p50_ms", "accept_to_radio_p99_ms"];
pub(super) const FAST_NAMES: &[&str] = &[
    "accept_to_radio_at_1000_per_s_p50_ms",
    "accept_to_radio_at_1000_per_s_p99_ms",
];

/// How long the last messages may take to reach the radio.
const PATIENCE: Duration = Duration::from_secs(20);
/// Requests before anything counts, per run.
const WARM_UP_SHARE: usize = 10;

struct Load {
    phones: usize,
    per_s: f64,
    connections: usize,
    /// The span of a run, in units of the scale's.
    longer: u32,
}

/// Few messages, as people send them.
const SLOW: Load = Load {
    phones: 2,
    per_s: 10.0,
    connections: 4,
    longer: 3,
};

pub(super) fn measure_slow(scale: Scale) -> Result<Vec<Figure>, Failure> {
    measure(scale, &SLOW, SLOW_NAMES, [3.0, 10.0])
}

/// Returns the 99th percentile in milliseconds at 10/s, on phones of a hub that runs.
pub(super) async fn slow_p99_ms(
    hub: &Hub,
    phones: &[String],
    scale: Scale,
    numbers: &Numbers,
) -> Result<f64, Failure> {
    let mut p99 = Vec::new();
    for _ in 0..scale.runs {
        let sorted = one_run(hub, &hub.caller, phones, scale, &SLOW, numbers).await?;
        p99.push(percentile(&sorted, 99.0) as f64 / 1000.0);
    }
    Ok(median(p99))
}

pub(super) fn measure_fast(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let load = Load {
        phones: 50,
        per_s: 1000.0,
        connections: 32,
        longer: 2,
    };
    measure(scale, &load, FAST_NAMES, [5.0, 50.0])
}

fn measure(
    scale: Scale,
    load: &Load,
    names: &'static [&'static str],
    limits: [f64; 2],
) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start(load.phones)?;
        let numbers = fresh_numbers();
        let (mut p50, mut p99) = (Vec::new(), Vec::new());
        for _ in 0..scale.runs {
            let sorted = one_run(&hub, &hub.caller, &hub.phones, scale, load, &numbers).await?;
            p50.push(percentile(&sorted, 50.0) as f64 / 1000.0);
            p99.push(percentile(&sorted, 99.0) as f64 / 1000.0);
        }
        let ms = |place: usize, value| {
            Figure::new(names[place], value, "ms", Limit::AtMost(limits[place]))
        };
        Ok(vec![ms(0, median(p50)), ms(1, median(p99))])
    })
}

/// Returns the sorted spans in microseconds at 10/s, accepted by another hub than the phones'.
pub(super) async fn across_us(
    hub: &Hub,
    other: &Caller,
    scale: Scale,
    numbers: &Numbers,
) -> Result<Vec<u64>, Failure> {
    one_run(hub, other, &hub.phones, scale, &SLOW, numbers).await
}

async fn one_run(
    hub: &Hub,
    caller: &Caller,
    phones: &[String],
    scale: Scale,
    load: &Load,
    numbers: &Numbers,
) -> Result<Vec<u64>, Failure> {
    let phones = phones.to_vec();
    let path = format!("{}/messages/send", hub.project);
    let request = Request::post(path, move |number, body| {
        let phone = &phones[number as usize % phones.len()];
        let to = recipient(number);
        let text = write!(
            body,
            r#"{{"to_number":"+{to}","content":"{number}","route_id":"{phone}"}}"#
        );
        debug_assert!(text.is_ok(), "a vector takes everything");
    });
    let span = scale.span * load.longer;
    let connections = load.connections;
    let started = open_loop(caller, connections, load.per_s, span, numbers, &request).await?;
    let counted = &started[started.len() / WARM_UP_SHARE..];
    let deadline = now() + PATIENCE;
    loop {
        let handed_over = read_radio_log(&hub.radio_log)?;
        if let Some(spans) = spans(counted, &handed_over) {
            return Ok(spans);
        }
        if now() > deadline {
            return Err("not every message reached the radio".into());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Returns the sorted spans in microseconds, or `None` while one is missing.
fn spans(started: &[Started], handed_over: &BTreeMap<u64, u64>) -> Option<Vec<u64>> {
    let span = |one: &Started| {
        let at_us = handed_over.get(&one.number)?;
        Some(at_us.saturating_sub(one.at_us))
    };
    let mut spans = started.iter().map(span).collect::<Option<Vec<_>>>()?;
    spans.sort_unstable();
    Some(spans)
}

/// Returns when each numbered text was handed over, in microseconds of the wall clock.
fn read_radio_log(path: &Path) -> Result<BTreeMap<u64, u64>, Failure> {
    let text = std::fs::read_to_string(path)?;
    let mut handed_over = BTreeMap::new();
    for line in text.lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let number = line["text"].as_str().and_then(|text| text.parse().ok());
        if let (Some(number), Some(at_ms)) = (number, line["at_ms"].as_u64()) {
            handed_over.entry(number).or_insert(at_ms * 1000 + 500);
        }
    }
    Ok(handed_over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_counted_once_every_message_is_there() {
        let started = [(1, 1_000), (2, 5_000)].map(|(number, at_us)| Started {
            number,
            at_us,
            done_us: at_us,
        });
        let mut handed_over = BTreeMap::from([(1, 4_500)]);
        assert_eq!(spans(&started, &handed_over), None);
        handed_over.insert(2, 6_500);
        assert_eq!(spans(&started, &handed_over), Some(vec![1_500, 3_500]));
    }
}
