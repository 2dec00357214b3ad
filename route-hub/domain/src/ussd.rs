//! USSD codes.

use crate::Address;
use std::fmt;

/// Most characters of a code: what one request carries (3GPP TS 23.038, 160 octets packed).
pub const CODE_LENGTH_MAX: usize = 182;

/// Says that a text is no USSD code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCode;

impl fmt::Display for InvalidCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a USSD code: * or #, then digits, * and #, and # at the end")
    }
}

impl std::error::Error for InvalidCode {}

/// Reads a USSD code: `*` or `#`, at least one digit, `*` or `#`, and `#` at the end.
///
/// A phone dials anything else as a voice call, so nothing else goes out.
///
/// # Errors
/// [`InvalidCode`].
pub fn read(text: &str) -> Result<Address, InvalidCode> {
    let text = text.trim();
    let inside = text
        .strip_prefix(['*', '#'])
        .and_then(|rest| rest.strip_suffix('#'))
        .ok_or(InvalidCode)?;
    let is_dialled = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'*' | b'#');
    if inside.is_empty() || !inside.bytes().all(is_dialled) || text.len() > CODE_LENGTH_MAX {
        return Err(InvalidCode);
    }
    Address::new(text).ok_or(InvalidCode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_are_dialled() {
        for code in ["*100#", "#31#", "*123*1*2#", "**21*15005550100#", " *100# "] {
            assert_eq!(read(code).unwrap().as_str(), code.trim());
        }
        for call in [
            "",
            "*#",
            "*100",
            "100#",
            "+15005550100",
            "*10 0#",
            "*1a#",
            "*１#",
        ] {
            assert_eq!(read(call), Err(InvalidCode), "{call}");
        }
        assert_eq!(read(&format!("*{}#", "1".repeat(200))), Err(InvalidCode));
    }
}
