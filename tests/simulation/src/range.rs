//! Ranges of seeds, on as many threads as are asked for.

use crate::{
    coverage::{Coverage, Mark},
    plan,
    required::{CI_MESSAGES, CI_SEEDS, REQUIRED},
    run::run,
};
use std::{
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
};

/// How a range is run.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The seeds.
    pub seeds: Range<u64>,
    /// Messages of each run.
    pub messages: u64,
    /// Whether phones keep real journal files.
    pub real_journal: bool,
    /// Threads.
    pub threads: usize,
    /// How many failing seeds end the range early.
    pub failures_max: usize,
}

/// What a range came to.
#[derive(Debug, Clone, Default)]
pub struct Total {
    /// Seeds that were run.
    pub seeds: u64,
    /// Messages that were given to hubs.
    pub messages: u64,
    /// Calls into machines.
    pub steps: u64,
    /// Virtual time, in milliseconds.
    pub span_ms: u64,
    /// What was reached.
    pub coverage: Coverage,
    /// The failing seeds with the rule that each broke, in their order.
    pub failures: Vec<(u64, String)>,
}

impl Total {
    /// Returns what a range that holds CI's never reached, and had to.
    pub fn missing(&self, settings: &Settings) -> Vec<Mark> {
        let seeds = &settings.seeds;
        let holds_ci = CI_SEEDS.clone().all(|seed| seeds.contains(&seed))
            && settings.messages >= CI_MESSAGES
            && !settings.real_journal;
        if holds_ci && self.failures.is_empty() {
            self.coverage.missing(REQUIRED)
        } else {
            Vec::new()
        }
    }
}

/// Runs every seed of a range.
pub fn run_range(settings: &Settings) -> Total {
    let next = AtomicU64::new(settings.seeds.start);
    let is_over = AtomicBool::new(false);
    let total = Mutex::new(Total::default());
    thread::scope(|scope| {
        for _ in 0..settings.threads.max(1) {
            scope.spawn(|| work(settings, &next, &is_over, &total));
        }
    });
    let mut total = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    total.failures.sort();
    total
}

fn work(settings: &Settings, next: &AtomicU64, is_over: &AtomicBool, total: &Mutex<Total>) {
    while !is_over.load(Ordering::Relaxed) {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= settings.seeds.end {
            return;
        }
        let plan = Arc::new(plan::draw(seed, settings.messages, settings.real_journal));
        let outcome = run(&plan, false);
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        total.seeds += 1;
        total.messages += outcome.messages;
        total.steps += outcome.steps;
        total.span_ms += outcome.span_ms;
        total.coverage.merge(&outcome.coverage);
        if let Some(violation) = outcome.violation {
            let told = format!("{}: {}", violation.rule, violation.text);
            total.failures.push((seed, told));
            if total.failures.len() >= settings.failures_max {
                is_over.store(true, Ordering::Relaxed);
            }
        }
    }
}
