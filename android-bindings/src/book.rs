//! What the owner is told, and when a failed agent starts again.

use crate::running::lock;
use postrider_agent::Event;
use postrider_model::BootMs;
use postrider_owner::{Alert, Effect, Entry, Fact, Kept, Moment, Restart, TodayCounts};
use std::{
    iter,
    sync::{Arc, Mutex},
};

/// The log with its counts, and the alerts. Carry out what a call returns in its order, before the
/// next call.
#[derive(uniffi::Object)]
pub struct Book(Mutex<postrider_owner::Book>);

#[uniffi::export]
impl Book {
    /// Continues from what was kept.
    #[uniffi::constructor]
    pub fn new(kept: Kept, now: Moment) -> Arc<Self> {
        Arc::new(Self(Mutex::new(postrider_owner::Book::new(&kept, now))))
    }

    /// Returns the alerts that a new process shows again.
    pub fn begin(&self) -> Vec<Effect> {
        self.change(|_| ())
    }

    /// Handles an event of the agent.
    pub fn hear(&self, event: Event, now: Moment) -> Vec<Effect> {
        self.change(|book| book.handle_event(&event, now))
    }

    /// Handles a report of the shell.
    pub fn tell(&self, fact: Fact, now: Moment) -> Vec<Effect> {
        self.change(|book| book.handle_fact(fact, now))
    }

    /// Returns the log's lines, newest first.
    pub fn entries(&self) -> Vec<Entry> {
        lock(&self.0).entries()
    }

    /// Returns what happened today.
    pub fn counts(&self, now: Moment) -> TodayCounts {
        lock(&self.0).counts(now)
    }

    /// Returns the standing alerts, newest first.
    pub fn alerts(&self) -> Vec<Alert> {
        lock(&self.0).alerts()
    }
}

impl Book {
    fn change(&self, change: impl FnOnce(&mut postrider_owner::Book)) -> Vec<Effect> {
        let mut book = lock(&self.0);
        change(&mut book);
        iter::from_fn(|| book.poll_effect()).collect()
    }
}

/// Restarts a failed agent, each time later.
#[derive(Default, uniffi::Object)]
pub struct Restarts(Mutex<postrider_owner::Restarts>);

#[uniffi::export]
impl Restarts {
    /// The agent has not failed yet.
    #[uniffi::constructor]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// The agent runs.
    pub fn began(&self, now: BootMs) {
        lock(&self.0).began(now);
    }

    /// The agent failed: returns when to start it again.
    pub fn failed(&self, now: BootMs) -> Restart {
        lock(&self.0).failed(now)
    }

    /// Returns whether it is too early for the next start.
    pub fn is_waiting(&self, now: BootMs) -> bool {
        lock(&self.0).is_waiting(now)
    }

    /// Somebody has fixed something: the next start is immediate.
    pub fn forget(&self) {
        lock(&self.0).forget();
    }
}
