//! Whether a place is the hub's: files are where the hub keeps them, and nowhere else.
//!
//! A hub beside others that sees another place starts all the same while there are no files, and takes
//! none: nothing but files needs the place.

use crate::files::S3_SCHEME;
use hub_app::data_folder::error::CommandError;
use hub_app::hub::Hub;
use hub_app::random::Random;
use hub_media::{Blobs, WrongBucket, WrongFolder};
use hub_store::{StoreError, Tx, files, meta};
use std::future::pending;
use std::time::Duration;
use tokio::time::timeout;

/// Under which name the database keeps where the hub's files are: a folder's mark, or the URL of a bucket.
const MARK: &str = "files_folder";
/// Under which name it keeps the path of that folder, for people.
const PATH: &str = "files_path";
/// How long another hub may take to end before this one is refused: one that was killed is gone by then.
const OTHERS_END_MAX: Duration = Duration::from_secs(20);
/// How long a bucket may take to say whether it is there; sends need none.
const BUCKET_WAIT: Duration = Duration::from_secs(5);

/// Returns the mark of the folder where a hub keeps its files; `None` without one, or for a bucket.
pub(crate) fn folder_mark(tx: &mut Tx<'_>) -> Result<Option<String>, StoreError> {
    let mark = meta::get(tx, MARK)?;
    Ok(mark.filter(|mark| !mark.starts_with(S3_SCHEME)))
}

/// Where files are, as the settings say.
#[derive(Debug)]
pub struct FilePlace {
    pub(super) blobs: Blobs,
    /// The URL of the bucket, where they are in one.
    pub(super) bucket: Option<String>,
    pub(super) shared: bool,
    pub(super) here: bool,
}

/// What the database knows of files.
#[derive(Debug)]
struct Known {
    mark: Option<String>,
    path: Option<String>,
    has_files: bool,
}

impl Known {
    async fn of(hub: &Hub) -> Result<Self, StoreError> {
        let read = |tx: &mut Tx<'_>| {
            Ok::<_, StoreError>(Self {
                mark: meta::get(tx, MARK)?,
                path: meta::get(tx, PATH)?.filter(|path| !path.is_empty()),
                has_files: !files::after(tx, 0, 1)?.is_empty(),
            })
        };
        hub.store.read(read).await
    }

    /// Says what a hub beside others needs in order to take files.
    fn needs(&self) -> String {
        match (&self.mark, &self.path) {
            (Some(bucket), _) if bucket.starts_with(S3_SCHEME) => {
                format!("another hub keeps them in a bucket: give --files {bucket}")
            }
            (_, Some(path)) => format!(
                "another hub keeps them in its folder {path}: give each hub a bucket (--files \
                 s3://BUCKET), or this one that folder (--files {path} --files-shared)"
            ),
            _ => "several hubs need files that all of them see: give each a bucket (--files \
                  s3://BUCKET), or a folder of a network file system (--files DIR --files-shared)"
                .to_owned(),
        }
    }
}

impl FilePlace {
    /// Has a hub keep its files there. Returns the place where it may not now, for it is beside others
    /// that keep them elsewhere, and nobody has any file.
    ///
    /// # Errors
    /// When the hub keeps its files elsewhere, a second hub does not see them, or a bucket is not there.
    pub async fn take(self, hub: &Hub) -> Result<Option<Self>, CommandError> {
        if self.here && !is_alone(hub) {
            let text = "--files-here: another hub is on the database; first stop it";
            return Err(CommandError::new(text));
        }
        let known = Known::of(hub).await?;
        if self.is_own_folder() {
            if known.has_files {
                alone(hub).await?;
            } else if !is_alone(hub) {
                takes_none(&known);
                return Ok(Some(self));
            }
        }
        match self.recognise(hub).await {
            Err(Wrong::Elsewhere) if !known.has_files && !is_alone(hub) => {
                takes_none(&Known::of(hub).await?);
                Ok(Some(self))
            }
            recognised => {
                recognised?;
                self.ask_bucket().await?;
                hub.files.keep_in(self.blobs);
                Ok(None)
            }
        }
    }

    /// Takes the place once no other hub is on the database, and never ends.
    pub(crate) async fn take_when_alone(self, hub: Hub) {
        until_alone(&hub).await;
        match self.take_now(&hub).await {
            Ok(()) => tracing::info!("this hub takes files: no other one is on the database"),
            Err(error) => tracing::warn!(%error, "this hub takes no files"),
        }
        pending().await
    }

    async fn take_now(self, hub: &Hub) -> Result<(), CommandError> {
        self.recognise(hub).await?;
        self.ask_bucket().await?;
        hub.files.keep_in(self.blobs);
        Ok(())
    }

    fn is_own_folder(&self) -> bool {
        self.bucket.is_none() && !self.shared
    }

    /// Checks that the place is the hub's. A hub without files that is alone takes any.
    async fn recognise(&self, hub: &Hub) -> Result<(), Wrong> {
        let is_alone = is_alone(hub);
        let known = Known::of(hub).await?;
        let is_bound = !self.here && (known.has_files || !is_alone);
        let expected = known.mark.filter(|_| is_bound);
        let found = match &self.bucket {
            Some(url) => Some(url.clone()),
            None => {
                let fresh = Random::new().token::<16>();
                self.blobs.recognise_folder(expected.as_deref(), &fresh)?
            }
        };
        let Some(found) = found else { return Ok(()) };
        let path = self.path();
        let keep = hub.store.write(move |tx| {
            let others = if is_alone { None } else { meta::get(tx, MARK)? };
            match expected.as_ref().or(others.as_ref()) {
                Some(expected) if *expected != found => return Ok(false),
                Some(_) => {}
                None => meta::put(tx, MARK, &found)?,
            }
            meta::put(tx, PATH, &path)?;
            Ok::<_, StoreError>(true)
        });
        if keep.await? {
            Ok(())
        } else {
            Err(Wrong::Elsewhere)
        }
    }

    /// Returns the folder's path, or nothing for a bucket.
    fn path(&self) -> String {
        let folder = self.blobs.folder();
        let path = folder.map(|folder| std::path::absolute(folder).unwrap_or(folder.to_owned()));
        path.map_or_else(String::new, |path| path.display().to_string())
    }

    /// Asks a bucket whether it takes files. One that says nothing may do so later.
    async fn ask_bucket(&self) -> Result<(), CommandError> {
        let Some(url) = &self.bucket else {
            return Ok(());
        };
        match timeout(BUCKET_WAIT, self.blobs.ask_bucket()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(WrongBucket::Silent)) | Err(_) => {
                tracing::warn!("{url} does not answer: this hub takes no files until it does");
                Ok(())
            }
            Ok(Err(wrong)) => Err(CommandError::new(format!("--files {url}: {wrong}"))),
        }
    }
}

/// Why a place is not the hub's.
#[derive(Debug)]
enum Wrong {
    Elsewhere,
    Other(CommandError),
}

impl From<StoreError> for Wrong {
    fn from(error: StoreError) -> Self {
        Self::Other(error.into())
    }
}

impl From<WrongFolder> for Wrong {
    fn from(wrong: WrongFolder) -> Self {
        match wrong {
            WrongFolder::Other => Self::Elsewhere,
            WrongFolder::Io(error) => Self::Other(CommandError::of("--files", &error)),
        }
    }
}

impl From<Wrong> for CommandError {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::Elsewhere => Self::new(
                "--files: this is not where the hub keeps its files. Is a disk missing? If they were \
                 moved here, or are lost, start once with --files-here (docs/files.md)",
            ),
            Wrong::Other(error) => error,
        }
    }
}

fn takes_none(known: &Known) {
    tracing::warn!("this hub takes no files: {}", known.needs());
}

fn is_alone(hub: &Hub) -> bool {
    let Some((own, serving)) = hub.store.processes() else {
        return true;
    };
    serving.borrow().iter().all(|process| *process == own)
}

async fn until_alone(hub: &Hub) {
    if let Some((own, mut serving)) = hub.store.processes() {
        let is_alone = serving.wait_for(|live| live.iter().all(|process| *process == own));
        // The sender lives as long as the hub's store.
        let _ = is_alone.await;
    }
}

/// Waits until no other hub is on the database, for a folder that only one of them sees.
async fn alone(hub: &Hub) -> Result<(), CommandError> {
    match timeout(OTHERS_END_MAX, until_alone(hub)).await {
        Ok(()) => Ok(()),
        Err(_) => Err(CommandError::new(
            "another hub is on the database: several hubs need files that all of them see. Give a bucket \
             (--files s3://BUCKET), or a folder of a network file system with --files-shared on each hub",
        )),
    }
}
