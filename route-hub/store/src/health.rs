//! Whether the database takes writes, as its own errors say.
//!
//! ```text
//!        no room                    room again (tried once a second)
//!  Ok ───────────────▶ Full ──────────────────────────────▶ Ok
//!  Ok ───────────────▶ NotWritable ───────────────────────▶ Ok
//!  any ──────────────▶ Damaged      until the process is restarted
//! ```
//!
//! Asking costs nothing: nobody has to write to learn it.

use crate::StoreError;
use hub_outage::{Level, Outage};
use tokio::sync::watch;

/// Whether the database takes writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Health {
    /// It does.
    #[default]
    Ok,
    /// There is no room on its disk; writes go on once there is.
    Full,
    /// Its file cannot be written: its disk fails, or is mounted read-only.
    NotWritable,
    /// Its file is damaged: nothing is written to it until it was restored and the hub is
    /// restarted.
    Damaged,
}

impl Health {
    /// Returns its name, for answers and metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Full => "full",
            Self::NotWritable => "not_writable",
            Self::Damaged => "damaged",
        }
    }

    /// Returns what is wrong, for the log.
    const fn words(self) -> &'static str {
        match self {
            Self::Ok => "nothing is wrong with it",
            Self::Full => "its disk is full",
            Self::NotWritable => "it cannot be written",
            Self::Damaged => "it is damaged: restore a backup",
        }
    }

    /// Says what an error tells of the database; [`Health::Ok`] when it tells nothing.
    pub(crate) const fn told_by(error: &StoreError) -> Self {
        match error {
            StoreError::Full(_) => Self::Full,
            StoreError::NotWritable(_) => Self::NotWritable,
            StoreError::Damaged(_) => Self::Damaged,
            _ => Self::Ok,
        }
    }
}

/// Where the threads of a store keep its health, and everybody looks at it.
#[derive(Debug)]
pub(crate) struct HealthBoard {
    health: watch::Sender<Health>,
    outage: Outage,
}

impl HealthBoard {
    pub(crate) fn new() -> Self {
        Self {
            health: watch::Sender::new(Health::Ok),
            outage: Outage::new(
                Level::ERROR,
                "nothing is written to the database",
                "the database takes writes again",
            ),
        }
    }

    pub(crate) fn now(&self) -> Health {
        *self.health.borrow()
    }

    /// Tells the change to those who wait for one.
    pub(crate) fn watch(&self) -> watch::Receiver<Health> {
        self.health.subscribe()
    }

    /// Takes what an error told; the worse state stays.
    pub(crate) fn worsen(&self, told: Health) {
        if told != Health::Ok {
            self.outage.failed(&told.words());
            self.health.send_if_modified(|health| {
                let is_worse = told > *health;
                *health = told.max(*health);
                is_worse
            });
        }
    }

    /// Takes that the database was written again; damage stays.
    pub(crate) fn recover(&self) {
        let is_better = self.health.send_if_modified(|health| {
            let is_better = !matches!(health, Health::Ok | Health::Damaged);
            if is_better {
                *health = Health::Ok;
            }
            is_better
        });
        if is_better {
            self.outage.worked();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_database_recovers_and_a_damaged_one_does_not() {
        let board = HealthBoard::new();
        board.worsen(Health::Full);
        assert_eq!(board.now(), Health::Full);
        board.recover();
        assert_eq!(board.now(), Health::Ok);
        board.worsen(Health::Damaged);
        board.worsen(Health::Full);
        board.recover();
        assert_eq!(board.now(), Health::Damaged);
    }

    #[test]
    fn whoever_watches_is_told_of_changes_alone() {
        let board = HealthBoard::new();
        let mut watch = board.watch();
        board.recover();
        board.worsen(Health::Ok);
        assert!(!watch.has_changed().unwrap());
        board.worsen(Health::NotWritable);
        assert!(watch.has_changed().unwrap());
        assert_eq!(*watch.borrow_and_update(), Health::NotWritable);
        board.worsen(Health::Full);
        assert!(!watch.has_changed().unwrap());
    }
}
