//! What a process uses, from `/proc`.

use crate::{Failure, load::Beside};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// The unit of processor time in `/proc`, which is the same on every Linux.
const TICKS_PER_S: f64 = 100.0;
/// How often anonymous memory is looked at: the system keeps no peak of it.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Returns the processor time that a process has used.
pub(crate) fn cpu_s(pid: u32) -> Result<f64, Failure> {
    time_s(pid, 2)
}

/// Returns the processor time that a process and its children have used, those that have ended, too.
pub(crate) fn cpu_with_children_s(pid: u32) -> Result<f64, Failure> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))?;
    let children = children
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok());
    // One that ends meanwhile is counted with its parent the next time.
    let used = children.map(|child| cpu_s(child).unwrap_or(0.0));
    Ok(used.sum::<f64>() + time_s(pid, 4)?)
}

/// Adds up its own time in user and system mode, and that of children that have ended.
fn time_s(pid: u32, fields: usize) -> Result<f64, Failure> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name in brackets may hold spaces; the fields are counted after it.
    let after = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after.split_whitespace().skip(11).take(fields);
    let ticks = ticks.map(str::parse::<f64>).sum::<Result<f64, _>>()?;
    Ok(ticks / TICKS_PER_S)
}

/// Returns the memory that a process holds.
pub(crate) fn memory_mib(pid: u32) -> Result<f64, Failure> {
    of_status_mib(pid, "VmRSS:")
}

/// Returns the most memory that a process has held.
pub(crate) fn peak_memory_mib(pid: u32) -> Result<f64, Failure> {
    of_status_mib(pid, "VmHWM:")
}

/// Returns the memory that a process holds of its own: no mapped file stands behind it.
pub(crate) fn anonymous_mib(pid: u32) -> Result<f64, Failure> {
    of_status_mib(pid, "RssAnon:")
}

/// Watches how much anonymous memory a process holds at its most.
pub(crate) struct AnonymousPeak {
    most_kib: Arc<AtomicU64>,
    watching: Beside,
}

impl AnonymousPeak {
    /// Starts to watch.
    pub(crate) fn watch(pid: u32) -> Self {
        let most_kib = Arc::new(AtomicU64::new(0));
        let most = Arc::clone(&most_kib);
        let watching = Beside::start(async move |over| {
            loop {
                let is_last = over.is_over();
                most.fetch_max(of_status_kib(pid, "RssAnon:")?, Ordering::Relaxed);
                if is_last {
                    return Ok(());
                }
                tokio::time::sleep(LOOK_EVERY).await;
            }
        });
        Self { most_kib, watching }
    }

    /// Ends the watch and returns the most that was seen.
    pub(crate) fn end_mib(self) -> Result<f64, Failure> {
        self.watching.end()?;
        Ok(self.most_kib.load(Ordering::Relaxed) as f64 / 1024.0)
    }
}

fn of_status_mib(pid: u32, name: &str) -> Result<f64, Failure> {
    Ok(of_status_kib(pid, name)? as f64 / 1024.0)
}

fn of_status_kib(pid: u32, name: &str) -> Result<u64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.split_whitespace().next());
    Ok(kib.ok_or("the memory of a process is not known")?.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_used_time_and_memory() {
        let pid = std::process::id();
        assert!(cpu_s(pid).unwrap() >= 0.0);
        assert!(memory_mib(pid).unwrap() > 1.0);
        assert!(peak_memory_mib(pid).unwrap() >= 1.0);
        assert!(anonymous_mib(pid).unwrap() > 0.0);
    }

    #[test]
    fn the_most_of_its_own_memory_is_seen_until_the_end() {
        let peak = AnonymousPeak::watch(std::process::id());
        // Not zero: pages of zeros would take no memory.
        let held = std::hint::black_box(vec![1_u8; 64 << 20]);
        let most = peak.end_mib().unwrap();
        assert!(most > 60.0, "{most}");
        drop(held);
    }
}
