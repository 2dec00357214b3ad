//! When the phone last had contact with its hub.

use postrider_model::UnixMs;

const MINUTE_MS: i64 = 60_000;

/// Without contact for longer than this, the owner is told. Networks come and go within an hour.
const LONG_MS: i64 = 60 * MINUTE_MS;

/// While the contact lasts, its time is written no more often than this.
const LASTS_MS: i64 = 5 * MINUTE_MS;

/// How long a starting agent may need to find the hub.
const BEGINS_MS: i64 = 5 * MINUTE_MS;

/// When the phone last had contact with its hub, by its clock; kept across restarts.
#[derive(Debug, Default)]
pub(crate) struct Contact {
    last: Option<UnixMs>,
    began: Option<UnixMs>,
}

impl Contact {
    /// Continues from what was kept.
    pub(crate) fn new(last: Option<UnixMs>) -> Self {
        Self { last, began: None }
    }

    /// Returns what to keep.
    pub(crate) fn last(&self) -> Option<UnixMs> {
        self.last
    }

    /// The agent starts: from now on contact is missed, unless it was missed before.
    pub(crate) fn begin(&mut self, now: UnixMs) {
        self.began = Some(now);
        self.last.get_or_insert(now);
    }

    /// The connection was made, or lost, just now.
    pub(crate) fn touch(&mut self, now: UnixMs) {
        self.last = Some(now);
    }

    /// The connection lasts; written down because the process may be killed at any time.
    pub(crate) fn lasts(&mut self, now: UnixMs) {
        if self.last.is_none_or(|last| now.0 - last.0 > LASTS_MS) {
            self.last = Some(now);
        }
    }

    /// Forgets the last hub: another one is not blamed for it.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }

    /// Returns whether the contact is so long ago that the owner should know. An agent that has
    /// just started gets time to connect.
    pub(crate) fn is_long_ago(&self, now: UnixMs) -> bool {
        let passed = |since: Option<UnixMs>, ms| since.is_some_and(|since| now.0 - since.0 > ms);
        passed(self.began, BEGINS_MS) && passed(self.last, LONG_MS)
    }
}
