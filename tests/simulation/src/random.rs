//! Random numbers that follow from a seed.
//!
//! Most draws are keyed: they depend on the seed and on the name of what they are for (a hand-over,
//! a frame's place on its socket), never on how many were drawn before. So a run from which one
//! message or fault was taken out stays the same everywhere else, which is what makes shrinking
//! work.

/// A sequence of random numbers.
#[derive(Debug, Clone)]
pub struct Seeded(u64);

impl Seeded {
    /// Starts the sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts the sequence that belongs to a name under a seed.
    pub fn keyed(seed: u64, name: &[u64]) -> Self {
        let fold = |state: u64, word: &u64| mix(state ^ word.wrapping_mul(0xd6e8_feb8_6659_fd93));
        Self(name.iter().fold(mix(seed), fold))
    }

    /// Returns the next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number from 0 to `end`, `end` excluded; 0 where there is none.
    pub fn below(&mut self, end: u64) -> u64 {
        let wide = u128::from(self.next_u64()) * u128::from(end);
        u64::try_from(wide >> 64).unwrap_or(0)
    }

    /// Returns a number from `first` to `last`, both possible.
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last.saturating_sub(first) + 1)
    }

    /// Returns true in `percent` of a hundred calls.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns one of several things.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        let index = usize::try_from(self.below(of.len() as u64)).unwrap_or(0);
        of.get(index).copied()
    }
}

/// Stirs 64 bits.
///
/// Source: SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014.
const fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_own_numbers_under_each_seed() {
        let draw = |seed, name: &[u64]| Seeded::keyed(seed, name).next_u64();
        assert_eq!(draw(1, &[2, 3]), draw(1, &[2, 3]));
        assert_ne!(draw(1, &[2, 3]), draw(1, &[3, 2]));
        assert_ne!(draw(1, &[2, 3]), draw(2, &[2, 3]));
    }

    #[test]
    fn both_ends_of_a_range_come_up_and_nothing_beyond() {
        let mut random = Seeded::new(5);
        let drawn: std::collections::BTreeSet<_> = (0..500).map(|_| random.between(3, 6)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
    }
}
