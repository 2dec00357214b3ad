//! Files that come bit by bit, and are never held whole: their bytes are kept before their row.

use crate::actor::Actor;
use crate::digest::Sha256;
use crate::failure::Failure;
use crate::files::create::{begin, blob};
use crate::files::{existing, out_of_reach};
use bytes::Bytes;
use hub_domain::{FileCategory, FileSource, Permission, StoredFile};
use hub_media::Upload;
use postrider_model::FileId;

/// A file that is being written.
pub(crate) struct Writing {
    id: FileId,
    upload: Upload,
    digest: Sha256,
    size: u64,
}

/// What is said of a file that a task wrote, or is to read.
#[derive(Debug, Clone)]
pub(crate) struct TaskFile {
    /// What it is called.
    pub(crate) filename: Option<String>,
    /// What is said about it.
    pub(crate) description: Option<String>,
    /// What it is.
    pub(crate) media_type: &'static str,
    /// As what it is served.
    pub(crate) served_type: &'static str,
    /// Who made it.
    pub(crate) source: FileSource,
    /// What whoever fetches it needs, besides looking at files.
    pub(crate) needs: Option<Permission>,
}

impl Writing {
    /// Begins a file.
    pub(crate) async fn begin(actor: &Actor) -> Result<Self, Failure> {
        let id = begin(actor).await?;
        let upload = actor.hub.files.blobs()?.upload(&blob(id)?);
        Ok(Self {
            id,
            upload,
            digest: Sha256::default(),
            size: 0,
        })
    }

    /// Takes the next bytes.
    pub(crate) async fn write(&mut self, bytes: Bytes) -> Result<(), Failure> {
        self.digest.update(&bytes);
        self.size += bytes.len() as u64;
        let writing = self.upload.write(bytes).await;
        writing.map_err(|error| out_of_reach(&error))
    }

    /// Returns how many bytes came.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Gives up the file.
    pub(crate) async fn give_up(self) {
        // What of it was sent already is swept.
        let _ = self.upload.abort().await;
    }

    /// Ends the bytes of the file, which are on disk once this returns, and returns its row.
    pub(crate) async fn finish(self, actor: &Actor, of: TaskFile) -> Result<StoredFile, Failure> {
        let now = actor.now.unix;
        let ending = self.upload.finish().await;
        ending.map_err(|error| out_of_reach(&error))?;
        Ok(StoredFile {
            id: self.id,
            project_id: actor.project.id,
            filename: of.filename,
            media_type: of.media_type.to_owned(),
            served_type: of.served_type.to_owned(),
            size: self.size,
            description: of.description,
            category: FileCategory::TaskData,
            source: of.source,
            message_id: None,
            sha256: self.digest.finish_hex(),
            thumbnail_size: None,
            time_created: now,
            time_touched: now,
            needs: of.needs,
        })
    }
}

/// Removes the bytes of a file that got no row; what cannot be removed now is swept.
pub(crate) async fn remove_unused(actor: &Actor, id: FileId) {
    if let Ok(blobs) = actor.hub.files.blobs() {
        existing::remove_bytes(blobs, id).await;
    }
}
