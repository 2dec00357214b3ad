//! Names that people give to things.

use thiserror::Error;

/// Most characters of a name.
pub const NAME_LENGTH_MAX: usize = 127;

/// A name is empty or too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a name has 1 to {NAME_LENGTH_MAX} characters")]
pub struct InvalidName;

/// Returns a name without the space around it.
///
/// # Errors
/// When nothing is left, or too much.
pub fn name(text: &str) -> Result<String, InvalidName> {
    let text = text.trim();
    match text.chars().count() {
        1..=NAME_LENGTH_MAX => Ok(text.to_owned()),
        _ => Err(InvalidName),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_something_and_is_no_longer_than_it_may_be() {
        assert_eq!(name("  Front desk "), Ok("Front desk".to_owned()));
        let longest = "é".repeat(NAME_LENGTH_MAX);
        assert_eq!(name(&longest), Ok(longest.clone()));
        for wrong in ["", "  ", &format!("{longest}é")] {
            assert_eq!(name(wrong), Err(InvalidName));
        }
    }
}
