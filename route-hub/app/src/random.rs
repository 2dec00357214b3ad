//! The hub's random numbers: the one file of the hub that draws them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

/// Letters and digits that are not mistaken for each other when read aloud or typed (Crockford).
const TYPED: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// Draws from the operating system.
#[derive(Debug, Clone)]
pub struct Random(SystemRandom);

impl Default for Random {
    fn default() -> Self {
        Self::new()
    }
}

impl Random {
    /// Opens the operating system's source.
    #[expect(clippy::disallowed_methods, reason = "this is the hub's random file")]
    pub fn new() -> Self {
        Self(SystemRandom::new())
    }

    /// Returns `N` random bytes.
    ///
    /// # Panics
    /// When the operating system has no random numbers: nothing may go on without them.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        #[expect(
            clippy::expect_used,
            reason = "without random numbers nothing here is safe"
        )]
        self.0
            .fill(&mut bytes)
            .expect("the operating system has no random numbers");
        bytes
    }

    /// Returns `N` random bytes as URL-safe base64.
    pub fn token<const N: usize>(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.bytes::<N>())
    }

    /// Returns `N` characters for typing, five random bits each.
    pub fn typed<const N: usize>(&self) -> String {
        self.bytes::<N>()
            .iter()
            .map(|byte| char::from(TYPED[usize::from(byte & 31)]))
            .collect()
    }

    /// Returns any number.
    pub fn number(&self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    /// Returns a number below `end`; nothing for an `end` of nothing.
    pub fn below(&self, end: u64) -> u64 {
        u64::from_le_bytes(self.bytes())
            .checked_rem(end)
            .unwrap_or(0)
    }
}
