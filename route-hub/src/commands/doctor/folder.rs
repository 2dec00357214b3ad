//! The data folder: whose it is, who may look into it, how much room it has, and on what it lies.

use super::finding::{Finding, readable};
use hub_app::data_folder::database;
use rustix::fs::{Access, access, statvfs};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Rights of anybody but the owner.
const OF_OTHERS: u32 = 0o077;
/// With less a hub cannot make its log.
const BAD_ROOM_BYTES: u64 = 200_000_000;
const GOOD_ROOM_BYTES: u64 = 1_000_000_000;

/// What a folder lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Disk {
    Own,
    /// Locks and shared memory of SQLite do not hold over a network.
    Network,
    /// Gone when the machine starts again.
    Memory,
    /// Gone with its container.
    Container,
}

/// What is seen of a folder.
#[derive(Debug, Clone)]
struct Seen {
    is_ones_own: bool,
    mode: u32,
    is_writable: bool,
    room_bytes: u64,
    /// What a copy of the database needs.
    database_bytes: u64,
    disk: Disk,
    /// The kind of file system.
    kind: String,
}

/// Looks at the folder.
pub(super) fn look(folder: &Path) -> Vec<Finding> {
    let Ok(found) = fs::metadata(folder) else {
        return vec![Finding::bad(
            format!("{} is missing", folder.display()),
            "Is its disk mounted? `route-hub migrate` makes a new one",
        )];
    };
    if !found.is_dir() {
        return vec![Finding::bad(
            format!("{} is no folder", folder.display()),
            "Name another one with --dir",
        )];
    }
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let whole = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let kind = kind_at(&mounts, &whole).unwrap_or_default().to_owned();
    let room = statvfs(folder).map(|found| found.f_bavail.saturating_mul(found.f_frsize));
    let user = rustix::process::geteuid();
    let seen = Seen {
        is_ones_own: found.uid() == user.as_raw(),
        mode: found.permissions().mode(),
        is_writable: access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok(),
        room_bytes: room.unwrap_or(u64::MAX),
        database_bytes: fs::metadata(database(folder)).map_or(0, |file| file.len()),
        disk: disk(&kind),
        kind,
    };
    judge(folder, &seen)
}

/// Returns the kind of file system that a path lies on, by `/proc/self/mounts`.
fn kind_at<'m>(mounts: &'m str, path: &Path) -> Option<&'m str> {
    let mut best: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let mut fields = line.split(' ');
        let (Some(_), Some(place), Some(kind)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let place = place.replace("\\040", " ");
        // Of two mounts at one place the later one is seen.
        if path.starts_with(&place) && best.is_none_or(|(length, _)| place.len() >= length) {
            best = Some((place.len(), kind));
        }
    }
    best.map(|(_, kind)| kind)
}

fn disk(kind: &str) -> Disk {
    match kind {
        "tmpfs" | "ramfs" => Disk::Memory,
        "overlay" | "aufs" => Disk::Container,
        "9p" | "afs" | "ceph" | "cifs" | "glusterfs" | "lustre" | "nfs" | "nfs4" | "smb3"
        | "smbfs" => Disk::Network,
        kind if kind.starts_with("fuse.") => Disk::Network,
        _ => Disk::Own,
    }
}

fn judge(folder: &Path, seen: &Seen) -> Vec<Finding> {
    let folder = folder.display();
    let mut found = Vec::new();
    if !seen.is_writable {
        found.push(Finding::bad(
            format!("{folder} cannot be written by this user"),
            "Run this as the user of the hub, or give the folder to it: `chown -R USER`",
        ));
    } else if !seen.is_ones_own {
        found.push(Finding::doubtful(
            format!("{folder} is another user's"),
            "Run this as the user whose it is",
        ));
    }
    if seen.mode & OF_OTHERS != 0 {
        found.push(Finding::doubtful(
            format!(
                "{folder} is open to other users (mode {:o})",
                seen.mode & 0o777
            ),
            format!("It holds messages and secrets: `chmod 700 {folder}`"),
        ));
    }
    let room = readable(seen.room_bytes);
    if seen.room_bytes < BAD_ROOM_BYTES {
        found.push(Finding::bad(
            format!("{folder} has {room} free"),
            "Make room",
        ));
    } else if seen.room_bytes < GOOD_ROOM_BYTES.max(seen.database_bytes) {
        found.push(Finding::doubtful(
            format!("{folder} has {room} free"),
            "Make room: an upgrade copies the database there first",
        ));
    }
    let kind = &seen.kind;
    match seen.disk {
        Disk::Own => {}
        Disk::Network => found.push(Finding::bad(
            format!("{folder} lies on a network file system ({kind})"),
            "SQLite's locks do not hold there: use a disk of this machine, or PostgreSQL",
        )),
        Disk::Memory => found.push(Finding::doubtful(
            format!("{folder} lies in memory ({kind})"),
            "All is gone when the machine stops: use a disk",
        )),
        Disk::Container => found.push(Finding::doubtful(
            format!("{folder} lies in the container itself ({kind})"),
            "All is gone with the container: mount a volume there",
        )),
    }
    if found.is_empty() {
        found.push(Finding::good(format!("{folder} has {room} free")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    type Case = (fn(&mut Seen), Verdict, &'static str);

    fn good() -> Seen {
        Seen {
            is_ones_own: true,
            mode: 0o40_700,
            is_writable: true,
            room_bytes: 5_000_000_000,
            database_bytes: 1_000_000,
            disk: Disk::Own,
            kind: "ext4".to_owned(),
        }
    }

    #[test]
    fn each_fault_of_a_folder_has_a_line_of_its_own() {
        use Verdict::{Bad, Doubtful, Good};
        let cases: [Case; 10] = [
            (|_| {}, Good, "free"),
            (|it| it.is_writable = false, Bad, "cannot be written"),
            (|it| it.is_ones_own = false, Doubtful, "another user's"),
            (|it| it.mode = 0o40_750, Doubtful, "mode 750"),
            (|it| it.room_bytes = 199_999_999, Bad, "199 MB free"),
            (|it| it.room_bytes = 999_999_999, Doubtful, "999 MB free"),
            (|it| it.database_bytes = 6_000_000_000, Doubtful, "free"),
            (|it| it.disk = Disk::Network, Bad, "network"),
            (|it| it.disk = Disk::Memory, Doubtful, "in memory"),
            (|it| it.disk = Disk::Container, Doubtful, "container"),
        ];
        for (change, verdict, words) in cases {
            let mut seen = good();
            change(&mut seen);
            let found = judge(Path::new("data"), &seen);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].verdict, verdict, "{found:?}");
            assert!(found[0].says.contains(words), "{found:?}");
        }
        let mut seen = good();
        (seen.mode, seen.room_bytes) = (0o40_777, 0);
        assert_eq!(judge(Path::new("data"), &seen).len(), 2);
    }

    #[test]
    fn a_folder_lies_on_the_deepest_mount() {
        let mounts = "/dev/sda1 / ext4 rw 0 0\nbroken\ntmpfs /var tmpfs rw 0 0\n\
                      nas:/x /var/lib/my\\040hub nfs4 rw 0 0\n/dev/sdb1 /var/lib/over ext4 rw 0 0\n\
                      none /var/lib/over overlay rw 0 0\n";
        for (path, kind) in [
            ("/home/hub", "ext4"),
            ("/var/lib", "tmpfs"),
            ("/variety", "ext4"),
            ("/var/lib/my hub/data", "nfs4"),
            ("/var/lib/over/hub", "overlay"),
        ] {
            assert_eq!(kind_at(mounts, Path::new(path)), Some(kind), "{path}");
        }
        assert_eq!(kind_at("", Path::new("/")), None);
        let kinds = [
            "nfs",
            "fuse.sshfs",
            "tmpfs",
            "overlay",
            "fuseblk",
            "xfs",
            "",
        ]
        .map(disk);
        use Disk::{Container, Memory, Network, Own};
        assert_eq!(kinds, [Network, Network, Memory, Container, Own, Own, Own]);
    }

    #[test]
    fn a_missing_folder_and_a_file_are_bad() {
        let dir = tempfile::tempdir().unwrap();
        let missing = look(&dir.path().join("missing"));
        assert_eq!(missing[0].verdict, Verdict::Bad);
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(look(&file)[0].says.contains("no folder"));
    }
}
