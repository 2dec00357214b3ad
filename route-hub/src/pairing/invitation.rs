//! What a phone scans: the hub's address, the full code and the pins, as a link and a QR code.

use super::code::NewCode;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::Serializer;
use http::Uri;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use std::fmt;

/// Most pins: the key in use, and the one that will follow it.
pub const PINS_MAX: usize = 2;
/// Bytes of a pin: a SHA-256.
const PIN_BYTES: usize = 32;

/// Says why no link can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidInvitation {
    /// The hub's address is none of http or https.
    Hub,
    /// A pin is not the base64 of a SHA-256.
    Pin,
    /// There are more than [`PINS_MAX`] pins.
    Pins,
}

impl fmt::Display for InvalidInvitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hub => f.write_str("--hub must be an address such as https://hub.example.org"),
            Self::Pin => f.write_str("--pin must be the base64 of a public key's SHA-256"),
            Self::Pins => write!(f, "there may be {PINS_MAX} pins"),
        }
    }
}

/// A link that a phone opens or scans to join.
#[derive(Clone)]
pub struct Invitation(String);

impl Invitation {
    /// Makes the link; `None` while nobody said where the hub is.
    ///
    /// # Errors
    /// For an address or a pin that cannot be.
    pub fn new(
        hub: Option<&str>,
        code: &NewCode,
        pins: &[String],
    ) -> Result<Option<Self>, InvalidInvitation> {
        if pins.len() > PINS_MAX {
            return Err(InvalidInvitation::Pins);
        }
        let is_pin = |pin: &String| STANDARD.decode(pin).is_ok_and(|it| it.len() == PIN_BYTES);
        if !pins.iter().all(is_pin) {
            return Err(InvalidInvitation::Pin);
        }
        let Some(hub) = hub.map(|hub| hub.trim().trim_end_matches('/')) else {
            return Ok(None);
        };
        let uri: Uri = hub.parse().map_err(|_| InvalidInvitation::Hub)?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.query().is_some() {
            return Err(InvalidInvitation::Hub);
        }
        let mut query = Serializer::new(String::new());
        query
            .append_pair("hub", hub)
            .append_pair("code", &code.full());
        for pin in pins {
            query.append_pair("pin", pin);
        }
        Ok(Some(Self(format!("postrider://pair?{}", query.finish()))))
    }

    /// Returns the link.
    pub fn uri(&self) -> &str {
        &self.0
    }

    /// Draws the QR code of the link with half blocks, for a dark terminal; empty when it does not
    /// fit.
    pub fn qr(&self) -> String {
        let drawn = QrCode::with_error_correction_level(&self.0, EcLevel::L);
        drawn.map_or_else(
            |_| String::new(),
            |code| {
                code.render::<Dense1x2>()
                    .dark_color(Dense1x2::Light)
                    .light_color(Dense1x2::Dark)
                    .build()
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const PIN: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

    fn invite(hub: Option<&str>, pins: &[&str]) -> Result<Option<Invitation>, InvalidInvitation> {
        let pins: Vec<String> = pins.iter().map(|pin| (*pin).to_owned()).collect();
        Invitation::new(hub, &NewCode::draw(&Random::new()), &pins)
    }

    #[test]
    fn the_link_reads_back_as_hub_code_and_pins() {
        let code = NewCode::draw(&Random::new());
        let pins = [PIN.to_owned()];
        let made = Invitation::new(Some("https://hub.example.org/"), &code, &pins);
        let made = made.unwrap().unwrap();
        let query = made.uri().strip_prefix("postrider://pair?").unwrap();
        let read: Vec<_> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        assert_eq!(read[0], ("hub".into(), "https://hub.example.org".into()));
        assert_eq!(read[1], ("code".into(), code.full()));
        assert_eq!(read[2], ("pin".into(), PIN.into()));
        assert!(made.qr().lines().count() > 15);
    }

    #[test]
    fn what_cannot_be_dialled_or_pinned_is_refused() {
        assert!(invite(None, &[]).unwrap().is_none());
        for hub in ["hub.example.org", "ftp://hub.example.org", "https://a/?b=c"] {
            assert_eq!(
                invite(Some(hub), &[]).err(),
                Some(InvalidInvitation::Hub),
                "{hub}"
            );
        }
        let hub = Some("https://a");
        assert_eq!(invite(hub, &["AAAA"]).err(), Some(InvalidInvitation::Pin));
        assert_eq!(invite(hub, &[PIN; 3]).err(), Some(InvalidInvitation::Pins));
    }
}
