//! The link in a hub's QR code.

use crate::error::AgentError;
use postrider_agent::{HubAddress, SpkiPin};

/// How a hub's link begins.
const PREFIX: &str = "postrider://pair?";

/// What a phone joins a hub with.
#[derive(Clone, PartialEq, Eq, uniffi::Record)]
pub struct Invitation {
    /// The hub's address.
    pub hub: String,
    /// The one-time code.
    pub code: String,
    /// Keys of which the hub must show one, for a private certificate; Base64 of the SHA-256.
    #[uniffi(default = [])]
    pub pins: Vec<String>,
}

/// Reads the link that a hub's QR code holds.
///
/// # Errors
/// [`AgentError::InvalidParam`] with the part that is missing or wrong.
#[uniffi::export]
pub fn read_invitation(link: String) -> Result<Invitation, AgentError> {
    let query = link.trim().strip_prefix(PREFIX);
    let query = query.ok_or_else(|| missing("link", "is not the link of a route hub"))?;
    let mut invitation = Invitation {
        hub: String::new(),
        code: String::new(),
        pins: Vec::new(),
    };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match name.as_ref() {
            "hub" => invitation.hub = value.into_owned(),
            "code" => invitation.code = value.into_owned(),
            "pin" => invitation.pins.push(value.into_owned()),
            _ => {}
        }
    }
    invitation.check()?;
    Ok(invitation)
}

impl Invitation {
    /// # Errors
    /// [`AgentError::InvalidParam`] with the part that is missing or wrong.
    pub(crate) fn check(&self) -> Result<HubAddress, AgentError> {
        if self.code.trim().is_empty() {
            return Err(missing("code", "is missing"));
        }
        for pin in &self.pins {
            pin.parse::<SpkiPin>()?;
        }
        Ok(self.hub.parse()?)
    }
}

fn missing(field: &str, rule: &str) -> AgentError {
    AgentError::InvalidParam {
        field: field.to_owned(),
        rule: rule.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(link: &str) -> Result<Invitation, AgentError> {
        read_invitation(link.to_owned())
    }

    #[test]
    fn a_link_is_taken_apart() {
        let pin = "A".repeat(43) + "=";
        let link =
            format!("postrider://pair?hub=https%3A%2F%2Fhub.example.org&code=one%2Dtime&pin={pin}");
        let invitation = read(&link).unwrap();
        assert_eq!(invitation.hub, "https://hub.example.org");
        assert_eq!(invitation.code, "one-time");
        assert_eq!(invitation.pins, [pin]);
    }

    #[test]
    fn what_is_wrong_with_a_link_is_named() {
        for (link, wrong) in [
            ("https://hub.example.org/pair", "link"),
            ("postrider://pair?hub=https%3A%2F%2Fhub.example.org", "code"),
            ("postrider://pair?code=x", "hub"),
            (
                "postrider://pair?hub=ftp%3A%2F%2Fhub.example.org&code=x",
                "hub",
            ),
            (
                "postrider://pair?hub=https%3A%2F%2Fhub.example.org&code=x&pin=short",
                "pin",
            ),
        ] {
            match read(link) {
                Err(AgentError::InvalidParam { field, .. }) => assert_eq!(field, wrong, "{link}"),
                _ => panic!("{link} was not refused"),
            }
        }
    }
}
