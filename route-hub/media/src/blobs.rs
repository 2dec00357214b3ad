//! Blobs in a folder or in a bucket of S3.

use crate::folder::{self, WrongFolder};
use crate::name::BlobName;
use bytes::Bytes;
use futures_util::stream::{BoxStream, Stream, StreamExt as _};
use hub_outage::{Level, Outage};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::prefix::PrefixStore;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, RetryConfig,
};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::io::AsyncWriteExt as _;

/// How long a connection to S3 may take.
const CONNECT_MAX: Duration = Duration::from_secs(3);
/// How long a request to S3 may take.
const REQUEST_MAX: Duration = Duration::from_secs(20);
/// How long a request is tried again, and how often.
const RETRY_MAX: Duration = Duration::from_secs(10);
const RETRIES_MAX: usize = 2;
/// Bytes of an upload that are held before they leave.
const PART_BYTES: usize = 8 * 1024 * 1024;
/// How many such parts are on their way at once.
const PARTS_ON_THEIR_WAY: usize = 1;

/// What a bucket is asked to take when a hub starts.
const BUCKET_MARK: &str = "belongs-to";

/// Where blobs are kept.
#[derive(Debug, Clone)]
pub struct Blobs {
    store: Arc<dyn ObjectStore>,
    folder: Option<Arc<PathBuf>>,
    outage: Arc<Outage>,
}

/// A bucket of S3, or of a server that speaks like it.
#[derive(Debug, Clone)]
pub struct S3 {
    /// The bucket.
    pub bucket: String,
    /// What stands before the name of each blob in it; empty: nothing.
    pub prefix: String,
    /// Its region.
    pub region: String,
    /// The server; `None`: that of Amazon.
    pub endpoint: Option<String>,
    /// Whether the bucket stands in the path of a URL, not in its host name.
    pub path_style: bool,
    /// The access key and its secret; `None`: those of the machine.
    pub keys: Option<(String, String)>,
}

/// Says why a blob could not be had or kept.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// No blob has this name.
    #[error("there is no such blob")]
    Missing,
    /// The folder or the server cannot be used now. The text names no file's content.
    #[error("the place of the files cannot be used: {0}")]
    Unavailable(String),
}

impl From<object_store::Error> for BlobError {
    fn from(error: object_store::Error) -> Self {
        match error {
            object_store::Error::NotFound { .. } => Self::Missing,
            other => Self::Unavailable(other.to_string()),
        }
    }
}

/// Says why a bucket may not take blobs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongBucket {
    /// It is not there.
    #[error("there is no such bucket")]
    Missing,
    /// The access key may not write to it, in the server's word.
    #[error("the bucket refuses what the access key asks ({0})")]
    Refused(String),
    /// Nobody can say now.
    #[error("the bucket does not answer")]
    Silent,
}

/// A blob that was found in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: BlobName,
    /// Its bytes.
    pub size: u64,
    /// When it was written, by the clock of where it lies, in ms since 1970.
    pub time_written_ms: i64,
}

/// The bytes of a blob as they come.
pub type BlobStream = BoxStream<'static, Result<Bytes, BlobError>>;

impl Blobs {
    /// Keeps blobs in a folder, which is made where it is missing. What is put there is on disk
    /// before it is answered.
    ///
    /// # Errors
    /// When the folder cannot be made or used.
    pub fn in_folder(path: &std::path::Path) -> Result<Self, BlobError> {
        let failed =
            |error: std::io::Error| BlobError::Unavailable(format!("{}: {error}", path.display()));
        folder::make(path).map_err(failed)?;
        let store = LocalFileSystem::new_with_prefix(path)?.with_fsync(true);
        Ok(Self {
            store: Arc::new(store),
            folder: Some(Arc::new(path.to_owned())),
            outage: Arc::new(outage()),
        })
    }

    /// Keeps blobs in a bucket; nothing is asked of it yet.
    ///
    /// # Errors
    /// When the settings make no sense.
    pub fn in_s3(at: &S3) -> Result<Self, BlobError> {
        // The client of S3 takes the process's provider. Another crate may have set the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = ClientOptions::new()
            .with_connect_timeout(CONNECT_MAX)
            .with_timeout(REQUEST_MAX)
            .with_allow_http(true);
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&at.bucket)
            .with_region(&at.region)
            .with_virtual_hosted_style_request(!at.path_style)
            .with_conditional_put(S3ConditionalPut::Disabled)
            .with_client_options(client)
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: RETRIES_MAX,
                retry_timeout: RETRY_MAX,
            });
        if let Some(endpoint) = &at.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        builder = match &at.keys {
            Some((key, secret)) => builder
                .with_access_key_id(key)
                .with_secret_access_key(secret),
            None => of_machine(builder),
        };
        let bucket = builder.build()?;
        let store: Arc<dyn ObjectStore> = match at.prefix.trim_matches('/') {
            "" => Arc::new(bucket),
            prefix => Arc::new(PrefixStore::new(bucket, prefix)),
        };
        Ok(Self {
            store,
            folder: None,
            outage: Arc::new(outage()),
        })
    }

    /// Returns the folder, unless the blobs lie in S3.
    pub fn folder(&self) -> Option<&std::path::Path> {
        self.folder.as_deref().map(PathBuf::as_path)
    }

    /// Checks that a folder is the one that belongs to the hub, and marks it as such where it is new.
    /// `expected` is what the hub remembers of it; returned is what it is to remember.
    ///
    /// # Errors
    /// When it is another folder, or cannot be used.
    pub fn recognise_folder(
        &self,
        expected: Option<&str>,
        fresh: &str,
    ) -> Result<Option<String>, WrongFolder> {
        match self.folder() {
            Some(path) => folder::recognise(path, expected, fresh).map(Some),
            None => Ok(None),
        }
    }

    /// Keeps a blob: all of it or nothing.
    ///
    /// # Errors
    /// When it cannot be kept.
    pub async fn put(&self, name: &BlobName, bytes: Bytes) -> Result<(), BlobError> {
        let putting = self.store.put(&name.path(), bytes.into()).await;
        // Only a bucket that is gone is not found now.
        let putting = putting.map_err(|error| BlobError::Unavailable(error.to_string()));
        told(&self.outage, putting).map(drop)
    }

    /// Asks a bucket whether it takes what is put there, by writing a mark of a few bytes.
    ///
    /// # Errors
    /// When it says that it does not, or nothing.
    pub async fn ask_bucket(&self) -> Result<(), WrongBucket> {
        let asked = self
            .store
            .put(&BUCKET_MARK.into(), "postrider".into())
            .await;
        match asked {
            Ok(_) => Ok(()),
            Err(object_store::Error::NotFound { .. }) => Err(WrongBucket::Missing),
            Err(
                error @ (object_store::Error::PermissionDenied { .. }
                | object_store::Error::Unauthenticated { .. }),
            ) => Err(WrongBucket::Refused(code_in(&error.to_string()))),
            Err(_) => Err(WrongBucket::Silent),
        }
    }

    /// Begins a blob that comes bit by bit. It is there once it is finished.
    pub fn upload(&self, name: &BlobName) -> Upload {
        let writer = BufWriter::with_capacity(Arc::clone(&self.store), name.path(), PART_BYTES);
        Upload {
            writer: writer.with_max_concurrency(PARTS_ON_THEIR_WAY),
            outage: Arc::clone(&self.outage),
        }
    }

    /// Returns a blob, or a range of its bytes.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub async fn get(
        &self,
        name: &BlobName,
        range: Option<Range<u64>>,
    ) -> Result<BlobStream, BlobError> {
        let options = GetOptions {
            range: range.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        let found = self.store.get_opts(&name.path(), options).await;
        let found = noted(&self.outage, found)?;
        let outage = Arc::clone(&self.outage);
        let parts = found.into_stream().map(move |part| noted(&outage, part));
        Ok(parts.boxed())
    }

    /// Returns all bytes of a blob.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn read(&self, name: &BlobName) -> Result<Bytes, BlobError> {
        let found = noted(&self.outage, self.store.get(&name.path()).await)?;
        noted(&self.outage, found.bytes().await)
    }

    /// Says whether a blob is there.
    ///
    /// # Errors
    /// When nobody can say.
    pub async fn has(&self, name: &BlobName) -> Result<bool, BlobError> {
        match noted(&self.outage, self.store.head(&name.path()).await) {
            Ok(_) => Ok(true),
            Err(BlobError::Missing) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes a blob, which may be gone already.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub async fn delete(&self, name: &BlobName) -> Result<(), BlobError> {
        match noted(&self.outage, self.store.delete(&name.path()).await) {
            Ok(()) | Err(BlobError::Missing) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Lists the blobs; what has another kind of name is left out.
    pub fn list(&self) -> impl Stream<Item = Result<Listed, BlobError>> + Send + 'static {
        let outage = Arc::clone(&self.outage);
        let found = self
            .store
            .list(None)
            .map(move |found| noted(&outage, found));
        found.filter_map(async |found| found.map(listed).transpose())
    }

    /// Removes what broken uploads left in the folder before a moment; S3 keeps none of it in sight.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub async fn remove_unfinished(&self, before: SystemTime) -> Result<usize, BlobError> {
        let Some(folder) = self.folder.clone() else {
            return Ok(0);
        };
        let removing = move || folder::remove_unfinished(&folder, before);
        let removed = tokio::task::spawn_blocking(removing).await;
        let removed = removed.map_err(|error| BlobError::Unavailable(error.to_string()))?;
        let removed = removed.map_err(|error| BlobError::Unavailable(error.to_string()));
        told(&self.outage, removed)
    }
}

fn outage() -> Outage {
    Outage::new(
        Level::WARN,
        "the place of the files cannot be used",
        "the place of the files can be used again",
    )
}

/// Notes whether the place did what it was asked.
fn noted<T>(outage: &Outage, done: Result<T, object_store::Error>) -> Result<T, BlobError> {
    told(outage, done.map_err(BlobError::from))
}

fn told<T>(outage: &Outage, done: Result<T, BlobError>) -> Result<T, BlobError> {
    match &done {
        Ok(_) | Err(BlobError::Missing) => outage.worked(),
        Err(BlobError::Unavailable(why)) => outage.failed(why),
    }
    done
}

/// What has another kind of name is no blob.
fn listed(found: ObjectMeta) -> Option<Listed> {
    let name = BlobName::new(found.location.filename()?)?;
    (name.path() == found.location).then(|| Listed {
        name,
        size: found.size,
        time_written_ms: found.last_modified.timestamp_millis(),
    })
}

/// Returns the word in which a server of S3 says what is wrong.
fn code_in(answer: &str) -> String {
    let code = answer.split_once("<Code>");
    let code = code.and_then(|(_, rest)| rest.split_once("</Code>"));
    code.map_or("AccessDenied", |(code, _)| code).to_owned()
}

/// Takes keys from the variables that Amazon's tools read, else from the machine itself.
fn of_machine(builder: AmazonS3Builder) -> AmazonS3Builder {
    let named = [
        ("AWS_ACCESS_KEY_ID", AmazonS3ConfigKey::AccessKeyId),
        ("AWS_SECRET_ACCESS_KEY", AmazonS3ConfigKey::SecretAccessKey),
        ("AWS_SESSION_TOKEN", AmazonS3ConfigKey::Token),
    ];
    named
        .into_iter()
        .fold(builder, |builder, (name, key)| match std::env::var(name) {
            Ok(value) => builder.with_config(key, value),
            Err(_) => builder,
        })
}

/// A blob that comes bit by bit.
pub struct Upload {
    writer: BufWriter,
    outage: Arc<Outage>,
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Upload")
    }
}

impl Upload {
    /// Takes the next bytes; waits while too many are on their way.
    ///
    /// # Errors
    /// When they cannot be kept; the blob will not be there.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), BlobError> {
        noted(&self.outage, self.writer.put(bytes).await)
    }

    /// Ends the blob: it is there once this returns.
    ///
    /// # Errors
    /// When it cannot be kept; then it is not there.
    pub async fn finish(mut self) -> Result<(), BlobError> {
        let ending = self.writer.shutdown().await;
        let ending = ending.map_err(|error| BlobError::Unavailable(error.to_string()));
        told(&self.outage, ending)
    }

    /// Gives up the blob.
    ///
    /// # Errors
    /// When what was sent cannot be taken back; nothing of it is a blob all the same.
    pub async fn abort(mut self) -> Result<(), BlobError> {
        Ok(self.writer.abort().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::TryStreamExt as _;

    fn name(text: &str) -> BlobName {
        BlobName::new(text).unwrap()
    }

    #[tokio::test]
    async fn a_blob_is_there_whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(&dir.path().join("files")).unwrap();
        let (one, other) = (name("FI01ab"), name("FI01ab.thumbnail"));
        blobs.put(&one, Bytes::from_static(b"hello")).await.unwrap();
        blobs.put(&other, Bytes::from_static(b"h")).await.unwrap();
        assert_eq!(blobs.read(&one).await.unwrap(), "hello");
        let part = blobs.get(&one, Some(1..3)).await.unwrap();
        assert_eq!(part.try_collect::<Vec<_>>().await.unwrap().concat(), b"el");
        let mut listed: Vec<_> = blobs
            .list()
            .map_ok(|it| it.name)
            .try_collect()
            .await
            .unwrap();
        listed.sort();
        assert_eq!(listed, [one.clone(), other]);
        for _ in 0..2 {
            blobs.delete(&one).await.unwrap();
        }
        assert!(!blobs.has(&one).await.unwrap());
        assert!(matches!(blobs.read(&one).await, Err(BlobError::Missing)));
    }

    #[tokio::test]
    async fn a_blob_that_comes_in_parts_appears_at_its_end() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(dir.path()).unwrap();
        let part = Bytes::from(vec![7_u8; PART_BYTES / 2 + 1]);
        let (kept, given_up) = (name("FI02ab"), name("FI03ab"));
        for blob in [&kept, &given_up] {
            let mut upload = blobs.upload(blob);
            for _ in 0..3 {
                upload.write(part.clone()).await.unwrap();
                assert!(!blobs.has(blob).await.unwrap());
            }
            if blob == &kept {
                upload.finish().await.unwrap();
            } else {
                upload.abort().await.unwrap();
            }
        }
        assert_eq!(blobs.read(&kept).await.unwrap().len(), 3 * part.len());
        assert!(!blobs.has(&given_up).await.unwrap());
    }

    #[tokio::test]
    async fn what_a_killed_upload_left_is_no_blob_and_goes() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = Blobs::in_folder(dir.path()).unwrap();
        blobs
            .put(&name("FI04ab"), Bytes::from_static(b"whole"))
            .await
            .unwrap();
        let half = dir.path().join("ab/FI05ab#1");
        std::fs::write(&half, "ha").unwrap();
        let listed: Vec<_> = blobs.list().try_collect().await.unwrap();
        assert_eq!(listed.len(), 1);
        let written = std::fs::metadata(&half).unwrap().modified().unwrap();
        let later = written + Duration::from_secs(60);
        assert_eq!(
            blobs
                .remove_unfinished(SystemTime::UNIX_EPOCH)
                .await
                .unwrap(),
            0
        );
        assert!(half.exists());
        assert_eq!(blobs.remove_unfinished(later).await.unwrap(), 1);
        assert!(!half.exists() && blobs.has(&name("FI04ab")).await.unwrap());
    }

    #[tokio::test]
    async fn a_server_that_is_away_is_told_apart_from_a_missing_blob() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let blobs = Blobs::in_s3(&S3 {
            bucket: "b".into(),
            prefix: "hub/".into(),
            region: "us-east-1".into(),
            endpoint: Some(endpoint),
            path_style: true,
            keys: Some(("key".into(), "secret".into())),
        });
        let blobs = blobs.unwrap();
        assert!(blobs.folder().is_none());
        let read = blobs.read(&name("FI06ab")).await;
        assert!(matches!(read, Err(BlobError::Unavailable(_))), "{read:?}");
    }
}
