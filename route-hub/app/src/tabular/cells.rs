//! Cells that a spreadsheet would run.

use std::borrow::Cow;

/// Most digits of a phone number.
const NUMBER_DIGITS_MAX: usize = 15;
/// What makes a cell a text for a spreadsheet.
const GUARD: char = '\'';

/// Writes a cell so that no spreadsheet runs it: a `'` before what begins as a formula does. A phone number
/// stays as it is.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    if is_run(text.trim_start_matches(GUARD)) && !is_phone_number(text) {
        Cow::Owned(format!("{GUARD}{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Reads a cell as [`guarded`] wrote it.
pub(crate) fn unguarded(text: &str) -> &str {
    match text.strip_prefix(GUARD) {
        Some(rest) if is_run(rest.trim_start_matches(GUARD)) => rest,
        _ => text,
    }
}

fn is_run(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

fn is_phone_number(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        (1..=NUMBER_DIGITS_MAX).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_a_text() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            (
                "=HYPERLINK(\"https://a.example\")",
                "'=HYPERLINK(\"https://a.example\")",
            ),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "'\r=1"),
            ("'=1", "''=1"),
            ("+1 500", "'+1 500"),
            ("+15005550101", "+15005550101"),
            ("'quoted'", "'quoted'"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(guarded(text), cell, "{text:?}");
        }
        assert_eq!(unguarded("'+15005550101"), "+15005550101");
    }

    proptest! {
        #[test]
        fn a_cell_reads_back(text in "[-'=+@\t\r0-9a]{0,6}") {
            let cell = guarded(&text);
            prop_assert_eq!(unguarded(&cell), &text);
        }
    }
}
