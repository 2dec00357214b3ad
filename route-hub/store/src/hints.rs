//! Hints between processes: what another one may want to look at now.
//!
//! A hint carries ids and nothing else, comes after the commit, and may be lost: whoever misses it
//! finds the work when it next looks. So nobody waits for one, and a full queue of them drops.

use postrider_model::{Id, Key, PhoneId};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tokio::sync::mpsc;

/// Most hints that wait to be sent; more are dropped.
const WAITING_MAX: usize = 4_096;
/// Most bytes of one notice: what PostgreSQL carries, less a little.
const NOTICE_BYTES: usize = 7_900;

/// What another process may want to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hint {
    /// What the processes keep in memory, or what links go by.
    Changed,
    /// Messages that wait for a phone.
    Queued(PhoneId),
    /// What is asked of a phone about its messages.
    Asked(PhoneId),
    /// Events that wait for their webhooks.
    Webhooks,
    /// Broadcasts that are to go on.
    Broadcasts,
}

/// One end of the hints: for whoever carries them, such as a server's notices or NATS.
pub struct Carrier {
    /// Hints of this process for the others.
    pub to_others: mpsc::Receiver<Hint>,
    /// Hints of others for this process.
    pub from_others: Inbox,
}

/// Takes in what others hint at.
#[derive(Clone)]
pub struct Inbox {
    hints: mpsc::Sender<Hint>,
    state: Arc<State>,
}

/// The hub's end of the hints.
pub struct Hints {
    out: mpsc::Sender<Hint>,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    is_cut: AtomicBool,
    sent: AtomicU64,
    dropped: AtomicU64,
    received: AtomicU64,
}

/// How many hints there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintsLoad {
    /// Hints given to the carrier.
    pub sent: u64,
    /// Hints that found no room.
    pub dropped: u64,
    /// Hints of others.
    pub received: u64,
    /// Whether they do not arrive at present.
    pub is_cut: bool,
}

/// Makes the hub's end, its inbox and the carrier's end.
pub fn hints() -> (Hints, mpsc::Receiver<Hint>, Carrier) {
    let (out, to_others) = mpsc::channel(WAITING_MAX);
    let (hints, inbox) = mpsc::channel(WAITING_MAX);
    let state = Arc::new(State::default());
    let from_others = Inbox {
        hints,
        state: Arc::clone(&state),
    };
    let carrier = Carrier {
        to_others,
        from_others,
    };
    (Hints { out, state }, inbox, carrier)
}

impl Hints {
    /// Hints at something, unless there is no room.
    pub fn tell(&self, hint: Hint) {
        let told = self.out.try_send(hint).is_ok();
        let counter = if told {
            &self.state.sent
        } else {
            &self.state.dropped
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Says whether hints do not arrive at present: work is then looked for more often.
    pub fn are_cut(&self) -> bool {
        self.state.is_cut.load(Ordering::Acquire)
    }

    /// Returns how many there were.
    pub fn load(&self) -> HintsLoad {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        HintsLoad {
            sent: count(&self.state.sent),
            dropped: count(&self.state.dropped),
            received: count(&self.state.received),
            is_cut: self.are_cut(),
        }
    }
}

impl Inbox {
    /// Takes a notice of another process; what this version does not know is passed over.
    pub fn take(&self, notice: &str) {
        for hint in notice.split(' ').filter_map(read) {
            if self.hints.try_send(hint).is_ok() {
                self.state.received.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Says whether hints arrive.
    pub fn set_cut(&self, is_cut: bool) {
        self.state.is_cut.store(is_cut, Ordering::Release);
    }
}

impl Carrier {
    /// Waits for a hint, and for `merge` after it; returns notices of all that came by then.
    pub async fn notices(&mut self, merge: std::time::Duration) -> Option<Vec<String>> {
        let first = self.to_others.recv().await?;
        tokio::time::sleep(merge).await;
        let mut hints = std::collections::BTreeSet::from([first]);
        while let Ok(hint) = self.to_others.try_recv() {
            hints.insert(hint);
        }
        Some(written(hints))
    }
}

/// Writes hints into as few notices as they fit into.
fn written(hints: impl IntoIterator<Item = Hint>) -> Vec<String> {
    let mut notices = vec![String::new()];
    for hint in hints {
        let last = notices
            .last_mut()
            .filter(|last| last.len() < NOTICE_BYTES - 32);
        let notice = match last {
            Some(last) => last,
            None => {
                notices.push(String::new());
                let end = notices.len() - 1;
                &mut notices[end]
            }
        };
        let (kind, id) = parts(hint);
        let space = if notice.is_empty() { "" } else { " " };
        let written = match id {
            None => write!(notice, "{space}{kind}"),
            Some(id) => write!(notice, "{space}{kind}{id:x}"),
        };
        debug_assert!(written.is_ok(), "a text takes whatever is written");
    }
    notices
}

fn parts(hint: Hint) -> (char, Option<i64>) {
    match hint {
        Hint::Changed => ('c', None),
        Hint::Queued(id) => ('q', Some(id.get())),
        Hint::Asked(id) => ('a', Some(id.get())),
        Hint::Webhooks => ('w', None),
        Hint::Broadcasts => ('b', None),
    }
}

fn read(word: &str) -> Option<Hint> {
    let kind = word.chars().next()?;
    let id = || {
        let number = i64::from_str_radix(word.get(1..)?, 16).ok()?;
        Key::new(number).map(Id::new)
    };
    match kind {
        'c' => Some(Hint::Changed),
        'q' => id().map(Hint::Queued),
        'a' => id().map(Hint::Asked),
        'w' => Some(Hint::Webhooks),
        'b' => Some(Hint::Broadcasts),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phone(number: i64) -> PhoneId {
        Id::new(Key::new(number).unwrap())
    }

    #[test]
    fn hints_arrive_as_they_were_told_and_what_is_unknown_is_passed_over() {
        let told = [
            Hint::Changed,
            Hint::Queued(phone(0x7f)),
            Hint::Asked(phone(9)),
            Hint::Webhooks,
        ];
        let notices = written(told);
        assert_eq!(notices.len(), 1);
        let (_hints, mut inbox, carrier) = hints();
        carrier.from_others.take(&format!("{} zz q", notices[0]));
        for hint in told {
            assert_eq!(inbox.try_recv().ok(), Some(hint));
        }
        assert!(inbox.try_recv().is_err());
    }

    #[test]
    fn many_hints_make_several_notices_and_none_is_too_long() {
        let notices = written((0..2_000).map(|number| Hint::Queued(phone(i64::MAX - number))));
        assert!(notices.len() > 1);
        assert!(notices.iter().all(|notice| notice.len() <= NOTICE_BYTES));
        let words = notices.iter().flat_map(|notice| notice.split(' '));
        assert_eq!(words.filter_map(read).count(), 2_000);
    }

    #[test]
    fn a_full_queue_drops_and_counts() {
        let (hints, _inbox, _carrier) = hints();
        for _ in 0..=WAITING_MAX {
            hints.tell(Hint::Webhooks);
        }
        assert_eq!(hints.load().dropped, 1);
    }
}
