//! What a file is: what its sender says, and what its bytes say.

use infer::MatcherType;
use std::fmt;

/// Longest name of a type.
pub const TYPE_LENGTH_MAX: usize = 127;
/// The types of a vCard.
const VCARD: &str = "text/vcard";
const VCARDS: [&str; 3] = [VCARD, "text/x-vcard", "text/directory"];
const AMR: &str = "audio/amr";
const AMR_WB: &str = "audio/amr-wb";
const PDF: &str = "application/pdf";
/// The type of pictures that run scripts.
const SVG: &str = "image/svg+xml";
/// How far markup is looked for behind white space.
const MARKUP_WITHIN: usize = 1_024;
/// How speech begins that would pass for a script (RFC 4867, section 5).
const SPEECH_STARTS: &[(&[u8], &str)] = &[
    (b"#!AMR\n", AMR),
    (b"#!AMR_MC1.0\n", AMR),
    (b"#!AMR-WB\n", AMR_WB),
    (b"#!AMR-WB_MC1.0\n", AMR_WB),
];
/// How programs and documents begin that are not recognised otherwise.
const REFUSED_STARTS: &[&[u8]] = &[
    b"#!",
    b"%!PS",
    b"MZ",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"!<arch>",
    b"MSCF",
    b"dex\n",
];

/// A type that the hub keeps: an image, video, audio, a PDF or a vCard.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MediaType(String);

/// Says why a file is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The text is no type.
    NoType,
    /// The hub keeps no files of this type.
    Type(String),
    /// The content is something else, whatever was said of it.
    Content(&'static str),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KINDS: &str = "only images, video, audio, PDF and vCard are";
        match self {
            Self::NoType => f.write_str("must be a type such as image/png"),
            Self::Type(name) => write!(f, "is {name}, which is not kept: {KINDS}"),
            Self::Content(what) => write!(f, "is {what}, which is not kept: {KINDS}"),
        }
    }
}

impl MediaType {
    /// Reads a type as somebody declares it; parameters are left out.
    ///
    /// # Errors
    /// When it is no type, or one that the hub does not keep.
    pub fn declared(text: &str) -> Result<Self, Refused> {
        let (kind, sub) = parts(text).ok_or(Refused::NoType)?;
        let kind = kind.to_ascii_lowercase();
        let name = format!("{kind}/{}", sub.to_ascii_lowercase());
        if is_kept(&kind, &name) {
            Ok(Self(name))
        } else {
            Err(Refused::Type(name))
        }
    }

    /// Says whether a text is a type, also with parameters, and also one that the hub does not keep.
    pub fn is_type(text: &str) -> bool {
        parts(text).is_some() && !text.contains(char::is_control)
    }

    /// Returns the type that a file name or an address ends with, if it is one that the hub keeps.
    pub fn of_name(name: &str) -> Option<Self> {
        let path = name.split(['?', '#']).next().unwrap_or_default();
        let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        let known = BY_EXTENSION.iter().find(|(known, _)| *known == extension);
        known.map(|(_, name)| Self((*name).to_owned()))
    }

    /// Reads a type that was kept.
    pub fn kept(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Returns its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Says whether a browser may show such a file in its place; others it saves.
    pub fn is_shown(&self) -> bool {
        let kind = self.0.split('/').next().unwrap_or_default();
        matches!(kind, "image" | "video" | "audio") || self.0 == PDF
    }
}

/// Returns the two names of a type without its parameters, if it is one.
fn parts(text: &str) -> Option<(&str, &str)> {
    let name = text.split(';').next().unwrap_or_default().trim();
    let is_token = |part: &str| {
        let good = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !part.is_empty() && part.bytes().all(good)
    };
    let parts = name.split_once('/')?;
    let is_type = is_token(parts.0) && is_token(parts.1) && name.len() <= TYPE_LENGTH_MAX;
    is_type.then_some(parts)
}

/// The extensions that media have.
const BY_EXTENSION: &[(&str, &str)] = &[
    ("3gp", "video/3gpp"),
    ("aac", "audio/aac"),
    ("amr", AMR),
    ("avif", "image/avif"),
    ("awb", AMR_WB),
    ("bmp", "image/bmp"),
    ("flac", "audio/flac"),
    ("gif", "image/gif"),
    ("heic", "image/heic"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("m4a", "audio/mp4"),
    ("m4v", "video/mp4"),
    ("mid", "audio/midi"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("mpeg", "video/mpeg"),
    ("ogg", "audio/ogg"),
    ("opus", "audio/opus"),
    ("pdf", PDF),
    ("png", "image/png"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("vcf", VCARD),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
];

fn is_kept(kind: &str, name: &str) -> bool {
    let is_medium =
        matches!(kind, "image" | "video" | "audio") && name != SVG && !is_markup_type(name);
    is_medium || name == PDF || VCARDS.contains(&name)
}

/// Types such as `image/anything+xml` may run scripts, too.
fn is_markup_type(name: &str) -> bool {
    name.ends_with("+xml") || name.ends_with("/xml") || name.contains("html")
}

/// Says as what a file is served: as what its bytes are, else as what it was declared.
///
/// # Errors
/// When the bytes are something that the hub does not keep, whatever was declared.
pub fn recognise(bytes: &[u8], declared: &MediaType) -> Result<MediaType, Refused> {
    let mut speech = SPEECH_STARTS.iter();
    if let Some((_, name)) = speech.find(|(start, _)| bytes.starts_with(start)) {
        return Ok(MediaType((*name).to_owned()));
    }
    if let Some(found) = infer::get(bytes) {
        return match found.matcher_type() {
            MatcherType::Image | MatcherType::Video | MatcherType::Audio => {
                Ok(MediaType(found.mime_type().to_owned()))
            }
            _ if found.mime_type() == PDF => Ok(MediaType(PDF.to_owned())),
            other => Err(Refused::Content(words(other, found.mime_type()))),
        };
    }
    if REFUSED_STARTS.iter().any(|start| bytes.starts_with(start)) {
        return Err(Refused::Content("a program or a document"));
    }
    if is_markup(bytes) {
        return Err(Refused::Content("HTML, XML or SVG"));
    }
    if is_vcard(bytes) {
        return Ok(MediaType(VCARD.to_owned()));
    }
    Ok(declared.clone())
}

/// Says what content is; what `infer` counts among archives is not always one.
fn words(of: MatcherType, name: &str) -> &'static str {
    match (of, name) {
        (_, "application/rtf" | "application/postscript" | "application/x-ole-storage") => {
            "a document"
        }
        (_, "application/vnd.sqlite3") => "a database",
        (_, "application/x-shockwave-flash" | "application/x-nintendo-nes-rom") => "a program",
        (_, "application/dicom" | "application/octet-stream") => "something else",
        (MatcherType::App, _) => "a program",
        (MatcherType::Archive, _) => "an archive",
        (MatcherType::Book | MatcherType::Doc, _) => "a document",
        (MatcherType::Font, _) => "a font",
        (MatcherType::Text, _) => "HTML, XML or a script",
        _ => "something else",
    }
}

/// Says whether the first visible character is `<`, in UTF-8 or UTF-16.
fn is_markup(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(MARKUP_WITHIN)];
    let is_before =
        |byte: &u8| byte.is_ascii_whitespace() || b"\0\x0b\xef\xbb\xbf\xfe\xff".contains(byte);
    start.iter().find(|byte| !is_before(byte)) == Some(&b'<')
}

fn is_vcard(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    const START: &[u8] = b"BEGIN:VCARD";
    let start = bytes.get(..START.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(START))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> MediaType {
        MediaType::declared(text).unwrap()
    }

    #[test]
    fn a_type_is_what_the_hub_keeps() {
        for (given, kept) in [
            ("image/png", "image/png"),
            (" IMAGE/PNG; q=1", "image/png"),
            ("application/pdf", "application/pdf"),
            ("text/x-vcard", "text/x-vcard"),
            ("audio/vnd.wave", "audio/vnd.wave"),
        ] {
            assert_eq!(declared(given).as_str(), kept);
        }
        for bad in [
            "",
            "image",
            "image/",
            "/png",
            "image/p ng",
            "image/a/b",
            "imåge/png",
        ] {
            assert_eq!(MediaType::declared(bad), Err(Refused::NoType), "{bad}");
        }
        for refused in [
            "text/html",
            "image/svg+xml",
            "application/zip",
            "image/x+xml",
            "text/plain",
        ] {
            let expected = Err(Refused::Type(refused.to_owned()));
            assert_eq!(MediaType::declared(refused), expected);
        }
    }

    #[test]
    fn an_address_tells_its_type_by_its_end() {
        for (name, expected) in [
            ("https://a.example/b/Photo.JPG?x=1.gif", Some("image/jpeg")),
            ("card.vcf", Some("text/vcard")),
            ("page.html", None),
            ("https://a.example", None),
            ("png", None),
        ] {
            let found = MediaType::of_name(name);
            assert_eq!(found.as_ref().map(MediaType::as_str), expected, "{name}");
        }
    }

    #[test]
    fn bytes_say_more_than_words() {
        let png = b"\x89PNG\r\n\x1a\n";
        let served = recognise(png, &declared("application/pdf")).unwrap();
        assert_eq!(served.as_str(), "image/png");
        let card = recognise(b"begin:vcard\nVERSION:4.0", &declared("image/png")).unwrap();
        assert_eq!(card.as_str(), "text/vcard");
        let unknown = recognise(b"anything", &declared("audio/x-own")).unwrap();
        assert_eq!(unknown.as_str(), "audio/x-own");
    }

    #[test]
    fn speech_that_begins_as_a_script_does_is_speech() {
        for (bytes, name) in [
            (&b"#!AMR\n"[..], "audio/amr"),
            (b"#!AMR\n\x3c\x91\x17\x16\xbe\x66\x79\xe1", "audio/amr"),
            (b"#!AMR_MC1.0\n\0\0\0\x02", "audio/amr"),
            (b"#!AMR-WB\n", "audio/amr-wb"),
            (
                b"#!AMR-WB\n\x44\x16\x20\x12\x34\x56\x78\x9a",
                "audio/amr-wb",
            ),
            (b"#!AMR-WB_MC1.0\n\0\0\0\x02", "audio/amr-wb"),
        ] {
            let served = recognise(bytes, &declared("audio/x-own")).unwrap();
            assert_eq!(served.as_str(), name, "{bytes:?}");
        }
        for script in [
            &b"#!AMR"[..],
            b"#!AMR /bin/sh\n",
            b"#!AMR-WB2\n",
            b"#!SILK_V3",
        ] {
            assert!(
                recognise(script, &declared("audio/amr")).is_err(),
                "{script:?}"
            );
        }
        let named = MediaType::of_name("https://a.example/voice.AWB").unwrap();
        assert_eq!(named.as_str(), "audio/amr-wb");
    }

    #[test]
    fn what_is_refused_is_called_what_it_is() {
        for (bytes, words) in [
            (&b"{\\rtf1\\ansi"[..], "a document"),
            (b"%!PS-Adobe-3.0", "a document"),
            (b"SQLite format 3\0", "a database"),
            (b"CWS\x0a\0\0\0\0", "a program"),
            (b"FWS\x0a\0\0\0\0", "a program"),
            (b"PK\x03\x04rest of a zip archive", "an archive"),
            (b"\x1f\x8b\x08\0", "an archive"),
        ] {
            let refused = Err(Refused::Content(words));
            assert_eq!(
                recognise(bytes, &declared("image/png")),
                refused,
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn what_could_run_is_refused_whatever_was_declared() {
        for bytes in [
            &b"<svg xmlns='http://www.w3.org/2000/svg'/>"[..],
            b"\n\t <script>",
            b"\xef\xbb\xbf<!DOCTYPE html>",
            b"\xff\xfe<\0s\0v\0g\0",
            b"\0<\0s\0v\0g",
            b"<?xml version='1.0'?><svg/>",
            b"#!/bin/sh\n",
            b"PK\x03\x04rest of a zip archive",
            b"MZ\x90\0",
            b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
            b"%!PS-Adobe-3.0",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        ] {
            let found = recognise(bytes, &declared("image/png"));
            assert!(matches!(found, Err(Refused::Content(_))), "{bytes:?}: {found:?}");
        }
    }
}
