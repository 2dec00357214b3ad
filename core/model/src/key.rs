//! Keys: 63-bit integers, unique and rising by construction.

use std::fmt;

const COUNTER_BITS: u32 = 13;
const PROCESS_BITS: u32 = 8;
const MS_BITS: u32 = 42;
const COUNTER_END: u64 = 1 << COUNTER_BITS;

/// A row's key: 42 bits of Unix milliseconds, 8 of process, 13 of counter; never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(i64);

impl Key {
    /// Returns the key with this value, or `None` for a negative one.
    pub const fn new(value: i64) -> Option<Self> {
        if value < 0 { None } else { Some(Self(value)) }
    }

    /// Returns the integer that databases store.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// Returns the Unix milliseconds in which the key was made.
    pub const fn made_at_ms(self) -> i64 {
        self.0 >> (COUNTER_BITS + PROCESS_BITS)
    }

    /// Returns the lowest key of a millisecond: the bound for "made at or after".
    pub const fn first_of_ms(unix_ms: i64) -> Self {
        let ms = if unix_ms < 0 { 0 } else { unix_ms };
        let last = (1_i64 << MS_BITS) - 1;
        let ms = if ms > last { last } else { ms };
        Self(ms << (COUNTER_BITS + PROCESS_BITS))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Makes rising keys for one process.
///
/// The millisecond never goes back: when the clock does, or when more than 8,192 keys are asked
/// for in one millisecond, the maker runs ahead of the clock and waits for nobody.
#[derive(Debug)]
pub struct KeyMaker {
    process: u8,
    ms: u64,
    counter: u64,
}

impl KeyMaker {
    /// Makes a maker whose keys all lie above `floor` (the highest key already stored, if any).
    pub fn new(process: u8, floor: Option<Key>) -> Self {
        let ms = floor.map_or(0, |key| key.made_at_ms().unsigned_abs() + 1);
        Self {
            process,
            ms,
            counter: 0,
        }
    }

    /// Makes all keys from now on lie above `floor`.
    pub fn rise_above(&mut self, floor: Key) {
        let ms = floor.made_at_ms().unsigned_abs() + 1;
        if ms > self.ms {
            self.ms = ms;
            self.counter = 0;
        }
    }

    /// Returns the next key at `unix_ms`.
    pub fn next(&mut self, unix_ms: i64) -> Key {
        let clock_ms = unix_ms.max(0).unsigned_abs();
        if clock_ms > self.ms {
            self.ms = clock_ms;
            self.counter = 0;
        } else if self.counter == COUNTER_END {
            self.ms += 1;
            self.counter = 0;
        }
        let ms = self.ms & ((1 << MS_BITS) - 1);
        let value = ms << (COUNTER_BITS + PROCESS_BITS)
            | u64::from(self.process) << COUNTER_BITS
            | self.counter;
        self.counter += 1;
        Key(value.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_rise_even_when_the_clock_goes_back() {
        let mut maker = KeyMaker::new(3, None);
        let mut last = maker.next(1_000);
        for unix_ms in [1_000, 999, 0, -5, 1_001, 1_000, 5_000, 4_999] {
            let key = maker.next(unix_ms);
            assert!(key > last, "{key:?} after {last:?}");
            last = key;
        }
    }

    #[test]
    fn more_keys_than_a_millisecond_holds_stay_unique() {
        let mut maker = KeyMaker::new(0, None);
        let keys: std::collections::BTreeSet<_> = (0..20_000).map(|_| maker.next(7)).collect();
        assert_eq!(keys.len(), 20_000);
        assert_eq!(keys.iter().next_back().map(|key| key.made_at_ms()), Some(9));
    }

    #[test]
    fn a_restarted_maker_goes_on_above_what_is_stored() {
        let stored = KeyMaker::new(255, None).next(50_000);
        assert!(KeyMaker::new(0, Some(stored)).next(10) > stored);
    }

    #[test]
    fn a_maker_rises_above_what_another_has_made_and_never_falls() {
        let (mut maker, mut other) = (KeyMaker::new(240, None), KeyMaker::new(240, None));
        let theirs = other.next(1_000);
        maker.rise_above(theirs);
        let own = maker.next(1_000);
        assert!(own > theirs);
        maker.rise_above(theirs);
        assert!(maker.next(1_000) > own);
    }

    #[test]
    fn the_first_key_of_a_millisecond_is_its_lower_bound() {
        let key = KeyMaker::new(0, None).next(1_234);
        assert!(Key::first_of_ms(1_234) <= key && key < Key::first_of_ms(1_235));
        assert_eq!(Key::first_of_ms(-1).get(), 0);
    }
}
