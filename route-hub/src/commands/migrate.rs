//! `route-hub migrate`: a database's schema is brought up to date, or its data go to another one.

use crate::commands::moving::{self, MoveArgs};
use crate::config_file::ConfigFile;
use crate::database::{COMMON, DatabaseSettings};
use crate::upgrading;
use clap::Args;
use hub_app::data_folder::error::CommandError;
use std::io::Write as _;
use std::path::PathBuf;

/// Brings a database up to date, or moves all data of a hub to another database.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// The file with the hub's settings.
    #[command(flatten)]
    pub file: ConfigFile,
    /// Data folder of the hub; made when missing.
    #[arg(
        long,
        env = "ROUTE_HUB_DIR",
        value_name = "DIR",
        default_value = "route-hub-data",
        help_heading = COMMON
    )]
    pub dir: PathBuf,
    /// The database, if it is no file in the folder; made when it is empty.
    #[command(flatten)]
    pub database: DatabaseSettings,
    /// Change the schema of a file without the copy that is otherwise made first, in `before-upgrade` of the
    /// data folder.
    #[arg(long)]
    pub no_backup: bool,
    /// The two databases of a move.
    #[command(flatten)]
    pub moving: MoveArgs,
}

/// Brings the database up to date and says which schema it has, or moves its data.
///
/// # Errors
/// When the folder or the database cannot be used.
pub fn migrate(args: &MigrateArgs) -> Result<(), CommandError> {
    if let Some((from, to)) = args.moving.ends(&args.database)? {
        return moving::run(from, to, args.moving.undo);
    }
    let data = args.database.data(&args.dir)?;
    let (_place, store) = data.open_for_command(true, upgrading::printed(!args.no_backup))?;
    let newest = "SELECT max(version) FROM refinery_schema_history";
    let schema = store.read_blocking(|tx| tx.query_one(newest, &[], |row| row.int(0)))?;
    let schema = schema.unwrap_or(0);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{data} has schema {schema}")?;
    Ok(())
}
