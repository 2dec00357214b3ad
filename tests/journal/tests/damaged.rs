//! Files that were damaged unnoticed: a clear error, or the right start; never a wrong one.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_journal_proof::{
    life::{Step, live},
    seeded::Seeded,
    state::{FILE, State, folder, path_in},
};
use postrider_machine::Change;
use postrider_store::{Journal, JournalError};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A folder with a journal, and the journal's content after each of its commits.
struct Kept {
    on: TempDir,
    states: Vec<State>,
}

impl Kept {
    /// Runs a history; with `is_killed` the log stays as after a kill.
    fn new(seed: u64, is_killed: bool) -> Self {
        let on = folder().unwrap();
        let steps = live(folder().unwrap().path(), seed, 40).unwrap();
        let mut journal = Journal::open(&path_in(on.path())).unwrap().0;
        let mut states = vec![State::of(&journal).unwrap()];
        for step in steps {
            if let Step::Commit(changes) = step {
                journal.commit(&changes).unwrap();
                states.push(State::of(&journal).unwrap());
            }
        }
        if is_killed {
            let left = copy(on.path());
            drop(journal);
            return Self { on: left, states };
        }
        drop(journal);
        Self { on, states }
    }

    fn last(&self) -> &State {
        self.states.last().unwrap()
    }
}

fn copy(from: &Path) -> TempDir {
    let to = folder().unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.path().join(entry.file_name())).unwrap();
    }
    to
}

fn log_in(on: &Path) -> PathBuf {
    on.join(format!("{FILE}-wal"))
}

/// The outcomes of starts on damaged files.
#[derive(Debug, Default)]
struct Ends {
    errors: usize,
    right: usize,
    /// How many commits were missing, and how often.
    short: BTreeMap<usize, usize>,
}

impl Ends {
    /// Opens, reads all, and records the outcome. At most the last `short_max` commits may be missing:
    /// damage of the log there looks the same as a power loss.
    fn open(&mut self, on: &Path, kept: &Kept, short_max: usize, about: &str) {
        let before = fs::read(path_in(on)).unwrap_or_default();
        let Ok(found) = State::found_in(on) else {
            self.errors += 1;
            assert_eq!(fs::read(path_in(on)).unwrap_or_default(), before, "{about}");
            return;
        };
        let mut from_last = kept.states.iter().rev();
        match from_last.position(|state| *state == found) {
            Some(0) => self.right += 1,
            Some(short) if short <= short_max => *self.short.entry(short).or_default() += 1,
            wrong => panic!("{about}: a wrong state, or {wrong:?} commits short"),
        }
    }
}

/// Flips one to three bits, and returns how many.
fn flip(path: &Path, seeded: &mut Seeded) -> usize {
    let mut bytes = fs::read(path).unwrap();
    let count = seeded.below(3) as usize + 1;
    for _ in 0..count {
        let at = seeded.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << seeded.below(8);
    }
    fs::write(path, bytes).unwrap();
    count
}

#[test]
fn a_bit_that_turned_in_the_file_is_never_believed() {
    let kept = Kept::new(11, false);
    let mut ends = Ends::default();
    for seed in 0..3_000 {
        let on = copy(kept.on.path());
        flip(&path_in(on.path()), &mut Seeded::new(seed));
        ends.open(on.path(), &kept, 0, &format!("seed {seed}"));
    }
    println!("bits turned in the file: {ends:?}");
    assert!(ends.errors > 500 && ends.right > 0);
}

#[test]
fn a_bit_that_turned_under_a_live_log_is_never_believed() {
    let kept = Kept::new(12, true);
    let mut ends = Ends::default();
    for seed in 0..1_500 {
        let on = copy(kept.on.path());
        let (path, is_log) = match seed % 3 {
            0 => (path_in(on.path()), false),
            _ => (log_in(on.path()), true),
        };
        let flips = flip(&path, &mut Seeded::new(seed));
        let short_max = if is_log { flips } else { 0 };
        ends.open(on.path(), &kept, short_max, &format!("seed {seed}"));
    }
    println!("bits turned under a live log: {ends:?}");
    assert!(ends.errors > 500 && ends.right > 0);
}

#[test]
fn a_file_that_was_cut_anywhere_is_never_believed() {
    let kept = Kept::new(13, false);
    let len = fs::metadata(path_in(kept.on.path())).unwrap().len();
    let pages = (0..len).step_by(4_096);
    let odd = (0..len).step_by(1_777);
    let mut ends = Ends::default();
    for cut in pages.chain(odd) {
        let on = copy(kept.on.path());
        let bytes = fs::read(path_in(on.path())).unwrap();
        fs::write(path_in(on.path()), &bytes[..cut as usize]).unwrap();
        ends.open(on.path(), &kept, 0, &format!("cut at {cut}"));
    }
    println!("files cut: {ends:?}");
    // The part that is cut off may have been empty.
    assert!(ends.errors > 50 && ends.right < 5);
}

/// A log that ends early is what a power loss leaves on a disk that lied about a sync. It
/// gives an earlier state, complete, which the hub recognises by its counters; or an error.
#[test]
fn a_log_that_was_cut_gives_an_error_or_an_earlier_state_whole() {
    let kept = Kept::new(14, true);
    let len = fs::metadata(log_in(kept.on.path())).unwrap().len();
    let (mut errors, mut earlier) = (0, 0);
    for cut in (0..len).step_by(1_031) {
        let on = copy(kept.on.path());
        let bytes = fs::read(log_in(on.path())).unwrap();
        fs::write(log_in(on.path()), &bytes[..cut as usize]).unwrap();
        match State::found_in(on.path()) {
            Err(_) => errors += 1,
            Ok(found) => {
                assert!(kept.states.contains(&found), "cut at {cut}");
                earlier += 1;
            }
        }
    }
    println!("logs cut: {errors} errors, {earlier} earlier states");
    assert!(errors > 0 && earlier > 0);
}

#[test]
fn a_log_that_is_gone_is_an_error() {
    let kept = Kept::new(15, true);
    fs::remove_file(log_in(kept.on.path())).unwrap();
    let error = State::found_in(kept.on.path()).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
}

#[test]
fn a_closed_journal_needs_no_log() {
    let kept = Kept::new(15, false);
    fs::remove_file(log_in(kept.on.path())).unwrap();
    assert_eq!(State::found_in(kept.on.path()).unwrap(), *kept.last());
}

#[test]
fn a_log_of_another_journal_is_an_error() {
    let (kept, other) = (Kept::new(16, true), Kept::new(16, true));
    fs::copy(log_in(other.on.path()), log_in(kept.on.path())).unwrap();
    let error = State::found_in(kept.on.path()).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
}

#[test]
fn a_log_that_a_closed_journal_left_long_ago_is_never_mixed_in() {
    let kept = Kept::new(17, true);
    let old = fs::read(log_in(kept.on.path())).unwrap();
    let (mut journal, _) = Journal::open(&path_in(kept.on.path())).unwrap();
    journal.commit(&[Change::PausedSet(true)]).unwrap();
    let after = State::of(&journal).unwrap();
    drop(journal);
    fs::write(log_in(kept.on.path()), old).unwrap();
    match State::found_in(kept.on.path()) {
        Err(error) => assert!(matches!(error, JournalError::Damaged { .. }), "{error}"),
        Ok(found) => assert!(found == after || found == *kept.last()),
    }
}

#[test]
fn rubbish_in_place_of_shared_memory_does_not_matter() {
    for is_killed in [false, true] {
        let kept = Kept::new(18, is_killed);
        fs::write(kept.on.path().join(format!("{FILE}-shm")), [0xa5; 32_768]).unwrap();
        assert_eq!(State::found_in(kept.on.path()).unwrap(), *kept.last());
    }
}

#[test]
fn a_folder_in_place_of_the_journal_is_an_error() {
    let on = folder().unwrap();
    fs::create_dir(path_in(on.path())).unwrap();
    assert!(State::found_in(on.path()).is_err());
    assert!(path_in(on.path()).is_dir());
}

#[cfg(unix)]
#[test]
fn a_journal_without_permission_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let kept = Kept::new(19, false);
    let path = path_in(kept.on.path());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Who may do anything reads it all the same.
    match State::found_in(kept.on.path()) {
        Err(error) => assert!(matches!(
            error,
            JournalError::Io(_) | JournalError::Database(_)
        )),
        Ok(found) => assert_eq!(found, *kept.last()),
    }
}
