//! One seed gives one run, whoever runs it.

use postrider_simulation::{plan, run::run};
use std::{process::Command, sync::Arc, thread};

const SEEDS: std::ops::Range<u64> = 7..12;

fn told(seed: u64) -> (u64, String) {
    let outcome = run(&Arc::new(plan::draw(seed, 60, false)), true);
    let lines = outcome.lines.iter().map(|line| format!("{line}\n"));
    (outcome.digest, lines.collect())
}

#[test]
fn a_seed_gives_the_same_run_line_by_line_in_every_thread() {
    for seed in SEEDS {
        let here = told(seed);
        let there = thread::spawn(move || told(seed)).join().unwrap();
        assert_eq!(here, there, "seed {seed}");
        assert!(here.1.lines().count() > 100);
    }
}

#[test]
fn a_seed_gives_the_same_run_byte_for_byte_in_another_process() {
    let told = || {
        let simulation = env!("CARGO_BIN_EXE_simulation");
        let args = [
            "--seeds",
            "3..4",
            "--messages",
            "60",
            "--threads",
            "1",
            "--log",
        ];
        let output = Command::new(simulation).args(args).output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let is_figure = |line: &&str| line.contains("CPU second");
        let lines = text.lines().filter(|line| !is_figure(line));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(told(), told());
}

#[test]
fn seeds_differ() {
    let digests: Vec<u64> = SEEDS.map(|seed| told(seed).0).collect();
    for (at, digest) in digests.iter().enumerate() {
        assert!(!digests[at + 1..].contains(digest));
    }
}

#[test]
fn without_its_lines_a_run_is_the_same() {
    let plan = Arc::new(plan::draw(9, 60, false));
    assert_eq!(run(&plan, false).digest, run(&plan, true).digest);
}
