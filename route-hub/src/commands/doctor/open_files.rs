//! The limit of open files, which is that of connections.

use super::finding::Finding;
use hub_web::front::connections;
use rustix::process::{Resource, getrlimit};
use std::fs;

/// The line of `/proc/PID/limits`.
const LINE: &str = "Max open files";
/// With fewer files a hub is of no use.
const BAD_FILES: usize = 256;
const TO_DO: &str = "Raise it: `LimitNOFILE=65536` in the unit, `ulimit -n 65536` in a shell";

/// Looks at the limit of the process that serves, else at this one's own.
pub(super) fn look(serving: Option<u32>, project_connections: usize) -> Finding {
    let limits = serving.and_then(|pid| fs::read_to_string(format!("/proc/{pid}/limits")).ok());
    match limits.as_deref().and_then(soft_limit) {
        Some(files) => judge(files, "the hub", project_connections),
        None => {
            let files = getrlimit(Resource::Nofile).current;
            let files = files.and_then(|files| usize::try_from(files).ok());
            judge(
                files.unwrap_or(usize::MAX),
                "this shell",
                project_connections,
            )
        }
    }
}

fn soft_limit(limits: &str) -> Option<usize> {
    let line = limits.lines().find_map(|line| line.strip_prefix(LINE))?;
    let soft = line.split_whitespace().next()?;
    Some(soft.parse().unwrap_or(usize::MAX))
}

fn judge(files: usize, whose: &str, project_connections: usize) -> Finding {
    let room = connections(files);
    let says = match files {
        usize::MAX => format!("{whose} may open any number"),
        files => format!("{whose} may open {files}, so {room} connections"),
    };
    if files < BAD_FILES {
        Finding::bad(says, TO_DO)
    } else if room < project_connections {
        let says = format!("{says}; a project may have {project_connections}");
        Finding::doubtful(says, TO_DO)
    } else {
        Finding::good(says)
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn the_limit_is_to_hold_the_connections_of_a_project() {
        let verdict = |files| judge(files, "the hub", 10_000).verdict;
        use Verdict::{Bad, Doubtful, Good};
        let verdicts = [255, 256, 1_024, 10_511, 10_512, usize::MAX].map(verdict);
        assert_eq!(verdicts, [Bad, Doubtful, Doubtful, Doubtful, Good, Good]);
    }

    #[test]
    fn the_limit_of_another_process_is_read() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             100                  100                  processes \n\
                      Max open files            1024                 524288               files     \n";
        assert_eq!(soft_limit(limits), Some(1_024));
        let any = "Max open files            unlimited            unlimited            files\n";
        assert_eq!(soft_limit(any), Some(usize::MAX));
        assert_eq!(soft_limit(""), None);
        assert!(soft_limit(&fs::read_to_string("/proc/self/limits").unwrap()).is_some());
    }
}
