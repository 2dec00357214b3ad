//! Rows of a data table: importing them, and lists by two filters with a million stored, against ten
//! thousand.

use super::lists::{List, compare, list};
use super::people::ask;
use super::{Scale, postgres_hub};
use crate::{
    Failure,
    clock::now,
    http::Connection,
    hub::Hub,
    load::{Request, block_on, send},
    report::{Figure, Limit},
};
use std::{io::Write, ops::Range};

pub(super) const NAMES: &[&str] = &["import_rows_per_s", "rows_at_1m_ratio", "rows_at_1m_p99_ms"];

pub(super) const POSTGRES_NAMES: &[&str] = &[
    "postgres_import_rows_per_s",
    "postgres_rows_at_1m_ratio",
    "postgres_rows_at_1m_p99_ms",
];

/// How many rows the small table holds.
const FEW: u64 = 10_000;
/// Rows of one import: the most that it accepts.
const IMPORT: u64 = 200;
/// Imports at once.
const IMPORTING: usize = 4;

/// What was measured, in the order of the names.
type Values = [f64; 3];

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let values = block_on(async { on(&Hub::start_paused(1).await?, scale).await })?;
    let figure = |place: usize, unit, limit| Figure::new(NAMES[place], values[place], unit, limit);
    Ok(vec![
        figure(0, "1/s", Limit::AtLeast(20_000.0)),
        figure(1, "ratio", Limit::AtMost(2.0)),
        figure(2, "ms", Limit::AtMost(10.0)),
    ])
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let values = block_on(async { on(&postgres_hub(1).await?, scale).await })?;
    let figure =
        |place: usize, unit, limit| Figure::new(POSTGRES_NAMES[place], values[place], unit, limit);
    Ok(vec![
        figure(0, "1/s", Limit::None),
        figure(1, "ratio", Limit::AtMost(2.0)),
        figure(2, "ms", Limit::None),
    ])
}

async fn on(hub: &Hub, scale: Scale) -> Result<Values, Failure> {
    let path = format!("{}/tables", hub.project);
    let made = ask(hub, "POST", &path, br#"{"name":"Answers"}"#).await?;
    let table = made["id"].as_str().ok_or("a table has no id")?;
    let few = FEW.min(scale.many) / IMPORT;
    import(hub, table, 0..few).await?;
    let few_lists = lists(hub, table).await?;
    let per_s = import(hub, table, few..scale.many / IMPORT).await?;
    let (worst, slowest_ms) = compare(&few_lists, &lists(hub, table).await?);
    Ok([per_s, worst, slowest_ms])
}

/// Imports new rows, two hundred by each of these requests, and returns how many a second.
async fn import(hub: &Hub, table: &str, requests: Range<u64>) -> Result<f64, Failure> {
    let path = format!("{}/tables/{table}/import_rows", hub.project);
    let request = Request::post(path, write_rows);
    let began = now();
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
    let rows = (requests.end - requests.start) * IMPORT;
    Ok(rows as f64 / began.elapsed().as_secs_f64())
}

fn write_rows(number: u64, body: &mut Vec<u8>) {
    body.extend_from_slice(br#"{"rows":["#);
    for place in 0..IMPORT {
        let separator = if place > 0 { "," } else { "" };
        let row = number * IMPORT + place;
        let (city, age) = (row % 100, row % 1_000);
        let written = write!(
            body,
            r#"{separator}{{"vars":{{"city":"City {city}","age":{age},"code":"A-{row}"}}}}"#
        );
        debug_assert!(written.is_ok(), "a vector takes everything");
    }
    body.extend_from_slice(b"]}");
}

/// Lists fifty rows by each pair of filters that people use, in both directions.
async fn lists(hub: &Hub, table: &str) -> Result<Vec<List>, Failure> {
    let mut measured = Vec::new();
    for pair in [
        "vars[city]=city+42&vars[age]=442",
        "vars[city]=city+42&time_created[min]=1",
        "vars[age][min]=995&vars[city]=city+97",
        "vars[code]=a-4242&vars[city]=city+42",
        "vars[code][prefix]=a-42&vars[age]=442",
    ] {
        for direction in ["asc", "desc"] {
            let path = format!("tables/{table}/rows?{pair}&sort_dir={direction}");
            measured.push(list(hub, path).await?);
        }
    }
    Ok(measured)
}
