//! Keeping a file: its bytes first, then its row.

use crate::actor::Actor;
use crate::digest::sha256_hex;
use crate::failure::Failure;
use crate::files::{PERMISSION, out_of_reach};
use crate::plan;
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::file::FileView;
use bytes::Bytes;
use hub_domain::{FileCategory, FileSource, StoredFile, UsageType};
use hub_media::{BlobName, Blobs, DataUri, FILE_BYTES_MAX, MediaType, recognise};
use hub_store::{StoreError, files};
use hub_view::Refusal;
use postrider_model::{FileId, Now};

/// A file that somebody gives.
#[derive(Debug, Clone)]
pub struct NewFile {
    /// Its bytes.
    pub bytes: Bytes,
    /// What it is, as its giver says.
    pub media_type: String,
    /// What it is called.
    pub filename: Option<String>,
    /// What its giver says about it.
    pub description: Option<String>,
}

/// Keeps a file; one of the same content and type is the one that is there.
pub async fn create(actor: &Actor, new: NewFile) -> Result<FileView, Failure> {
    actor.require(PERMISSION)?;
    let declared = MediaType::declared(&new.media_type);
    let declared = declared.map_err(|refused| Refusal::invalid_param("type", refused))?;
    let kept = keep_media(actor, new, declared, FileSource::Api).await?;
    let file = kept.map_err(|rule| Refusal::invalid_param("data", rule))?;
    Ok(FileView::of(file, actor))
}

/// Keeps media, or says why their content is not kept.
pub(super) async fn keep_media(
    actor: &Actor,
    new: NewFile,
    declared: MediaType,
    source: FileSource,
) -> Result<Result<StoredFile, String>, Failure> {
    let served = match recognise(&new.bytes, &declared) {
        Ok(served) => served,
        Err(refused) => return Ok(Err(refused.to_string())),
    };
    let (sha256, bytes) = digested(new.bytes.clone()).await?;
    let content = (sha256.clone(), declared.as_str().to_owned());
    if let Some(file) = given_before(actor, content.clone(), source).await? {
        return Ok(Ok(keep_missing(actor, file, bytes).await?));
    }
    let (owner, more) = (actor.project.organization_id, bytes.len());
    let wanted = (UsageType::StoredFileMb, more);
    plan::check(&actor.hub, owner, wanted, actor.now).await?;
    let id = begin(actor).await?;
    let blobs = actor.hub.files.blobs()?;
    let putting = blobs.put(&blob(id)?, bytes.clone()).await;
    putting.map_err(|error| out_of_reach(&error))?;
    let thumbnail_size = keep_thumbnail(actor, id, bytes.clone()).await?;
    let now = actor.now.unix;
    let file = StoredFile {
        id,
        project_id: actor.project.id,
        filename: new.filename,
        media_type: declared.as_str().to_owned(),
        served_type: served.as_str().to_owned(),
        size: bytes.len() as u64,
        description: new.description,
        category: FileCategory::OutgoingMedia,
        source,
        message_id: None,
        sha256,
        thumbnail_size,
        time_created: now,
        time_touched: now,
        needs: None,
    };
    let kept = run(actor, move |work| {
        if let Some(other) = touched(work, &content, source)? {
            return Ok(other);
        }
        files::insert(work.tx, &file)?;
        Ok::<_, Failure>(file.clone())
    })
    .await?;
    if kept.id != id {
        // Somebody gave the same at the same moment. What cannot be removed now is swept.
        let _ = blobs.delete(&blob(id)?).await;
        let _ = blobs.delete(&thumbnail_blob(id)?).await;
    }
    Ok(Ok(kept))
}

/// Makes the thumbnail of a file, keeps it, and returns how many bytes it has; `None` of what gets none.
async fn keep_thumbnail(actor: &Actor, id: FileId, bytes: Bytes) -> Result<Option<u64>, Failure> {
    let files = &actor.hub.files;
    let Some(small) = files.thumbnails.make(bytes).await else {
        return Ok(None);
    };
    let size = small.len() as u64;
    let putting = files.blobs()?.put(&thumbnail_blob(id)?, small).await;
    putting.map_err(|error| out_of_reach(&error))?;
    Ok(Some(size))
}

/// Keeps what is missing of a file's bytes and its thumbnail's, after a restore for instance, now that somebody
/// gives it again.
async fn keep_missing(
    actor: &Actor,
    mut file: StoredFile,
    bytes: Bytes,
) -> Result<StoredFile, Failure> {
    let (id, blobs) = (file.id, actor.hub.files.blobs()?);
    if is_missing(blobs, &blob(id)?).await? {
        let putting = blobs.put(&blob(id)?, bytes.clone()).await;
        putting.map_err(|error| out_of_reach(&error))?;
    }
    if file.thumbnail_size.is_some() && is_missing(blobs, &thumbnail_blob(id)?).await? {
        let size = keep_thumbnail(actor, id, bytes).await?;
        // Another version of the hub may have made another one.
        file.thumbnail_size = size;
        run(actor, move |work| {
            files::note_thumbnail(work.tx, work.project.id, id, size)
        })
        .await?;
    }
    Ok(file)
}

async fn is_missing(blobs: &Blobs, name: &BlobName) -> Result<bool, Failure> {
    let there = blobs.has(name).await;
    Ok(!there.map_err(|error| out_of_reach(&error))?)
}

async fn digested(bytes: Bytes) -> Result<(String, Bytes), Failure> {
    let digesting = tokio::task::spawn_blocking(move || (sha256_hex(&bytes), bytes)).await;
    digesting.map_err(|error| Refusal::internal(error).into())
}

/// Returns the file of a content and type that is there.
async fn given_before(
    actor: &Actor,
    content: (String, String),
    source: FileSource,
) -> Result<Option<StoredFile>, Failure> {
    let project = actor.project.id;
    let (sha256, media_type) = content.clone();
    let reading = actor
        .hub
        .store
        .of(project)
        .read(move |tx| files::by_content(tx, project, &sha256, &media_type));
    match reading.await? {
        None => Ok(None),
        Some(_) => run(actor, move |work| touched(work, &content, source)).await,
    }
}

/// Notes that a file was given again: what a program gave stays, whatever brought it first.
fn touched(
    work: &mut UnitOfWork<'_, '_>,
    (sha256, media_type): &(String, String),
    source: FileSource,
) -> Result<Option<StoredFile>, Failure> {
    let (project, now) = (work.project.id, work.now.unix);
    let Some(mut file) = files::by_content(work.tx, project, sha256, media_type)? else {
        return Ok(None);
    };
    if source == FileSource::Api {
        file.source = source;
    }
    file.time_touched = now;
    files::touch(work.tx, project, file.id, file.source, now)?;
    Ok(Some(file))
}

/// Draws the id of a new file, before its row: its bytes are kept under it.
pub(super) async fn begin(actor: &Actor) -> Result<FileId, StoreError> {
    let Now { unix, .. } = actor.now;
    let store = actor.hub.store.of(actor.project.id);
    store
        .write(move |tx| Ok::<_, StoreError>(tx.id(unix)))
        .await
}

/// Returns the name of a file's bytes.
pub(super) fn blob(id: FileId) -> Result<BlobName, Refusal> {
    named(id.to_string())
}

/// Returns the name of the bytes of a file's thumbnail.
pub(super) fn thumbnail_blob(id: FileId) -> Result<BlobName, Refusal> {
    named(format!("{id}.thumbnail"))
}

fn named(name: String) -> Result<BlobName, Refusal> {
    BlobName::new(name).ok_or_else(|| Refusal::internal("an id is no name of a blob"))
}

/// Bytes as a request gives them, in base64 or as a data URI.
#[derive(Debug, Clone)]
pub struct GivenBytes {
    /// The bytes.
    pub bytes: Bytes,
    /// What they are, as their giver says.
    pub media_type: String,
}

impl GivenBytes {
    /// Reads them; `media_type` is what stands beside them.
    ///
    /// # Errors
    /// More bytes than a file may have, none, or no type.
    pub fn read(data: &str, media_type: Option<&str>) -> Result<Self, Refusal> {
        let refused = |invalid| Refusal::invalid_param("data", invalid);
        if DataUri::is_meant(data) {
            let declared = media_type.map(MediaType::declared).transpose();
            let declared = declared.map_err(|rule| Refusal::invalid_param("type", rule))?;
            let uri = DataUri::read(data, declared, FILE_BYTES_MAX).map_err(refused)?;
            return Ok(Self {
                media_type: uri.media_type.as_str().to_owned(),
                bytes: uri.bytes,
            });
        }
        let none = || Refusal::invalid_param("type", "is required: data is no data URI");
        Ok(Self {
            media_type: media_type.ok_or_else(none)?.to_owned(),
            bytes: DataUri::read_base64(data, FILE_BYTES_MAX).map_err(refused)?,
        })
    }
}
