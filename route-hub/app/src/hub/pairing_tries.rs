//! Tries of each source, so that guessing is slow whichever code is guessed, and at whichever process.
//!
//! A try is stored before its code is looked at, and given back when the code was right. So many
//! guesses at the same time get no more tries than one after the other.

use crate::failure::NotDone;
use hub_store::{Store, StoreError, Tx, pairing_tries};
use postrider_model::UnixMs;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tries that a source has in a window. A training room shares one address: its typing errors must
/// not keep it waiting.
pub const TRIES_MAX: u32 = 30;
/// How long a wrong try counts: as long as a code lives.
const WINDOW_MS: i64 = 10 * 60_000;
/// Most sources that are remembered; above it those whose window began first are forgotten.
const SOURCES_MAX: i64 = 10_000;
/// How long to wait for a code that is being looked at, and whose try may come back.
const CHECK_S: u32 = 1;

/// Whose tries count together: an address, or the bits that the addresses of one party share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source(pub IpAddr);

/// Takes tries from sources. They are rows; in memory is only whose codes are being looked at here.
#[derive(Debug, Clone, Default)]
pub struct Tries(Arc<Mutex<BTreeMap<Source, u32>>>);

/// A try that was taken; it counts as a wrong one unless it is given back.
#[derive(Debug)]
pub struct Try {
    source: Source,
    since: UnixMs,
    _looking: Looking,
}

/// A code of a source is being looked at.
#[derive(Debug)]
struct Looking {
    tries: Tries,
    source: Source,
}

/// Says that a source has no tries left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoTries {
    /// How many seconds it must wait before it may try again.
    pub wait_s: u32,
}

impl Tries {
    /// Takes a try from a source.
    ///
    /// # Errors
    /// [`NoTries`] when it has none left, or when all that are left are being looked at.
    pub async fn take(
        &self,
        store: &Store,
        source: Source,
        now: UnixMs,
    ) -> Result<Try, NotDone<NoTries>> {
        let name = source.0.to_string();
        let looking = self.look(source);
        let read = name.clone();
        // Whoever has none left writes nothing.
        let found = store.read::<_, StoreError, _>(move |tx| pairing_tries::get(tx, &read));
        let taken = match counted(found.await?, now) {
            Counted::None { left_ms } => Err(left_ms),
            Counted::Some(_) | Counted::New => {
                let take = move |tx: &mut Tx<'_>| take(tx, &name, now);
                store.write::<_, StoreError, _>(take).await?
            }
        };
        match taken {
            Ok(since) => Ok(Try {
                source,
                since,
                _looking: looking,
            }),
            Err(_) if self.are_looked_at(source) > 1 => {
                Err(NotDone::Refused(NoTries { wait_s: CHECK_S }))
            }
            Err(left_ms) => {
                let wait_s = left_ms.max(0).unsigned_abs().div_ceil(1_000);
                let wait_s = u32::try_from(wait_s).unwrap_or(u32::MAX);
                Err(NotDone::Refused(NoTries { wait_s }))
            }
        }
    }

    fn look(&self, source: Source) -> Looking {
        *self.lock().entry(source).or_default() += 1;
        Looking {
            tries: self.clone(),
            source,
        }
    }

    fn are_looked_at(&self, source: Source) -> u32 {
        self.lock().get(&source).copied().unwrap_or(0)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Source, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        let mut all = self.tries.lock();
        let count = all.remove(&self.source).unwrap_or(0);
        if count > 1 {
            all.insert(self.source, count - 1);
        }
    }
}

/// How a source stands.
enum Counted {
    /// It has no window yet, or one that is over.
    New,
    /// It has tries left.
    Some(pairing_tries::Tries),
    /// It has none until its window ends.
    None { left_ms: i64 },
}

fn counted(found: Option<pairing_tries::Tries>, now: UnixMs) -> Counted {
    let Some(found) = found else {
        return Counted::New;
    };
    let age_ms = now.0 - found.since.0;
    match found.tries {
        _ if !(0..WINDOW_MS).contains(&age_ms) => Counted::New,
        tries if tries < i64::from(TRIES_MAX) => Counted::Some(found),
        _ => Counted::None {
            left_ms: WINDOW_MS - age_ms,
        },
    }
}

/// Stores a try, and returns when its window began; or how long the source must wait.
fn take(tx: &mut Tx<'_>, source: &str, now: UnixMs) -> Result<Result<UnixMs, i64>, StoreError> {
    let before = match counted(pairing_tries::get(tx, source)?, now) {
        Counted::None { left_ms } => return Ok(Err(left_ms)),
        Counted::Some(before) => before,
        Counted::New => {
            let over = UnixMs(now.0 - WINDOW_MS);
            pairing_tries::forget(tx, over, SOURCES_MAX)?;
            pairing_tries::Tries {
                tries: 0,
                since: now,
            }
        }
    };
    let tries = before.tries + 1;
    pairing_tries::put(tx, source, pairing_tries::Tries { tries, ..before })?;
    Ok(Ok(before.since))
}

impl Try {
    /// Gives the try back: its code was right, or was not looked at.
    ///
    /// # Errors
    /// When the database fails: the try counts then, until its window ends.
    pub async fn give_back(self, store: &Store) -> Result<(), StoreError> {
        let (source, since) = (self.source.0.to_string(), self.since);
        let give = move |tx: &mut Tx<'_>| pairing_tries::give_back(tx, &source, since);
        store.write(give).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Office, wait};

    /// The processes of a hub have one store, and count each for itself what they look at.
    struct World {
        office: Office,
        processes: [Tries; 2],
    }

    impl World {
        fn new() -> Self {
            Self {
                office: Office::new(),
                processes: Default::default(),
            }
        }

        fn take(&self, process: usize, source: Source, second: i64) -> Result<Try, u32> {
            let now = UnixMs(1_000_000_000_000 + second * 1_000);
            let store = &self.office.hub.store;
            match wait(self.processes[process].take(store, source, now)) {
                Ok(taken) => Ok(taken),
                Err(NotDone::Refused(NoTries { wait_s })) => Err(wait_s),
                Err(NotDone::Store(error)) => panic!("{error}"),
            }
        }

        fn give_back(&self, taken: Try) {
            wait(taken.give_back(&self.office.hub.store)).unwrap();
        }

        /// Tries without a wrong code.
        fn wait_s(&self, process: usize, source: Source, second: i64) -> Option<u32> {
            let taken = self.take(process, source, second);
            taken.map(|taken| self.give_back(taken)).err()
        }
    }

    fn address(text: &str) -> Source {
        Source(text.parse().unwrap())
    }

    #[test]
    fn the_thirtieth_wrong_try_at_any_process_makes_an_address_wait_and_nobody_else() {
        let world = World::new();
        let guesser = address("192.0.2.1");
        for second in 0..30_u8 {
            let process = usize::from(second % 2);
            drop(world.take(process, guesser, second.into()).unwrap());
        }
        for process in [0, 1] {
            assert_eq!(world.wait_s(process, guesser, 30), Some(570));
            assert_eq!(world.wait_s(process, address("192.0.2.2"), 30), None);
        }
        assert_eq!(world.wait_s(0, guesser, 600), None);
        drop(world.take(1, guesser, 600).unwrap());
        assert_eq!(world.wait_s(0, guesser, 600), None);
    }

    #[test]
    fn of_many_guesses_at_once_thirty_are_looked_at() {
        let world = World::new();
        let guesser = address("192.0.2.1");
        let guesses = (0..50).filter_map(|number| world.take(number % 2, guesser, 0).ok());
        let taken: Vec<_> = guesses.collect();
        assert_eq!(taken.len(), 30);
        assert_eq!(world.wait_s(0, guesser, 0), Some(CHECK_S));
        drop(taken);
        assert_eq!(world.wait_s(0, guesser, 0), Some(600));
    }

    #[test]
    fn a_right_code_costs_no_try_however_often_it_is_asked() {
        let world = World::new();
        let room = address("192.0.2.1");
        for number in 0..60 {
            assert_eq!(world.wait_s(number % 2, room, 0), None);
        }
        for number in 0..29 {
            drop(world.take(number % 2, room, 1).unwrap());
        }
        assert_eq!(world.wait_s(0, room, 1), None);
    }

    #[test]
    fn a_try_that_comes_back_after_its_window_is_none_of_the_next() {
        let world = World::new();
        let slow = address("192.0.2.1");
        let late = world.take(0, slow, 0).unwrap();
        for _ in 0..30 {
            drop(world.take(0, slow, 600).unwrap());
        }
        world.give_back(late);
        assert_eq!(world.wait_s(0, slow, 600), Some(600));
    }

    #[test]
    fn sources_are_forgotten_when_their_window_is_over_or_they_are_too_many() {
        let world = World::new();
        let forget = |most| {
            world.office.rows(move |work| {
                let tx = &mut *work.tx;
                for number in 0..5 {
                    let tries = pairing_tries::Tries {
                        tries: 30,
                        since: UnixMs(number),
                    };
                    pairing_tries::put(tx, &number.to_string(), tries)?;
                }
                pairing_tries::forget(tx, UnixMs(2), most)?;
                let mut left = Vec::new();
                for number in 0..5 {
                    let found = pairing_tries::get(tx, &number.to_string())?;
                    left.extend(found.map(|_| number));
                }
                Ok(left)
            })
        };
        assert_eq!(forget(10), [2, 3, 4]);
        assert_eq!(forget(2), [3, 4]);
    }
}
