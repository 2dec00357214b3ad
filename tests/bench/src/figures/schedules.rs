//! A tick of the schedules, by an example of route-hub that jumps the clock.

use super::Scale;
use crate::{
    Failure,
    hub::{built, on_disk},
    report::{Figure, Limit},
    stats::median,
};
use serde_json::Value;
use std::process::Command;

pub(super) const NAMES: &[&str] = &["schedule_tick_ms"];

/// How many schedules wait for each that is due.
const WAITING_FOR_ONE: u64 = 100;

pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let folder = on_disk()?;
    let waiting = scale.many / 10;
    let output = Command::new(built()?.join("examples/schedule_tick"))
        .args(["--waiting", &waiting.to_string()])
        .args(["--due", &(waiting / WAITING_FOR_ONE).to_string()])
        .args(["--ticks", &scale.runs.to_string()])
        .arg("--dir")
        .arg(folder.path())
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(vec![Figure::new(
        NAMES[0],
        median(ticks(&text, waiting / WAITING_FOR_ONE)?),
        "ms",
        Limit::AtMost(200.0),
    )])
}

/// Reads the milliseconds of each tick, all of which must have sent what was due.
fn ticks(lines: &str, due: u64) -> Result<Vec<f64>, Failure> {
    let mut ticks = Vec::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line)?;
        if line["sent"] != due {
            return Err(format!("a tick sent {} of {due}", line["sent"]).into());
        }
        ticks.extend(line["ms"].as_f64());
    }
    if ticks.is_empty() {
        Err("the example schedule_tick said nothing to read".into())
    } else {
        Ok(ticks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tick_must_have_sent_what_was_due() {
        let lines = "{\"sent\":5,\"ms\":12.5}\n{\"sent\":5,\"ms\":10.0}";
        assert_eq!(ticks(lines, 5).unwrap(), [12.5, 10.0]);
        assert!(ticks(lines, 6).is_err());
        assert!(ticks("", 5).is_err());
    }
}
