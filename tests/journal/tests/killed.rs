//! A process that commits is killed at random moments.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_journal_proof::{
    life::{Step, live},
    seeded::Seeded,
    state::{State, folder, path_in},
};
use postrider_store::Journal;
use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

/// Names the folder of the process to kill.
const FOLDER: &str = "POSTRIDER_JOURNAL_TO_KILL";
const SEED: u64 = 5;
const TURNS: usize = 60;
const KILLS: u64 = 40;

fn steps() -> Vec<Step> {
    live(folder().unwrap().path(), SEED, TURNS).unwrap()
}

/// Continues the history from the state of the journal in `on`; `confirmed` gets each commit.
fn run(on: &Path, steps: &[Step], mut confirmed: impl FnMut(&Journal)) {
    let mut journal = Some(Journal::open(&path_in(on)).unwrap().0);
    confirmed(journal.as_ref().unwrap());
    for step in steps {
        match step {
            Step::Commit(changes) => {
                let journal = journal.as_mut().unwrap();
                journal.commit(changes).unwrap();
                confirmed(journal);
            }
            Step::Reopen => {
                drop(journal.take());
                journal = Some(Journal::open(&path_in(on)).unwrap().0);
            }
        }
    }
}

/// Not a test by itself: this runs in the process that is killed.
#[test]
fn a_process_that_only_commits() {
    let Some(on) = env::var_os(FOLDER) else {
        return;
    };
    let steps = steps();
    let mut out = std::io::stdout();
    run(Path::new(&on), &steps, |_| {
        out.write_all(b"\nconfirmed\n").unwrap();
        out.flush().unwrap();
    });
}

#[test]
fn every_confirmed_commit_survives_a_kill() {
    let (steps, mut states) = (steps(), Vec::new());
    run(folder().unwrap().path(), &steps, |journal| {
        states.push(State::of(journal).unwrap());
    });
    let mut seeded = Seeded::new(SEED);
    let mut early = 0;
    for kill in 0..KILLS {
        let on = folder().unwrap();
        let enough = seeded.below(states.len() as u64 - 1) as usize + 1;
        let confirmed = kill_after(on.path(), enough);
        let found = State::found_in(on.path()).unwrap();
        let at = states.iter().rposition(|state| *state == found);
        let at = at.unwrap_or_else(|| panic!("kill {kill}: a state that never was"));
        assert!(at + 1 >= confirmed, "kill {kill}: {at} of {confirmed}");
        early += usize::from(at + 1 < states.len());
    }
    println!("{KILLS} processes killed, {early} of them before their end");
    assert!(early > 20, "{early}");
}

/// Starts the process, kills it once it has confirmed enough, and returns how much it confirmed.
fn kill_after(on: &Path, enough: usize) -> usize {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "a_process_that_only_commits", "--nocapture"])
        .env(FOLDER, on)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut confirmed = 0;
    for line in lines {
        if line.unwrap() != "confirmed" {
            continue;
        }
        confirmed += 1;
        if confirmed == enough {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    confirmed
}
