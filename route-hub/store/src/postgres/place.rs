//! Where a process runs, so that one that starts later on the same machine sees that it has ended.

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use std::fs;

/// A process of a machine that has not been restarted since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    machine: String,
    pid: i32,
}

impl Place {
    /// Returns this process's own; `None` where the system does not tell.
    pub(crate) fn own() -> Option<Self> {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        // Each container counts its processes for itself.
        let numbers = fs::read_link("/proc/self/ns/pid").ok()?;
        Some(Self {
            machine: format!("{} {}", boot.trim(), numbers.display()),
            pid: rustix::process::getpid().as_raw_nonzero().get(),
        })
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        let (machine, pid) = text.rsplit_once('/')?;
        let (machine, pid) = (machine.to_owned(), pid.parse().ok()?);
        Some(Self { machine, pid })
    }

    pub(crate) fn to_text(&self) -> String {
        format!("{}/{}", self.machine, self.pid)
    }

    /// Says whether the process that ran here has ended for certain, as seen from another place. A number
    /// that a new process has may be the old one's, and counts as that.
    pub(crate) fn has_ended(&self, seen_from: &Self) -> bool {
        let Some(pid) = Pid::from_raw(self.pid) else {
            return false;
        };
        self.machine == seen_from.machine && test_kill_process(pid) == Err(Errno::SRCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Returns the place of a process that has just ended.
    fn ended() -> Place {
        let mut child = Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        Place {
            pid,
            ..Place::own().unwrap()
        }
    }

    #[test]
    fn only_what_is_gone_from_the_same_machine_has_ended() {
        let own = Place::own().unwrap();
        assert!(!own.has_ended(&own), "it lives");
        assert!(ended().has_ended(&own));
        let elsewhere = Place {
            machine: "another".to_owned(),
            ..ended()
        };
        assert!(!elsewhere.has_ended(&own), "nobody can tell from here");
    }

    #[test]
    fn a_place_is_read_as_it_was_written() {
        let own = Place::own().unwrap();
        assert_eq!(Place::read(&own.to_text()), Some(own));
        assert_eq!(Place::read("nowhere"), None);
    }
}
