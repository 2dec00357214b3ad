//! Files that a project keeps: given by programs, or brought by messages.
//!
//! Bytes come before their row and go after it, so that a row always has its bytes. Bytes without a row
//! are swept (`sweep.rs`).

mod create;
mod existing;
mod media;
mod serve;
mod sweep;
#[cfg(test)]
mod tests;

pub use create::{GivenBytes, NewFile, create};
use create::{blob, thumbnail_blob};
pub use existing::{FilePatch, delete, get, list, update};
pub use media::is_data_uri;
pub(crate) use media::{are_there, keep, name_by};
pub use serve::{Asked, Grant, Served, serve};
pub use sweep::{Swept, run, sweep};

use crate::failure::Failure;
use hub_domain::Permission;
use hub_media::BlobError;
use hub_view::Refusal;

/// Whoever makes, changes or removes files needs it.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at files needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// A file of another project is none.
fn found<T>(file: Option<T>) -> Result<T, Refusal> {
    file.ok_or_else(|| Refusal::not_found("file"))
}

/// Says that the bytes of files cannot be had now; the rest of the hub goes on.
fn out_of_reach(error: &BlobError) -> Failure {
    tracing::warn!(%error, "the place of the files did not do what it was asked");
    Refusal::unavailable("the place of this hub's files cannot be reached").into()
}
