//! One cell of a file, read into a field.

use super::plan::Values;
use crate::names::NAME_LENGTH_MAX;
use crate::tabular::unguarded;
use hub_domain::{Address, numbers};
use serde_json::{Number, Value as Json};

const LOST_DIGITS: &str = "is no phone number: the spreadsheet wrote it in scientific notation and has lost \
                           digits; make the column a text and write the file again";

/// Reads what a spreadsheet wrote as a phone number.
pub(super) fn phone_number(text: &str, region: Option<&str>) -> Result<Address, String> {
    let text = unmarked(unguarded(text));
    check_digits(text)?;
    let number = numbers::parse(text, region, numbers::Names::Refused);
    number.map(Address::from).map_err(|error| error.to_string())
}

/// Reads the number, or the name, that something came from.
pub(super) fn address(text: &str) -> Result<Option<Address>, String> {
    let text = unmarked(unguarded(text));
    check_digits(text)?;
    Ok(Address::new(text))
}

/// Takes away the marks of direction that address books put around a number (Unicode, `Bidi_Control`).
fn unmarked(text: &str) -> &str {
    let is_mark = |c| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.trim_matches(|c: char| c.is_whitespace() || is_mark(c))
}

/// Refuses `2.5E+11`.
fn check_digits(text: &str) -> Result<(), String> {
    let is_scientific = text
        .trim()
        .split_once(['E', 'e'])
        .is_some_and(|(digits, power)| {
            let is_number = |text: &str, marks: &[char]| {
                text.contains(|c: char| c.is_ascii_digit())
                    && text
                        .chars()
                        .all(|c| c.is_ascii_digit() || marks.contains(&c))
            };
            is_number(digits, &['.', ',', '-']) && is_number(power, &['+', '-'])
        });
    if is_scientific {
        Err(LOST_DIGITS.to_owned())
    } else {
        Ok(())
    }
}

/// Reads a name.
pub(super) fn name(text: &str) -> Result<String, String> {
    let name = unguarded(text).trim();
    if name.chars().count() > NAME_LENGTH_MAX {
        Err(format!("must have at most {NAME_LENGTH_MAX} characters"))
    } else {
        Ok(name.to_owned())
    }
}

/// Reads a truth value.
pub(super) fn flag(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" => Ok(true),
        "false" | "0" | "no" => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

/// Reads one of several words, or an id.
pub(super) fn word<T: std::str::FromStr>(text: &str, rule: &str) -> Result<T, String> {
    text.trim().parse().map_err(|_| rule.to_owned())
}

/// Reads the value of a custom variable.
pub(super) fn value(text: &str, values: Values) -> Result<Json, String> {
    match values {
        Values::Texts => {}
        Values::Numbers => {
            let number = serde_json::from_str::<Number>(unguarded(text).trim());
            return number
                .map(Json::Number)
                .map_err(|_| "must be a number, as 12 or 0.5".to_owned());
        }
        Values::Flags => return flag(text).map(Json::Bool),
        Values::PhoneNumbers => check_digits(text)?,
    }
    Ok(Json::String(unguarded(text).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_lost_its_digits_is_told_apart_from_other_texts() {
        for text in ["2.5E+11", "2,50066E+11", " 1e10 ", "4E12"] {
            assert_eq!(
                phone_number(text, Some("US")),
                Err(LOST_DIGITS.to_owned()),
                "{text}"
            );
            assert!(value(text, Values::PhoneNumbers).is_err());
            assert!(value(text, Values::Texts).is_ok());
        }
        let other = phone_number("Eve", None).unwrap_err();
        assert_eq!(other, "is not a possible phone number");
        let read = |text| phone_number(text, Some("US")).unwrap().as_str().to_owned();
        assert_eq!(read("'+1 500 555 0101"), "+15005550101");
        assert_eq!(read("5005550101"), "+15005550101");
        assert_eq!(read("\u{202a}+1 500 555 0101\u{202c}"), "+15005550101");
    }

    #[test]
    fn values_are_of_the_kind_of_their_field() {
        assert_eq!(value("'-5.0", Values::Numbers), Ok(serde_json::json!(-5.0)));
        assert_eq!(value("Yes", Values::Flags), Ok(Json::Bool(true)));
        assert_eq!(value("'=1", Values::Texts), Ok(Json::from("=1")));
        assert!(value("1,5", Values::Numbers).is_err());
        assert!(value("perhaps", Values::Flags).is_err());
    }
}
