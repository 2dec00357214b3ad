//! What those may send who have shown no key: little, soon, and not all the memory together.

use crate::{
    error::ApiError,
    limits::{STRANGER_BODIES_BYTES_MAX, STRANGER_PARTY_BYTES_MAX},
};
use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The party that a request counts for while it has shown no key, in the request's extensions;
/// without one it shares the bound of all alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party(pub IpAddr);

/// The bodies that came without a key, as far as they were read.
///
/// All of them share one bound, and one party has a share of it: who fills theirs leaves room for
/// the others. Bytes count as they come, not as they were announced.
#[derive(Debug, Default)]
pub struct StrangerBodies(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    bytes: usize,
    by_party: BTreeMap<IpAddr, usize>,
}

impl StrangerBodies {
    /// Begins a body that holds nothing yet.
    pub(crate) fn begin(&self, party: Option<Party>) -> Holding<'_> {
        Holding {
            bodies: self,
            party: party.map(|party| party.0),
            bytes: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one body holds, given back when this is dropped.
#[derive(Debug)]
pub(crate) struct Holding<'b> {
    bodies: &'b StrangerBodies,
    party: Option<IpAddr>,
    bytes: usize,
}

impl Holding<'_> {
    /// Takes room for more bytes.
    ///
    /// # Errors
    /// `unavailable` when the bound of all, or the party's share, has no room for them.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), ApiError> {
        let mut held = self.bodies.lock();
        let text = "too many requests without a key are being read: send the key in a header";
        let refused = || ApiError::unavailable(text);
        if held.bytes + bytes > STRANGER_BODIES_BYTES_MAX {
            return Err(refused());
        }
        if let Some(party) = self.party {
            let of_party = held.by_party.entry(party).or_default();
            if *of_party + bytes > STRANGER_PARTY_BYTES_MAX {
                return Err(refused());
            }
            *of_party += bytes;
        }
        held.bytes += bytes;
        self.bytes += bytes;
        Ok(())
    }

    /// Gives back all but `bytes`.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let less = self.bytes.saturating_sub(bytes);
        let mut held = self.bodies.lock();
        held.bytes -= less;
        self.bytes -= less;
        if let Some(party) = self.party {
            let left = held.by_party.get_mut(&party).map_or(0, |of_party| {
                *of_party -= less;
                *of_party
            });
            if left == 0 {
                held.by_party.remove(&party);
            }
        }
    }
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: usize = 256 * 1024;

    fn party(last: u8) -> Option<Party> {
        Some(Party(IpAddr::from([192, 0, 2, last])))
    }

    fn full<'b>(bodies: &'b StrangerBodies, party: Option<Party>) -> Result<Holding<'b>, ApiError> {
        let mut holding = bodies.begin(party);
        holding.grow(BODY)?;
        Ok(holding)
    }

    #[test]
    fn a_party_fills_its_share_and_leaves_the_others_theirs() {
        let bodies = StrangerBodies::default();
        let count = STRANGER_PARTY_BYTES_MAX / BODY;
        let mut all: Vec<_> = (0..count)
            .map(|_| full(&bodies, party(1)).unwrap())
            .collect();
        assert_eq!(full(&bodies, party(1)).unwrap_err().code().status(), 503);
        assert!(full(&bodies, party(2)).is_ok());
        all.pop();
        assert!(full(&bodies, party(1)).is_ok());
    }

    #[test]
    fn all_together_have_a_bound_and_give_everything_back() {
        let bodies = StrangerBodies::default();
        let count = STRANGER_BODIES_BYTES_MAX / BODY;
        let all: Vec<_> = (0..count).map(|_| full(&bodies, None).unwrap()).collect();
        assert!(full(&bodies, None).is_err() && full(&bodies, party(1)).is_err());
        drop(all);
        let held = bodies.lock();
        assert_eq!(held.bytes, 0);
        assert!(held.by_party.is_empty());
    }

    #[test]
    fn what_was_taken_too_much_is_given_back() {
        let bodies = StrangerBodies::default();
        let mut holding = full(&bodies, party(1)).unwrap();
        holding.shrink_to(10);
        holding.shrink_to(20);
        assert_eq!(bodies.lock().bytes, 10);
        drop(holding);
        assert_eq!(bodies.lock().bytes, 0);
    }
}
