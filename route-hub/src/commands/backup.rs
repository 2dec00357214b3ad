//! `route-hub backup`: one file with everything, taken beside a running hub.

use crate::admin::output::Output;
use crate::commands::carried_files::{Carried, beside, carry};
use crate::config_file::ConfigFile;
use crate::database::{COMMON, DatabaseSettings};
use crate::files::{folder_of_files, place};
use clap::Args;
use hub_app::clock::SystemClock;
use hub_app::data_folder::copy::{copy, sweep};
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::stamp::stamp;
use hub_app::data_folder::{self, database};
use hub_store::backup::Sound;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Copies the database of a data folder to one file, while the hub runs and sends.
///
/// The copy is of one moment. It is checked before it gets its name, and never overwrites a file. The files
/// that it names follow in a folder beside it.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The file with the hub's settings.
    #[command(flatten)]
    pub file: ConfigFile,
    /// Data folder of the hub.
    #[arg(
        long,
        env = "ROUTE_HUB_DIR",
        value_name = "DIR",
        default_value = "route-hub-data",
        help_heading = COMMON
    )]
    pub dir: PathBuf,
    /// Refused: this command is for a database in a data folder.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// Folder of the files [default: `files` in the data folder]. A bucket (`s3://…`) is not copied.
    #[arg(long, env = "ROUTE_HUB_FILES", value_name = "DIR|URL", value_parser = place)]
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
