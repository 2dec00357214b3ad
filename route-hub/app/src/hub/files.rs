//! The hub's files: where their bytes are, and under which addresses they are had.

use crate::hub::proofs::Proofs;
use hub_media::{Address, Blobs, Grant, Signer, Thumbnailer};
use hub_view::Refusal;
use postrider_model::{FileId, UnixMs};
use std::sync::{Arc, OnceLock};

/// The hub's files.
pub struct Files {
    blobs: OnceLock<Blobs>,
    /// Makes small pictures.
    pub thumbnails: Thumbnailer,
    signer: Signer,
    base_url: Arc<str>,
}

impl Files {
    pub(crate) fn new(proofs: &Proofs, base_url: &str) -> Self {
        Self {
            blobs: OnceLock::new(),
            thumbnails: Thumbnailer::default(),
            signer: Signer::new(&proofs.key_for(b"addresses of files")),
            base_url: base_url.into(),
        }
    }

    /// Says where the bytes are. Nothing changes once that was said.
    pub fn keep_in(&self, blobs: Blobs) {
        let _ = self.blobs.set(blobs);
    }

    /// Returns where the bytes are.
    ///
    /// # Errors
    /// When nobody has said it: an admin command has no files.
    pub fn blobs(&self) -> Result<&Blobs, Refusal> {
        let none = || Refusal::unavailable("this hub has no place for files");
        self.blobs.get().ok_or_else(none)
    }

    /// Says whether an address was given by the hub and is still valid.
    pub fn allows(&self, what: Address, id: FileId, grant: &Grant, now: UnixMs) -> bool {
        self.signer
            .allows(what, &id.to_string(), grant, now.seconds())
    }

    /// Returns who gives addresses at a moment.
    pub fn addresses(&self, now: UnixMs) -> Addresses {
        Addresses {
            signer: self.signer.clone(),
            base_url: Arc::clone(&self.base_url),
            expires: Grant::end(now.seconds()),
        }
    }
}

/// Gives the addresses of files.
#[derive(Debug, Clone)]
pub struct Addresses {
    signer: Signer,
    base_url: Arc<str>,
    expires: i64,
}

impl Addresses {
    /// Returns where a file is had for a day.
    pub fn of_file(&self, id: FileId) -> String {
        self.to(Address::File, id, Some(self.expires))
    }

    /// Returns where the thumbnail of a file is had for a day.
    pub fn of_thumbnail(&self, id: FileId) -> String {
        self.to(Address::Thumbnail, id, Some(self.expires))
    }

    /// Returns where a file is had as long as it is there, as it stands in texts.
    pub fn in_text(&self, id: FileId) -> String {
        self.to(Address::File, id, None)
    }

    fn to(&self, what: Address, id: FileId, expires: Option<i64>) -> String {
        let Grant { signature, .. } = self.signer.grant(what, &id.to_string(), expires);
        let base = &self.base_url;
        let place = match what {
            Address::File => "",
            Address::Thumbnail => "/thumbnail",
        };
        match expires {
            Some(at) => format!("{base}/files/{id}{place}?expires={at}&signature={signature}"),
            None => format!("{base}/files/{id}{place}?signature={signature}"),
        }
    }
}
