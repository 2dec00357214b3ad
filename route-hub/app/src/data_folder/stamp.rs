//! A moment in the names of files.

use hub_domain::utc_text;
use postrider_model::UnixMs;

/// Writes a moment as `20260131T235959Z`.
pub fn stamp(now: UnixMs) -> String {
    let text = utc_text(now.seconds()).unwrap_or_default();
    text.replace(['-', ':'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc() {
        assert_eq!(stamp(UnixMs(1_700_000_000_999)), "20231114T221320Z");
    }
}
