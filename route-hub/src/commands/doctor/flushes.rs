//! Flushes a second: every accepted message waits for one.

use super::finding::Finding;
use hub_app::clock::SystemClock;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

/// The file that is written to, removed afterwards.
const FILE: &str = ".doctor-flushes";
/// What is written before each flush: a page of the database.
const PAGE: [u8; 4_096] = [0; 4_096];
/// Pages that the file has from the start, as the hub's log has.
const PAGES: u32 = 64;
/// How long it is measured, and how many flushes at most.
const MEASURED_FOR: Duration = Duration::from_millis(300);
const FLUSHES_MAX: u32 = 2_000;
/// With fewer, people notice that sends wait.
const GOOD_PER_S: u64 = 100;
/// With fewer, a hub is of no use.
const BAD_PER_S: u64 = 10;

/// Measures for a moment in a folder.
pub(super) fn look(folder: &Path) -> Finding {
    let path = folder.join(FILE);
    let measured = measure(&path);
    // What a full disk has left of it goes, too.
    let _ = fs::remove_file(&path);
    match measured {
        Ok(per_s) => judge(per_s),
        Err(error) => Finding::bad(
            format!("{} cannot be written: {error}", path.display()),
            "Make room, or give the folder to the user of the hub",
        ),
    }
}

fn measure(path: &Path) -> io::Result<u64> {
    let mut making = OpenOptions::new();
    let mut file = making
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    for _ in 0..PAGES {
        file.write_all(&PAGE)?;
    }
    file.sync_all()?;
    let clock = SystemClock::start();
    let mut flushes = 0;
    while flushes < FLUSHES_MAX && clock.since_start() < MEASURED_FOR {
        flush_page(&mut file, flushes % PAGES)?;
        flushes += 1;
    }
    let us = clock.since_start().as_micros().max(1);
    let per_s = u128::from(flushes) * 1_000_000 / us;
    Ok(u64::try_from(per_s).unwrap_or(u64::MAX))
}

fn flush_page(file: &mut File, page: u32) -> io::Result<()> {
    file.seek(SeekFrom::Start(u64::from(page) * PAGE.len() as u64))?;
    file.write_all(&PAGE)?;
    file.sync_data()
}

fn judge(per_s: u64) -> Finding {
    let says = format!("{per_s} flushes a second");
    let to_do = "Each message that is sent waits for one: put the folder on a disk that confirms writes faster, \
                 such as an SSD in place of an SD card";
    match per_s {
        GOOD_PER_S.. => Finding::good(says),
        BAD_PER_S.. => Finding::doubtful(says, to_do),
        _ => Finding::bad(says, to_do),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn a_disk_is_judged_by_its_flushes() {
        let verdicts = [0, 9, 10, 99, 100, 50_000].map(|per_s| judge(per_s).verdict);
        use Verdict::{Bad, Doubtful, Good};
        assert_eq!(verdicts, [Bad, Bad, Doubtful, Doubtful, Good, Good]);
    }

    #[test]
    fn measuring_leaves_nothing_and_a_folder_that_cannot_be_written_is_bad() {
        let dir = tempfile::tempdir().unwrap();
        assert!(measure(&dir.path().join(FILE)).unwrap() > 0);
        look(dir.path());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let missing = look(&dir.path().join("missing"));
        assert_eq!(missing.verdict, Verdict::Bad);
    }
}
