//! Data messages: a few bytes on a port instead of a text.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::engine::{DecodePaddingMode, general_purpose};
use postrider_link::frame::{Bytes, Data};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// Most bytes of one data message: 140 less the header that names the port (3GPP TS 23.040).
pub const DATA_BYTES_MAX: usize = 133;

/// Standard base64, with or without its padding.
const READER: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How the bytes of a data message are written in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// Standard base64.
    Base64,
    /// Two hexadecimal digits a byte.
    Hex,
}

impl Encoding {
    /// Returns the name that travels.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Hex => "hex",
        }
    }
}

/// Says why a text cannot be the payload of a data message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidData {
    /// It is not written in its encoding.
    NotEncoded(Encoding),
    /// It is empty, or longer than one message.
    Length,
}

impl fmt::Display for InvalidData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotEncoded(encoding) => write!(f, "must be {}", encoding.as_str()),
            Self::Length => write!(f, "must be 1 to {DATA_BYTES_MAX} bytes"),
        }
    }
}

impl std::error::Error for InvalidData {}

/// The payload of a data message; prints its bytes as a length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSms {
    /// The destination port.
    pub port: u16,
    /// The bytes.
    pub bytes: Bytes,
}

impl DataSms {
    /// Reads a payload as a request writes it.
    ///
    /// # Errors
    /// [`InvalidData`].
    pub fn read(port: u16, data: &str, encoding: Encoding) -> Result<Self, InvalidData> {
        let bytes = match encoding {
            Encoding::Base64 => READER.decode(data).ok(),
            Encoding::Hex => from_hex(data),
        };
        let bytes = bytes.ok_or(InvalidData::NotEncoded(encoding))?;
        if !(1..=DATA_BYTES_MAX).contains(&bytes.len()) {
            return Err(InvalidData::Length);
        }
        Ok(Self {
            port,
            bytes: Bytes(bytes),
        })
    }

    /// Returns the payload that a message's `route_params` carry, if they carry one.
    pub(crate) fn of_params(params: &str) -> Option<Self> {
        let params: Value = serde_json::from_str(params).ok()?;
        let port = params.get("port")?.as_u64()?;
        let bytes = READER.decode(params.get("data")?.as_str()?).ok()?;
        Some(Self {
            port: u16::try_from(port).ok()?,
            bytes: Bytes(bytes),
        })
    }

    /// Returns the `route_params` that show the payload, as JSON.
    pub fn to_params(&self) -> String {
        let data = general_purpose::STANDARD.encode(&self.bytes.0);
        json!({ "port": self.port, "data": data, "encoding": Encoding::Base64.as_str() })
            .to_string()
    }
}

impl From<DataSms> for Data {
    fn from(data: DataSms) -> Self {
        Self {
            port: data.port,
            base64: data.bytes,
        }
    }
}

impl From<Data> for DataSms {
    fn from(data: Data) -> Self {
        Self {
            port: data.port,
            bytes: data.base64,
        }
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text
        .chars()
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<Vec<u8>>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    rest.is_empty()
        .then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(data: &str, encoding: Encoding) -> Result<Vec<u8>, InvalidData> {
        DataSms::read(16_000, data, encoding).map(|data| data.bytes.0)
    }

    #[test]
    fn both_encodings_give_the_same_bytes() {
        let expected = Ok(vec![0xde, 0xad, 0xbe, 0xef]);
        assert_eq!(read("3q2+7w==", Encoding::Base64), expected);
        assert_eq!(read("3q2+7w", Encoding::Base64), expected);
        assert_eq!(read("DEADbeef", Encoding::Hex), expected);
    }

    #[test]
    fn what_is_not_written_in_its_encoding_or_too_long_is_refused() {
        let not = |encoding| Err(InvalidData::NotEncoded(encoding));
        assert_eq!(read("deadbee", Encoding::Hex), not(Encoding::Hex));
        assert_eq!(read("xy", Encoding::Hex), not(Encoding::Hex));
        assert_eq!(read("3q2+7w=!", Encoding::Base64), not(Encoding::Base64));
        assert_eq!(read("", Encoding::Base64), Err(InvalidData::Length));
        assert!(read(&"00".repeat(133), Encoding::Hex).is_ok());
        assert_eq!(
            read(&"00".repeat(134), Encoding::Hex),
            Err(InvalidData::Length)
        );
    }

    #[test]
    fn route_params_carry_a_payload_there_and_back() {
        let data = DataSms::read(16_000, "00ff", Encoding::Hex).unwrap();
        let params = data.to_params();
        assert_eq!(
            params,
            r#"{"port":16000,"data":"AP8=","encoding":"base64"}"#
        );
        assert_eq!(DataSms::of_params(&params), Some(data));
        assert_eq!(DataSms::of_params(r#"{"quick_replies":[]}"#), None);
    }
}
