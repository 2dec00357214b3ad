//! Showing a file to whoever has its address.

use crate::failure::Failure;
use crate::files::{blob, found, out_of_reach, thumbnail_blob};
use crate::hub::Hub;
use hub_domain::StoredFile;
use hub_media::{BlobError, BlobStream, MediaType};
use hub_store::files;
use hub_view::Refusal;
use postrider_model::FileId;
use std::ops::Range;

pub use hub_media::{Address as Asked, Grant};

/// The bytes of a file, or of its thumbnail.
pub struct Served {
    /// The file.
    pub file: StoredFile,
    /// As what it is served.
    pub media_type: String,
    /// Whether a browser may show it in its place.
    pub is_shown: bool,
    /// How many bytes there are in all.
    pub size: u64,
    /// Which of them follow.
    pub range: Range<u64>,
    /// They.
    pub bytes: BlobStream,
}

/// Opens a file, or its thumbnail, for whoever has an address that the hub gave. `range` says which of
/// so many bytes are wanted; `None`: none that there are.
///
/// # Errors
/// `not_found` for what was not given, is over, or is gone; `unavailable` while the bytes cannot be
/// reached.
pub async fn serve(
    hub: &Hub,
    id: FileId,
    what: Asked,
    grant: &Grant,
    range: impl FnOnce(u64) -> Option<Range<u64>>,
) -> Result<Served, Failure> {
    if !hub.files.allows(what, id, grant, hub.now().unix) {
        return Err(Refusal::not_found("file").into());
    }
    let file = found(hub.store.read(move |tx| files::by_key(tx, id)).await?)?;
    let (name, size, media_type) = match what {
        Asked::File => (blob(id)?, file.size, MediaType::kept(&file.served_type)),
        Asked::Thumbnail => {
            let size = found(file.thumbnail_size)?;
            (thumbnail_blob(id)?, size, MediaType::kept("image/jpeg"))
        }
    };
    let range = range(size).unwrap_or(0..0);
    let wanted = (range.start < range.end && range != (0..size)).then(|| range.clone());
    let bytes = match hub.files.blobs()?.get(&name, wanted).await {
        Ok(bytes) => bytes,
        Err(BlobError::Missing) => return Err(Refusal::not_found("file").into()),
        Err(error) => return Err(out_of_reach(&error)),
    };
    Ok(Served {
        is_shown: media_type.is_shown(),
        media_type: media_type.as_str().to_owned(),
        size,
        range,
        bytes,
        file,
    })
}
