//! Limits of what a phone says of itself, so that rows stay small whatever it says.

/// The longest text that is kept of a phone's description of itself, in characters; no real phone has
/// a longer one.
const TEXT_CHARS_MAX: usize = 100;
/// Most digits of a network's code: three of its country, three of its own.
const NETWORK_DIGITS_MAX: usize = 6;

/// Returns the beginning of a text, without control characters.
pub(crate) fn clipped(text: &str) -> String {
    let shown = text.chars().filter(|letter| !letter.is_control());
    shown.take(TEXT_CHARS_MAX).collect()
}

/// Says whether a text can be a network's code.
pub(crate) fn is_network(code: &str) -> bool {
    let digits = code.bytes().all(|digit| digit.is_ascii_digit());
    digits && !code.is_empty() && code.len() <= NETWORK_DIGITS_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning() {
        assert_eq!(clipped("Pixel\u{7} 8"), "Pixel 8");
        assert_eq!(clipped(&"ü".repeat(5_000)), "ü".repeat(100));
    }

    #[test]
    fn a_network_is_a_few_digits() {
        assert!(is_network("63902") && is_network("310260"));
        for none in ["", "3102600", "63a02", "six"] {
            assert!(!is_network(none), "{none}");
        }
    }
}
