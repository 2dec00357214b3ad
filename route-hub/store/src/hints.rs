//! Hints between processes: what another one may want to look at now.
//!
//! A hint carries ids and nothing else, comes after the commit, and may be lost: whoever misses it
//! finds the work when it next looks. So nobody waits for one, and a full queue of them drops.

use postrider_model::{Id, Key, PhoneId};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::mpsc;

/// Most hints that wait on their way out or in; more are dropped.
const WAITING_MAX: usize = 4_096;
/// Most hints that are taken in at once.
const AT_ONCE: usize = 200;
/// Most bytes of one notice: what PostgreSQL carries, less a little.
const NOTICE_BYTES: usize = 7_900;
/// How long hints are gathered into one notice.
const MERGE: Duration = Duration::from_millis(2);

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
    /// Messages that are only simulated.
    Simulated,
}

/// One end of the hints: for whoever carries them, such as a server's notices or NATS.
pub struct Carrier {
    /// Hints of others for this process.
    pub from_others: Inbox,
    to_others: mpsc::Receiver<Hint>,
    /// What has come since the last notice.
    gathered: BTreeSet<Hint>,
}

/// Some hints, as the processes tell them to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What is carried.
    pub text: String,
    hints: u64,
}

/// Takes in what others hint at.
#[derive(Clone)]
pub struct Inbox {
    hints: mpsc::Sender<Hint>,
    state: Arc<State>,
}

/// The hub's end of the hints: what it tells others.
pub struct Hints {
    out: mpsc::Sender<Hint>,
    state: Arc<State>,
}

/// The hub's end of the hints: what others tell it.
pub struct Heard {
    hints: mpsc::Receiver<Hint>,
    state: Arc<State>,
}

/// The hub's two ends and the carrier's.
pub struct Ends {
    /// What this process tells others.
    pub hints: Hints,
    /// What others tell it.
    pub heard: Heard,
    /// The carrier's end.
    pub carrier: Carrier,
}

#[derive(Debug, Default)]
struct State {
    /// How this process's own notices begin.
    own: String,
    arrives: AtomicBool,
    sent: AtomicU64,
    merged: AtomicU64,
    dropped: AtomicU64,
    received: AtomicU64,
}

/// How many hints there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintsLoad {
    /// Hints that were carried away.
    pub sent: u64,
    /// Hints that said the same as one that waited, on their way out or in.
    pub merged: u64,
    /// Hints that found no room, or nobody to carry them.
    pub dropped: u64,
    /// Hints of others.
    pub received: u64,
    /// Whether they do not arrive at present.
    pub is_cut: bool,
}

/// Makes the ends. What this process tells begins with its name, so that it knows its own.
pub fn ends(process: i64) -> Ends {
    let (out, to_others) = mpsc::channel(WAITING_MAX);
    let (into, hints) = mpsc::channel(WAITING_MAX);
    let state = Arc::new(State {
        own: format!("{process} "),
        ..State::default()
    });
    let from_others = Inbox {
        hints: into,
        state: Arc::clone(&state),
    };
    Ends {
        hints: Hints {
            out,
            state: Arc::clone(&state),
        },
        heard: Heard { hints, state },
        carrier: Carrier {
            from_others,
            to_others,
            gathered: BTreeSet::new(),
        },
    }
}

fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

impl Hints {
    /// Hints at something, unless there is no room.
    pub fn tell(&self, hint: Hint) {
        if self.out.try_send(hint).is_err() {
            add(&self.state.dropped, 1);
        }
    }

    /// Says whether hints do not arrive at present: work is then looked for more often.
    pub fn are_cut(&self) -> bool {
        !self.state.arrives.load(Ordering::Acquire)
    }

    /// Returns how many there were.
    pub fn load(&self) -> HintsLoad {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        HintsLoad {
            sent: count(&self.state.sent),
            merged: count(&self.state.merged),
            dropped: count(&self.state.dropped),
            received: count(&self.state.received),
            is_cut: self.are_cut(),
        }
    }
}

impl Heard {
    /// Waits for hints, and returns what came by then, each once: at most a few hundred, so that a flood
    /// is taken in as slowly as the caller asks. `None`: there will be no more.
    pub async fn next(&mut self) -> Option<BTreeSet<Hint>> {
        let mut came = Vec::new();
        let count = self.hints.recv_many(&mut came, AT_ONCE).await;
        let hints: BTreeSet<Hint> = came.into_iter().collect();
        add(&self.state.merged, (count - hints.len()) as u64);
        (count > 0).then_some(hints)
    }
}

impl Inbox {
    /// Takes a notice, and says whether it is this process's own. What this version does not know is
    /// passed over. What is too long, or finds no room, is not read.
    pub fn take(&self, notice: &str) -> bool {
        if notice.starts_with(&self.state.own) {
            return true;
        }
        if notice.len() > NOTICE_BYTES {
            return false;
        }
        let words = notice.split(' ');
        for hint in words.skip(1).filter_map(read) {
            if self.hints.try_send(hint).is_err() {
                add(&self.state.dropped, 1);
                break;
            }
            add(&self.state.received, 1);
        }
        false
    }

    /// Says whether hints arrive.
    pub fn set_cut(&self, is_cut: bool) {
        self.state.arrives.store(!is_cut, Ordering::Release);
    }

    /// Counts what a notice told: it was carried away, or there was nobody to carry it.
    pub fn count(&self, notice: &Notice, is_sent: bool) {
        let State { sent, dropped, .. } = &*self.state;
        add(if is_sent { sent } else { dropped }, notice.hints);
    }
}

impl Carrier {
    /// Waits for a hint, and two milliseconds after it; returns notices of all that came by then. A wait
    /// that is given up loses nothing. `None`: there will be no more.
    pub async fn notices(&mut self) -> Option<Vec<Notice>> {
        if self.gathered.is_empty() {
            let first = self.to_others.recv().await?;
            self.gathered.insert(first);
        }
        tokio::time::sleep(MERGE).await;
        while let Ok(hint) = self.to_others.try_recv() {
            if !self.gathered.insert(hint) {
                add(&self.from_others.state.merged, 1);
            }
        }
        let gathered = std::mem::take(&mut self.gathered);
        Some(written(&self.from_others.state.own, gathered))
    }

    /// Returns a notice that tells nothing: who hears his own knows that notices arrive.
    pub fn own(&self) -> String {
        self.from_others.state.own.clone()
    }

    /// Says whether nobody will hint any more.
    pub fn is_over(&self) -> bool {
        self.to_others.is_closed()
    }
}

/// Writes hints into as few notices as they fit into.
fn written(own: &str, hints: impl IntoIterator<Item = Hint>) -> Vec<Notice> {
    let mut notices: Vec<Notice> = Vec::new();
    for hint in hints {
        let word = match parts(hint) {
            (kind, None) => kind.to_string(),
            (kind, Some(id)) => format!("{kind}{id:x}"),
        };
        let fits = |notice: &&mut Notice| notice.text.len() + word.len() < NOTICE_BYTES;
        match notices.last_mut().filter(fits) {
            Some(notice) => {
                notice.hints += 1;
                notice.text.extend([" ", &word]);
            }
            None => notices.push(Notice {
                text: format!("{own}{word}"),
                hints: 1,
            }),
        }
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
        Hint::Simulated => ('s', None),
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
        's' => Some(Hint::Simulated),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn phone(number: i64) -> PhoneId {
        Id::new(Key::new(number).unwrap())
    }

    fn told(hints: impl IntoIterator<Item = Hint>) -> Vec<Notice> {
        written("7 ", hints)
    }

    #[tokio::test]
    async fn hints_arrive_as_they_were_told_and_what_is_unknown_is_passed_over() {
        let hints = [
            Hint::Changed,
            Hint::Queued(phone(0x7f)),
            Hint::Asked(phone(9)),
            Hint::Webhooks,
            Hint::Broadcasts,
            Hint::Simulated,
        ];
        let notices = told(hints);
        assert_eq!(notices.len(), 1);
        let Ends {
            mut heard, carrier, ..
        } = ends(8);
        let inbox = &carrier.from_others;
        assert!(!inbox.take(&format!("{} zz q q-1 qx \u{fc}", notices[0].text)));
        assert!(!inbox.take("garbage"));
        assert!(!inbox.take(""));
        assert_eq!(heard.next().await, Some(BTreeSet::from(hints)));
        assert!(heard.hints.is_empty());
    }

    #[test]
    fn a_process_knows_its_own_notices() {
        let Ends { heard, carrier, .. } = ends(7);
        assert!(carrier.from_others.take(&told([Hint::Changed])[0].text));
        assert!(carrier.from_others.take(&carrier.own()));
        assert!(!carrier.from_others.take("77 c"));
        assert_eq!(heard.hints.len(), 1);
    }

    #[test]
    fn many_hints_make_several_notices_and_none_is_too_long() {
        let notices = told((0..2_000).map(|number| Hint::Queued(phone(i64::MAX - number))));
        assert!(notices.len() > 1);
        assert!(notices.iter().all(|it| it.text.len() <= NOTICE_BYTES));
        let words = notices.iter().flat_map(|it| it.text.split(' '));
        assert_eq!(words.filter_map(read).count(), 2_000);
        assert_eq!(notices.iter().map(|it| it.hints).sum::<u64>(), 2_000);
    }

    #[test]
    fn a_full_queue_drops_and_counts() {
        let Ends {
            hints,
            carrier: _takes_nothing,
            ..
        } = ends(7);
        for _ in 0..=WAITING_MAX {
            hints.tell(Hint::Webhooks);
        }
        assert_eq!(hints.load().dropped, 1);
    }

    #[tokio::test]
    async fn hints_are_merged_and_a_wait_that_is_given_up_loses_none() {
        let Ends {
            hints, mut carrier, ..
        } = ends(7);
        hints.tell(Hint::Webhooks);
        assert!(carrier.notices().now_or_never().is_none());
        hints.tell(Hint::Webhooks);
        hints.tell(Hint::Changed);
        let notices = carrier.notices().await.unwrap();
        assert_eq!(notices, told([Hint::Changed, Hint::Webhooks]));
        assert_eq!(hints.load().merged, 1);
    }

    #[tokio::test]
    async fn a_flood_of_others_fills_the_inbox_and_no_more_and_is_taken_in_by_pieces() {
        let Ends {
            hints,
            mut heard,
            carrier,
        } = ends(7);
        let flood = format!("8{}", " c".repeat(3_000));
        carrier.from_others.take(&flood.repeat(2));
        assert_eq!(hints.load().received, 0, "it is too long");
        carrier.from_others.take(&flood);
        carrier.from_others.take(&flood);
        let load = hints.load();
        assert_eq!((load.received, load.dropped), (WAITING_MAX as u64, 1));
        assert_eq!(heard.next().await, Some(BTreeSet::from([Hint::Changed])));
        assert_eq!(heard.hints.len(), WAITING_MAX - AT_ONCE);
        assert_eq!(hints.load().merged, AT_ONCE as u64 - 1);
    }
}
