//! The last backup.

use super::finding::Finding;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Where the package's timer puts them.
const FOLDER_DEFAULT: &str = "/var/backups/route-hub";
/// An older one loses more than a day and a bit.
const GOOD_AGE: Duration = Duration::from_secs(26 * 3_600);
const TO_DO: &str =
    "Take them by a timer (docs/operating.md, Backup), and name their folder with --backups";

/// Looks into the folder of the backups.
pub(super) fn look(folder: Option<&Path>, is_file: bool, now: SystemTime) -> Finding {
    if !is_file {
        return Finding::good(
            "a PostgreSQL database has its own, which cannot be seen from here (docs/postgresql.md)",
        );
    }
    let folder = folder.map_or_else(|| PathBuf::from(FOLDER_DEFAULT), Path::to_owned);
    judge(&folder, newest(&folder), now)
}

/// Returns the newest backup in a folder, and when it was made.
fn newest(folder: &Path) -> Option<(PathBuf, SystemTime)> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let backups = entries.filter_map(|entry| {
        let name = entry.file_name();
        let name = name.to_str()?;
        let is_ours = name.starts_with("hub-") && name.ends_with(".db");
        let made = entry.metadata().ok()?.modified().ok()?;
        is_ours.then(|| (entry.path(), made))
    });
    backups.max_by_key(|(_, made)| *made)
}

fn judge(folder: &Path, newest: Option<(PathBuf, SystemTime)>, now: SystemTime) -> Finding {
    let Some((path, made)) = newest else {
        return Finding::doubtful(format!("there is none in {}", folder.display()), TO_DO);
    };
    let age = now.duration_since(made).unwrap_or_default();
    let says = format!("{} is {}", path.display(), in_words(age));
    if age <= GOOD_AGE {
        Finding::good(says)
    } else {
        Finding::doubtful(says, TO_DO)
    }
}

fn in_words(age: Duration) -> String {
    let hours = age.as_secs() / 3_600;
    match hours {
        0 => "less than an hour old".to_owned(),
        1..48 => format!("{hours} hours old"),
        hours => format!("{} days old", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn a_backup_of_the_last_day_is_good() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000);
        let aged = |hours: u64| {
            let made = now - Duration::from_secs(hours * 3_600);
            let newest = Some((PathBuf::from("hub-1.db"), made));
            judge(Path::new("backups"), newest, now)
        };
        use Verdict::{Doubtful, Good};
        let verdicts = [0, 26, 27, 999].map(|hours| aged(hours).verdict);
        assert_eq!(verdicts, [Good, Good, Doubtful, Doubtful]);
        assert!(aged(999).says.ends_with("41 days old"));
        let ahead = Some((PathBuf::from("hub-1.db"), now + Duration::from_secs(9)));
        assert_eq!(judge(Path::new("backups"), ahead, now).verdict, Good);
        let none = judge(Path::new("backups"), None, now);
        assert_eq!(none.verdict, Doubtful);
        assert_eq!(look(None, false, now).verdict, Good);
    }

    #[test]
    fn only_backups_of_ours_count() {
        let dir = tempfile::tempdir().unwrap();
        for name in [".hub-1.db.part", "notes.db", "hub-1.files"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        assert_eq!(newest(dir.path()), None);
        fs::write(dir.path().join("hub-2.db"), "").unwrap();
        let (path, _) = newest(dir.path()).unwrap();
        assert_eq!(path, dir.path().join("hub-2.db"));
        assert_eq!(newest(&dir.path().join("missing")), None);
    }
}
