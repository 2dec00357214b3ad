//! The link in a hub's QR code: either the app's own link, or that of the hub's page, which is the
//! hub's address, `/pair`, and the code behind `#`.

use crate::error::AgentError;
use postrider_agent::{HubAddress, SpkiPin};

/// The beginning of the app's own link.
const APP_LINK: &str = "postrider://pair?";
/// Separates the hub's address from the code in the link of its page.
const PAGE: &str = "/pair#";

/// What a phone joins a hub with.
#[derive(Clone, PartialEq, Eq, uniffi::Record)]
pub struct Invitation {
    /// The hub's address.
    pub hub: String,
    /// The one-time code.
    pub code: String,
    /// Pinned keys for a private certificate: the hub must show one of them. Base64 of the SHA-256.
    #[uniffi(default = [])]
    pub pins: Vec<String>,
}

/// Reads the link that a hub's QR code holds.
///
/// # Errors
/// [`AgentError::InvalidParam`] with the part that is missing or wrong.
#[uniffi::export]
pub fn read_invitation(link: String) -> Result<Invitation, AgentError> {
    let link = link.trim();
    let (hub, query) = match link.strip_prefix(APP_LINK) {
        Some(query) => (None, query),
        None => {
            let parts = link.split_once(PAGE).filter(|(hub, _)| is_https(hub));
            let (hub, query) = parts.ok_or_else(|| missing("link", "is not a route hub's"))?;
            (Some(hub), query)
        }
    };
    let mut invitation = Invitation {
        hub: hub.unwrap_or_default().to_owned(),
        code: String::new(),
        pins: Vec::new(),
    };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match name.as_ref() {
            "hub" if hub.is_none() => invitation.hub = value.into_owned(),
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

fn is_https(hub: &str) -> bool {
    hub.get(..8)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"))
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
    fn the_link_of_a_hubs_page_is_taken_apart() {
        for (link, hub) in [
            (
                "https://hub.example.org/pair#code=one-time",
                "https://hub.example.org",
            ),
            (
                " HTTPS://hub.example.org:8443/sms/pair#code=one-time&x=y\n",
                "HTTPS://hub.example.org:8443/sms",
            ),
            // A link must not send the phone to another hub than the one whose page it shows.
            (
                "https://hub.example.org/pair#hub=https%3A%2F%2Felsewhere.example&code=one-time",
                "https://hub.example.org",
            ),
        ] {
            let invitation = read(link).unwrap();
            assert_eq!(
                (invitation.hub.as_str(), invitation.code.as_str()),
                (hub, "one-time"),
                "{link}"
            );
            assert!(invitation.pins.is_empty());
        }
    }

    #[test]
    fn what_is_wrong_with_a_link_is_named() {
        for (link, wrong) in [
            ("https://hub.example.org/pair", "link"),
            ("https://hub.example.org/elsewhere#code=x", "link"),
            ("http://hub.example.org/pair#code=x", "link"),
            ("https://hub.example.org/pair#", "code"),
            ("https:///pair#code=x", "hub"),
            ("https://hub.example.org/?a=b/pair#code=x", "hub"),
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
