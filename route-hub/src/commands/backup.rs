//! `route-hub backup`: one file with everything, taken beside a running hub.

use crate::admin::output::Output;
use crate::commands::carried_files::{Carried, beside, carry};
use crate::commands::stamp::stamp;
use crate::database::DatabaseSettings;
use crate::files::folder_of_files;
use clap::Args;
use hub_app::clock::SystemClock;
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::replacement::sync_folder;
use hub_app::data_folder::{self, database};
use hub_store::backup::{self, Sound};
use serde_json::json;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Nobody but its owner may read a backup: it holds messages, numbers and secrets.
const RIGHTS: u32 = 0o600;
/// How the name of an unfinished copy begins and ends.
const PART: (&str, &str) = (".", ".part");

/// Copies the database of a data folder to one file, while the hub runs and sends.
///
/// The copy is of one moment. It is checked before it gets its name, and never overwrites a file. The files
/// that it names follow in a folder beside it.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// Data folder of the hub.
    #[arg(
        long,
        env = "ROUTE_HUB_DIR",
        value_name = "DIR",
        default_value = "route-hub-data"
    )]
    pub dir: PathBuf,
    /// Refused: this command is for a database in a data folder.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// Folder of the files [default: `files` in the data folder]. A bucket (`s3://…`) is not copied.
    #[arg(long, env = "ROUTE_HUB_FILES", value_name = "DIR|URL")]
    pub files: Option<String>,
    /// The new file, or a folder in which it is called hub-DATE.db. The files are in a folder beside it,
    /// hub-DATE.files.
    #[arg(long, value_name = "FILE|DIR")]
    pub to: PathBuf,
    /// Print the answer as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Takes a backup and says how large it is and how long it took.
///
/// # Errors
/// When the data folder cannot be read, the file exists already, or the copy is damaged.
pub fn backup(args: &BackupArgs) -> Result<(), CommandError> {
    args.database.only_a_folder("backup")?;
    let _place = data_folder::enter(&args.dir)?;
    let clock = SystemClock::start();
    let to = if args.to.is_dir() {
        sweep(&args.to);
        args.to.join(format!("hub-{}.db", stamp(clock.now().unix)))
    } else {
        args.to.clone()
    };
    let sound = copy(&database(&args.dir), &to)?;
    let carried = match folder_of_files(args.files.as_deref(), &args.dir) {
        Some(folder) => carry(&to, &folder, &beside(&to))?,
        None => Carried::default(),
    };
    show(args.json, &to, sound, &carried, clock.since_start());
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<Sound, CommandError> {
    let taken = || {
        let to = to.display();
        CommandError::new(format!("{to} exists already and is not overwritten"))
    };
    if to.exists() {
        return Err(taken());
    }
    let part = Part::make(to)?;
    let sound = backup::copy(from, &part.path, &mut |_| ())?;
    match part.name(to) {
        Ok(()) => Ok(sound),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(taken()),
        Err(error) => Err(CommandError::of(to.display(), &error)),
    }
}

/// An unfinished copy beside its place; removed on drop.
struct Part {
    path: PathBuf,
    _lock: File,
}

impl Part {
    /// Makes an empty file beside `to`, or takes over what a killed program left there.
    fn make(to: &Path) -> Result<Self, CommandError> {
        let Some(name) = to.file_name() else {
            let to = to.display();
            return Err(CommandError::new(format!("{to} is not a file name")));
        };
        let name = format!("{}{}{}", PART.0, name.to_string_lossy(), PART.1);
        let path = to.with_file_name(name);
        let failed = |error| CommandError::of(path.display(), &error);
        let mut making = OpenOptions::new();
        making.read(true).write(true).create(true).truncate(false);
        let lock = making.mode(RIGHTS).open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let to = to.display();
                let text = format!("{to}: another backup is writing to this file");
                return Err(CommandError::new(text));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let empty = lock
            .set_permissions(Permissions::from_mode(RIGHTS))
            .and_then(|()| lock.set_len(0));
        empty.map_err(failed)?;
        Ok(Self { path, _lock: lock })
    }

    /// Gives the finished copy its name, unless a file has it.
    fn name(self, to: &Path) -> io::Result<()> {
        match fs::hard_link(&self.path, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // A file system without links.
            Err(_) if !to.exists() => fs::rename(&self.path, to)?,
            other => other?,
        }
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync_folder(folder.unwrap_or(Path::new(".")))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // What cannot be removed is taken over by the next backup.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes what killed backups left in a folder.
fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with(".hub-") && name.ends_with(".db.part");
        let abandoned = || File::open(entry.path()).is_ok_and(|part| part.try_lock().is_ok());
        if ours && abandoned() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn show(json: bool, to: &Path, sound: Sound, carried: &Carried, took: Duration) {
    let view = json!({
        "file": to,
        "bytes": sound.bytes,
        "schema": sound.schema,
        "seconds": took.as_secs_f64(),
        "files": carried.to_json(),
    });
    Output { json }.show(&view, || {
        let (to, seconds) = (to.display(), took.as_secs_f64());
        let size = readable(sound.bytes);
        let text = format!("{to}: {size}, looked through and sound, in {seconds:.1} s");
        match carried.in_words() {
            none if none.is_empty() => text,
            files => format!("{text}\n{files}"),
        }
    });
}

fn readable(bytes: u64) -> String {
    match bytes {
        0..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_store::{SqliteSettings, Store};

    /// What is in a folder beside the database itself.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with("hub.db"))
            .collect();
        names.sort();
        names
    }

    fn data(dir: &Path) -> PathBuf {
        let path = dir.join("hub.db");
        drop(Store::open_sqlite(SqliteSettings::new(&path)).unwrap());
        path
    }

    #[test]
    fn a_backup_is_for_its_owner_alone_and_overwrites_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (data(dir.path()), dir.path().join("copy.db"));
        copy(&from, &to).unwrap();
        assert_eq!(
            fs::metadata(&to).unwrap().permissions().mode() & 0o777,
            RIGHTS
        );
        fs::write(&to, "precious").unwrap();
        assert!(copy(&from, &to).is_err());
        assert_eq!(fs::read_to_string(&to).unwrap(), "precious");
        assert_eq!(names(dir.path()), ["copy.db"]);
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("copy.db");
        let part = Part::make(&to).unwrap();
        fs::write(&to, "precious").unwrap();
        assert!(part.name(&to).is_err());
        assert_eq!(fs::read_to_string(&to).unwrap(), "precious");
    }

    #[test]
    fn two_backups_to_one_file_do_not_meet() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (data(dir.path()), dir.path().join("copy.db"));
        let other = Part::make(&to).unwrap();
        assert!(copy(&from, &to).is_err());
        sweep(dir.path());
        assert!(other.path.exists());
    }

    #[test]
    fn what_a_killed_backup_left_is_taken_over_or_swept() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (data(dir.path()), dir.path().join("hub-1.db"));
        for name in [".hub-1.db.part", ".hub-2.db.part"] {
            fs::write(dir.path().join(name), "half a database").unwrap();
        }
        copy(&from, &to).unwrap();
        sweep(dir.path());
        assert_eq!(names(dir.path()), ["hub-1.db"]);
    }

    #[test]
    fn what_failed_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("copy.db");
        assert!(copy(&dir.path().join("missing.db"), &to).is_err());
        assert!(names(dir.path()).is_empty());
    }
}
