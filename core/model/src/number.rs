//! Phone numbers, short codes and alphanumeric senders.

use serde::{Deserialize, Deserializer, Serialize};
use std::{fmt, str::FromStr};

/// Most digits of an international number (ITU-T E.164).
pub(crate) const E164_DIGITS_MAX: usize = 15;
/// Fewest digits that we take for an international number.
pub(crate) const E164_DIGITS_MIN: usize = 7;
/// Most digits of a short code.
pub(crate) const SHORT_CODE_DIGITS_MAX: usize = 8;
/// Most digits of a number as typed, prefix codes included.
pub(crate) const NATIONAL_DIGITS_MAX: usize = 20;
/// Most characters of an alphanumeric sender (3GPP TS 23.040, 9.1.2.5: eleven septets).
pub(crate) const ALPHANUMERIC_LENGTH_MAX: usize = 11;

/// What a [`PhoneNumber`] looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberShape {
    /// `+` and 7 to 15 digits.
    E164,
    /// 2 to 8 digits without a `+`.
    ShortCode,
    /// 9 to 20 digits without a `+`: typed in a national form.
    National,
    /// 1 to 11 characters with a letter among them: a sender that cannot be answered.
    Alphanumeric,
}

/// A checked address of a message: a number as dialled, a short code or an alphanumeric sender.
///
/// Reading a typed number with a region is not done here: this type only promises a shape. It
/// prints masked; `as_str` is the number itself.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PhoneNumber(String);

/// Says why a text cannot be the address of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidNumber {
    /// Nothing but spaces.
    Empty,
    /// More characters than any shape allows.
    TooLong,
    /// Too few digits behind the `+`, or a single digit.
    TooShort,
    /// A character that no shape allows.
    Character,
}

impl fmt::Display for InvalidNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "is empty",
            Self::TooLong => "has too many digits or characters",
            Self::TooShort => "has too few digits",
            Self::Character => {
                "has a character that no phone number, short code or sender name has"
            }
        })
    }
}

impl std::error::Error for InvalidNumber {}

impl PhoneNumber {
    /// Returns the number itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the shape that the number was checked for.
    pub fn shape(&self) -> NumberShape {
        if self.0.starts_with('+') {
            NumberShape::E164
        } else if !self.0.bytes().all(|byte| byte.is_ascii_digit()) {
            NumberShape::Alphanumeric
        } else if self.0.len() <= SHORT_CODE_DIGITS_MAX {
            NumberShape::ShortCode
        } else {
            NumberShape::National
        }
    }

    /// Returns the digits, without a leading `+`; the empty text for an alphanumeric sender.
    pub fn digits(&self) -> &str {
        match self.shape() {
            NumberShape::E164 => &self.0[1..],
            NumberShape::ShortCode | NumberShape::National => &self.0,
            NumberShape::Alphanumeric => "",
        }
    }
}

impl FromStr for PhoneNumber {
    type Err = InvalidNumber;

    fn from_str(text: &str) -> Result<Self, InvalidNumber> {
        let text = text.trim();
        if text.is_empty() {
            return Err(InvalidNumber::Empty);
        }
        if let Some(digits) = text.strip_prefix('+') {
            check_digits(digits, E164_DIGITS_MIN, E164_DIGITS_MAX)?;
        } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
            check_digits(text, 2, NATIONAL_DIGITS_MAX)?;
        } else {
            check_alphanumeric(text)?;
        }
        Ok(Self(text.to_owned()))
    }
}

fn check_digits(digits: &str, min: usize, max: usize) -> Result<(), InvalidNumber> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(InvalidNumber::Character);
    }
    match digits.len() {
        n if n < min => Err(InvalidNumber::TooShort),
        n if n > max => Err(InvalidNumber::TooLong),
        _ => Ok(()),
    }
}

fn check_alphanumeric(text: &str) -> Result<(), InvalidNumber> {
    let allowed = |c: char| !c.is_control() && !matches!(c, '+' | '<' | '>');
    if !text.chars().all(allowed) || !text.chars().any(char::is_alphabetic) {
        return Err(InvalidNumber::Character);
    }
    if text.chars().count() > ALPHANUMERIC_LENGTH_MAX {
        return Err(InvalidNumber::TooLong);
    }
    Ok(())
}

impl<'de> Deserialize<'de> for PhoneNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse()
            .map_err(|error| serde::de::Error::custom(format_args!("phone number {error}")))
    }
}

impl fmt::Debug for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "<{:?}, {} characters>",
            self.shape(),
            self.0.chars().count()
        )
    }
}

impl fmt::Display for PhoneNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shape_is_told_apart() {
        let shape = |text: &str| text.parse::<PhoneNumber>().map(|number| number.shape());
        assert_eq!(shape("+15005550001"), Ok(NumberShape::E164));
        assert_eq!(shape("12345"), Ok(NumberShape::ShortCode));
        assert_eq!(shape("5005550001"), Ok(NumberShape::National));
        assert_eq!(shape("CLINIC"), Ok(NumberShape::Alphanumeric));
        assert_eq!(shape(" +15005550001 "), Ok(NumberShape::E164));
    }

    #[test]
    fn what_no_network_could_carry_is_refused() {
        let parse = |text: &str| text.parse::<PhoneNumber>();
        assert_eq!(parse("  "), Err(InvalidNumber::Empty));
        assert_eq!(parse("+123456"), Err(InvalidNumber::TooShort));
        assert_eq!(parse("+1234567890123456"), Err(InvalidNumber::TooLong));
        assert_eq!(parse("+1500555ABCD"), Err(InvalidNumber::Character));
        assert_eq!(parse("500-555-0001"), Err(InvalidNumber::Character));
        assert_eq!(parse("TWELVE CHARS"), Err(InvalidNumber::TooLong));
        assert_eq!(parse("a\nb"), Err(InvalidNumber::Character));
        assert_eq!(parse("7"), Err(InvalidNumber::TooShort));
    }

    #[test]
    fn a_number_prints_masked() {
        let number: PhoneNumber = "+15005550001".parse().unwrap();
        assert_eq!(
            format!("{number} {number:?}"),
            "<E164, 12 characters> <E164, 12 characters>"
        );
        assert_eq!(number.digits(), "15005550001");
    }
}
