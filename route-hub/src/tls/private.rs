//! Files of the data folder that its owner alone may read.

use crate::tls::TlsError;
use hub_app::data_folder;
use hub_app::data_folder::replacement::sync_folder;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// Makes a folder unless it is there.
pub(super) fn folder(path: &Path) -> Result<(), TlsError> {
    data_folder::make(path).map_err(|error| TlsError::file(path, &error))
}

/// Says whether a file is there.
pub(super) fn is_there(path: &Path) -> Result<bool, TlsError> {
    path.try_exists()
        .map_err(|error| TlsError::file(path, &error))
}

/// Writes a file in place of an earlier one: after a crash the old text is there or the new.
pub(super) fn write(path: &Path, text: &str) -> Result<(), TlsError> {
    replace(path, text).map_err(|error| TlsError::file(path, &error))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_added_extension("new");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_is_replaced_whole_and_is_its_owners_alone() {
        let dir = tempfile::tempdir().unwrap();
        let own = dir.path().join("own");
        folder(&own).unwrap();
        folder(&own).unwrap();
        let path = own.join("hub.example.pem");
        for text in ["a longer text", "new"] {
            write(&path, text).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(&own), mode(&path)], [0o700, 0o600]);
        assert_eq!(fs::read_dir(&own).unwrap().count(), 1);
    }
}
