//! The command line of the route hub.

use clap::{Parser, Subcommand};
use route_hub::admin::AdminArgs;
use route_hub::commands::{self, DemoArgs, MigrateArgs};
use route_hub::settings::ServeSettings;
use std::process::ExitCode;

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
    /// Run a hub with virtual phones on a folder of its own, ready to be tried.
    Demo(DemoArgs),
    /// Bring the database of a data folder up to date, and say which version it has.
    Migrate(MigrateArgs),
    /// Set up organizations, projects, keys and phones, and look at alerts.
    Admin(AdminArgs),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(settings) => commands::serve(*settings),
        Command::Demo(args) => commands::demo(args),
        Command::Migrate(args) => commands::migrate(&args),
        Command::Admin(args) => route_hub::admin::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("route-hub: {error}");
            ExitCode::FAILURE
        }
    }
}
