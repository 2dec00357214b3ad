//! `route-hub restore`: a backup takes the place of the data, and the phones say what it forgot.

use crate::admin::output::Output;
use crate::commands::carried_files::{Carried, beside, carry};
use crate::commands::restored::in_words;
use crate::config_file::ConfigFile;
use crate::database::{COMMON, DatabaseSettings};
use crate::files::{folder_mark, folder_of_files, place};
use clap::Args;
use hub_app::actor::Who;
use hub_app::clock::SystemClock;
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::stamp::stamp;
use hub_app::data_folder::{self, database};
use hub_app::data_folder::{folder_lock, replacement};
use hub_app::restored::{self, Beginning, Word};
use hub_media::mark_anew;
use hub_store::backup;
use serde_json::json;
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Puts a backup in the place of a data folder's database.
///
/// No hub may run on the folder. After a restore, queued messages of the backup wait until the
/// phones have said what they got since: nothing is sent twice.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The file with the hub's settings.
    #[command(flatten)]
    pub file: ConfigFile,
    /// The backup.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    /// Data folder of the hub; made when missing.
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
    /// Folder of the files [default: `files` in the data folder]. Those beside the backup are added to it;
    /// a bucket (`s3://…`) is left alone.
    #[arg(long, env = "ROUTE_HUB_FILES", value_name = "DIR|URL", value_parser = place)]
    pub files: Option<String>,
    /// Set data that the folder has aside, in a folder of their own within it.
    #[arg(long)]
    pub replace: bool,
    /// Send scheduled messages whose time has passed, once. Without this flag they are skipped: the
    /// hub may have sent them after the backup. Give it if no hub ran since then.
    #[arg(long)]
    pub send_missed: bool,
    /// Print the answer as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// Restores a backup.
///
/// # Errors
/// When the folder is in use or has data, or the backup is not sound; the folder is then as it was.
pub fn restore(args: &RestoreArgs) -> Result<(), CommandError> {
    args.database.only_a_folder("restore")?;
    let folder = &args.dir;
    data_folder::make(folder)?;
    replacement::finish(folder)?;
    let place = folder_lock::alone(folder)?;
    let in_use = place.is_none() || backup::is_open(&database(folder)).unwrap_or(false);
    if in_use {
        let text = "is in use: first stop the hub and whatever else works on it";
        return Err(CommandError::new(format!("{} {text}", folder.display())));
    }
    if database(folder).exists() && !args.replace {
        let text = "has data: --replace sets them aside and puts the backup in their place";
        return Err(CommandError::new(format!("{} {text}", folder.display())));
    }
    let (made, mark) = make(folder, args)?;
    let files = folder_of_files(args.files.as_deref(), folder);
    let carried = match &files {
        Some(files) => carry(&args.from, &beside(&args.from), files)?,
        None => Carried::default(),
    };
    let aside = replacement::commit(folder, &stamp(SystemClock::start().now().unix))?;
    // Not before: until then the folder may be the one of the data that are still there.
    if let Some((files, mark)) = files.zip(mark) {
        let marked = mark_anew(&files, &mark);
        marked.map_err(|error| CommandError::of(files.display(), &error))?;
    }
    show(args, made, &carried, aside.as_deref());
    Ok(())
}

/// Makes the complete new database beside the old one; returns the mark of its folder of files, too.
fn make(folder: &Path, args: &RestoreArgs) -> Result<(Beginning, Option<String>), CommandError> {
    let (from, send_missed) = (&args.from, args.send_missed);
    // What was replaced may be newer than the backup: phones must see a generation that is new.
    let replaced = backup::generation(&database(folder)).unwrap_or(0);
    let making = replacement::begin(folder)?;
    let new = database(&making);
    let mut file = OpenOptions::new();
    let made = file.write(true).create_new(true).mode(0o600).open(&new);
    made.map_err(|error| CommandError::of(new.display(), &error))?;
    let copied = backup::copy(from, &new, &mut |_| ());
    copied.map_err(|error| CommandError::of(from.display(), &error))?;
    let hub = data_folder::hub_on(&making, false)?;
    let word = Word {
        replaced,
        send_missed,
    };
    let begun = restored::begin(&hub, &Who::Operator, word);
    let mark = hub.store.read_blocking(folder_mark);
    drop(hub);
    Ok((begun?, mark?))
}

fn show(args: &RestoreArgs, made: Beginning, carried: &Carried, aside: Option<&Path>) {
    let view = json!({
        "database": database(&args.dir),
        "generation": made.generation,
        "phones_to_answer": made.phones_to_answer,
        "phones_asked_before": made.phones_asked_before,
        "schedules_passed_over": made.schedules_passed_over,
        "set_aside": aside,
        "files": carried.to_json(),
    });
    let out = Output { json: args.json };
    out.show(&view, || {
        let mut text = format!("{} is restored.\n", args.dir.display());
        if let Some(aside) = aside {
            text.push_str(&format!("The former data are in {}.\n", aside.display()));
        }
        let to_send = "restore the backup again with --replace and --send-missed";
        text.push_str(&in_words(made, to_send));
        let files = carried.in_words();
        if !files.is_empty() {
            text.push_str(&format!("\n{files}"));
        }
        text
    });
}
