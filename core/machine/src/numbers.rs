//! Whether two spellings of a number mean the same line.

use postrider_link::frame::Address;

/// Last digits in which two long numbers must agree: national and international forms share them.
const LAST_DIGITS: usize = 7;

/// Tells whether two addresses mean one line: the same digits, or the same last seven.
pub(crate) fn is_same_line(one: &Address, other: &Address) -> bool {
    let (one, other) = (digits(one), digits(other));
    if one.is_empty() {
        return false;
    }
    one == other || (last(&one).is_some() && last(&one) == last(&other))
}

fn digits(address: &Address) -> Vec<u8> {
    let bytes = address.as_str().bytes();
    bytes.filter(u8::is_ascii_digit).collect()
}

fn last(digits: &[u8]) -> Option<&[u8]> {
    digits
        .len()
        .checked_sub(LAST_DIGITS)
        .map(|at| &digits[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: &str, other: &str) -> bool {
        is_same_line(&Address::new(one), &Address::new(other))
    }

    #[test]
    fn a_national_form_is_the_same_line() {
        assert!(is_same("+15005550001", "(500) 555-0001"));
        assert!(is_same("+15005550001", "5550001"));
        assert!(!is_same("+15005550001", "+15005550002"));
    }

    #[test]
    fn a_short_code_is_no_end_of_a_long_number() {
        assert!(is_same("611", "611"));
        assert!(!is_same("611", "+15005550611"));
    }

    #[test]
    fn nobody_is_the_same_as_nobody() {
        assert!(!is_same("", ""));
        assert!(!is_same("unknown", "unknown"));
    }
}
