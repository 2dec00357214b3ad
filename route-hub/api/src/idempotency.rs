//! `Idempotency-Key`: a committed success is kept with what it tells of, and given again.

use crate::{Call, Failure};
use hub_app::digest::sha256_hex;
use hub_domain::Sight;
use hub_store::idempotency::{self, KeptAnswer};
use hub_store::{StoreError, Tx};
use hub_web::{Answer, ApiError, ErrorCode};
use postrider_model::{ProjectId, UnixMs};

const HEADER: &str = "idempotency-key";
/// Longest key that is taken.
const KEY_LENGTH_MAX: usize = 255;

/// The key of a request, and what tells its body from others.
#[derive(Debug, Clone)]
pub(super) struct Idempotency(Option<Keyed>);

#[derive(Debug, Clone)]
struct Keyed {
    key: String,
    body_hash: String,
}

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
        Ok(Self(Some(Keyed {
            key: key.to_owned(),
            body_hash: sha256_hex(said.as_bytes()),
        })))
    }

    /// Says whether an answer will have to be kept.
    pub(super) fn is_keyed(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the answer to the same request before; refuses another one under its key.
    ///
    /// Within the transaction that would do the work: a repeat at the same moment comes after it.
    pub(super) fn earlier(
        &self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
    ) -> Result<Option<Answer>, Failure> {
        let Some(keyed) = &self.0 else {
            return Ok(None);
        };
        let Some(kept) = idempotency::get(tx, project_id, &keyed.key)? else {
            return Ok(None);
        };
        if kept.body_hash != keyed.body_hash {
            let text = "this Idempotency-Key was used with another request";
            return Err(ApiError::new(ErrorCode::IdempotencyMismatch, text).into());
        }
        Ok(Some(Answer::saved(kept.answer)))
    }

    /// Keeps an answer in the transaction of what it tells of.
    pub(super) fn keep(
        &self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        answer: &Answer,
        now: UnixMs,
    ) -> Result<(), StoreError> {
        let Some(keyed) = &self.0 else {
            return Ok(());
        };
        let kept = KeptAnswer {
            body_hash: keyed.body_hash.clone(),
            answer: answer.text().to_owned(),
        };
        idempotency::put(tx, project_id, &keyed.key, &kept, now)
    }
}

fn bad_key() -> ApiError {
    let rule = format_args!("must be 1 to {KEY_LENGTH_MAX} printable ASCII characters");
    ApiError::invalid_param("Idempotency-Key", rule)
}
