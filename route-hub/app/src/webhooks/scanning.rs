//! When the outbox is read, and where the next scan goes on.

use crate::webhooks::scan::{Place, Scanned};
use crate::webhooks::settlement::Fate;
use postrider_model::{BootMs, Now, UnixMs};
use std::collections::BTreeMap;

/// Shortest time between two scans, in milliseconds: lets rows gather.
const SCAN_SPACING_MS: u64 = 5;
/// A scan that took long is followed by a pause this many times as long.
const SCAN_PAUSE_FACTOR: u64 = 4;
/// Longest time between two scans, in milliseconds: finds what no wake-up told of.
pub(crate) const SCAN_EVERY_MS: u64 = 5_000;

/// The timing of scans; one runs at a time.
///
/// A round of scans looks at every endpoint once. What is told while it goes on starts another
/// round behind it.
#[derive(Debug, Default)]
pub(crate) struct Scanning {
    asked_at: Option<BootMs>,
    not_before: BootMs,
    timer: BootMs,
    woken: bool,
    place: Place,
    goes_on: bool,
    /// Whether rows wait for a place in memory.
    squeezed: bool,
    /// What was committed while a scan ran: it may still show the rows as they were.
    moved: BTreeMap<i64, Fate>,
}

impl Scanning {
    /// Says that there may be rows to read.
    pub(crate) fn wake(&mut self) {
        self.woken = true;
    }

    /// Returns when the next scan may run; `None` while one does.
    pub(crate) fn at(&self) -> Option<BootMs> {
        if self.asked_at.is_some() {
            return None;
        }
        let at_once = self.woken || self.goes_on;
        let wanted = if at_once { BootMs(0) } else { self.timer };
        Some(wanted.max(self.not_before))
    }

    /// Begins a scan and returns where it goes on; `None` when it is not time yet.
    pub(crate) fn begin(&mut self, now: Now) -> Option<Place> {
        if self.at().is_none_or(|at| now.boot < at) {
            return None;
        }
        if !self.goes_on {
            self.woken = false;
            self.timer = now.boot.plus_ms(SCAN_EVERY_MS);
        }
        self.asked_at = Some(now.boot);
        Some(self.place.clone())
    }

    /// Takes in where a scan ended, and returns what was committed while it ran.
    pub(crate) fn ended(&mut self, scanned: &mut Scanned, now: Now) -> BTreeMap<i64, Fate> {
        let asked_at = self.asked_at.take();
        let took_ms = asked_at.map_or(0, |at| now.boot.since_ms(at));
        let pause_ms = SCAN_SPACING_MS.max(took_ms * SCAN_PAUSE_FACTOR);
        self.not_before = now.boot.plus_ms(pause_ms);
        self.place = std::mem::take(&mut scanned.reached);
        self.goes_on = scanned.goes_on;
        self.squeezed = scanned.squeezed;
        if let Some(due) = scanned.next_due {
            self.note_due(due, now);
        }
        std::mem::take(&mut self.moved)
    }

    /// Takes in that the database refused a scan: the next one runs after `pause_ms`.
    pub(crate) fn failed(&mut self, pause_ms: u64, now: Now) {
        self.asked_at = None;
        self.moved.clear();
        self.woken = true;
        self.not_before = now.boot.plus_ms(pause_ms);
    }

    /// Makes sure that a scan follows when something is due.
    pub(crate) fn note_due(&mut self, due: UnixMs, now: Now) {
        let wait_ms = due.0.saturating_sub(now.unix.0).max(0).unsigned_abs();
        self.timer = self.timer.min(now.boot.plus_ms(wait_ms));
    }

    /// Notes that a row left memory: another one may take its place.
    pub(crate) fn note_left(&mut self, id: i64, fate: Fate) {
        if self.asked_at.is_some() {
            self.moved.insert(id, fate);
        }
        self.woken |= std::mem::take(&mut self.squeezed);
    }
}
