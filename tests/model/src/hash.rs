//! A fast hash that is the same in every run: states become fingerprints of 64 bits.
//!
//! Eight bytes at a time are multiplied into 128 bits that are folded together. The standard
//! library's hasher is several times slower, and its seed makes no difference here: nobody
//! chooses the states.

use std::hash::{BuildHasherDefault, Hash, Hasher};

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
const START: u64 = 0x2545_f491_4f6c_dd1d;

/// The hasher: bytes gather in a word, full words are folded in.
#[derive(Debug, Clone, Copy)]
pub struct Folding {
    folded: u64,
    word: u64,
    bits: u32,
}

/// Makes [`Folding`] hashers for maps.
pub type Fast = BuildHasherDefault<Folding>;

impl Default for Folding {
    fn default() -> Self {
        Self {
            folded: START,
            word: 0,
            bits: 0,
        }
    }
}

impl Folding {
    fn fold(&mut self, word: u64) {
        let mixed = u128::from(self.folded ^ word) * u128::from(MULTIPLIER | 1 << 63);
        self.folded = (mixed as u64) ^ ((mixed >> 64) as u64).rotate_left(23);
    }

    fn push(&mut self, value: u64, bits: u32) {
        self.word |= value << self.bits;
        self.bits += bits;
        if self.bits >= 64 {
            let left = self.bits - 64;
            let word = self.word;
            self.fold(word);
            self.word = if left == 0 { 0 } else { value >> (bits - left) };
            self.bits = left;
        }
    }
}

impl Hasher for Folding {
    fn finish(&self) -> u64 {
        let mut last = *self;
        last.fold(self.word ^ u64::from(self.bits) << 57);
        last.fold(MULTIPLIER);
        last.folded
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.push(u64::from(*byte), 8);
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.push(u64::from(value), 8);
    }

    fn write_u16(&mut self, value: u16) {
        self.push(u64::from(value), 16);
    }

    fn write_u32(&mut self, value: u32) {
        self.push(u64::from(value), 32);
    }

    fn write_u64(&mut self, value: u64) {
        self.push(value, 64);
    }

    fn write_usize(&mut self, value: usize) {
        self.push(value as u64, 64);
    }

    fn write_isize(&mut self, value: isize) {
        self.push(value as u64, 64);
    }
}

/// Returns the fingerprint of a value.
pub fn fingerprint(value: &impl Hash) -> u64 {
    let mut hasher = Folding::default();
    value.hash(&mut hasher);
    hasher.finish()
}
