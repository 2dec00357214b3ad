//! A task over a hundred thousand contacts: how fast it is, and single sends beside it.

use super::people::{IMPORT, import_all, make_group, sends_p99};
use super::{Scale, fresh_numbers, postgres_hub};
use crate::{
    Failure,
    clock::now,
    http::{Caller, Connection},
    hub::Hub,
    load::{Beside, block_on},
    report::{Figure, Limit},
    stats::median,
};
use serde_json::Value;
use std::time::Duration;

pub(super) const NAMES: &[&str] = &[
    "contact_task_rows_per_s",
    "single_sends_p99_beside_task_ratio",
];

pub(super) const POSTGRES_NAMES: &[&str] = &[
    "postgres_contact_task_rows_per_s",
    "postgres_single_sends_p99_beside_task_ratio",
];

/// How often a task is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// How long a task may take.
const PATIENCE: Duration = Duration::from_secs(900);

/// What was measured, in the order of the names.
type Values = [f64; 2];

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let [rate, ratio] = block_on(async { on(&Hub::start_paused(1).await?, scale).await })?;
    Ok(vec![
        Figure::new(NAMES[0], rate, "1/s", Limit::AtLeast(10_000.0)),
        Figure::new(NAMES[1], ratio, "ratio", Limit::AtMost(2.0)),
    ])
}

pub(super) fn measure_on_postgres(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let [rate, ratio] = block_on(async { on(&postgres_hub(1).await?, scale).await })?;
    Ok(vec![
        Figure::new(POSTGRES_NAMES[0], rate, "1/s", Limit::None),
        Figure::new(POSTGRES_NAMES[1], ratio, "ratio", Limit::None),
    ])
}

async fn on(hub: &Hub, scale: Scale) -> Result<Values, Failure> {
    let group = make_group(hub, r#"{"name":"Everybody"}"#).await?;
    let contacts = scale.many / 10;
    import_all(hub, &group, 0..contacts.div_ceil(IMPORT)).await?;
    let (mut rates, mut ratios) = (Vec::new(), Vec::new());
    let numbers = fresh_numbers();
    for run in 0..scale.runs {
        let began = now();
        let done = run_task(&hub.caller, &hub.project, &of_contacts(run)).await?;
        let rows = done["current_row"].as_f64().unwrap_or(0.0);
        if (rows as u64) < contacts {
            return Err(format!("a task went through {rows} of {contacts} contacts").into());
        }
        rates.push(rows / began.elapsed().as_secs_f64());
        let alone = sends_p99(hub, scale, &numbers).await?;
        let beside = again_and_again(hub, of_contacts);
        let in_task = sends_p99(hub, scale, &numbers).await?;
        beside.end()?;
        ratios.push(in_task / alone);
    }
    Ok([median(rates), median(ratios)])
}

/// Returns the task that gives all contacts another value.
fn of_contacts(turn: usize) -> String {
    format!(
        r#"{{"task_type":"update_contact_var","task_params":{{"variable":"turn","value":"{turn}-{}"}},
        "filter_type":"query_contacts","filter_params":{{"all":true}}}}"#,
        crate::clock::unix_us()
    )
}

/// Makes one task after the other, until this is dropped; the last one is cancelled.
pub(super) fn again_and_again(hub: &Hub, task: fn(usize) -> String) -> Beside {
    let (caller, project) = (hub.caller.clone(), hub.project.clone());
    Beside::start(async move |over| {
        let mut connection = Connection::open(&caller).await?;
        for turn in 0.. {
            let made = make(&mut connection, &caller, &project, &task(turn)).await?;
            loop {
                if over.is_over() {
                    let path = format!("{}/cancel", path_of(&project, &made)?);
                    connection
                        .exchange(&caller, "POST", &path, "", b"{}")
                        .await?;
                    return Ok(());
                }
                if is_over(&look(&mut connection, &caller, &project, &made).await?)? {
                    break;
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
        Ok(())
    })
}

/// Makes a task, waits until it has ended, and returns it.
pub(super) async fn run_task(caller: &Caller, project: &str, task: &str) -> Result<Value, Failure> {
    let mut connection = Connection::open(caller).await?;
    let made = make(&mut connection, caller, project, task).await?;
    let until = now() + PATIENCE;
    loop {
        let task = look(&mut connection, caller, project, &made).await?;
        if is_over(&task)? {
            return Ok(task);
        }
        if now() > until {
            return Err(format!("a task does not end: {task}").into());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn make(
    connection: &mut Connection,
    caller: &Caller,
    project: &str,
    task: &str,
) -> Result<Value, Failure> {
    let path = format!("{project}/tasks");
    let answer = connection.exchange(caller, "POST", &path, "", task.as_bytes());
    Ok(serde_json::from_slice(answer.await?)?)
}

async fn look(
    connection: &mut Connection,
    caller: &Caller,
    project: &str,
    task: &Value,
) -> Result<Value, Failure> {
    let path = path_of(project, task)?;
    let answer = connection.exchange(caller, "GET", &path, "", b"").await?;
    Ok(serde_json::from_slice(answer)?)
}

fn path_of(project: &str, task: &Value) -> Result<String, Failure> {
    let id = task["id"].as_str().ok_or("a task has no id")?;
    Ok(format!("{project}/tasks/{id}"))
}

/// Says whether a task has ended; one that came to nothing is a failure.
fn is_over(task: &Value) -> Result<bool, Failure> {
    match task["status"].as_str() {
        Some("complete") if task["error_message"].is_null() => Ok(true),
        Some("created" | "queued" | "active") => Ok(false),
        _ => Err(format!("a task ended otherwise: {task}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_task_that_failed_is_no_measurement() {
        let task = |status: &str| json!({"status": status, "error_message": null});
        assert!(is_over(&task("complete")).unwrap());
        assert!(!is_over(&task("queued")).unwrap());
        assert!(is_over(&task("failed")).is_err());
        let skipped = json!({"status": "complete", "error_message": "2 rows were passed over"});
        assert!(is_over(&skipped).is_err());
    }
}
