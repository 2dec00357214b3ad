//! Measures the figures of the design against a real hub on this machine.
//!
//! The load generator shares the machine with the hub: figures are for the machine as a whole.
//! A figure is the median of several runs; no test asserts one.

mod clock;
mod disk;
mod figures;
mod fleet;
mod http;
mod hub;
mod load;
mod peers;
mod plan;
mod process;
mod receiver;
mod report;
mod stats;

use clap::Parser;
use figures::{GROUPS, Group, ON_POSTGRES, Scale};
use hub_store::testing;
use serde_json::Value;
use std::{path::PathBuf, process::ExitCode, time::Duration};

/// Why a measurement ended early.
type Failure = Box<dyn std::error::Error>;

/// Measures the figures, prints a table, and writes JSON on request.
#[derive(Parser)]
#[command(name = "scripts/bench")]
struct Arguments {
    /// Names of figures, or beginnings of names; all when left out. `plan` adds up what a million phones take
    /// (docs/scaling.md).
    names: Vec<String>,
    /// Writes the figures as a JSON list.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Runs that each median is taken of.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=50))]
    runs: u8,
    /// Measures our hub beside other gateways, each described by a file (docs/benchmarks.md).
    #[arg(long, value_name = "FILE", num_args = 0.., conflicts_with = "names")]
    peers: Option<Vec<PathBuf>>,
    /// Seconds that a snapshot of the database stays open beside sends.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    snapshot_s: u64,
    /// Runs everything once and briefly, only to see that it runs.
    #[arg(long)]
    smoke: bool,
}

impl Arguments {
    fn wants(&self, group: &Group) -> bool {
        let named = |name: &String| group.names.iter().any(|one| one.starts_with(name.as_str()));
        self.names.is_empty() || self.names.iter().any(named)
    }

    fn scale(&self) -> Scale {
        if self.smoke {
            Scale::smoke()
        } else {
            Scale::full(usize::from(self.runs), Duration::from_secs(self.snapshot_s))
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match measure(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<(), Failure> {
    let (table, json) = match &arguments.peers {
        Some(files) => peers::measure(files, arguments.scale())?,
        None if arguments.names == ["plan"] => plan::measure(arguments.scale())?,
        None => measure_figures(arguments)?,
    };
    print!("{table}");
    if let Some(path) = &arguments.json {
        std::fs::write(path, format!("{json:#}\n"))?;
    }
    Ok(())
}

fn measure_figures(arguments: &Arguments) -> Result<(String, Value), Failure> {
    let all = GROUPS.iter().chain(ON_POSTGRES);
    let groups: Vec<_> = all.filter(|group| arguments.wants(group)).collect();
    if groups.is_empty() {
        return Err(format!("no figure is called {}", arguments.names.join(" or ")).into());
    }
    let mut figures = Vec::new();
    for group in groups {
        if ON_POSTGRES.iter().any(|one| one.names == group.names) && testing::server().is_none() {
            eprintln!("skipped, without PostgreSQL: {}", group.names.join(", "));
            continue;
        }
        eprintln!("measuring {} …", group.names.join(", "));
        figures.extend((group.measure)(arguments.scale())?);
    }
    Ok((report::table(&figures), report::json(&figures)))
}
