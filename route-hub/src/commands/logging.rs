//! The log: lines on standard error, as text or as JSON.

use hub_app::data_folder::error::CommandError;
use std::io::{self, IsTerminal as _};
use std::panic;
use tracing_subscriber::EnvFilter;

/// The default filter. What becomes of a connection with NATS the hub tells itself.
const DEFAULT_FILTER: &str = "info,async_nats=off";

/// Starts the log.
///
/// # Errors
/// When the filter cannot be read.
pub(super) fn start(filter: Option<&str>, json: bool) -> Result<(), CommandError> {
    let filter = filter.unwrap_or(DEFAULT_FILTER);
    let filter = EnvFilter::try_new(filter).map_err(|error| CommandError::of("--log", &error))?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr);
    let started = if json {
        subscriber.json().try_init()
    } else {
        subscriber.with_ansi(io::stderr().is_terminal()).try_init()
    };
    log_panics();
    started.map_err(|error| CommandError::new(format!("the log cannot be started: {error}")))
}

/// Logs where a panic was, but not its message: that may hold a number or a text.
fn log_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        tracing::error!(place = place.as_deref(), "a thread panicked");
    }));
}
