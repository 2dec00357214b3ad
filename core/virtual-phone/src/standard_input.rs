//! Incoming messages typed or piped in, one a line.

use postrider_model::{MessageText, PhoneNumber, SimSlot};
use serde::Deserialize;

/// A message that somebody sends to the virtual phone.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Incoming {
    /// Who sends it.
    pub from: PhoneNumber,
    /// What it says.
    pub text: MessageText,
    /// Which slot it comes in on.
    #[serde(default)]
    pub sim: SimSlot,
}

/// Says why a line is not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLine {
    /// Neither `NUMBER TEXT` nor an object with `from` and `text`.
    #[error("a line is a number and a text, or {{\"from\":…,\"text\":…}}")]
    Form,
    /// The number is none.
    #[error("the number {0}")]
    Number(#[from] postrider_model::InvalidNumber),
}

impl Incoming {
    /// Reads a line: `+15005550123 text…`, or `{"from":…,"text":…}`, which may name a `sim`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(line: &str) -> Result<Self, InvalidLine> {
        let line = line.trim();
        if line.starts_with('{') {
            return serde_json::from_str(line).map_err(|_| InvalidLine::Form);
        }
        let (from, text) = line.split_once(' ').ok_or(InvalidLine::Form)?;
        Ok(Self {
            from: from.parse()?,
            text: text.trim_start().into(),
            sim: SimSlot::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_line_are_read() {
        let plain = Incoming::parse("+15005550123 come at  noon \n").unwrap();
        assert_eq!(plain.from.as_str(), "+15005550123");
        assert_eq!(plain.text.as_str(), "come at  noon");
        let json = r#"{"from":"CLINIC","text":"two\nlines","sim":1}"#;
        let json = Incoming::parse(json).unwrap();
        assert_eq!((json.from.as_str(), json.sim.get()), ("CLINIC", 1));
        assert_eq!(json.text.as_str(), "two\nlines");
    }

    #[test]
    fn what_is_no_message_is_refused() {
        assert_eq!(Incoming::parse(""), Err(InvalidLine::Form));
        assert_eq!(Incoming::parse("hello"), Err(InvalidLine::Form));
        assert_eq!(Incoming::parse("{\"from\":1}"), Err(InvalidLine::Form));
        assert!(matches!(
            Incoming::parse("500-555 hello"),
            Err(InvalidLine::Number(_))
        ));
    }
}
