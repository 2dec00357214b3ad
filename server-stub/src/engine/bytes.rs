//! What goes over the wire, byte by byte: a hub that breaks frames has to make them itself.
//!
//! Source: RFC 6455, section 5.2. A server's frames are not masked.

use crate::scenario::Malformed;
use postrider_link::limits::{DEPTH_MAX, FRAME_BYTES_MAX, INTEGER_END};

const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const FINAL: u8 = 0x80;
/// Longest payload of a close frame.
const CONTROL_BYTES_MAX: usize = 125;

/// Returns a text message in one frame.
pub(super) fn text(payload: &[u8]) -> Vec<u8> {
    message(TEXT, payload)
}

/// Returns a close frame.
pub(super) fn close(code: u16, reason: &str) -> Vec<u8> {
    let mut payload = code.to_be_bytes().to_vec();
    payload.extend(reason.bytes().take(CONTROL_BYTES_MAX - payload.len()));
    message(CLOSE, &payload)
}

/// Returns a message that is no frame of the link, in the place of one.
pub(super) fn malformed(how: Malformed, frame: &str) -> Vec<u8> {
    match how {
        Malformed::NotJson => text(b"no frame at all"),
        Malformed::DuplicateKey => text(frame.replacen('{', "{\"t\":\"void\",", 1).as_bytes()),
        Malformed::TooDeep => {
            let (open, shut) = ("[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
            text(format!("{{\"t\":\"later\",\"x\":{open}{shut}}}").as_bytes())
        }
        Malformed::LargeNumber => {
            text(format!("{{\"t\":\"later\",\"x\":{INTEGER_END}}}").as_bytes())
        }
        Malformed::NotUtf8 => text(b"{\"t\":\"later\",\"x\":\"\xff\"}"),
        Malformed::NoType => text(b"{\"s\":1}"),
        Malformed::NoFields => text(b"{\"t\":\"send\"}"),
        Malformed::Oversize => {
            let filler = "x".repeat(FRAME_BYTES_MAX);
            text(format!("{{\"t\":\"later\",\"x\":\"{filler}\"}}").as_bytes())
        }
        Malformed::Binary => message(BINARY, frame.as_bytes()),
    }
}

fn message(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![FINAL | opcode];
    match payload.len() {
        length @ 0..=125 => bytes.push(u8::try_from(length).unwrap_or(0)),
        length @ 126..=65_535 => {
            bytes.push(126);
            bytes.extend(u16::try_from(length).unwrap_or(0).to_be_bytes());
        }
        length => {
            bytes.push(127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend(payload);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_link::codec::{DecodeError, decode_hub};

    fn payload(message: &[u8]) -> &[u8] {
        match message[1] {
            126 => &message[4..],
            127 => &message[10..],
            _ => &message[2..],
        }
    }

    #[test]
    fn lengths_have_the_three_forms() {
        for length in [0, 125, 126, 65_535, 65_536] {
            let bytes = text(&vec![b'a'; length]);
            assert_eq!(payload(&bytes).len(), length);
            assert_eq!(bytes[0], 0x81);
        }
        assert_eq!(close(4400, ""), [0x88, 2, 0x11, 0x30]);
    }

    #[test]
    fn each_malformed_message_breaks_the_rule_that_it_is_named_for() {
        let frame = r#"{"t":"void","s":1}"#;
        for (how, error) in [
            (Malformed::NotJson, DecodeError::NotJson),
            (Malformed::DuplicateKey, DecodeError::DuplicateKey),
            (Malformed::TooDeep, DecodeError::TooDeep),
            (Malformed::LargeNumber, DecodeError::NumberTooLarge),
            (Malformed::NotUtf8, DecodeError::NotUtf8),
            (Malformed::NoType, DecodeError::Envelope),
            (Malformed::NoFields, DecodeError::Field),
            (Malformed::Oversize, DecodeError::TooLong),
        ] {
            let bytes = malformed(how, frame);
            assert_eq!(decode_hub(payload(&bytes)), Err(error), "{how:?}");
        }
        assert_eq!(malformed(Malformed::Binary, frame)[0], 0x82);
    }
}
