//! SHA-256, and comparison that takes the same time whatever differs.

use ring::digest::{Context, SHA256, digest};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Returns the SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
    hash
}

/// Returns the SHA-256 of `bytes` in lower hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

fn hex(hash: &[u8]) -> String {
    let mut hex = vec![0; hash.len() * 2];
    for (pair, byte) in hex.chunks_exact_mut(2).zip(hash) {
        pair[0] = HEX[usize::from(byte >> 4)];
        pair[1] = HEX[usize::from(byte & 15)];
    }
    String::from_utf8_lossy(&hex).into_owned()
}

/// The SHA-256 of bytes that come bit by bit.
pub struct Sha256(Context);

impl Default for Sha256 {
    fn default() -> Self {
        Self(Context::new(&SHA256))
    }
}

impl Sha256 {
    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns that of all of them, in lower hex.
    pub fn finish_hex(self) -> String {
        hex(self.0.finish().as_ref())
    }
}

/// Says whether two texts are the same, without showing in its time where they differ.
pub fn same(one: &str, other: &str) -> bool {
    let differing = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    one.len() == other.len() && differing == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_standards() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), expected);
        let mut bit_by_bit = Sha256::default();
        bit_by_bit.update(b"a");
        bit_by_bit.update(b"bc");
        assert_eq!(bit_by_bit.finish_hex(), expected);
    }

    #[test]
    fn texts_are_the_same_only_in_full() {
        assert!(same("abc", "abc") && same("", ""));
        assert!(!same("abc", "abd") && !same("abc", "ab") && !same("", "a"));
    }
}
