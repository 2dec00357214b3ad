//! What the phone's half costs on this machine: one measurement per call, printed as JSON.
//!
//! `facts FOLDER COUNT`, `machine COUNT`, `fill FOLDER ROWS`, `start FOLDER`. Each runs in its own
//! process, so that its memory can be measured.

mod clock;
mod fill;
mod phone;
mod rates;
mod start;

use serde_json::Value;
use std::{env, path::Path, process::ExitCode};

/// Why a measurement ended early.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match measure(&words) {
        Ok(values) => {
            println!("{values}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("agent_figures: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(words: &[&str]) -> Result<Value, Failure> {
    match words {
        ["facts", folder, count] => rates::facts(Path::new(folder), count.parse()?),
        ["machine", count] => rates::machine(count.parse()?),
        ["fill", folder, rows] => fill::fill(Path::new(folder), rows.parse()?),
        ["start", folder] => start::start(Path::new(folder)),
        _ => Err("facts FOLDER COUNT | machine COUNT | fill FOLDER ROWS | start FOLDER".into()),
    }
}
