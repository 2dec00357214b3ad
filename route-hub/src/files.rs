//! Where files are: the settings that `serve` and `demo` share.

mod place;

pub use place::FilePlace;
pub(crate) use place::folder_mark;

use crate::database::{first_line, none_given, secret};
use crate::environment;
use crate::values::web_address;
use clap::Args;
use hub_app::data_folder::error::CommandError;
use hub_app::data_folder::owner;
use hub_media::{Blobs, S3};
use postrider_model::Secret;
use std::path::{Path, PathBuf};

/// What the URL of a bucket begins with.
const S3_SCHEME: &str = "s3://";
/// The variable of the secret key, which has no flag: everybody can read a command line.
pub(crate) const SECRET_VARIABLE: &str = "ROUTE_HUB_FILES_SECRET_KEY";
/// The region of servers that have none.
const REGION_DEFAULT: &str = "us-east-1";
/// The folder of the files in the data folder.
const FOLDER_DEFAULT: &str = "files";

/// Where files are: in a folder, or in a bucket of S3.
#[derive(Debug, Clone, Default, Args)]
pub struct FileSettings {
    /// Folder of files, or a bucket: `s3://BUCKET/PREFIX` [default: `files` in the data folder].
    #[arg(long = "files", env = "ROUTE_HUB_FILES", value_name = "DIR|URL", value_parser = place)]
    pub at: Option<String>,
    /// Several hubs see the folder of files, by a network file system. Without it a second hub on the
    /// database is refused.
    #[arg(long = "files-shared", env = "ROUTE_HUB_FILES_SHARED", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub shared: Option<bool>,
    /// Server that speaks like S3 [default: Amazon's].
    #[arg(
        long = "files-endpoint",
        env = "ROUTE_HUB_FILES_ENDPOINT",
        value_name = "URL",
        value_parser = web_address
    )]
    pub endpoint: Option<String>,
    /// Region of the bucket [default: us-east-1].
    #[arg(
        long = "files-region",
        env = "ROUTE_HUB_FILES_REGION",
        value_name = "NAME"
    )]
    pub region: Option<String>,
    /// Name the bucket in the path of a URL, not in its host: most servers but Amazon's need it.
    #[arg(long = "files-path-style", env = "ROUTE_HUB_FILES_PATH_STYLE", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub path_style: Option<bool>,
    /// Access key of the bucket; its secret comes from --files-secret-key-file or from the variable
    /// ROUTE_HUB_FILES_SECRET_KEY [default: the variables of Amazon's tools, else the machine's own].
    #[arg(
        long = "files-access-key",
        env = "ROUTE_HUB_FILES_ACCESS_KEY",
        hide_env_values = true,
        value_name = "KEY",
        value_parser = secret
    )]
    pub access_key: Option<Secret>,
    /// File whose first line is the secret of the access key.
    #[arg(
        long = "files-secret-key-file",
        env = "ROUTE_HUB_FILES_SECRET_KEY_FILE",
        value_name = "FILE"
    )]
    pub secret_key_file: Option<PathBuf>,
    /// Once, after the files were moved, or the folder was lost: take this place for the hub's files,
    /// whatever the hub knows of an earlier one.
    #[arg(long = "files-here")]
    pub here: bool,
}

impl FileSettings {
    /// Returns where files are, for a hub with this data folder.
    ///
    /// # Errors
    /// When the folder cannot be used, or a setting makes no sense.
    pub fn place(&self, data_folder: &Path) -> Result<FilePlace, CommandError> {
        let failed = |error: hub_media::BlobError| CommandError::of("--files", &error);
        let (blobs, bucket) = match folder_of_files(self.at.as_deref(), data_folder) {
            None => {
                let bucket = self.bucket(self.at.as_deref().unwrap_or_default())?;
                let prefix = bucket.prefix.trim_matches('/');
                let url = format!("{S3_SCHEME}{}/{prefix}", bucket.bucket);
                (Blobs::in_s3(&bucket), Some(url))
            }
            Some(folder) => {
                self.refuse_without_bucket()?;
                if self.at.is_none() {
                    owner::refuse_root(data_folder)?;
                }
                (Blobs::in_folder(&folder), None)
            }
        };
        Ok(FilePlace {
            blobs: blobs.map_err(failed)?,
            bucket,
            shared: self.shared.unwrap_or(false),
            here: self.here,
        })
    }

    /// Returns the bucket, of which nothing is asked yet; `None` where files are in a folder.
    ///
    /// # Errors
    /// When a setting makes no sense.
    pub(crate) fn in_bucket(&self) -> Result<Option<Blobs>, CommandError> {
        let Some(url) = self.at.as_deref().filter(|at| at.starts_with(S3_SCHEME)) else {
            self.refuse_without_bucket()?;
            return Ok(None);
        };
        let blobs = Blobs::in_s3(&self.bucket(url)?);
        let failed = |error| CommandError::of("--files", &error);
        Ok(Some(blobs.map_err(failed)?))
    }

    fn refuse_without_bucket(&self) -> Result<(), CommandError> {
        let given = [
            ("--files-endpoint", self.endpoint.is_some()),
            ("--files-region", self.region.is_some()),
            ("--files-path-style", self.path_style.is_some()),
            ("--files-access-key", self.access_key.is_some()),
            ("--files-secret-key-file", self.secret_key_file.is_some()),
        ];
        none_given("--files s3://BUCKET", &given)
    }

    fn bucket(&self, url: &str) -> Result<S3, CommandError> {
        if self.shared == Some(true) {
            let text = "--files-shared is for a folder: every hub sees a bucket anyway";
            return Err(CommandError::new(text));
        }
        let path = url.trim_start_matches(S3_SCHEME);
        let (bucket, prefix) = path.split_once('/').unwrap_or((path, ""));
        if bucket.is_empty() {
            return Err(CommandError::new(
                "--files: s3:// needs the name of a bucket",
            ));
        }
        Ok(S3 {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            region: self
                .region
                .clone()
                .unwrap_or_else(|| REGION_DEFAULT.to_owned()),
            endpoint: self.endpoint.clone(),
            path_style: self.path_style.unwrap_or(false),
            keys: self.keys()?,
        })
    }

    fn keys(&self) -> Result<Option<(String, String)>, CommandError> {
        let secret = match &self.secret_key_file {
            Some(file) => first_line("--files-secret-key-file", file)?,
            None => environment::variable(SECRET_VARIABLE),
        };
        match (&self.access_key, secret) {
            (Some(key), Some(secret)) => Ok(Some((key.as_str().to_owned(), secret))),
            (None, None) => Ok(None),
            (Some(_), None) => Err(CommandError::new(
                "--files-access-key needs its secret: --files-secret-key-file",
            )),
            (None, Some(_)) => Err(CommandError::new(
                "the secret key of the files needs --files-access-key",
            )),
        }
    }
}

/// Reads where files are.
pub(crate) fn place(text: &str) -> Result<String, String> {
    if text.contains("://") && !text.starts_with(S3_SCHEME) {
        return Err("must be a folder, or a bucket: s3://BUCKET/PREFIX".to_owned());
    }
    Ok(text.to_owned())
}

/// Returns the folder of files that a setting names, for a hub with this data folder; `None` where they
/// are in a bucket.
pub(crate) fn folder_of_files(at: Option<&str>, data_folder: &Path) -> Option<PathBuf> {
    match at {
        Some(url) if url.starts_with(S3_SCHEME) => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(data_folder.join(FOLDER_DEFAULT)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(settings: FileSettings) -> String {
        let dir = tempfile::tempdir().unwrap();
        settings.place(dir.path()).unwrap_err().to_string()
    }

    fn at(place: &str) -> FileSettings {
        FileSettings {
            at: Some(place.to_owned()),
            ..FileSettings::default()
        }
    }

    #[test]
    fn files_are_in_the_data_folder_unless_somebody_says_where() {
        let dir = tempfile::tempdir().unwrap();
        let place = FileSettings::default().place(dir.path()).unwrap();
        assert_eq!(place.blobs.folder(), Some(&*dir.path().join("files")));
        let own = dir.path().join("own");
        let place = at(own.to_str().unwrap()).place(dir.path()).unwrap();
        assert_eq!(place.blobs.folder(), Some(&*own));
        for same in ["s3://bucket/hub", "s3://bucket/hub/"] {
            let place = at(same).place(dir.path()).unwrap();
            assert_eq!(place.blobs.folder(), None);
            assert_eq!(place.bucket.as_deref(), Some("s3://bucket/hub"));
        }
    }

    #[test]
    fn files_are_in_a_folder_or_in_a_bucket() {
        assert!(place("/srv/files").is_ok() && place("s3://bucket").is_ok());
        assert!(place("gs://bucket").unwrap_err().contains("s3://BUCKET"));
    }

    #[test]
    fn settings_that_do_not_go_together_are_named() {
        let endpoint = FileSettings {
            endpoint: Some("http://127.0.0.1:1".to_owned()),
            ..FileSettings::default()
        };
        assert!(refused(endpoint).contains("--files s3://BUCKET"));
        assert!(refused(at("s3://")).contains("name of a bucket"));
        let shared = FileSettings {
            shared: Some(true),
            ..at("s3://bucket")
        };
        assert!(refused(shared).contains("--files-shared"));
        let half = FileSettings {
            access_key: Some(Secret::new("key")),
            ..at("s3://bucket")
        };
        assert!(refused(half).contains("--files-secret-key-file"));
    }
}
