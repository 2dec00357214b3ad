//! Files: where their bytes are kept, what they are, their thumbnails and their signed addresses.
//!
//! Nothing here knows the database: a blob has a name, and whoever names it says what that means.

mod address;
mod blobs;
mod content;
mod data_uri;
mod folder;
mod name;
mod thumbnail;

pub use address::{Address, Grant, Signer};
pub use blobs::{BlobError, BlobStream, Blobs, Listed, S3, Upload, WrongBucket};
pub use content::{MediaType, Refused, TYPE_LENGTH_MAX, recognise};
pub use data_uri::{DataUri, InvalidDataUri, URI_BYTES_MAX};
pub use folder::{WrongFolder, copy_blob, copy_mark, mark_anew};
pub use name::BlobName;
pub use thumbnail::{EDGE_PX, Thumbnailer};

/// Most bytes of a file.
pub const FILE_BYTES_MAX: usize = 5 * 1024 * 1024;
