//! Where log lines go: to the platform's log on shipped builds, otherwise to the shell.

use log::Level;
use std::{
    io,
    sync::{Arc, OnceLock},
};
use tracing::Metadata;
use tracing_subscriber::{EnvFilter, fmt::MakeWriter};

/// The level that is logged; phones never need more.
const FILTER: &str = "info";

/// How important a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, uniffi::Enum)]
pub enum LogLevel {
    /// Needs attention.
    Error,
    /// Not as it should be.
    Warning,
    /// Something worth knowing happened.
    Info,
    /// For debugging.
    Debug,
}

impl From<Level> for LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => Self::Error,
            Level::Warn => Self::Warning,
            Level::Info => Self::Info,
            Level::Debug | Level::Trace => Self::Debug,
        }
    }
}

/// Receives log lines: ids, words and counts, never numbers or texts.
#[uniffi::export(foreign)]
pub trait LogSink: Send + Sync {
    /// Takes a line.
    fn log(&self, level: LogLevel, line: String);
}

static STARTED: OnceLock<()> = OnceLock::new();

/// Sets where log lines go; ignored by a build that writes to the platform's log.
#[uniffi::export]
pub fn set_log_sink(sink: Arc<dyn LogSink>) {
    facade::set_sink(sink);
    start();
}

pub(crate) fn start() {
    STARTED.get_or_init(|| {
        facade::start();
        let lines = tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::new(FILTER))
            .with_ansi(false)
            .without_time()
            .with_level(false)
            .with_writer(Lines);
        // A test may have set one before.
        drop(lines.try_init());
    });
}

/// To the platform's log.
#[cfg(all(target_os = "android", feature = "logcat"))]
mod facade {
    use super::LogSink;
    use std::sync::Arc;

    /// The name that the platform's log shows.
    const TAG: &str = "postrider";

    pub(super) fn set_sink(sink: Arc<dyn LogSink>) {
        drop(sink);
    }

    pub(super) fn start() {
        let config = android_logger::Config::default().with_tag(TAG);
        android_logger::init_once(config.with_max_level(log::LevelFilter::Debug));
    }
}

/// To the shell.
#[cfg(not(all(target_os = "android", feature = "logcat")))]
mod facade {
    use super::LogSink;
    use std::sync::{Arc, RwLock};

    static SINK: RwLock<Option<Arc<dyn LogSink>>> = RwLock::new(None);

    pub(super) fn set_sink(sink: Arc<dyn LogSink>) {
        if let Ok(mut place) = SINK.write() {
            *place = Some(sink);
        }
    }

    pub(super) fn start() {
        if log::set_logger(&ToShell).is_ok() {
            log::set_max_level(log::LevelFilter::Debug);
        }
    }

    /// Hands lines to the shell's sink.
    struct ToShell;

    impl log::Log for ToShell {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            true
        }

        fn log(&self, record: &log::Record<'_>) {
            // The lock is released first, because the shell may log as well.
            let sink = SINK.read().ok().and_then(|sink| sink.clone());
            if let Some(sink) = sink {
                sink.log(record.level().into(), record.args().to_string());
            }
        }

        fn flush(&self) {}
    }
}

/// Turns what the agent traces into log lines.
struct Lines;

/// One line, at its level.
struct Line(Level);

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Line;

    fn make_writer(&'a self) -> Line {
        Line(Level::Info)
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> Line {
        Line(match *metadata.level() {
            tracing::Level::ERROR => Level::Error,
            tracing::Level::WARN => Level::Warn,
            tracing::Level::INFO => Level::Info,
            tracing::Level::DEBUG | tracing::Level::TRACE => Level::Debug,
        })
    }
}

impl io::Write for Line {
    /// Each call brings a whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        log::log!(self.0, "{}", String::from_utf8_lossy(line).trim_end());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
