//! Values that never print: message texts and secrets.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The text of a message; prints as its length.
#[derive(Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageText(String);

impl MessageText {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the text itself, consuming the mask.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<String> for MessageText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for MessageText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for MessageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<text, {} characters>", self.0.chars().count())
    }
}

impl fmt::Display for MessageText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A secret; prints as nothing but that it is one.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Returns the secret itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_texts_nor_secrets_print() {
        let text = MessageText::new("come at noon");
        assert_eq!(
            format!("{text} {text:?}"),
            "<text, 12 characters> <text, 12 characters>"
        );
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret} {secret:?}"), "<secret> <secret>");
    }
}
