//! `route-hub migrate`.

use clap::Args;
use hub_app::data_folder;
use hub_app::data_folder::error::CommandError;
use std::io::Write as _;
use std::path::PathBuf;

/// Brings the database of a data folder up to date.
#[derive(Debug, Args)]
pub struct MigrateArgs {
    /// Data folder of the hub; made when missing.
    #[arg(
        long,
        env = "ROUTE_HUB_DIR",
        value_name = "DIR",
        default_value = "route-hub-data"
    )]
    pub dir: PathBuf,
}

/// Brings the database up to date and says which schema it has.
///
/// # Errors
/// When the folder or the database cannot be used.
pub fn migrate(args: &MigrateArgs) -> Result<(), CommandError> {
    let _place = data_folder::make_and_enter(&args.dir)?;
    let store = data_folder::open(&args.dir)?;
    let newest = "SELECT max(version) FROM refinery_schema_history";
    let schema = store.read_blocking(|tx| tx.query_one(newest, &[], |row| row.int(0)))?;
    let schema = schema.unwrap_or(0);
    let database = data_folder::database(&args.dir);
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} has schema {schema}", database.display())?;
    Ok(())
}
