//! Each call of the file system fails once, or from then on, in each possible way.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_journal_proof::{
    life::{Step, live},
    state::{State, folder, path_in},
    vfs::{CALLS, Call, Fault, How, Session},
};
use postrider_store::{Journal, JournalError};
use std::{collections::BTreeMap, path::Path};

/// The states of a history without faults: before its first commit and after each.
fn states(steps: &[Step]) -> Vec<State> {
    let on = folder().unwrap();
    let mut states = Vec::new();
    let (_, failed) = run(on.path(), steps, |state| states.push(state));
    assert!(failed.is_none());
    states
}

/// Runs until the journal fails; returns how many commits it confirmed, and the error.
fn run(on: &Path, steps: &[Step], mut show: impl FnMut(State)) -> (usize, Option<JournalError>) {
    let mut confirmed = 0;
    let mut go = || -> Result<(), JournalError> {
        let mut journal = Some(Journal::open(&path_in(on))?.0);
        show(State::of(journal.as_ref().unwrap())?);
        for step in steps {
            match step {
                Step::Commit(changes) => {
                    let journal = journal.as_mut().unwrap();
                    journal.commit(changes)?;
                    confirmed += 1;
                    show(State::of(journal)?);
                }
                Step::Reopen => {
                    drop(journal.take());
                    journal = Some(Journal::open(&path_in(on))?.0);
                }
            }
        }
        Ok(())
    };
    let failed = go().err();
    (confirmed, failed)
}

fn ways(call: Call) -> &'static [How] {
    match call {
        Call::Write => &[How::Io, How::Full, How::Half],
        Call::Lock | Call::Shm => &[How::Io, How::Busy],
        Call::Open
        | Call::Read
        | Call::Truncate
        | Call::Sync
        | Call::Size
        | Call::Delete
        | Call::Access => &[How::Io],
    }
}

/// Runs with a fault: afterwards everything that was confirmed is there, and no half of
/// anything else. Returns whether the fault occurred, and whether the journal reported it.
fn survive(steps: &[Step], states: &[State], fault: Fault) -> (bool, bool) {
    let on = folder().unwrap();
    let session = Session::failing(fault);
    let entered = session.enter();
    let (confirmed, failed) = run(on.path(), steps, |_| {});
    session.heal();
    drop(entered);
    let found = State::found_in(on.path()).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
    let end = (confirmed + 2).min(states.len());
    assert!(states[confirmed..end].contains(&found), "{fault:?}");
    if failed.is_none() {
        assert_eq!(confirmed + 1, states.len(), "{fault:?}");
    }
    (session.struck() > 0, failed.is_some())
}

fn counts(steps: &[Step]) -> BTreeMap<Call, u64> {
    let on = folder().unwrap();
    let session = Session::recording();
    let entered = session.enter();
    run(on.path(), steps, |_| {});
    drop(entered);
    session.counts()
}

#[test]
fn a_call_that_fails_loses_nothing_that_was_confirmed() {
    let life = live(folder().unwrap().path(), 3, 6).unwrap();
    let states = states(&life);
    let counts = counts(&life);
    let (mut met, mut told, mut reached) = (0, 0, BTreeMap::new());
    for call in CALLS {
        let count = counts.get(&call).copied().unwrap_or(0);
        for how in ways(call) {
            for nth in 0..count {
                for lasts in [false, true] {
                    let fault = Fault {
                        call,
                        nth,
                        how: *how,
                        lasts,
                    };
                    let (was_met, was_told) = survive(&life, &states, fault);
                    met += usize::from(was_met);
                    told += usize::from(was_told);
                    *reached.entry(call).or_insert(0) += usize::from(was_met);
                }
            }
        }
    }
    println!("{met} calls failed, {told} runs ended with an error: {reached:?}");
    for call in [
        Call::Open,
        Call::Read,
        Call::Write,
        Call::Truncate,
        Call::Sync,
    ] {
        assert!(reached.get(&call).is_some_and(|met| *met > 0), "{call:?}");
    }
    assert!(told > 100, "{told}");
}
