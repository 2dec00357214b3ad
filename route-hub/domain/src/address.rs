//! The other side of a message, whatever the network calls it.

use postrider_model::PhoneNumber;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// Most characters of an address that are kept; no network has longer ones.
const LENGTH_MAX: usize = 255;

/// Who wrote, or who is written to: a number, a sender's name of any shape, a USSD code.
///
/// Networks let senders call themselves what they like, so nothing is refused here: what has the
/// shape of a number is one by [`Address::number`]. It prints masked; `as_str` is the address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Address(String);

impl Address {
    /// Takes an address as it came, without space around it; `None` when there is nothing.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let end = text.char_indices().nth(LENGTH_MAX);
        let text = end.map_or(text, |(end, _)| &text[..end]);
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// Returns the address itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the address as a checked number, short code or sender's name, if it is one.
    pub fn number(&self) -> Option<PhoneNumber> {
        self.0.parse().ok()
    }
}

impl From<PhoneNumber> for Address {
    fn from(number: PhoneNumber) -> Self {
        Self::from(&number)
    }
}

impl From<&PhoneNumber> for Address {
    fn from(number: &PhoneNumber) -> Self {
        Self(number.as_str().to_owned())
    }
}

impl From<&Address> for postrider_link::frame::Address {
    fn from(address: &Address) -> Self {
        Self::new(address.as_str())
    }
}

impl FromStr for Address {
    type Err = Infallible;

    /// Takes a stored text as it is.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<address, {} characters>", self.0.chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_network_gave_is_kept_and_printed_masked() {
        let shop = Address::new(" Corner Shop & Sons ").unwrap();
        assert_eq!(shop.as_str(), "Corner Shop & Sons");
        assert_eq!(shop.number(), None);
        assert_eq!(format!("{shop:?}"), "<address, 18 characters>");
        let number = Address::new("+15005550001").unwrap();
        assert!(number.number().is_some());
        assert_eq!(Address::new("  "), None);
        let endless = Address::new(&"x".repeat(9_000)).unwrap();
        assert_eq!(endless.as_str().len(), LENGTH_MAX);
    }
}
