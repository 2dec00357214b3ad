//! Contacts from a CSV file.

use super::tasks::run_task;
use super::{Scale, postgres_hub};
use crate::{
    Failure,
    clock::now,
    http::Connection,
    hub::Hub,
    load::block_on,
    report::{Figure, Limit},
    stats::median,
};
use serde_json::Value;
use std::fmt::Write as _;

pub(super) const NAMES: &[&str] = &["csv_import_rows_per_s"];
pub(super) const POSTGRES_NAMES: &[&str] = &["postgres_csv_import_rows_per_s"];

/// The most rows that a file may have.
const ROWS_MAX: u64 = 100_000;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let per_s = block_on(async { on(&Hub::start_paused(1).await?, scale).await })?;
    let limit = Limit::AtLeast(10_000.0);
    Ok(vec![Figure::new(NAMES[0], per_s, "1/s", limit)])
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let per_s = block_on(async { on(&postgres_hub(1).await?, scale).await })?;
    Ok(vec![Figure::new(
        POSTGRES_NAMES[0],
        per_s,
        "1/s",
        Limit::None,
    )])
}

async fn on(hub: &Hub, scale: Scale) -> Result<f64, Failure> {
    let rows = (scale.many / 10).min(ROWS_MAX);
    let mut rates = Vec::new();
    for run in 0..scale.runs as u64 {
        let file = upload(hub, &sheet(run * rows, rows)).await?;
        let began = now();
        let done = run_task(&hub.caller, &hub.project, &of_file(&file)).await?;
        let took = done["current_row"].as_u64().unwrap_or(0);
        if took < rows {
            return Err(format!("a task took {took} of {rows} rows").into());
        }
        rates.push(rows as f64 / began.elapsed().as_secs_f64());
    }
    Ok(median(rates))
}

/// Returns a file of new contacts.
fn sheet(first: u64, rows: u64) -> String {
    let mut text = String::from("Name,Phone,City\n");
    for person in first..first + rows {
        let number = 15_005_000_000 + person % 1_000_000;
        let written = writeln!(text, "N{person},+{number},Oslo");
        debug_assert!(written.is_ok(), "a string takes everything");
    }
    text
}

async fn upload(hub: &Hub, sheet: &str) -> Result<String, Failure> {
    let path = format!("{}/files?filename=people.csv", hub.project);
    let mut connection = Connection::open(&hub.caller).await?;
    let answer = connection.post(&hub.caller, &path, "text/csv", sheet.as_bytes());
    let file: Value = serde_json::from_slice(answer.await?)?;
    Ok(file["id"].as_str().ok_or("a file has no id")?.to_owned())
}

/// Returns the task that imports a file.
fn of_file(file: &str) -> String {
    format!(
        r#"{{"task_type":"import_contacts","task_params":{{"file_id":"{file}","has_header":true,
        "columns":{{"name":"Name","phone_number":"Phone","vars.city":"City"}},
        "lookup_key":"phone_number"}}}}"#
    )
}
