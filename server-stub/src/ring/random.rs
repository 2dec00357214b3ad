//! Random numbers: the only file of the stub that draws them.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use postrider_link::frame::Nonce;
use ring::rand::{SecureRandom, SystemRandom};
use std::io;

/// Returns `N` random bytes.
pub(super) fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    #[expect(clippy::disallowed_methods, reason = "this is the ring's random file")]
    let system = SystemRandom::new();
    system
        .fill(&mut bytes)
        .map_err(|_| io::Error::other("the system has no random numbers"))?;
    Ok(bytes)
}

/// Returns a fresh nonce for one connection.
pub(super) fn nonce() -> io::Result<Nonce> {
    let text = URL_SAFE_NO_PAD.encode(bytes::<24>()?);
    text.parse().map_err(io::Error::other)
}
