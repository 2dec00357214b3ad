//! A moment in the names of files.

use jiff::Timestamp;
use postrider_model::UnixMs;

/// Writes a moment as `20260131T235959Z`.
pub(super) fn stamp(now: UnixMs) -> String {
    let moment = Timestamp::from_millisecond(now.0).unwrap_or_default();
    moment.strftime("%Y%m%dT%H%M%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc() {
        assert_eq!(stamp(UnixMs(1_700_000_000_999)), "20231114T221320Z");
    }
}
