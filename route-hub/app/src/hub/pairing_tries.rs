//! Tries of each source, so that guessing is slow whichever code is guessed.
//!
//! A try is taken before its code is looked at, and given back when the code was right. So many
//! guesses at the same time get no more tries than one after the other.

use postrider_model::{BootMs, Now};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tries that a source has in a window. A training room shares one address: its typing errors must
/// not keep it waiting.
pub const TRIES_MAX: u32 = 30;
/// How long a wrong try counts: as long as a code lives.
const WINDOW_MS: u64 = 10 * 60_000;
/// Most sources that are remembered; above it the one whose window began first is forgotten.
const SOURCES_MAX: usize = 10_000;
/// How long to wait for a code that is being looked at, and whose try may come back.
const CHECK_S: u32 = 1;

/// Whose tries count together: an address, or the bits that the addresses of one party share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source(pub IpAddr);

/// The tries of each source, in memory: a restart forgets them, the codes' own counts stay.
#[derive(Debug, Default)]
pub struct Tries(Arc<Mutex<BTreeMap<Source, Count>>>);

#[derive(Debug, Clone, Copy)]
struct Count {
    wrong: u32,
    /// Tries whose code is being looked at.
    taken: u32,
    since: BootMs,
}

/// A try that was taken; it counts as a wrong one unless it is given back.
#[derive(Debug)]
pub struct Try {
    tries: Tries,
    source: Source,
    is_wrong: bool,
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
    pub fn take(&self, source: Source, now: Now) -> Result<Try, NoTries> {
        let mut all = self.lock();
        make_room(&mut all, source);
        let fresh = Count {
            wrong: 0,
            taken: 0,
            since: now.boot,
        };
        let count = all.entry(source).or_insert(fresh);
        if now.boot.since_ms(count.since) >= WINDOW_MS {
            (count.wrong, count.since) = (0, now.boot);
        }
        if count.wrong >= TRIES_MAX {
            let left_ms = WINDOW_MS.saturating_sub(now.boot.since_ms(count.since));
            let wait_s = u32::try_from(left_ms.div_ceil(1_000)).unwrap_or(u32::MAX);
            return Err(NoTries { wait_s });
        }
        if count.wrong + count.taken >= TRIES_MAX {
            return Err(NoTries { wait_s: CHECK_S });
        }
        count.taken += 1;
        Ok(Try {
            tries: Self(self.0.clone()),
            source,
            is_wrong: true,
        })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Source, Count>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Try {
    /// Gives the try back: its code was right, or was not looked at.
    pub fn give_back(mut self) {
        self.is_wrong = false;
    }
}

impl Drop for Try {
    fn drop(&mut self) {
        if let Some(count) = self.tries.lock().get_mut(&self.source) {
            count.taken = count.taken.saturating_sub(1);
            count.wrong += u32::from(self.is_wrong);
        }
    }
}

fn make_room(all: &mut BTreeMap<Source, Count>, source: Source) {
    if all.contains_key(&source) || all.len() < SOURCES_MAX {
        return;
    }
    let oldest = all.iter().min_by_key(|(_, count)| count.since);
    if let Some(oldest) = oldest.map(|(source, _)| *source) {
        all.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Now {
        Now::new(seconds * 1_000, 0)
    }

    fn address(text: &str) -> Source {
        Source(text.parse().unwrap())
    }

    fn wrong(tries: &Tries, address: Source, second: u64) {
        drop(tries.take(address, at(second)).unwrap());
    }

    fn wait_s(tries: &Tries, address: Source, second: u64) -> Option<u32> {
        match tries.take(address, at(second)) {
            Ok(taken) => {
                taken.give_back();
                None
            }
            Err(NoTries { wait_s }) => Some(wait_s),
        }
    }

    #[test]
    fn the_thirtieth_wrong_try_makes_an_address_wait_and_nobody_else() {
        let tries = Tries::default();
        let guesser = address("192.0.2.1");
        for second in 0..30 {
            wrong(&tries, guesser, second);
        }
        assert_eq!(wait_s(&tries, guesser, 30), Some(570));
        assert_eq!(wait_s(&tries, address("192.0.2.2"), 30), None);
        assert_eq!(wait_s(&tries, guesser, 600), None);
        wrong(&tries, guesser, 600);
        assert_eq!(wait_s(&tries, guesser, 600), None);
    }

    #[test]
    fn of_a_thousand_guesses_at_once_thirty_are_looked_at() {
        let tries = Tries::default();
        let guesser = address("192.0.2.1");
        let taken: Vec<_> = (0..1_000)
            .filter_map(|_| tries.take(guesser, at(0)).ok())
            .collect();
        assert_eq!(taken.len(), 30);
        assert_eq!(wait_s(&tries, guesser, 0), Some(CHECK_S));
        drop(taken);
        assert_eq!(wait_s(&tries, guesser, 0), Some(600));
    }

    #[test]
    fn a_right_code_costs_no_try_however_often_it_is_asked() {
        let tries = Tries::default();
        let room = address("192.0.2.1");
        for _ in 0..1_000 {
            tries.take(room, at(0)).unwrap().give_back();
        }
        for _ in 0..29 {
            wrong(&tries, room, 1);
        }
        assert_eq!(wait_s(&tries, room, 1), None);
    }

    #[test]
    fn a_try_that_outlives_its_window_counts_in_the_next() {
        let tries = Tries::default();
        let guesser = address("192.0.2.1");
        let slow: Vec<_> = (0..30)
            .filter_map(|_| tries.take(guesser, at(0)).ok())
            .collect();
        assert_eq!(wait_s(&tries, guesser, 600), Some(CHECK_S));
        drop(slow);
        assert_eq!(wait_s(&tries, guesser, 600), Some(600));
    }

    #[test]
    fn the_number_of_sources_is_bounded() {
        let tries = Tries::default();
        for n in 0..=u32::try_from(SOURCES_MAX).unwrap() {
            wrong(&tries, Source(IpAddr::V4(n.into())), u64::from(n));
        }
        let all = tries.lock();
        assert_eq!(all.len(), SOURCES_MAX);
        assert!(!all.contains_key(&address("0.0.0.0")), "the oldest went");
    }
}
