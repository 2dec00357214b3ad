//! When the hub was spoken with last.

use postrider_model::UnixMs;

const MINUTE_MS: i64 = 60_000;

/// Networks come and go; an hour is more than that.
const LONG_MS: i64 = 60 * MINUTE_MS;

/// A contact that goes on is written down no more often.
const LASTS_MS: i64 = 5 * MINUTE_MS;

/// What a start may need to find the hub.
const BEGINS_MS: i64 = 5 * MINUTE_MS;

/// When the hub was spoken with last, by the phone's clock, also over a restart.
#[derive(Debug, Default)]
pub(crate) struct Contact {
    last: Option<UnixMs>,
    began: Option<UnixMs>,
}

impl Contact {
    /// Goes on from what was kept.
    pub(crate) fn new(last: Option<UnixMs>) -> Self {
        Self { last, began: None }
    }

    /// Returns what is to be kept.
    pub(crate) fn last(&self) -> Option<UnixMs> {
        self.last
    }

    /// The agent begins: from now on a contact is missed, unless it was before.
    pub(crate) fn begin(&mut self, now: UnixMs) {
        self.began = Some(now);
        self.last.get_or_insert(now);
    }

    /// It was made, or lost, just now.
    pub(crate) fn touch(&mut self, now: UnixMs) {
        self.last = Some(now);
    }

    /// It goes on; the process may end without a word.
    pub(crate) fn lasts(&mut self, now: UnixMs) {
        if self.last.is_none_or(|last| now.0 - last.0 > LASTS_MS) {
            self.last = Some(now);
        }
    }

    /// Another hub is not missed for what the last one did.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    /// Returns whether it is so long ago that the owner should know; an agent that has just begun
    /// may yet make it.
    pub(crate) fn is_long_ago(&self, now: UnixMs) -> bool {
        let passed = |since: Option<UnixMs>, ms| since.is_some_and(|since| now.0 - since.0 > ms);
        passed(self.began, BEGINS_MS) && passed(self.last, LONG_MS)
    }
}
