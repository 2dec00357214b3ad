//! Whether the machine's clock is kept by time servers, as Linux with systemd tells it.

use super::finding::Finding;
use std::path::Path;
use std::process::{Command, Stdio};

/// What systemd's own time service touches when it has set the clock.
const TOUCHED: &str = "/run/systemd/timesync/synchronized";
const TO_DO: &str = "Times of messages, schedules and certificates follow it: install a time service \
                     (systemd-timesyncd or chrony), and look with `timedatectl`";

/// Looks who keeps the clock.
pub(super) fn look() -> Finding {
    if Path::new(TOUCHED).exists() {
        return judge(Some("yes"));
    }
    judge(kernel().as_deref())
}

/// Returns what the kernel knows, whichever service sets the clock.
fn kernel() -> Option<String> {
    let asked = Command::new("timedatectl")
        .args(["show", "--property=NTPSynchronized", "--value"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let answer = asked.ok().filter(|answer| answer.status.success())?;
    Some(String::from_utf8(answer.stdout).ok()?.trim().to_owned())
}

fn judge(said: Option<&str>) -> Finding {
    match said {
        Some("yes") => Finding::good("synchronized"),
        Some("no") => Finding::doubtful("not synchronized", TO_DO),
        _ => Finding::doubtful(
            "nobody here knows whether it is synchronized",
            "In a container, look on its machine, with `timedatectl`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn only_a_clock_that_is_kept_is_good() {
        let said = [Some("yes"), Some("no"), Some(""), None];
        let verdicts = said.map(|said| judge(said).verdict);
        use Verdict::{Doubtful, Good};
        assert_eq!(verdicts, [Good, Doubtful, Doubtful, Doubtful]);
    }
}
