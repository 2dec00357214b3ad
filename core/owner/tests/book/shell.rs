//! A shell that does what the book says, and simulates the end of its process.

use postrider_machine::{Event, MessageRef, SendToken};
use postrider_model::{MessageId, SimSlot, UnixMs};
use postrider_owner::{Alert, AlertKind, Book, Day, Effect, Entry, Fact, Kept, Moment, What};

pub(crate) const DAY_MS: i64 = 24 * 60 * 60_000;
pub(crate) const MINUTE_MS: i64 = 60_000;
/// Noon of the twentieth day of 2027, in UTC.
const START: UnixMs = UnixMs(1_800_446_400_000);

pub(crate) struct Shell {
    book: Book,
    pub kept: Kept,
    pub shown: Vec<Alert>,
    /// How often an alert was shown.
    pub rung: usize,
    /// How often the log's file was rewritten.
    pub rewrites: usize,
    pub now: UnixMs,
}

impl Shell {
    pub(crate) fn new() -> Self {
        Self::with(Kept::default())
    }

    /// A first process that finds what another version of the app kept.
    pub(crate) fn with(kept: Kept) -> Self {
        let mut shell = Self {
            book: Book::new(&kept, moment(START)),
            kept,
            shown: Vec::new(),
            rung: 0,
            rewrites: 0,
            now: START,
        };
        shell.perform();
        shell
    }

    /// The process ends, and another one begins; notifications are gone.
    pub(crate) fn restart(&mut self) {
        self.book = Book::new(&self.kept, moment(self.now));
        self.shown.clear();
        self.perform();
    }

    pub(crate) fn pass_minutes(&mut self, minutes: i64) {
        self.now = self.now.plus_ms(minutes * MINUTE_MS);
    }

    pub(crate) fn hear(&mut self, event: Event) {
        self.book.handle_event(&event, moment(self.now));
        self.perform();
    }

    pub(crate) fn tell(&mut self, fact: Fact) {
        self.book.handle_fact(fact, moment(self.now));
        self.perform();
    }

    pub(crate) fn look(&mut self, is_linked: bool) {
        self.tell(Fact::Looked {
            is_linked,
            may_send: true,
        });
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.book.entries()
    }

    pub(crate) fn whats(&self) -> Vec<What> {
        self.entries()
            .iter()
            .rev()
            .map(|entry| entry.what)
            .collect()
    }

    /// Sent, failed, received, unknown.
    pub(crate) fn counts(&self) -> [u32; 4] {
        let counts = self.book.counts(moment(self.now));
        [counts.sent, counts.failed, counts.received, counts.unknown]
    }

    pub(crate) fn alerts(&self) -> Vec<Alert> {
        self.book.alerts()
    }

    pub(crate) fn kinds(&self) -> Vec<AlertKind> {
        self.alerts().iter().map(|alert| alert.kind).collect()
    }

    fn perform(&mut self) {
        while let Some(effect) = self.book.poll_effect() {
            match effect {
                Effect::AppendLog(text) => self.kept.log.push_str(&text),
                Effect::WriteLog(text) => {
                    self.rewrites += 1;
                    self.kept.log = text;
                }
                Effect::KeepAlerts { standing, silent } => {
                    self.kept.standing = standing;
                    self.kept.silent = silent;
                }
                Effect::KeepContact(at) => self.kept.contact = at,
                Effect::Show(alert) => {
                    self.rung += 1;
                    self.shown.push(alert);
                }
                Effect::Hide(alert) => self.shown.retain(|shown| *shown != alert),
            }
        }
    }
}

fn moment(at: UnixMs) -> Moment {
    let began = UnixMs(at.0 - at.0.rem_euclid(DAY_MS));
    let days = (began.0 - START.0).div_euclid(DAY_MS) + 1;
    let number = 2_027_020 + u32::try_from(days).expect("no test goes back a day");
    Moment {
        at,
        day: Day { number, began },
    }
}

pub(crate) fn sim(slot: u8) -> SimSlot {
    SimSlot::new(slot).expect("a slot")
}

pub(crate) fn message(number: i64) -> MessageRef {
    let id = MessageId::from_i64(number).expect("an id");
    MessageRef { id, ep: 1 }
}

pub(crate) fn token(number: i64) -> SendToken {
    SendToken {
        message: message(number),
        attempt: 1,
    }
}
