//! `--config`, as every command takes it that works with a hub.

use crate::database::COMMON;
use clap::Args;
use std::path::PathBuf;

/// The file with the hub's settings.
#[derive(Debug, Clone, Default, Args)]
pub struct ConfigFile {
    /// TOML file with the settings of the hub, which `serve` reads, too.
    #[arg(
        long,
        env = "ROUTE_HUB_CONFIG",
        value_name = "FILE",
        global = true,
        help_heading = COMMON
    )]
    pub config: Option<PathBuf>,
}
