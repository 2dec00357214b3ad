//! The folder of files beside a backup: what the backup's database names is carried, and what is missing
//! is told.

use hub_app::data_folder::error::CommandError;
use hub_media::{BlobName, copy_blob, copy_mark};
use hub_store::backup;
use postrider_model::FileId;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// What the folder beside a backup is called: the backup's name without `.db`, and this.
const END: &str = "files";
/// Most missing files that are named for people.
const NAMED_MAX: usize = 10;

/// What became of the files.
#[derive(Debug, Default)]
pub(super) struct Carried {
    count: usize,
    bytes: u64,
    missing: Vec<FileId>,
}

/// Returns the folder beside a backup.
pub(super) fn beside(backup: &Path) -> PathBuf {
    backup.with_extension(END)
}

/// Carries the files that a database names from one folder to another.
///
/// # Errors
/// When a folder or the database cannot be used.
pub(super) fn carry(database: &Path, from: &Path, to: &Path) -> Result<Carried, CommandError> {
    let failed = |error: std::io::Error| CommandError::of(to.display(), &error);
    let mut carried = Carried::default();
    for (id, has_thumbnail) in backup::files(database)? {
        let blob = |name| BlobName::new(name).map(|name| copy_blob(from, to, &name));
        match blob(id.to_string()).transpose().map_err(failed)?.flatten() {
            Some(bytes) => {
                carried.count += 1;
                carried.bytes += bytes;
            }
            None => carried.missing.push(id),
        }
        if has_thumbnail {
            blob(format!("{id}.thumbnail"))
                .transpose()
                .map_err(failed)?;
        }
    }
    if carried.count > 0 {
        copy_mark(from, to).map_err(failed)?;
    }
    Ok(carried)
}

impl Carried {
    /// Shows them to programs.
    pub(super) fn to_json(&self) -> Json {
        json!({ "count": self.count, "bytes": self.bytes, "missing": self.missing })
    }

    /// Shows them to people; nothing where there are none.
    pub(super) fn in_words(&self) -> String {
        let Self { count, missing, .. } = self;
        let mut text = match (count, missing.len()) {
            (0, 0) => return String::new(),
            (_, 0) => format!("{count} files with it"),
            (_, gone) => format!("{count} files with it; {gone} are missing"),
        };
        for (place, id) in missing.iter().take(NAMED_MAX).enumerate() {
            text.push_str(if place == 0 { ": " } else { ", " });
            text.push_str(&id.to_string());
        }
        if missing.len() > NAMED_MAX {
            text.push_str(", and more (--json names all)");
        }
        text
    }
}
