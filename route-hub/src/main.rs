//! The command line of the route hub.

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use hub_app::data_folder::error::CommandError;
use mimalloc::MiMalloc;
use route_hub::admin::AdminArgs;
use route_hub::commands::{
    self, BackupArgs, DemoArgs, DoctorArgs, MigrateArgs, RestoreArgs, RestoredArgs, SettingsArgs,
};
use route_hub::settings::ServeSettings;
use route_hub::settings::given::{Given, NotGiven};
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// What one thread makes another one drops: a request's parts end with the writer, an answer's with whoever
/// answers. The system's allocator has them meet at its locks (docs/benchmarks.md).
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A messaging gateway over ordinary Android phones.
#[derive(Debug, Parser)]
#[command(name = "route-hub", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the hub.
    Serve(Box<ServeSettings>),
    /// Print the settings that `serve` would run with, and where each comes from.
    Settings(Box<SettingsArgs>),
    /// Look at what a hub with these settings would run into, or runs into.
    Doctor(Box<DoctorArgs>),
    /// Run a hub with virtual phones on a folder of its own, ready to be tried.
    Demo(DemoArgs),
    /// Bring a database up to date, and say which version it has; or move a hub to another one.
    Migrate(Box<MigrateArgs>),
    /// Copy the database of a data folder to one file, while the hub runs and sends.
    Backup(BackupArgs),
    /// Put a backup in the place of a data folder's database.
    Restore(RestoreArgs),
    /// Prepare a PostgreSQL database that was brought back from a dump or to an earlier moment.
    Restored(RestoredArgs),
    /// Print the description of the API, an `OpenAPI` document.
    Openapi,
    /// Set up organizations, projects, keys and phones, and look at alerts.
    Admin(AdminArgs),
}

fn main() -> ExitCode {
    let line: Vec<OsString> = env::args_os().collect();
    let outcome = match Given::read(&Cli::command(), &line) {
        Ok(given) => {
            run(&given).map_err(|error| CommandError::new(given.explain(&error.to_string())))
        }
        Err(NotGiven::Usage(error)) => error.exit(),
        Err(NotGiven::File(error, given)) => match cli(&given).command {
            Command::Doctor(args) => commands::doctor(*args, Some(&error)),
            _ => Err(error.into()),
        },
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            commands::report(&error);
            ExitCode::FAILURE
        }
    }
}

fn cli(given: &Given) -> Cli {
    Cli::from_arg_matches(&given.matches).unwrap_or_else(|error| error.exit())
}

fn run(given: &Given) -> Result<(), CommandError> {
    match cli(given).command {
        Command::Serve(settings) => commands::serve(*settings),
        Command::Settings(args) => commands::settings(&args, given),
        Command::Doctor(args) => commands::doctor(*args, None),
        Command::Demo(args) => commands::demo(args),
        Command::Migrate(args) => commands::migrate(&args),
        Command::Backup(args) => commands::backup(&args),
        Command::Restore(args) => commands::restore(&args),
        Command::Restored(args) => commands::restored(&args),
        Command::Openapi => commands::openapi(),
        Command::Admin(args) => route_hub::admin::run(args),
    }
}
