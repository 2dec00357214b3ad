//! Memory: what there is for the hub, against what it may hold by its settings.

use super::finding::{Finding, readable};
use std::fs;
use std::path::Path;

const MIB: u64 = 1 << 20;
/// The program itself, and strangers' bodies under way.
const PROGRAM_BYTES: u64 = 64 * MIB + 32 * MIB;
/// The page caches of the file's connections: one that writes, four that read.
const CACHE_BYTES: u64 = 16 * MIB + 4 * 32 * MIB;
/// A connection with TLS.
const CONNECTION_BYTES: u64 = 22 << 10;

/// What there is, and what it is for.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// What the hub may use at most; `None`: nobody says.
    bytes: Option<u64>,
    is_file: bool,
    /// Most connections of one project.
    connections: u64,
}

/// Looks at the machine, and at the limit of the group that this process is in.
pub(super) fn look(is_file: bool, project_connections: usize) -> Finding {
    let read = |path: &Path| fs::read_to_string(path).ok();
    let of_machine = read(Path::new("/proc/meminfo")).and_then(|text| total(&text));
    let group = read(Path::new("/proc/self/cgroup")).unwrap_or_default();
    let limits = limit_files(&group).into_iter();
    let of_groups = limits.filter_map(|path| read(Path::new(&path))?.trim().parse().ok());
    judge(Seen {
        bytes: of_groups.chain(of_machine).min(),
        is_file,
        connections: project_connections as u64,
    })
}

/// Reads the total of `/proc/meminfo`.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}

/// Returns where the limits of a group and of those around it stand, by `/proc/self/cgroup`.
fn limit_files(group: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in group.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(kinds), Some(path)) = (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let (root, name) = match kinds {
            "" => ("/sys/fs/cgroup", "memory.max"),
            kinds if kinds.split(',').any(|kind| kind == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let ancestors = Path::new(path).ancestors();
        files.extend(ancestors.map(|group| {
            let group = group.to_string_lossy();
            format!("{root}{}/{name}", group.trim_end_matches('/'))
        }));
    }
    files
}

fn judge(seen: Seen) -> Finding {
    let Some(bytes) = seen.bytes else {
        return Finding::doubtful(
            "nobody here knows how much there is",
            "A hub needs some 300 MB, and 22 kB for each connection",
        );
    };
    let caches = if seen.is_file { CACHE_BYTES } else { 0 };
    let own = PROGRAM_BYTES + caches;
    let needed = own + seen.connections * CONNECTION_BYTES;
    let (there, own_text, connections) = (readable(bytes), readable(own), seen.connections);
    if bytes < own {
        return Finding::bad(
            format!("{there}, and a hub may hold {own_text} without any connection"),
            "Give it more memory",
        );
    }
    if bytes < needed {
        let fit = (bytes - own) / CONNECTION_BYTES;
        return Finding::doubtful(
            format!("{there}: room for {fit} connections, and a project may have {connections}"),
            "Give it more memory, or lower --project-connections",
        );
    }
    let needed = readable(needed);
    Finding::good(format!(
        "{there}; a hub may hold {needed} with {connections} connections"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn there_is_to_be_room_for_the_hub_and_its_connections() {
        let verdict = |mib: Option<u64>, is_file, connections| {
            let bytes = mib.map(|mib| mib * MIB);
            let seen = Seen {
                bytes,
                is_file,
                connections,
            };
            judge(seen).verdict
        };
        use Verdict::{Bad, Doubtful, Good};
        for (mib, is_file, connections, expected) in [
            (Some(128), true, 10, Bad),
            (Some(128), false, 10, Good),
            (Some(256), true, 10_000, Doubtful),
            (Some(256), true, 500, Good),
            (Some(1_000), true, 10_000, Good),
            (None, true, 10, Doubtful),
        ] {
            assert_eq!(verdict(mib, is_file, connections), expected, "{mib:?}");
        }
    }

    #[test]
    fn the_limits_are_found_in_either_kind_of_group_and_around_it() {
        assert_eq!(
            limit_files("0::/system.slice/hub.service\n"),
            [
                "/sys/fs/cgroup/system.slice/hub.service/memory.max",
                "/sys/fs/cgroup/system.slice/memory.max",
                "/sys/fs/cgroup/memory.max",
            ]
        );
        let first = "3:cpu,memory:/docker/a\n2:pids:/docker/a\nbroken\n";
        let expected = "/sys/fs/cgroup/memory/docker/a/memory.limit_in_bytes";
        assert_eq!(limit_files(first)[0], expected);
        assert_eq!(limit_files(first).len(), 3);
        assert_eq!(total("MemFree: 1 kB\nMemTotal:   2048 kB\n"), Some(2 * MIB));
        assert_eq!(total("MemTotal: many\n"), None);
    }
}
