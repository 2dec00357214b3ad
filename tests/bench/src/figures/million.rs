//! The same work with a million stored messages: sends against an almost empty store, lists against
//! ten thousand messages.

use super::lists::{List, compare, list};
use super::{MULTI, Scale, accept_to_radio, fresh_numbers, multi_send, postgres_hub, single_send};
use crate::{
    Failure,
    http::Connection,
    hub::{Hub, resume},
    load::{Numbers, Request, block_on, closed_loop},
    process::{anonymous_mib, memory_mib},
    report::{Figure, Limit},
    stats::median,
};
use postrider_model::Key;
use serde_json::Value;
use std::time::Duration;

pub(super) const NAMES: &[&str] = &[
    "single_sends_at_1m_ratio",
    "list_at_1m_ratio",
    "list_at_1m_p99_ms",
    "accept_to_radio_at_1m_ratio",
    "hub_at_1m_memory_mib",
    "hub_at_1m_anonymous_mib",
];

pub(super) const POSTGRES_NAMES: &[&str] =
    &["postgres_list_at_1m_ratio", "postgres_list_at_1m_p99_ms"];

/// How many messages the small store holds.
const FEW: u64 = 10_000;
/// Two years.
const MONTHS_24_MS: u64 = 2 * 365 * 24 * 3_600_000;
/// The bits of a key below its milliseconds.
const KEY_BITS_BELOW_MS: u32 = Key::first_of_ms(1).get().trailing_zeros();
/// Connections that fill the store.
const FILLING: usize = 8;
/// A recipient that gets a hundred messages, beside those that get one each.
const REGULAR: u64 = 15_005_560_000;
/// Connections that send at once.
const CONNECTIONS: usize = 64;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start_paused(3).await?;
        // The last phone sends; nothing else waits for it.
        let sends_by = &hub.phones[2..];
        resume(&hub.caller, &hub.project, &sends_by[0]).await?;
        let numbers = fresh_numbers();
        let few_ms = accept_to_radio::slow_p99_ms(&hub, sends_by, scale, &numbers).await?;
        fill(&hub, &numbers, FEW).await?;
        let regular = regular(&hub).await?;
        let few_lists = lists(&hub, &regular).await?;
        let few_sends = sends(&hub, scale, &numbers).await?;
        fill(&hub, &numbers, scale.many).await?;
        let many_lists = lists(&hub, &regular).await?;
        let many_sends = sends(&hub, scale, &numbers).await?;
        let many_ms = accept_to_radio::slow_p99_ms(&hub, sends_by, scale, &numbers).await?;
        let (in_all, own) = (memory_mib(hub.pid())?, anonymous_mib(hub.pid())?);
        let (worst, slowest_ms) = compare(&few_lists, &many_lists);
        Ok(vec![
            Figure::new(
                NAMES[0],
                few_sends / many_sends,
                "ratio",
                Limit::AtMost(1.25),
            ),
            Figure::new(NAMES[1], worst, "ratio", Limit::AtMost(2.0)),
            Figure::new(NAMES[2], slowest_ms, "ms", Limit::AtMost(10.0)),
            Figure::new(NAMES[3], many_ms / few_ms, "ratio", Limit::AtMost(1.25)),
            Figure::new(NAMES[4], in_all, "MiB", Limit::None),
            Figure::new(NAMES[5], own, "MiB", Limit::None),
        ])
    })
}

/// Measures the lists on PostgreSQL, where the many messages are of the last 24 months.
pub(super) fn measure_lists_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = postgres_hub(3).await?;
        let numbers = fresh_numbers();
        fill(&hub, &numbers, FEW).await?;
        let regular = regular(&hub).await?;
        let few = lists(&hub, &regular).await?;
        fill(&hub, &numbers, scale.many).await?;
        let apart_ms = MONTHS_24_MS / scale.many;
        // A key's time is its row's.
        let spread = format!(
            "UPDATE messages SET time_created = time_created - {apart_ms} * older.messages, \
             id = messages.id - (({apart_ms} * older.messages) << {KEY_BITS_BELOW_MS}) \
             FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS messages FROM messages) AS older \
             WHERE older.id = messages.id"
        );
        hub.database()?.run(&[&spread, "VACUUM messages"])?;
        let many = lists(&hub, &regular).await?;
        let (worst, slowest_ms) = compare(&few, &many);
        let figure = |place: usize, value, unit, limit| {
            Figure::new(POSTGRES_NAMES[place], value, unit, limit)
        };
        Ok(vec![
            figure(0, worst, "ratio", Limit::AtMost(2.0)),
            figure(1, slowest_ms, "ms", Limit::None),
        ])
    })
}

/// Sends by the hundred until the project holds `wanted` messages.
pub(super) async fn fill(hub: &Hub, numbers: &Numbers, wanted: u64) -> Result<(), Failure> {
    let request = multi_send(&hub.project);
    loop {
        let stored = count(hub).await?;
        if stored >= wanted {
            return Ok(());
        }
        let missing = (wanted - stored).div_ceil(MULTI);
        let share = missing.div_ceil(FILLING as u64);
        let local = tokio::task::LocalSet::new();
        let mut workers = Vec::new();
        for _ in 0..FILLING {
            let (caller, numbers, request) = (hub.caller.clone(), numbers.clone(), request.clone());
            workers.push(local.spawn_local(async move {
                let mut connection = Connection::open(&caller).await?;
                let mut body = Vec::new();
                for _ in 0..share {
                    let number = numbers.next();
                    crate::load::send(&mut connection, &caller, &request, number, &mut body)
                        .await?;
                }
                Ok::<(), Failure>(())
            }));
        }
        local.await;
        for worker in workers {
            worker.await??;
        }
    }
}

async fn count(hub: &Hub) -> Result<u64, Failure> {
    let answer = ask(hub, "messages?count=1").await?;
    Ok(answer["count"].as_u64().ok_or("the count is no number")?)
}

async fn ask(hub: &Hub, path: &str) -> Result<Value, Failure> {
    let mut connection = Connection::open(&hub.caller).await?;
    let path = format!("{}/{path}", hub.project);
    let body = connection
        .exchange(&hub.caller, "GET", &path, "", b"")
        .await?;
    Ok(serde_json::from_slice(body)?)
}

async fn sends(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<f64, Failure> {
    let mut rates = Vec::new();
    let request = single_send(&hub.project);
    for _ in 0..scale.runs {
        let span = (scale.span / 2).max(Duration::from_millis(200));
        let loaded = closed_loop(&hub.caller, CONNECTIONS, span, numbers, &request).await?;
        rates.push(loaded.per_s);
    }
    Ok(median(rates))
}

/// Sends a hundred messages to one recipient, so that its lists are equally long in both stores, and
/// returns its contact.
async fn regular(hub: &Hub) -> Result<String, Failure> {
    let path = format!("{}/send_multi", hub.project);
    let request = Request::post(path, |_, body| {
        let one = format!(r#"{{"to_number":"+{REGULAR}","content":"again"}}"#);
        let all = vec![one; MULTI as usize].join(",");
        body.extend_from_slice(format!(r#"{{"messages":[{all}]}}"#).as_bytes());
    });
    let mut connection = Connection::open(&hub.caller).await?;
    crate::load::send(&mut connection, &hub.caller, &request, 0, &mut Vec::new()).await?;
    let newest = ask(hub, "messages?page_size=1&sort_dir=desc").await?;
    let contact = newest["data"][0]["contact_id"].as_str();
    Ok(contact.ok_or("the message has no contact")?.to_owned())
}

/// Lists 50 messages by each named pair of filters, in both directions.
async fn lists(hub: &Hub, contact: &str) -> Result<Vec<List>, Failure> {
    let newest = ask(hub, "messages?page_size=1&sort_dir=desc").await?;
    let phone = &hub.phones[0];
    let since = newest["data"][0]["time_created"].as_u64().unwrap_or(0) - 1;
    let mut measured = Vec::new();
    for pair in [
        "direction=outgoing&status=queued".to_owned(),
        "source=api&status=queued".to_owned(),
        format!("contact_id={contact}&direction=outgoing"),
        format!("phone_id={phone}&status=queued"),
        format!("time_created[min]={since}&direction=outgoing"),
        format!("status=queued&time_created[min]={since}"),
    ] {
        for direction in ["asc", "desc"] {
            let filters = format!("{pair}&sort_dir={direction}");
            measured.push(list(hub, format!("messages?{filters}")).await?);
        }
    }
    Ok(measured)
}
