//! Following short links: those that nobody has clicked before, and then the same again.

use super::{MULTI, Scale, fresh_numbers, postgres_hub, recipient};
use crate::{
    Failure,
    clock::now,
    http::Connection,
    hub::Hub,
    load::{Numbers, Request, block_on, send},
    report::{Figure, Limit},
    stats::median,
};
use hub_store::{StoreError, Tx};
use std::{cell::Cell, io::Write, rc::Rc};
use tokio::task::LocalSet;

pub(super) const NAMES: &[&str] = &["first_clicks_per_s", "redirects_per_s"];
pub(super) const POSTGRES_NAMES: &[&str] =
    &["postgres_first_clicks_per_s", "postgres_redirects_per_s"];

/// Connections of people who follow links at once.
const CONNECTIONS: usize = 64;
/// How often each link is followed once it was clicked.
const AGAIN: usize = 3;
/// A number for the hub's keys that no hub here has.
const PROCESS: u8 = 201;

/// What was measured, in the order of the names.
type Values = [f64; 2];

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let [clicks, redirects] = block_on(async { on(&Hub::start_paused(1).await?, scale).await })?;
    Ok(vec![
        Figure::new(NAMES[0], clicks, "1/s", Limit::AtLeast(5_000.0)),
        Figure::new(NAMES[1], redirects, "1/s", Limit::AtLeast(15_000.0)),
    ])
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let [clicks, redirects] = block_on(async { on(&postgres_hub(1).await?, scale).await })?;
    Ok(vec![
        Figure::new(POSTGRES_NAMES[0], clicks, "1/s", Limit::None),
        Figure::new(POSTGRES_NAMES[1], redirects, "1/s", Limit::None),
    ])
}

async fn on(hub: &Hub, scale: Scale) -> Result<Values, Failure> {
    let numbers = fresh_numbers();
    let (mut clicks, mut redirects) = (Vec::new(), Vec::new());
    for _ in 0..scale.runs {
        send_links(hub, scale.many / 20, &numbers).await?;
        let links = Rc::new(unclicked(hub).await?);
        clicks.push(follow(hub, &links, 1).await?);
        let left = unclicked(hub).await?.len();
        if left > 0 {
            return Err(format!("{left} clicks were not noted").into());
        }
        redirects.push(follow(hub, &links, AGAIN).await?);
    }
    Ok([median(clicks), median(redirects)])
}

/// Sends messages with one link each.
async fn send_links(hub: &Hub, count: u64, numbers: &Numbers) -> Result<(), Failure> {
    let request = Request::post(format!("{}/send_multi", hub.project), write_messages);
    let mut connection = Connection::open(&hub.caller).await?;
    let mut body = Vec::new();
    for _ in 0..count.div_ceil(MULTI) {
        let number = numbers.next();
        send(&mut connection, &hub.caller, &request, number, &mut body).await?;
    }
    Ok(())
}

fn write_messages(number: u64, body: &mut Vec<u8>) {
    body.extend_from_slice(br#"{"messages":["#);
    for place in 0..MULTI {
        let separator = if place > 0 { "," } else { "" };
        let to = recipient(number * MULTI + place);
        let written = write!(
            body,
            r#"{separator}{{"to_number":"+{to}","content":"See https://a.example/page"}}"#
        );
        debug_assert!(written.is_ok(), "a vector takes everything");
    }
    body.extend_from_slice(br#"],"track_clicks":true}"#);
}

/// Returns the paths of the links that nobody has clicked.
async fn unclicked(hub: &Hub) -> Result<Vec<String>, Failure> {
    let store = hub.operator().store(PROCESS)?;
    let read = |tx: &mut Tx<'_>| {
        tx.query(
            "SELECT code FROM short_links WHERE time_clicked IS NULL",
            &[],
            |row| Ok(format!("/s/{}", row.text(0)?)),
        )
    };
    let paths: Result<_, StoreError> = store.read(read).await;
    Ok(paths?)
}

/// Follows each link so many times, and returns how many answers there were a second.
async fn follow(hub: &Hub, links: &Rc<Vec<String>>, times: usize) -> Result<f64, Failure> {
    let (began, taken) = (now(), Rc::new(Cell::new(0)));
    let wanted = links.len() * times;
    let local = LocalSet::new();
    let workers = (0..CONNECTIONS).map(|_| {
        let (caller, links, taken) = (hub.caller.clone(), links.clone(), taken.clone());
        local.spawn_local(async move {
            let mut connection = Connection::open(&caller).await?;
            while taken.get() < wanted {
                let turn = taken.replace(taken.get() + 1);
                let path = &links[turn % links.len()];
                connection.be_led_on(&caller, path).await?;
            }
            Ok::<(), Failure>(())
        })
    });
    let workers: Vec<_> = workers.collect();
    local.await;
    for worker in workers {
        worker.await??;
    }
    Ok(wanted as f64 / began.elapsed().as_secs_f64())
}
