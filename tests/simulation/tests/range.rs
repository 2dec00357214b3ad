//! Ranges of seeds: no rule is broken, and everything that has to be was reached.
//!
//! `POSTRIDER_SEEDS=A..B` sets the seeds.

use postrider_simulation::{
    coverage::Coverage,
    range::{Settings, Total, run_range},
    required::{CI_MESSAGES, CI_SEEDS, REQUIRED},
};
use std::ops::Range;

fn seeds() -> Range<u64> {
    let Ok(text) = std::env::var("POSTRIDER_SEEDS") else {
        return CI_SEEDS;
    };
    let (first, end) = text.split_once("..").expect("POSTRIDER_SEEDS is A..B");
    let read = |end: &str| end.parse().expect("POSTRIDER_SEEDS is A..B");
    read(first)..read(end)
}

fn judge(settings: &Settings) {
    let total = run_range(settings);
    assert_eq!(total.failures, [], "run `simulation --seeds` with the seed");
    assert_eq!(total.seeds, settings.seeds.end - settings.seeds.start);
    assert_eq!(total.missing(settings), [], "never reached");
}

#[test]
fn no_seed_breaks_a_rule_and_every_fault_and_state_is_reached() {
    judge(&Settings {
        seeds: seeds(),
        messages: CI_MESSAGES,
        real_journal: false,
        threads: 2,
        failures_max: 3,
    });
}

#[test]
fn nor_does_one_with_its_phones_journals_in_files_whose_log_is_torn() {
    judge(&Settings {
        seeds: 0..20,
        messages: CI_MESSAGES,
        real_journal: true,
        threads: 2,
        failures_max: 3,
    });
}

#[test]
fn what_the_range_of_ci_never_reached_is_named() {
    let settings = Settings {
        seeds: CI_SEEDS,
        messages: CI_MESSAGES,
        real_journal: false,
        threads: 1,
        failures_max: 1,
    };
    let mut coverage = Coverage::default();
    let (last, others) = REQUIRED.split_last().unwrap();
    for (group, one, other) in others {
        coverage.mark(group, one, other);
    }
    let total = Total {
        coverage,
        ..Total::default()
    };
    assert_eq!(total.missing(&settings), [*last]);
}
