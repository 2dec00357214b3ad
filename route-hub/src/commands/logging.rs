//! The log: lines on standard error, as text or as JSON, and as the journal of systemd takes them.

use hub_app::data_folder::error::CommandError;
use std::fmt;
use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::{env, panic};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The default filter. What becomes of a connection with NATS or with a bucket the hub tells itself.
const DEFAULT_FILTER: &str = "info,async_nats=off,object_store=off";
/// The variable in which systemd names the device and the inode of its journal's stream.
const JOURNAL_VARIABLE: &str = "JOURNAL_STREAM";

/// Starts the log.
///
/// # Errors
/// When the filter cannot be read.
pub(super) fn start(filter: Option<&str>, json: bool) -> Result<(), CommandError> {
    let filter = filter.unwrap_or(DEFAULT_FILTER);
    let filter = EnvFilter::try_new(filter).map_err(|error| CommandError::of("--log", &error))?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal());
    let started = match (json, is_journal()) {
        (true, false) => subscriber.json().try_init(),
        (true, true) => subscriber.json().map_event_format(Leveled).try_init(),
        (false, false) => subscriber.try_init(),
        (false, true) => subscriber
            .without_time()
            .with_level(false)
            .map_event_format(Leveled)
            .try_init(),
    };
    log_panics();
    started.map_err(|error| CommandError::new(format!("the log cannot be started: {error}")))
}

/// Says on standard error why the program ends.
pub fn report(error: &CommandError) {
    let level = if is_journal() {
        priority(Level::ERROR)
    } else {
        ""
    };
    for line in format!("route-hub: {error}").lines() {
        eprintln!("{level}{line}");
    }
}

/// Writes an event's level before it, as the journal reads it.
struct Leveled<F>(F);

impl<S, N, F> FormatEvent<S, N> for Leveled<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        writer.write_str(priority(*event.metadata().level()))?;
        self.0.format_event(context, writer, event)
    }
}

/// Returns what the journal takes for a level.
fn priority(level: Level) -> &'static str {
    match level {
        Level::ERROR => "<3>",
        Level::WARN => "<4>",
        Level::INFO => "<6>",
        Level::DEBUG | Level::TRACE => "<7>",
    }
}

/// Says whether standard error is a stream of the journal, which keeps times and levels itself.
fn is_journal() -> bool {
    let Ok(stream) = env::var(JOURNAL_VARIABLE) else {
        return false;
    };
    let own = io::stderr().as_fd().try_clone_to_owned();
    let own = own.and_then(|file| File::from(file).metadata());
    own.is_ok_and(|own| stream == format!("{}:{}", own.dev(), own.ino()))
}

/// Logs where a panic was, but not its message: that may hold a number or a text.
fn log_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string);
        tracing::error!(place = place.as_deref(), "a thread panicked");
    }));
}
