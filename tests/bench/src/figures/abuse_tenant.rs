//! One project's sends beside another project at its worst: slow lists, imports, broadcasts
//! and settings that change back and forth, all at once and without a pause.

use super::{Scale, fresh_numbers, single_send};
use crate::{
    Failure,
    http::{Caller, Connection},
    hub::Hub,
    load::{Beside, Numbers, Over, Request, block_on, closed_loop, send},
    report::{Figure, Limit},
    stats::{median, percentile},
};
use std::fmt::Write as _;
use tokio::task::LocalSet;

/// The names of these figures.
pub(super) const NAMES: &[&str] = &[
    "abuse_sends_beside_worst_tenant_p99_ratio",
    "abuse_sends_alone_p99_ms",
];

/// Connections of the project that only sends.
const CONNECTIONS: usize = 8;
/// Connections of the other one, for each kind of request.
const CONNECTIONS_EACH: usize = 3;
/// Contacts of an import, the most that it accepts.
const IMPORTED: u64 = 200;
/// Recipients of a batch, the most that it accepts.
const RECIPIENTS: u64 = 500;

/// Measures the same sends alone and beside the other project, alternately.
pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    block_on(async {
        let hub = Hub::start_paused(1).await?;
        let (caller, project) = hub.another_project().await?;
        let numbers = fresh_numbers();
        let sends = single_send(&project);
        fill(&hub, scale, &numbers).await?;
        let p99_us = async || {
            let loaded = closed_loop(&caller, CONNECTIONS, scale.span, &numbers, &sends).await?;
            Ok::<_, Failure>(percentile(&loaded.latencies_us, 99.0) as f64)
        };
        let (mut alone, mut ratios) = (Vec::new(), Vec::new());
        for _ in 0..scale.runs {
            let alone_us = p99_us().await?;
            let attack = attack(&hub, scale);
            let beside_us = p99_us().await?;
            attack.end()?;
            alone.push(alone_us / 1000.0);
            ratios.push(beside_us / alone_us);
        }
        Ok(figures(median(ratios), median(alone)))
    })
}

fn figures(ratio: f64, alone_ms: f64) -> Vec<Figure> {
    vec![
        Figure::new(NAMES[0], ratio, "ratio", Limit::AtMost(3.0)),
        Figure::new(NAMES[1], alone_ms, "ms", Limit::None),
    ]
}

/// Gives the other project contacts for its lists.
async fn fill(hub: &Hub, scale: Scale, numbers: &Numbers) -> Result<(), Failure> {
    let contacts = scale.many.min(100_000);
    let mut connection = Connection::open(&hub.caller).await?;
    let (request, mut body) = (import(&hub.project), Vec::new());
    for _ in 0..contacts / IMPORTED {
        let number = numbers.next();
        send(&mut connection, &hub.caller, &request, number, &mut body).await?;
    }
    Ok(())
}

/// Starts the other project's requests, on a separate thread.
fn attack(hub: &Hub, scale: Scale) -> Beside {
    let (caller, project) = (hub.caller.clone(), hub.project.clone());
    Beside::start(async move |over| {
        let numbers = Numbers::above(scale.many);
        let local = LocalSet::new();
        for request in worst(&project) {
            for _ in 0..CONNECTIONS_EACH {
                let (caller, numbers, over) = (caller.clone(), numbers.clone(), over.clone());
                let request = request.clone();
                local.spawn_local(async move { go_on(&caller, &request, &numbers, &over).await });
            }
        }
        local.await;
        Ok(())
    })
}

/// Repeats a request, whatever the answer: the hub may refuse some.
async fn go_on(caller: &Caller, request: &Request, numbers: &Numbers, over: &Over) {
    let mut body = Vec::new();
    while !over.is_over() {
        let Ok(mut connection) = Connection::open(caller).await else {
            continue;
        };
        while !over.is_over() {
            let number = numbers.next();
            if send(&mut connection, caller, request, number, &mut body)
                .await
                .is_err()
            {
                break;
            }
        }
    }
}

/// Everything that the other project does at once.
fn worst(project: &str) -> Vec<Request> {
    let slow = "vars[a][not_prefix]=x&name[not_prefix]=y&sort=name&sort_dir=desc";
    vec![
        Request::get(format!("{project}/contacts?{slow}&count=1")),
        Request::get(format!(
            "{project}/contacts?{slow}&offset=90000&page_size=500"
        )),
        import(project),
        Request::post(format!("{project}/messages/send_batch"), batch),
        Request::post(project.to_owned(), zone),
    ]
}

fn import(project: &str) -> Request {
    Request::post(format!("{project}/import_contacts"), |number, body| {
        let mut text = String::from(r#"{"contacts":["#);
        for place in 0..IMPORTED {
            let comma = if place > 0 { "," } else { "" };
            let key = number * IMPORTED + place;
            let written = write!(
                text,
                r#"{comma}{{"phone_number":"+1500555{:04}","name":"Name {key}","vars":{{"a":"{key}"}}}}"#,
                key % 10_000,
            );
            debug_assert!(written.is_ok(), "a string takes everything");
        }
        text.push_str("]}");
        body.extend_from_slice(text.as_bytes());
    })
}

fn batch(number: u64, body: &mut Vec<u8>) {
    let recipients = (0..RECIPIENTS).map(|place| format!(r#""+1500555{place:04}""#));
    let recipients: Vec<_> = recipients.collect();
    let text = format!(
        r#"{{"content":"batch {number}","to_numbers":[{}]}}"#,
        recipients.join(",")
    );
    body.extend_from_slice(text.as_bytes());
}

fn zone(number: u64, body: &mut Vec<u8>) {
    let zone = ["Europe/Paris", "America/New_York"][usize::from(number.is_multiple_of(2))];
    body.extend_from_slice(format!(r#"{{"timezone_id":"{zone}"}}"#).as_bytes());
}
