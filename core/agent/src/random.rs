//! Randomness: the only file of the agent that asks the system for it.

use ring::rand::{SecureRandom, SystemRandom};
use std::fmt::Write;

/// Says that the system has no random numbers to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random numbers")]
pub struct RandomError;

/// Returns the system's source, for making keys.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the ring's random file: the one place that asks the system"
)]
pub(crate) fn system() -> SystemRandom {
    SystemRandom::new()
}

/// Returns a fresh seed for a machine.
pub(crate) fn seed() -> Result<[u8; 32], RandomError> {
    let mut bytes = [0; 32];
    system().fill(&mut bytes).map_err(|_| RandomError)?;
    Ok(bytes)
}

/// Returns a fresh name of 32 hex digits: an install, a boot.
pub(crate) fn name() -> Result<String, RandomError> {
    let mut name = String::with_capacity(32);
    for byte in &seed()?[..16] {
        write!(name, "{byte:02x}").map_err(|_| RandomError)?;
    }
    Ok(name)
}

/// Random numbers from a seed: good for jitter and simulations, never for keys.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// Starts the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts the sequence that 32 bytes of seed stand for.
    pub fn from_bytes(seed: &[u8; 32]) -> Self {
        let fold = |state: u64, byte: &u8| state.rotate_left(8) ^ u64::from(*byte);
        Self::new(seed.iter().fold(0, fold))
    }

    /// Returns the next 64 bits.
    ///
    /// Source: SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number
    /// generators", 2014.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 to `last`, both possible.
    pub fn up_to(&mut self, last: u64) -> u64 {
        let wide = u128::from(self.next_u64()) * (u128::from(last) + 1);
        u64::try_from(wide >> 64).unwrap_or(last)
    }

    /// Returns true with a probability of `percent` per cent.
    pub fn in_percent(&mut self, percent: u64) -> bool {
        self.up_to(99) < percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let run = |seed| {
            let mut random = Seeded::new(seed);
            (0..50).map(|_| random.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }

    #[test]
    fn both_ends_of_a_range_come_up_and_nothing_beyond() {
        let mut random = Seeded::from_bytes(&[3; 32]);
        let drawn: std::collections::BTreeSet<_> = (0..500).map(|_| random.up_to(3)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(random.up_to(0), 0);
    }

    #[test]
    fn two_names_differ() {
        assert_ne!(name().unwrap(), name().unwrap());
        assert_ne!(seed().unwrap(), seed().unwrap());
    }
}
