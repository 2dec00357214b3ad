//! What can be done to a variable before it is put in.

use super::{BadTemplate, Unrendered};
use std::fmt::Write as _;

/// Which filter it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Default,
    Lower,
    Upper,
    Capitalize,
    Title,
    Trim,
    Length,
    Truncate,
    Word,
    Replace,
    UrlEncode,
}

/// Each filter: its name, and what it takes.
const ALL: &[(Kind, &str, &str)] = &[
    (Kind::Default, "default", "one text"),
    (Kind::Lower, "lower", "nothing"),
    (Kind::Upper, "upper", "nothing"),
    (Kind::Capitalize, "capitalize", "nothing"),
    (Kind::Title, "title", "nothing"),
    (Kind::Trim, "trim", "nothing"),
    (Kind::Length, "length", "nothing"),
    (
        Kind::Truncate,
        "truncate",
        "a number, and the text for an end if wanted",
    ),
    (Kind::Word, "word", "a number from 1"),
    (
        Kind::Replace,
        "replace",
        "the text to look for and the one in its place",
    ),
    (Kind::UrlEncode, "url_encode", "nothing"),
];

impl Kind {
    pub(super) fn find(name: &str) -> Option<Self> {
        let found = ALL.iter().find(|(_, known, _)| *known == name);
        found.map(|(kind, _, _)| *kind)
    }

    /// Makes the error of a filter that is not written as it must be.
    pub(super) fn incomplete(self) -> BadTemplate {
        let found = ALL.iter().find(|(kind, _, _)| *kind == self);
        let (name, takes) = found.map_or(("", ""), |(_, name, takes)| (*name, *takes));
        BadTemplate::BadFilter { name, takes }
    }
}

/// A filter with what it takes.
#[derive(Clone, PartialEq)]
pub(super) enum Filter {
    Default(String),
    Lower,
    Upper,
    Capitalize,
    Title,
    Trim,
    Length,
    Truncate { chars: usize, end: String },
    Word(usize),
    Replace { from: String, to: String },
    UrlEncode,
}

impl Filter {
    pub(super) fn new(kind: Kind, arguments: Vec<String>) -> Result<Self, BadTemplate> {
        let mut arguments = arguments.into_iter();
        let (first, second) = (arguments.next(), arguments.next());
        let made = match (kind, first, second) {
            (Kind::Default, Some(text), None) => Some(Self::Default(text)),
            (Kind::Lower, None, None) => Some(Self::Lower),
            (Kind::Upper, None, None) => Some(Self::Upper),
            (Kind::Capitalize, None, None) => Some(Self::Capitalize),
            (Kind::Title, None, None) => Some(Self::Title),
            (Kind::Trim, None, None) => Some(Self::Trim),
            (Kind::Length, None, None) => Some(Self::Length),
            (Kind::Truncate, Some(chars), end) => number(&chars).map(|chars| Self::Truncate {
                chars,
                end: end.unwrap_or_default(),
            }),
            (Kind::Word, Some(n), None) => number(&n).filter(|n| *n > 0).map(Self::Word),
            (Kind::Replace, Some(from), Some(to)) if !from.is_empty() => {
                Some(Self::Replace { from, to })
            }
            (Kind::UrlEncode, None, None) => Some(Self::UrlEncode),
            _ => None,
        };
        made.ok_or_else(|| kind.incomplete())
    }

    /// Applies it to a text; the result has at most `bytes_max` bytes.
    pub(super) fn apply(&self, text: &str, bytes_max: usize) -> Result<String, Unrendered> {
        let made = match self {
            Self::Default(other) if text.is_empty() => other.clone(),
            Self::Default(_) => text.to_owned(),
            Self::Lower => text.to_lowercase(),
            Self::Upper => text.to_uppercase(),
            Self::Capitalize => capitalized(text),
            Self::Title => title(text),
            Self::Trim => text.trim().to_owned(),
            Self::Length => text.chars().count().to_string(),
            Self::Truncate { chars, end } => truncated(text, *chars, end),
            Self::Word(n) => {
                let word = text.split_whitespace().nth(n - 1);
                word.unwrap_or_default().to_owned()
            }
            Self::Replace { from, to } => replaced(text, from, to, bytes_max)?,
            Self::UrlEncode => url_encoded(text),
        };
        if made.len() > bytes_max {
            return Err(Unrendered::TooLong);
        }
        Ok(made)
    }
}

fn number(text: &str) -> Option<usize> {
    let is_number = (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// The first letter of each word in upper case, the others in lower case.
fn title(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut inside = false;
    for c in text.chars() {
        let is_letter = c.is_alphanumeric() || c == '\'' || c == '’';
        match (is_letter, inside) {
            (true, false) => made.extend(c.to_uppercase()),
            (true, true) => made.extend(c.to_lowercase()),
            (false, _) => made.push(c),
        }
        inside = is_letter;
    }
    made
}

/// Cuts to a number of characters, the end among them.
fn truncated(text: &str, chars: usize, end: &str) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let kept = chars.saturating_sub(end.chars().count());
    let words: String = text.chars().take(kept).collect();
    words + end
}

fn replaced(text: &str, from: &str, to: &str, bytes_max: usize) -> Result<String, Unrendered> {
    let mut made = String::with_capacity(text.len());
    for (index, words) in text.split(from).enumerate() {
        if index > 0 {
            made.push_str(to);
        }
        made.push_str(words);
        if made.len() > bytes_max {
            return Err(Unrendered::TooLong);
        }
    }
    Ok(made)
}

fn url_encoded(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            made.push(char::from(byte));
        } else {
            let _ = write!(made, "%{byte:02X}");
        }
    }
    made
}
