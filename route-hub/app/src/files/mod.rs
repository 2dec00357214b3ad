//! Files that a project keeps: given by programs, or brought by messages.
//!
//! Bytes come before their row and go after it, so that a row always has its bytes. Bytes without a row
//! are swept (`sweep.rs`).

mod create;
mod existing;
mod media;
mod parts;
mod serve;
mod sheet;
mod sweep;
#[cfg(test)]
mod tests;
mod written;

pub use create::{GivenBytes, NewFile, create};
use create::{blob, thumbnail_blob};
pub use existing::{FilePatch, delete, get, list, update};
pub(crate) use media::{are_there, keep, name_by};
pub use media::{is_data_uri, is_type};
pub(crate) use parts::part_name;
pub use serve::{Asked, Grant, Served, serve};
pub use sheet::{Sheet, keep_sheet};
pub use sweep::{Swept, run, sweep};
pub(crate) use written::{TaskFile, Writing, remove_unused};

use crate::actor::Actor;
use crate::failure::Failure;
use hub_domain::Permission;
use hub_media::{BlobError, BlobStream};
use hub_view::Refusal;
use postrider_model::FileId;

/// Whoever makes, changes or removes files needs it.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at files needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// Opens the bytes of a file.
pub(crate) async fn open(actor: &Actor, id: FileId) -> Result<BlobStream, Failure> {
    let opened = actor.hub.files.blobs()?.get(&blob(id)?, None).await;
    opened.map_err(|error| match error {
        BlobError::Missing => Refusal::not_found("file").into(),
        error => out_of_reach(&error),
    })
}

/// A file of another project is none.
fn found<T>(file: Option<T>) -> Result<T, Refusal> {
    file.ok_or_else(|| Refusal::not_found("file"))
}

/// Says that the bytes of files cannot be had now; the rest of the hub goes on.
pub(crate) fn out_of_reach(error: &BlobError) -> Failure {
    tracing::debug!(%error, "the place of the files did not do what it was asked");
    Refusal::unavailable("the place of this hub's files cannot be reached").into()
}
