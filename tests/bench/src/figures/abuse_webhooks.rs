//! Webhooks with a backlog, and beside receivers that hang.

use super::{Scale, fresh_numbers, recipient, single_send};
use crate::{
    Failure,
    clock::now,
    http::{Caller, Connection},
    hub::Hub,
    load::{Numbers, block_on, closed_loop},
    receiver::{Arrival, Receivers},
    report::{Figure, Limit},
    stats::{median, percentile},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    time::{Duration, Instant},
};
use tokio::task::LocalSet;

pub(super) const NAMES: &[&str] = &[
    "abuse_webhooks_fast_per_s",
    "abuse_webhooks_100ms_per_s",
    "abuse_webhooks_50_receivers_per_s",
    "abuse_webhooks_victim_p99_ms",
    "abuse_sends_beside_webhooks_p99_ratio",
];

/// Messages of one request that fills the backlog.
const HUNDRED: u64 = 100;
/// Requests that fill it at once.
const FILLING: u64 = 4;
/// One of this many messages is cancelled and so has a second event.
const CANCELLED_OF: usize = 50;
/// Ports that hang.
const HANGING: usize = 1_000;
/// Connections that send beside the backlog.
const CONNECTIONS: usize = 64;
/// Time between two messages of the victim project.
const VICTIM_EVERY: Duration = Duration::from_millis(25);
/// How long everything may take to arrive.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let rows = scale.many / 10;
    let mut runs: [Vec<f64>; 5] = Default::default();
    for _ in 0..scale.runs {
        let ms = Duration::from_millis;
        runs[0].push(block_on(rate(rows, 1, ms(0)))?);
        runs[1].push(block_on(rate(rows / 10, 1, ms(100)))?);
        runs[2].push(block_on(rate(rows / 2, 50, ms(10)))?);
        runs[3].push(block_on(victim(scale))?);
        runs[4].push(block_on(beside(rows, scale))?);
    }
    let [fast, slow, many, victim, beside] = runs.map(median);
    let figure = |place: usize, value, unit, limit| Figure::new(NAMES[place], value, unit, limit);
    Ok(vec![
        figure(0, fast, "1/s", Limit::AtLeast(5_000.0)),
        figure(1, slow, "1/s", Limit::AtLeast(500.0)),
        figure(2, many, "1/s", Limit::AtLeast(3_000.0)),
        figure(3, victim, "ms", Limit::AtMost(1_000.0)),
        figure(4, beside, "ratio", Limit::AtMost(2.0)),
    ])
}

/// Returns how many events of a backlog arrive per second at so many receivers. The last hundredth is not
/// counted, but must arrive; and each message's events must arrive in order.
async fn rate(rows: u64, receivers: usize, delay: Duration) -> Result<f64, Failure> {
    let hub = Hub::start_paused(1).await?;
    let receivers = Receivers::start(receivers, delay)?;
    let rows = fill(&hub, rows, &receivers.ports, CANCELLED_OF).await?;
    receivers.open();
    let opened = now();
    receivers.wait(rows, PATIENCE).await?;
    let arrivals = until_all(&receivers, rows).await?;
    judge(&arrivals)?;
    let after = arrivals.iter().filter(|one| one.at > opened);
    let mut moments: Vec<Instant> = after.map(|one| one.at).collect();
    moments.truncate(moments.len() * 99 / 100);
    let last = moments
        .last()
        .ok_or("no webhook came after the receiver opened")?;
    Ok(moments.len() as f64 / (*last - opened).as_secs_f64())
}

/// Waits until each event came; repeats are allowed and do not count.
async fn until_all(receivers: &Receivers, rows: usize) -> Result<Vec<Arrival>, Failure> {
    let until = now() + PATIENCE;
    loop {
        let arrivals = receivers.arrivals();
        let events: BTreeSet<&str> = arrivals.iter().map(|one| &*one.webhook).collect();
        if events.len() >= rows {
            return Ok(arrivals);
        }
        if now() > until {
            return Err(format!("{} of {rows} events came", events.len()).into());
        }
        receivers
            .wait(arrivals.len() + rows - events.len(), PATIENCE)
            .await?;
    }
}

/// Checks that no message was reported as cancelled before it was reported as queued.
fn judge(arrivals: &[Arrival]) -> Result<(), Failure> {
    let mut told: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in arrivals {
        told.entry(&one.message).or_default().push(&one.status);
    }
    let wrong = told.values().filter(|states| states[0] != "queued").count();
    match wrong {
        0 => Ok(()),
        _ => Err(format!("{wrong} messages were told of in a wrong order").into()),
    }
}

/// Returns the 99th percentile of the time from a send to its webhook, in milliseconds, of a project
/// beside one with a thousand ports that hang and 50 rows for each.
async fn victim(scale: Scale) -> Result<f64, Failure> {
    let hub = Hub::start_paused(1).await?;
    let (caller, project) = hub.another_project().await?;
    let hanging = Receivers::start(HANGING, Duration::ZERO)?;
    fill(&hub, scale.many / 20, &hanging.ports, usize::MAX).await?;
    let receiver = Receivers::start(1, Duration::ZERO)?;
    receiver.open();
    let path = format!("{project}/send_multi");
    let count = (scale.span.as_millis() * 4 / VICTIM_EVERY.as_millis()).max(20);
    let mut connection = Connection::open(&caller).await?;
    let mut sent: BTreeMap<String, Instant> = BTreeMap::new();
    for number in 0..u64::try_from(count)? {
        let body = messages(number..number + 1, &receiver.ports);
        let began = now();
        let answer = connection.exchange(&caller, "POST", &path, "", body.as_bytes());
        for id in ids(answer.await?)? {
            sent.insert(id, began);
        }
        tokio::time::sleep_until((began + VICTIM_EVERY).into()).await;
    }
    let queued = |one: &Arrival| one.status == "queued";
    let until = now() + PATIENCE;
    let mut spans_us = Vec::new();
    while spans_us.len() < sent.len() {
        if now() > until {
            return Err(format!("{} of {} webhooks came", spans_us.len(), sent.len()).into());
        }
        tokio::time::sleep(VICTIM_EVERY).await;
        let arrivals = receiver.arrivals();
        let first = arrivals.iter().filter(|one| queued(one));
        let spans = first.filter_map(|one| Some(one.at - *sent.get(&one.message)?));
        spans_us = spans.map(|span| span.as_micros() as u64).collect();
    }
    spans_us.sort_unstable();
    Ok(percentile(&spans_us, 99.0) as f64 / 1_000.0)
}

/// Returns the 99th percentile of single sends while a backlog is delivered, divided by the one
/// without.
async fn beside(rows: u64, scale: Scale) -> Result<f64, Failure> {
    let hub = Hub::start_paused(1).await?;
    let numbers = fresh_numbers();
    let receivers = Receivers::start(1, Duration::ZERO)?;
    let alone = sends_p99(&hub, scale, &numbers).await?;
    let rows = fill(&hub, rows, &receivers.ports, usize::MAX).await?;
    receivers.open();
    let beside = sends_p99(&hub, scale, &numbers).await?;
    receivers.wait(rows, PATIENCE).await?;
    Ok(beside / alone)
}

async fn sends_p99(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<f64, Failure> {
    let request = single_send(&hub.project);
    let span = (scale.span / 2).max(Duration::from_millis(200));
    let loaded = closed_loop(&hub.caller, CONNECTIONS, span, numbers, &request).await?;
    Ok(percentile(&loaded.latencies_us, 99.0) as f64)
}

/// Writes about so many events into the outbox, for these ports in turn, and returns how many: a
/// message queued by the hundred has an event, and another when it is cancelled.
async fn fill(hub: &Hub, rows: u64, ports: &[u16], cancelled_of: usize) -> Result<usize, Failure> {
    let local = LocalSet::new();
    let mut workers = Vec::new();
    for worker in 0..FILLING {
        let (caller, project, ports) = (hub.caller.clone(), hub.project.clone(), ports.to_vec());
        workers.push(local.spawn_local(async move {
            let hundreds = (0..rows / HUNDRED).filter(|n| n % FILLING == worker);
            fill_some(&caller, &project, hundreds, &ports, cancelled_of).await
        }));
    }
    local.await;
    let mut written = 0;
    for worker in workers {
        written += worker.await??;
    }
    Ok(written)
}

async fn fill_some(
    caller: &Caller,
    project: &str,
    hundreds: impl Iterator<Item = u64>,
    ports: &[u16],
    cancelled_of: usize,
) -> Result<usize, Failure> {
    let mut connection = Connection::open(caller).await?;
    let (mut made, mut cancelled) = (Vec::new(), 0);
    for hundred in hundreds {
        let body = messages(hundred * HUNDRED..(hundred + 1) * HUNDRED, ports);
        let path = format!("{project}/send_multi");
        let answer = connection.exchange(caller, "POST", &path, "", body.as_bytes());
        made.extend(ids(answer.await?)?);
    }
    for id in made.iter().step_by(cancelled_of) {
        if cancelled_of == usize::MAX {
            break;
        }
        let path = format!("{project}/messages/{id}/cancel");
        connection.exchange(caller, "POST", &path, "", b"").await?;
        cancelled += 1;
    }
    Ok(made.len() + cancelled)
}

fn messages(numbers: std::ops::Range<u64>, ports: &[u16]) -> String {
    let mut body = String::from(r#"{"messages":["#);
    for number in numbers.clone() {
        let separator = if number > numbers.start { "," } else { "" };
        let port = ports[usize::try_from(number).unwrap_or_default() % ports.len()];
        let written = write!(
            body,
            r#"{separator}{{"to_number":"+{}","content":"message {number}","status_url":"http://127.0.0.1:{port}/"}}"#,
            recipient(number)
        );
        debug_assert!(written.is_ok(), "a text takes everything");
    }
    body.push_str("]}");
    body
}

fn ids(answer: &[u8]) -> Result<Vec<String>, Failure> {
    let answer: Value = serde_json::from_slice(answer)?;
    let messages = answer["messages"].as_array().into_iter().flatten();
    let ids = messages.filter_map(|one| one["id"].as_str().map(str::to_owned));
    Ok(ids.collect())
}
