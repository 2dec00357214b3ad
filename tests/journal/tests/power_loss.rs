//! The power fails at each write, sync, truncation and deletion in a journal's history.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_journal_proof::{
    life::{Step, live},
    replay::{Disk, Loss},
    state::{State, folder, path_in},
    vfs::Session,
};
use postrider_machine::{Change, Snapshot};
use postrider_store::Journal;
use std::path::Path;

/// A run as the disk saw it, and the journal's content after each commit.
struct Run {
    session: Session,
    states: Vec<State>,
}

/// Runs a history on a new journal in `folder`, which may hold an older version's.
fn play(folder: &Path, steps: &[Step]) -> Run {
    let session = Session::recording();
    let entered = session.enter();
    let mut journal = Some(Journal::open(&path_in(folder)).unwrap().0);
    let mut states = vec![State::of(journal.as_ref().unwrap()).unwrap()];
    for step in steps {
        match step {
            Step::Commit(changes) => {
                let journal = journal.as_mut().unwrap();
                journal.commit(changes).unwrap();
                session.confirmed();
                states.push(State::of(journal).unwrap());
            }
            Step::Reopen => {
                drop(journal.take());
                journal = Some(Journal::open(&path_in(folder)).unwrap().0);
            }
        }
    }
    drop((journal, entered));
    Run { session, states }
}

fn life(seed: u64, turns: usize) -> Vec<Step> {
    live(folder().unwrap().path(), seed, turns).unwrap()
}

/// Opens what a power loss left: it holds every confirmed commit, perhaps the one in progress, and
/// nothing else; and it can continue.
fn check(disk: &Disk, loss: Loss, states: &[State], about: &str) {
    let on = folder().unwrap();
    disk.lose_power(loss, on.path()).unwrap();
    let confirmed = disk.confirmed();
    let (mut journal, _) = match Journal::open(&path_in(on.path())) {
        Ok(opened) => opened,
        Err(error) => panic!("{about}: {error}"),
    };
    let found = State::of(&journal).unwrap();
    let is_one_of = |states: &[State]| states.contains(&found);
    let end = (confirmed + 2).min(states.len());
    let is_new = confirmed == 0 && found.snapshot == Snapshot::default();
    assert!(is_new || is_one_of(&states[confirmed..end]), "{about}");
    journal.commit(&[Change::PausedSet(true)]).unwrap();
    drop(journal);
    let after = State::found_in(on.path()).unwrap();
    let expected = State {
        snapshot: Snapshot {
            paused: true,
            ..found.snapshot
        },
        ..found
    };
    assert_eq!(after, expected, "{about}");
}

/// Cuts a run after each of its steps, in several ways each; returns how many cuts there were.
fn cut_everywhere(run: &Run, before: Disk, seeds: u64, every: usize) -> usize {
    let mut disk = before;
    let mut cuts = 0;
    for (place, op) in run.session.operations().iter().enumerate() {
        if !disk.step(op) || place % every != 0 {
            continue;
        }
        let torn = (0..seeds).map(|seed| Loss::Some(seed << 32 | place as u64));
        for loss in [Loss::Nothing, Loss::Everything].into_iter().chain(torn) {
            check(&disk, loss, &run.states, &format!("step {place}, {loss:?}"));
            cuts += 1;
        }
    }
    cuts
}

#[test]
fn what_was_confirmed_survives_a_power_loss_at_every_write() {
    let on = folder().unwrap();
    let run = play(on.path(), &life(1, 60));
    let cuts = cut_everywhere(&run, Disk::default(), 1, 1);
    println!(
        "power lost {cuts} times, at {} steps of {} commits",
        run.session.operations().len(),
        run.states.len() - 1
    );
    assert!(cuts > 2_000, "{cuts}");
}
