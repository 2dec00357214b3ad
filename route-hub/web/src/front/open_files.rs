//! How many connections the system's limit of open files leaves.

use rustix::process::{Resource, getrlimit};

/// Files that the hub needs besides connections: the database's, and those of webhooks under way.
const OTHER_FILES: usize = 512;
/// What is assumed where the system names no limit.
const FILES_UNLIMITED: usize = 1 << 20;

/// Returns how many connections there may be in all.
pub(crate) fn connections_max() -> usize {
    let files = getrlimit(Resource::Nofile).current;
    let files = files.and_then(|files| usize::try_from(files).ok());
    connections(files.unwrap_or(FILES_UNLIMITED))
}

/// Returns how many connections a limit of open files leaves: what the hub needs itself is kept, but never more
/// than half.
pub fn connections(files: usize) -> usize {
    files - OTHER_FILES.min(files / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hub_keeps_files_for_itself() {
        assert_eq!(connections(65_536), 65_024);
        assert_eq!(connections(1_024), 512);
        assert_eq!(connections(256), 128);
        assert!(connections_max() > 0);
    }
}
