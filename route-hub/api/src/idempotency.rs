//! `Idempotency-Key`: a committed success is kept with what it tells of, and given again.

use super::Call;
use hub_app::digest::sha256_hex;
use hub_app::transaction::{Once, Repeat};
use hub_domain::Sight;
use hub_web::{Answer, ApiError};

const HEADER: &str = "idempotency-key";
/// Longest key that is taken.
const KEY_LENGTH_MAX: usize = 255;

/// Reads the key of a request, if it names one; `operation` is part of what must be the same in a
/// repeat.
pub(super) fn read(call: &Call, operation: &str) -> Result<Option<Repeat>, ApiError> {
    if !call.has_header(HEADER) {
        return Ok(None);
    }
    let key = call.header(HEADER).ok_or_else(bad_key)?;
    let length = 1..=KEY_LENGTH_MAX;
    if !length.contains(&key.len()) || !key.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Err(bad_key());
    }
    // An answer that shows contacts is given again only to who may view them.
    let seen = match call.caller.sight() {
        Sight::Contacts => "",
        Sight::Messages => " without contacts",
        Sight::Sender => " without contacts and messages",
    };
    let said = format!("{operation}{seen}\n{}", call.params.canonical());
    Ok(Some(Repeat {
        key: key.to_owned(),
        hash: sha256_hex(said.as_bytes()),
    }))
}

fn bad_key() -> ApiError {
    let rule = format_args!("must be 1 to {KEY_LENGTH_MAX} printable ASCII characters");
    ApiError::invalid_param("Idempotency-Key", rule)
}

/// Makes what keeps an answer as text.
pub(super) fn text<T>(
    show: impl Fn(T) -> Answer + Send + 'static,
) -> impl Fn(T) -> String + Send + 'static {
    move |value| show(value).text().to_owned()
}

/// Answers with what was done, or as it was answered the first time.
pub(super) fn shown<T>(done: Once<T>, show: impl Fn(T) -> Answer) -> Answer {
    match done {
        Once::Done(value) => show(value),
        Once::Answer(text) => Answer::saved(text),
    }
}
