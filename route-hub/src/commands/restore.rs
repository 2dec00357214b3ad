//! `route-hub restore`: a backup takes the place of the data, and the phones say what it forgot.

use crate::admin::output::Output;
use crate::commands::stamp::stamp;
use crate::database::DatabaseSettings;
use clap::Args;
use hub_app::actor::Who;
use hub_app::clock::SystemClock;
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::{self, database};
use hub_app::data_folder::{folder_lock, replacement};
use hub_app::dispatch::freeze;
use hub_app::hub_work::HubWork;
use hub_app::schedules::after_restore;
use hub_store::{StoreError, backup, broadcasts, devices, meta, organizations, projects};
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
    /// The backup.
    #[arg(long, value_name = "FILE")]
    pub from: PathBuf,
    /// Data folder of the hub; made when missing.
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

/// The error of broadcasts that were half sent at the time of the backup.
const CUT_OFF: &str =
    "the hub was restored from a backup: it is not known whom the broadcast has reached since";

/// What a restored database begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Beginning {
    generation: u64,
    phones_to_answer: usize,
    schedules_passed_over: usize,
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
    let made = make(folder, args)?;
    let aside = replacement::commit(folder, &stamp(SystemClock::start().now().unix))?;
    show(args, made, aside.as_deref());
    Ok(())
}

/// Makes the complete new database beside the old one.
fn make(folder: &Path, args: &RestoreArgs) -> Result<Beginning, CommandError> {
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
    let (worker, now) = (hub.clone(), hub.now());
    let begun = hub.store.write_blocking(move |tx| {
        let mut work = HubWork::new(&worker, tx, Who::Operator, now);
        begin(&mut work, replaced, send_missed)
    });
    drop(hub);
    Ok(begun?)
}

/// Raises the generation and freezes every project: it is unknown what its phones were given, and
/// what was sent of its schedules.
fn begin(
    work: &mut HubWork<'_, '_>,
    replaced: u64,
    send_missed: bool,
) -> Result<Beginning, StoreError> {
    // Higher than that of every device, so that each has to answer.
    let highest = meta::generation(work.tx)?.max(devices::highest_generation(work.tx)?);
    let generation = highest.max(replaced) + 1;
    meta::put_generation(work.tx, generation)?;
    let mut phones_to_answer = 0;
    for project in projects::all(work.tx)? {
        // A starting hub looks at everything anyway.
        phones_to_answer += work.within(&project, freeze::whole_project)?;
    }
    // A recipient that got the message after the backup must not get it again.
    broadcasts::end_all(work.tx, CUT_OFF)?;
    let schedules_passed_over = match send_missed {
        true => 0,
        false => after_restore::pass_over(work.tx, work.now.unix)?,
    };
    for organization in organizations::all(work.tx)? {
        work.note(organization.id, "hub.restore", generation)?;
    }
    Ok(Beginning {
        generation,
        phones_to_answer,
        schedules_passed_over,
    })
}

fn show(args: &RestoreArgs, made: Beginning, aside: Option<&Path>) {
    let view = json!({
        "database": database(&args.dir),
        "generation": made.generation,
        "phones_to_answer": made.phones_to_answer,
        "schedules_passed_over": made.schedules_passed_over,
        "set_aside": aside,
    });
    let out = Output { json: args.json };
    out.show(&view, || {
        let mut text = format!("{} is restored.\n", args.dir.display());
        if let Some(aside) = aside {
            text.push_str(&format!("The former data are in {}.\n", aside.display()));
        }
        text.push_str(&format!(
            "Generation {}. Start the hub: {} devices will say what they were given since the \
             backup, and what it had queued waits for them.",
            made.generation, made.phones_to_answer
        ));
        if made.schedules_passed_over > 0 {
            text.push_str(&format!(
                "\n{} scheduled messages had their time before now and were passed over: they may \
                 have been sent since the backup. With --send-missed they are sent.",
                made.schedules_passed_over
            ));
        }
        text
    });
}
