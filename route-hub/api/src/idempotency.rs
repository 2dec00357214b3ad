//! `Idempotency-Key`: a committed success is kept with what it tells of, and given again.

use super::Call;
use hub_app::digest::sha256_hex;
use hub_app::transaction::Repeat;
use hub_domain::Sight;
use hub_web::ApiError;

const HEADER: &str = "idempotency-key";
/// Longest key that is taken.
const KEY_LENGTH_MAX: usize = 255;

/// The key of a request, if it named one.
#[derive(Debug, Clone)]
pub(super) struct Idempotency(pub(super) Option<Repeat>);

impl Idempotency {
    /// Makes the one of operations that take no key.
    pub(super) const fn none() -> Self {
        Self(None)
    }

    /// Reads the key; `operation` is part of what must be the same in a repeat.
    pub(super) fn of(call: &Call, operation: &str) -> Result<Self, ApiError> {
        if !call.has_header(HEADER) {
            return Ok(Self(None));
        }
        let key = call.header(HEADER).ok_or_else(bad_key)?;
        if key.is_empty() {
            return Ok(Self(None));
        }
        if key.len() > KEY_LENGTH_MAX || !key.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
            return Err(bad_key());
        }
        // An answer that shows contacts is given again only to who may view them.
        let seen = match call.caller.sight() {
            Sight::Contacts => "",
            Sight::Messages => " without contacts",
            Sight::Sender => " without contacts and messages",
        };
        let said = format!("{operation}{seen}\n{}", call.params.canonical());
        Ok(Self(Some(Repeat {
            key: key.to_owned(),
            hash: sha256_hex(said.as_bytes()),
        })))
    }
}

fn bad_key() -> ApiError {
    let rule = format_args!("must be 1 to {KEY_LENGTH_MAX} printable ASCII characters");
    ApiError::invalid_param("Idempotency-Key", rule)
}
