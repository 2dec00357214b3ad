//! A hundred thousand contacts: importing them, listing them as a dynamic group, and broadcasting to
//! them while others send.

use super::{Scale, fresh_numbers, single_send};
use crate::{
    Failure,
    clock::now,
    http::Connection,
    hub::Hub,
    load::{Numbers, Request, block_on, closed_loop, send},
    report::{Figure, Limit},
    stats::{median, percentile},
};
use serde_json::Value;
use std::io::Write;
use std::ops::Range;
use std::time::Duration;

pub(super) const NAMES: &[&str] = &[
    "import_contacts_per_s",
    "dynamic_group_first_page_p99_ms",
    "broadcast_expansion_messages_per_s",
    "single_sends_p99_in_broadcast_ratio",
];

/// Contacts of one import: the most that it accepts.
pub(super) const IMPORT: u64 = 200;
/// Imports at once.
const IMPORTING: usize = 2;
/// Lists of the dynamic group.
const LISTS: usize = 200;
/// Connections that send at once.
const CONNECTIONS: usize = 64;
/// How often the state of a broadcast is read.
const LOOK_EVERY: Duration = Duration::from_millis(10);

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start_paused(1).await?;
        let members = scale.many / 10;
        let people = People::import(&hub, members).await?;
        let first_page_us = people.first_page(&hub).await?;
        let mut rates = Vec::new();
        let mut ratios = Vec::new();
        let numbers = fresh_numbers();
        for _ in 0..scale.runs {
            rates.push(people.expand(&hub, members).await?);
            let alone = sends_p99(&hub, scale, &numbers).await?;
            people.begin_broadcast(&hub).await?;
            let beside = sends_p99(&hub, scale, &numbers).await?;
            people.until_expanded(&hub).await?;
            ratios.push(beside / alone);
        }
        let figure = Figure::new;
        let (import, page) = (people.per_s, first_page_us as f64 / 1000.0);
        let (rate, ratio) = (median(rates), median(ratios));
        Ok(vec![
            figure(NAMES[0], import, "1/s", Limit::AtLeast(20_000.0)),
            figure(NAMES[1], page, "ms", Limit::AtMost(20.0)),
            figure(NAMES[2], rate, "1/s", Limit::AtLeast(20_000.0)),
            figure(NAMES[3], ratio, "ratio", Limit::AtMost(2.0)),
        ])
    })
}

/// The contacts, in a group that they were put into and in a dynamic one.
struct People {
    group: String,
    dynamic: String,
    per_s: f64,
}

impl People {
    /// Imports so many contacts, each new, and measures that.
    async fn import(hub: &Hub, members: u64) -> Result<Self, Failure> {
        let group = make_group(hub, r#"{"name":"Everybody"}"#).await?;
        let filters = r#"{"name":"In Oslo","filters":{"vars.city":"oslo"}}"#;
        let dynamic = make_group(hub, filters).await?;
        let began = now();
        import_all(hub, &group, 0..members.div_ceil(IMPORT)).await?;
        Ok(Self {
            group,
            dynamic,
            per_s: members as f64 / began.elapsed().as_secs_f64(),
        })
    }

    /// Returns the 99th percentile of the first page of the dynamic group, in microseconds.
    async fn first_page(&self, hub: &Hub) -> Result<u64, Failure> {
        let path = format!("{}/groups/{}/contacts", hub.project, self.dynamic);
        let request = Request::get(path);
        let mut connection = Connection::open(&hub.caller).await?;
        let mut spans = Vec::with_capacity(LISTS);
        for turn in 0..LISTS + LISTS / 10 {
            let began = now();
            send(&mut connection, &hub.caller, &request, 0, &mut Vec::new()).await?;
            if turn >= LISTS / 10 {
                spans.push(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
            }
        }
        spans.sort_unstable();
        Ok(percentile(&spans, 99.0))
    }

    /// Returns how many messages a second a broadcast makes on an otherwise idle hub.
    async fn expand(&self, hub: &Hub, members: u64) -> Result<f64, Failure> {
        let began = now();
        self.begin_broadcast(hub).await?;
        let made = self.until_expanded(hub).await?;
        if made < members {
            return Err(format!("the broadcast made {made} of {members} messages").into());
        }
        Ok(made as f64 / began.elapsed().as_secs_f64())
    }

    async fn begin_broadcast(&self, hub: &Hub) -> Result<(), Failure> {
        let path = format!("{}/send_broadcast", hub.project);
        let body = format!(r#"{{"group_id":"{}","content":"to all"}}"#, self.group);
        ask(hub, "POST", &path, body.as_bytes()).await?;
        Ok(())
    }

    /// Waits until the newest broadcast has made its messages, and returns how many.
    async fn until_expanded(&self, hub: &Hub) -> Result<u64, Failure> {
        let path = format!(
            "{}/broadcasts?page_size=1&sort_dir=desc&fields=status,message_count",
            hub.project
        );
        loop {
            let page = ask(hub, "GET", &path, b"").await?;
            let newest = &page["data"][0];
            if newest["status"] != "queuing" {
                return Ok(newest["message_count"].as_u64().unwrap_or(0));
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

/// Imports contacts into a group, two hundred by each of these requests.
pub(super) async fn import_all(
    hub: &Hub,
    group: &str,
    requests: Range<u64>,
) -> Result<(), Failure> {
    let request = import(hub, group);
    let local = tokio::task::LocalSet::new();
    let mut workers = Vec::new();
    for worker in 0..IMPORTING {
        let (caller, request, numbers) = (hub.caller.clone(), request.clone(), requests.clone());
        workers.push(local.spawn_local(async move {
            let mut connection = Connection::open(&caller).await?;
            let mut body = Vec::new();
            for number in numbers.skip(worker).step_by(IMPORTING) {
                send(&mut connection, &caller, &request, number, &mut body).await?;
            }
            Ok::<(), Failure>(())
        }));
    }
    local.await;
    for worker in workers {
        worker.await??;
    }
    Ok(())
}

/// Returns the request that imports two hundred new contacts into a group.
fn import(hub: &Hub, group: &str) -> Request {
    let tail = format!(r#"],"add_group_ids":["{group}"]}}"#);
    Request::post(
        format!("{}/import_contacts", hub.project),
        move |number, body| {
            body.extend_from_slice(br#"{"contacts":["#);
            for place in 0..IMPORT {
                let separator = if place > 0 { "," } else { "" };
                let person = number * IMPORT + place;
                let to = 15_005_000_000 + person % 1_000_000;
                let written = write!(
                    body,
                    r#"{separator}{{"phone_number":"+{to}","name":"N{person}","vars":{{"city":"Oslo"}}}}"#
                );
                debug_assert!(written.is_ok(), "a vector takes everything");
            }
            body.extend_from_slice(tail.as_bytes());
        },
    )
}

pub(super) async fn make_group(hub: &Hub, body: &str) -> Result<String, Failure> {
    let path = format!("{}/create_group", hub.project);
    let made = ask(hub, "POST", &path, body.as_bytes()).await?;
    Ok(made["id"].as_str().ok_or("a group has no id")?.to_owned())
}

/// Asks once, and returns the answer.
pub(super) async fn ask(
    hub: &Hub,
    method: &str,
    path: &str,
    body: &[u8],
) -> Result<Value, Failure> {
    let mut connection = Connection::open(&hub.caller).await?;
    let answer = connection
        .exchange(&hub.caller, method, path, "", body)
        .await?;
    Ok(serde_json::from_slice(answer)?)
}

/// Returns the 99th percentile of single sends on 64 connections, in microseconds.
pub(super) async fn sends_p99(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<f64, Failure> {
    let request = single_send(&hub.project);
    let span = (scale.span / 2).max(Duration::from_millis(200));
    let loaded = closed_loop(&hub.caller, CONNECTIONS, span, numbers, &request).await?;
    Ok(percentile(&loaded.latencies_us, 99.0) as f64)
}
