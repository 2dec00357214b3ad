//! Which server a connection leads to, and what this process knows of servers it has worked on.
//!
//! A server is the cluster and the database in it, which a copy, a dump that was brought back and a new
//! cluster do not share. A promotion and a recovery to an earlier moment begin a new timeline of it.

use crate::StoreError;
use hub_outage::{Level, Outage};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use tokio::sync::watch;

/// Where a connection leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lead {
    /// The cluster's own number, and that of the database in it.
    pub(crate) server: String,
    pub(crate) timeline: i64,
}

/// What stands in the way of what cannot be taken back: of giving messages to phones, and of posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing: whoever worked on an earlier timeline found all that it had been answered.
    Sure,
    /// A process that worked on an earlier timeline has not said yet whether it found all.
    Unsure,
    /// Something that was answered is gone, or may be: the hub went backwards.
    WentBack,
}

/// What all connections of a process know together.
#[derive(Debug)]
pub(crate) struct Servers {
    server: OnceLock<String>,
    /// The highest timeline that was met.
    highest: AtomicI64,
    /// The timeline on which nothing stands in the way; 0 while something does.
    sure_on: AtomicI64,
    standing: watch::Sender<Standing>,
    /// Why a server was refused last.
    refused: Mutex<String>,
    /// Whether one can be reached.
    pub(crate) outage: Outage,
}

impl Servers {
    pub(crate) fn new() -> Self {
        Self {
            server: OnceLock::new(),
            highest: AtomicI64::new(0),
            sure_on: AtomicI64::new(0),
            standing: watch::Sender::new(Standing::Unsure),
            refused: Mutex::default(),
            outage: Outage::new(
                Level::ERROR,
                "the database cannot be reached",
                "the database can be reached again",
            ),
        }
    }

    /// Takes in where a new connection leads to.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where that is not where the process works.
    pub(crate) fn meet(&self, lead: &Lead) -> Result<(), StoreError> {
        let known = self.server.get_or_init(|| lead.server.clone());
        if *known != lead.server {
            return Err(refused("it is another one than this process has worked on"));
        }
        if self.saw(lead.timeline) > lead.timeline {
            return Err(left_behind());
        }
        Ok(())
    }

    /// Says whether no connection was ever opened.
    pub(crate) fn none_was_met(&self) -> bool {
        self.server.get().is_none()
    }

    /// Remembers a timeline, and returns the highest one.
    pub(crate) fn saw(&self, timeline: i64) -> i64 {
        let before = self.highest.fetch_max(timeline, Ordering::AcqRel);
        before.max(timeline)
    }

    /// Says whether a connection to this timeline is still one to the primary.
    pub(crate) fn is_left_behind(&self, timeline: i64) -> bool {
        timeline < self.highest.load(Ordering::Acquire)
    }

    /// Takes in how it stands on a timeline.
    pub(crate) fn stands(&self, timeline: i64, standing: Standing) {
        let sure_on = match standing {
            Standing::Sure => timeline,
            Standing::Unsure | Standing::WentBack => 0,
        };
        self.sure_on.store(sure_on, Ordering::Release);
        self.standing.send_if_modified(|before| {
            let is_new = *before != standing;
            *before = standing;
            is_new
        });
    }

    /// Says whether nothing stands in the way on a connection to this timeline.
    pub(crate) fn is_sure(&self, timeline: i64) -> bool {
        self.sure_on.load(Ordering::Acquire) == timeline
    }

    /// Says whether nothing stands in the way on the newest timeline.
    pub(crate) fn is_sure_now(&self) -> bool {
        self.is_sure(self.highest.load(Ordering::Acquire))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Standing> {
        self.standing.subscribe()
    }

    /// Says why no server is taken, once for each reason.
    pub(crate) fn tell(&self, why: &str) {
        let mut last = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if *last != why {
            tracing::error!("{why}");
            why.clone_into(&mut last);
        }
    }
}

/// A server that others were promoted over.
pub(crate) fn left_behind() -> StoreError {
    refused(
        "a newer primary was seen than this one, which was left behind by a promotion: stop it, and \
         make it a standby of the newer one",
    )
}

pub(crate) fn refused(why: &str) -> StoreError {
    StoreError::Refused {
        why: format!("the database is refused: {why}"),
    }
}
