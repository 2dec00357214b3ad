//! The phone's half: its machine and its journal, each measured in a separate process.

use super::Scale;
use crate::{
    Failure,
    hub::built,
    report::{Figure, Limit},
    stats::median,
};
use serde_json::Value;
use std::{path::Path, process::Command};
use tempfile::TempDir;

pub(super) const NAMES: &[&str] = &[
    "agent_fact_us",
    "agent_result_us",
    "agent_machine_facts_per_s",
    "agent_machine_results_per_s",
    "agent_start_ms",
    "agent_start_mib",
    "agent_journal_mib",
];

/// Facts of one run, at full scale.
const FACTS: u64 = 40_000;

/// Measures rates on a journal in memory, and starts on one that holds a month.
pub(super) fn measure(scale: Scale) -> Result<Vec<Figure>, Failure> {
    let facts = FACTS.min(scale.many * 10);
    let (mut report, mut result, mut reports, mut results) = (vec![], vec![], vec![], vec![]);
    for _ in 0..scale.runs {
        let folder = in_memory()?;
        let through = run(&["facts", &text(folder.path())?, &facts.to_string()])?;
        report.push(number(&through, "report_us")?);
        result.push(number(&through, "result_us")?);
        let alone = run(&["machine", &(facts * 5).to_string()])?;
        reports.push(number(&alone, "reports_per_s")?);
        results.push(number(&alone, "results_per_s")?);
    }
    let mut figures = vec![
        figure("agent_fact_us", report, "us", Limit::AtMost(50.0)),
        figure("agent_result_us", result, "us", Limit::None),
        figure(
            "agent_machine_facts_per_s",
            reports,
            "1/s",
            Limit::AtLeast(1_000_000.0),
        ),
        figure("agent_machine_results_per_s", results, "1/s", Limit::None),
    ];
    figures.extend(starts(scale)?);
    Ok(figures)
}

fn starts(scale: Scale) -> Result<[Figure; 3], Failure> {
    let folder = tempfile::tempdir()?;
    let path = text(folder.path())?;
    let filled = run(&["fill", &path, &scale.many.to_string()])?;
    let (mut ms, mut mib) = (Vec::new(), Vec::new());
    for _ in 0..scale.runs {
        let started = run(&["start", &path])?;
        ms.push(number(&started, "ms")?);
        mib.push(number(&started, "mib")?);
    }
    let size = vec![number(&filled, "mib")?];
    Ok([
        figure("agent_start_ms", ms, "ms", Limit::AtMost(300.0)),
        figure("agent_start_mib", mib, "MiB", Limit::AtMost(32.0)),
        figure("agent_journal_mib", size, "MiB", Limit::None),
    ])
}

fn figure(name: &'static str, values: Vec<f64>, unit: &'static str, limit: Limit) -> Figure {
    Figure::new(name, median(values), unit, limit)
}

/// A folder where a sync costs nothing.
fn in_memory() -> std::io::Result<TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}

fn text(path: &Path) -> Result<String, Failure> {
    Ok(path.to_str().ok_or("a folder without a name")?.to_owned())
}

fn run(words: &[&str]) -> Result<Value, Failure> {
    let output = Command::new(built()?.join("agent_figures"))
        .args(words)
        .output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(said.into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn number(values: &Value, name: &str) -> Result<f64, Failure> {
    let number = values[name].as_f64();
    Ok(number.ok_or_else(|| format!("agent_figures did not say {name}"))?)
}
