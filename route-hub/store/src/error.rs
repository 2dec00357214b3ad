//! What can go wrong with storage.

use hub_domain::Exceeded;
use std::{error::Error, fmt, path::PathBuf, sync::Arc};

/// Says why a job, or the opening of a store, came to nothing.
///
/// A job that ends with one has left no trace. Refusals of the domain are not among these: a use
/// case has an error of its own, with this one in a variant.
#[derive(Debug, Clone)]
pub enum StoreError {
    /// The queue of jobs is full, or another process holds the database: try again later.
    Busy,
    /// The store is shut.
    Closed,
    /// The job was prepared on rows that another process has changed since: it was not run, and is to be
    /// prepared anew.
    Stale,
    /// The job ran past its time limit.
    TooSlow,
    /// A rule of the schema was broken, such as a name that must be unique.
    Conflict(Cause),
    /// A stored value is none that this version writes.
    BadRow {
        /// The column's place in the statement.
        column: usize,
    },
    /// The job broke off with a panic.
    Panicked,
    /// The job went on after a statement of its own had failed.
    ErrorIgnored,
    /// There is no database at the path, and none was to be made.
    Missing {
        /// Where one was looked for.
        path: PathBuf,
    },
    /// The file is something else than a hub's database.
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer hub.
    Newer {
        /// The schema that it has.
        found: i64,
        /// The newest schema that this version knows.
        known: i64,
    },
    /// It would be beyond a limit of the organization's plan.
    Beyond(Exceeded),
    /// The server cannot be reached, or what it was asked has no answer.
    Unreachable(Cause),
    /// Nobody knows whether the job was done: its commit has no answer, and the server cannot be
    /// asked. Whoever waits for it must not be told that it was not.
    Unsure,
    /// The database is one that a hub does not work on.
    Refused {
        /// Why, in a sentence's second half.
        why: String,
    },
    /// The file is damaged.
    Damaged(Cause),
    /// There is no room for what was to be written; a little later there may be.
    Full(Cause),
    /// The file cannot be written, or its disk fails.
    NotWritable(Cause),
    /// The job did more than one job may do (see the executor): a defect of the hub.
    OverBudget {
        /// What the job is called in the program.
        job: &'static str,
    },
    /// Anything else that the database says.
    Engine(Cause),
}

/// The database's own error; for logs, never for callers.
pub type Cause = Arc<dyn Error + Send + Sync>;

impl StoreError {
    /// Says whether the same job may succeed a little later.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::Stale
                | Self::Closed
                | Self::TooSlow
                | Self::Unreachable(_)
                | Self::Full(_)
                | Self::NotWritable(_)
        )
    }

    /// Says whether the database itself is away, of which the store tells the log, once for all jobs.
    pub fn is_outage(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_) | Self::Full(_) | Self::NotWritable(_) | Self::Damaged(_)
        )
    }
}

/// Logs at a level what an error of the database made fail; at `debug` where the database is away.
#[macro_export]
macro_rules! failed {
    ($level:ident, $error:expr, $($what:tt)+) => {
        match &$error {
            error if error.is_outage() => tracing::debug!(%error, $($what)+),
            error => tracing::$level!(%error, $($what)+),
        }
    };
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy => f.write_str("the database is busy"),
            Self::Stale => f.write_str("what it was prepared on has changed"),
            Self::Closed => f.write_str("the database is closed"),
            Self::TooSlow => f.write_str("the query took too long"),
            Self::Conflict(_) => f.write_str("the row conflicts with another"),
            Self::BadRow { column } => write!(f, "column {column} of a row cannot be read"),
            Self::Panicked => f.write_str("the job broke off"),
            Self::ErrorIgnored => f.write_str("the job went on after an error"),
            Self::Missing { path } => write!(f, "there is no database at {}", path.display()),
            Self::Foreign { path } => {
                write!(f, "{} is not a route hub's database", path.display())
            }
            Self::Newer { found, known } => write!(
                f,
                "the database has schema {found}, this version knows schemas up to {known}"
            ),
            Self::Beyond(exceeded) => exceeded.fmt(f),
            Self::Unreachable(_) => f.write_str("the database server cannot be reached"),
            Self::Unsure => f.write_str("whether it was done cannot be found out"),
            Self::Refused { why } => f.write_str(why),
            Self::Damaged(_) => f.write_str("the database file is damaged"),
            Self::Full(_) => f.write_str("there is no room for the database"),
            Self::NotWritable(_) => f.write_str("the database cannot be written"),
            Self::OverBudget { job } => write!(f, "a job did more than one may do: {job}"),
            Self::Engine(_) => f.write_str("the database failed"),
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Conflict(cause)
            | Self::Unreachable(cause)
            | Self::Damaged(cause)
            | Self::Full(cause)
            | Self::NotWritable(cause)
            | Self::Engine(cause) => Some(&**cause),
            Self::Busy
            | Self::Stale
            | Self::Closed
            | Self::TooSlow
            | Self::BadRow { .. }
            | Self::Panicked
            | Self::ErrorIgnored
            | Self::OverBudget { .. }
            | Self::Missing { .. }
            | Self::Unsure
            | Self::Beyond(_)
            | Self::Refused { .. }
            | Self::Foreign { .. }
            | Self::Newer { .. } => None,
        }
    }
}
