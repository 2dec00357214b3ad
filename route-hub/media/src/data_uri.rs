//! Media that stand in a request itself, as `data:` URIs.

use crate::content::{MediaType, Refused};
use bytes::Bytes;
use data_url::DataUrl;
use std::fmt;

/// Most bytes of such media.
pub const URI_BYTES_MAX: usize = 2 * 1024 * 1024;

/// A `data:` URI, read.
#[derive(Clone, PartialEq, Eq)]
pub struct DataUri {
    /// Its type.
    pub media_type: MediaType,
    /// Its bytes.
    pub bytes: Bytes,
}

impl fmt::Debug for DataUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataUri({} bytes)", self.bytes.len())
    }
}

/// Says what is wrong with a `data:` URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvalidDataUri {
    /// It cannot be read, or is not in base64.
    Form,
    /// Its base64 has a space, which a `+` becomes in a form.
    Space,
    /// It has more bytes than allowed.
    TooLong {
        /// How many are allowed.
        max: usize,
    },
    /// It has no bytes.
    Empty,
    /// Its type is not kept.
    Type(Refused),
}

impl fmt::Display for InvalidDataUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("must be a data URI in base64: data:image/png;base64,…"),
            Self::Space => {
                f.write_str("must have no space in its base64: in a form a + is written %2B")
            }
            Self::TooLong { max } => write!(f, "must be at most {max} bytes, decoded"),
            Self::Empty => f.write_str("must not be empty"),
            Self::Type(refused) => refused.fmt(f),
        }
    }
}

impl DataUri {
    /// Says whether a text is meant as one.
    pub fn is_meant(text: &str) -> bool {
        let start = text.trim_start().get(..5);
        start.is_some_and(|start| start.eq_ignore_ascii_case("data:"))
    }

    /// Reads one of at most `max` bytes. A type that is declared beside it stands for its own.
    ///
    /// # Errors
    /// [`InvalidDataUri`].
    pub fn read(
        text: &str,
        declared: Option<MediaType>,
        max: usize,
    ) -> Result<Self, InvalidDataUri> {
        let text = text.trim_start();
        if has_space(text) {
            return Err(InvalidDataUri::Space);
        }
        let uri = DataUrl::process(text.trim_end()).map_err(|_| InvalidDataUri::Form)?;
        let media_type = match declared {
            Some(declared) => declared,
            None => own_type(&uri).map_err(InvalidDataUri::Type)?,
        };
        let mut bytes = Vec::new();
        let decoded = uri.decode(|part| {
            if bytes.len() + part.len() > max {
                Err(())
            } else {
                bytes.extend_from_slice(part);
                Ok(())
            }
        });
        use data_url::forgiving_base64::DecodeError;
        match decoded {
            Ok(_) if bytes.is_empty() => Err(InvalidDataUri::Empty),
            Ok(_) => Ok(Self {
                media_type,
                bytes: bytes.into(),
            }),
            Err(DecodeError::WriteError(())) => Err(InvalidDataUri::TooLong { max }),
            Err(DecodeError::InvalidBase64(_)) => Err(InvalidDataUri::Form),
        }
    }

    /// Reads bytes in base64 without a type, of at most `max`.
    ///
    /// # Errors
    /// [`InvalidDataUri`].
    pub fn read_base64(text: &str, max: usize) -> Result<Bytes, InvalidDataUri> {
        // Every four characters are three bytes; line breaks are left out by the decoder.
        if text.len() / 4 > max {
            return Err(InvalidDataUri::TooLong { max });
        }
        if text.contains(' ') {
            return Err(InvalidDataUri::Space);
        }
        let bytes = data_url::forgiving_base64::decode_to_vec(text.as_bytes());
        let bytes = bytes.map_err(|_| InvalidDataUri::Form)?;
        match bytes.len() {
            0 => Err(InvalidDataUri::Empty),
            length if length > max => Err(InvalidDataUri::TooLong { max }),
            _ => Ok(bytes.into()),
        }
    }
}

/// Says whether a URI has a space in its base64. A decoder would leave it out, and with it the `+` that it was.
fn has_space(uri: &str) -> bool {
    let Some((header, data)) = uri.split_once(',') else {
        return false;
    };
    let last = header.rsplit_once(';').map_or("", |(_, last)| last.trim());
    last.eq_ignore_ascii_case("base64") && data.contains(' ')
}

fn own_type(uri: &DataUrl<'_>) -> Result<MediaType, Refused> {
    let mime = uri.mime_type();
    MediaType::declared(&format!("{}/{}", mime.type_, mime.subtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_carries_type_and_bytes() {
        let read = DataUri::read("data:image/png;base64,AAEC", None, 3).unwrap();
        assert_eq!(read.media_type.as_str(), "image/png");
        assert_eq!(read.bytes, [0, 1, 2][..]);
        assert!(DataUri::is_meant(" DATA:,") && !DataUri::is_meant("https://data:1"));
    }

    #[test]
    fn what_is_declared_beside_a_uri_stands_for_its_own_type() {
        let declared = MediaType::declared("image/png").unwrap();
        for uri in [
            "data:application/octet-stream;base64,AAEC",
            "data:;base64,AAEC",
        ] {
            let read = DataUri::read(uri, Some(declared.clone()), 3).unwrap();
            assert_eq!(read.media_type, declared);
            assert_eq!(read.bytes, [0, 1, 2][..]);
        }
    }

    #[test]
    fn a_uri_that_cannot_be_kept_says_why() {
        let read = |text| DataUri::read(text, None, 2).unwrap_err();
        assert_eq!(
            read("data:image/png;base64,AAEC"),
            InvalidDataUri::TooLong { max: 2 }
        );
        assert_eq!(read("data:image/png;base64,A"), InvalidDataUri::Form);
        assert_eq!(read("data:image/png;base64,"), InvalidDataUri::Empty);
        assert_eq!(read("data:image/png"), InvalidDataUri::Form);
        assert!(matches!(read("data:text/html,x"), InvalidDataUri::Type(_)));
        assert!(matches!(read("data:,x"), InvalidDataUri::Type(_)));
    }

    #[test]
    fn a_plus_that_a_form_made_a_space_is_not_passed_over() {
        let lines = "++\r\n8=";
        assert_eq!(DataUri::read_base64(lines, 9).unwrap(), [0xfb, 0xef][..]);
        for spoiled in ["  8=", "+ 8=", " +8=", "AAEC+A ", "AAECAA E"] {
            let read = DataUri::read_base64(spoiled, 9);
            assert_eq!(read, Err(InvalidDataUri::Space), "{spoiled:?}");
            let uri = format!("data:image/png; a=b; base64,{spoiled}");
            let read = DataUri::read(&uri, None, 9);
            assert_eq!(read, Err(InvalidDataUri::Space), "{uri:?}");
        }
        for whole in [
            " data:image/png; a=b;base64,++8=",
            "data:image/png;base64,%2B%2b8%3D",
            "data:image/png;base64,++%208=",
            "data:image/png;base64,++\n8=\n",
        ] {
            let read = DataUri::read(whole, None, 9).unwrap();
            assert_eq!(read.bytes, [0xfb, 0xef][..], "{whole:?}");
        }
        let card = DataUri::read("data:text/vcard,BEGIN:VCARD FN:Ann B", None, 99).unwrap();
        assert_eq!(card.bytes, "BEGIN:VCARD FN:Ann B");
    }

    #[test]
    fn base64_alone_is_bounded_before_it_is_decoded() {
        assert_eq!(DataUri::read_base64("AAEC", 3).unwrap(), [0, 1, 2][..]);
        let long = "A".repeat(4_000);
        assert_eq!(
            DataUri::read_base64(&long, 10),
            Err(InvalidDataUri::TooLong { max: 10 })
        );
        assert_eq!(DataUri::read_base64("?", 10), Err(InvalidDataUri::Form));
        assert_eq!(DataUri::read_base64("", 10), Err(InvalidDataUri::Empty));
    }
}
