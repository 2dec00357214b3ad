//! What a phone scans: the hub's address, the full code and the pins, as a link and a QR code.
//!
//! The code stands behind `#`: browsers do not send that part, so it is in no server's log.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::Serializer;
use http::Uri;
use hub_app::pairing::code::NewCode;
use qrcode::render::unicode::Dense1x2;
use qrcode::{Color, EcLevel, QrCode};
use std::{fmt, io};

/// Most pins: the current key and the next one.
pub const PINS_MAX: usize = 2;
/// Bytes of a pin: a SHA-256.
const PIN_BYTES: usize = 32;
/// Pixels of a module's side in the picture: sharp on a screen and on paper.
const MODULE_PIXELS: usize = 8;
/// Modules of white around the picture, as the standard asks for.
const QUIET_MODULES: usize = 4;

/// Says why no link can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidInvitation {
    /// The hub's address is neither http nor https.
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
            Self::Pins => write!(f, "there may be at most {PINS_MAX} pins"),
        }
    }
}

/// A link that a phone opens or scans to join.
#[derive(Clone)]
pub struct Invitation {
    app_link: String,
    page: Option<String>,
}

impl Invitation {
    /// Makes the link; `None` if the hub's address is unknown.
    ///
    /// # Errors
    /// When the address or a pin is not valid.
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
        let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
        if !is_http || uri.query().is_some() || hub.contains('#') {
            return Err(InvalidInvitation::Hub);
        }
        let mut query = Serializer::new(String::new());
        query
            .append_pair("hub", hub)
            .append_pair("code", &code.full());
        for pin in pins {
            query.append_pair("pin", pin);
        }
        // A browser cannot check a pin: it would warn of the hub's certificate.
        let has_page = uri.scheme_str() == Some("https") && pins.is_empty();
        Ok(Some(Self {
            app_link: format!("postrider://pair?{}", query.finish()),
            page: has_page.then(|| format!("{hub}/pair#code={}", code.full())),
        }))
    }

    /// Returns the link that opens the app.
    pub fn app_link(&self) -> &str {
        &self.app_link
    }

    /// Returns what the QR code holds: the link of the hub's own page where phones can open it,
    /// whether or not they have the app; else the app's link.
    pub fn link(&self) -> &str {
        self.page.as_deref().unwrap_or(&self.app_link)
    }

    /// Draws the QR code of the link with half blocks, for a dark terminal; empty when it does not
    /// fit.
    pub fn qr(&self) -> String {
        let drawn = QrCode::with_error_correction_level(self.link(), EcLevel::L);
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

    /// Draws the QR code of the link as a picture in black and white, with the quiet zone around it.
    ///
    /// # Errors
    /// When the link does not fit.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let code = QrCode::with_error_correction_level(self.link(), EcLevel::M);
        let code = code.map_err(io::Error::other)?;
        let (modules, colors) = (code.width(), code.to_colors());
        let side = (modules + 2 * QUIET_MODULES) * MODULE_PIXELS;
        let module_at = |pixel: usize| -> Option<usize> {
            let at = (pixel / MODULE_PIXELS).checked_sub(QUIET_MODULES)?;
            (at < modules).then_some(at)
        };
        let pixels = (0..side * side).map(|at| {
            let module = module_at(at / side).zip(module_at(at % side));
            match module.map(|(row, column)| colors[row * modules + column]) {
                Some(Color::Dark) => 0,
                Some(Color::Light) | None => u8::MAX,
            }
        });
        gray_png(side, &pixels.collect::<Vec<u8>>())
    }
}

/// Packs a square picture of one byte a pixel.
fn gray_png(side: usize, pixels: &[u8]) -> io::Result<Vec<u8>> {
    let side = u32::try_from(side).map_err(io::Error::other)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_app::random::Random;

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
        assert_eq!(made.link(), made.app_link(), "a browser knows no pins");
        let query = made.link().strip_prefix("postrider://pair?").unwrap();
        let read: Vec<_> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .collect();
        assert_eq!(read[0], ("hub".into(), "https://hub.example.org".into()));
        assert_eq!(read[1], ("code".into(), code.full()));
        assert_eq!(read[2], ("pin".into(), PIN.into()));
        assert!(made.qr().lines().count() > 15);
    }

    #[test]
    fn an_https_address_without_pins_is_a_page_with_the_code_behind_the_number_sign() {
        let code = NewCode::draw(&Random::new());
        let made = |hub| {
            let made = Invitation::new(Some(hub), &code, &[]);
            made.unwrap().unwrap()
        };
        let page = made("https://hub.example.org/sms/");
        let wanted = format!("https://hub.example.org/sms/pair#code={}", code.full());
        assert_eq!(page.link(), wanted);
        assert!(page.app_link().starts_with("postrider://pair?hub="));
        let plain = made("http://127.0.0.1:8090");
        assert_eq!(plain.link(), plain.app_link());
    }

    /// The app's decoder is tested on these; made by `admin pair --no-wait --hub … --png …`.
    #[test]
    fn what_the_apps_decoder_is_tested_on_is_what_is_printed_and_drawn() {
        let link = include_str!("../../../android-app/src/test/qr/link.txt");
        let made = Invitation {
            app_link: String::new(),
            page: Some(link.trim().to_owned()),
        };
        let printed = include_str!("../../../android-app/src/test/qr/terminal.txt");
        assert_eq!(made.qr(), printed.trim_end_matches('\n'));
        let drawn = include_bytes!("../../../android-app/src/test/qr/code.png");
        assert!(made.png().unwrap() == drawn, "code.png is another picture");
    }

    #[test]
    fn the_picture_is_a_png_with_white_around_it() {
        let made = invite(Some("https://hub.example.org"), &[]).unwrap();
        let file = made.unwrap().png().unwrap();
        let mut read = png::Decoder::new(io::Cursor::new(file))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; read.output_buffer_size().unwrap()];
        let info = read.next_frame(&mut pixels).unwrap();
        let side = info.width as usize;
        assert_eq!((info.width, info.height), (info.height, info.width));
        let white = QUIET_MODULES * MODULE_PIXELS * side;
        assert!(pixels[..white].iter().all(|pixel| *pixel == u8::MAX));
        assert_eq!(pixels[white + QUIET_MODULES * MODULE_PIXELS], 0);
    }

    #[test]
    fn what_cannot_be_dialled_or_pinned_is_refused() {
        assert!(invite(None, &[]).unwrap().is_none());
        for hub in [
            "hub.example.org",
            "ftp://hub.example.org",
            "https://a/?b=c",
            "https://a/#b",
        ] {
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
