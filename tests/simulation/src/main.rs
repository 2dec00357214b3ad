//! Runs ranges of seeds, and tells the story of one that fails.

use clap::Parser;
use postrider_simulation::{
    plan,
    range::{Settings, run_range},
    run::run,
    story,
};
use rustix::time::{ClockId, clock_gettime};
use std::{ops::Range, process::ExitCode, sync::Arc};

/// Hub and phones in virtual time, by seed.
#[derive(Debug, Parser)]
struct Args {
    /// The seeds, as A..B.
    #[arg(long, default_value = "0..300", value_parser = range)]
    seeds: Range<u64>,
    /// Messages of each run.
    #[arg(long, default_value_t = 100)]
    messages: u64,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    threads: usize,
    /// Keep the phones' journals in SQLite, and tear its log when the power fails.
    #[arg(long)]
    real_journal: bool,
    /// Failing seeds after which the range ends.
    #[arg(long, default_value_t = 5)]
    failures: usize,
    /// Print what was reached, and how often.
    #[arg(long)]
    coverage: bool,
    /// Print every line of the first seed.
    #[arg(long)]
    log: bool,
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..").ok_or("seeds are A..B")?;
    let read = |end: &str| end.parse::<u64>().map_err(|error| error.to_string());
    Ok(read(ends.0)?..read(ends.1)?)
}

fn cpu_s() -> f64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.log {
        let plan = plan::draw(args.seeds.start, args.messages, args.real_journal);
        for line in run(&Arc::new(plan), true).lines {
            println!("{line}");
        }
    }
    let settings = Settings {
        seeds: args.seeds,
        messages: args.messages,
        real_journal: args.real_journal,
        threads: args.threads,
        failures_max: args.failures,
    };
    let before = cpu_s();
    let total = run_range(&settings);
    let cpu = cpu_s() - before;
    if args.coverage {
        print!("{}", total.coverage);
    }
    println!(
        "{} seeds, {} messages, {} steps, {} virtual days, {:.1} CPU s: {:.0} steps per CPU second",
        total.seeds,
        total.messages,
        total.steps,
        total.span_ms / 86_400_000,
        cpu,
        total.steps as f64 / cpu.max(1e-9),
    );
    let missing = total.missing(&settings);
    for (group, one, other) in &missing {
        println!("never reached: {group}: {one} {other}");
    }
    let Some((first, _)) = total.failures.first() else {
        println!("no rule was broken");
        return ExitCode::from(u8::from(!missing.is_empty()));
    };
    for (seed, told) in &total.failures {
        println!("seed {seed}: {told}");
    }
    let plan = Arc::new(plan::draw(*first, settings.messages, settings.real_journal));
    println!("\n{}", story::tell(&plan));
    ExitCode::FAILURE
}
