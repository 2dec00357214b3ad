//! Strict reading and fast writing of frames.
//!
//! A frame is read twice: once over its bytes to check what typed reading would accept
//! (duplicate keys, depth, large integers) and to find `t`, then directly into its type. Nothing
//! is built in between. Unknown fields are ignored. An unknown `t` is returned as
//! [`Unknown`] unless it says `crit: true`.

mod strict;
#[cfg(test)]
mod tests;

use crate::{
    close::CloseCode,
    frame::{HubFrame, PhoneFrame, Unknown},
    limits::FRAME_BYTES_MAX,
};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;
use strict::Envelope;

/// Why a frame was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// More than [`FRAME_BYTES_MAX`] bytes.
    TooLong,
    /// Not UTF-8.
    NotUtf8,
    /// Not JSON, not an object, or more than one.
    NotJson,
    /// One key twice in one object.
    DuplicateKey,
    /// Nested more than [`crate::limits::DEPTH_MAX`] deep.
    TooDeep,
    /// A number of 2^53 or more, or of -2^53 or less.
    NumberTooLarge,
    /// `t`, `s` or `crit` is absent or of the wrong type.
    Envelope,
    /// A field of a known frame is absent, of the wrong type, or out of its range.
    Field,
    /// An unknown frame that must be understood.
    MustUnderstand,
}

impl DecodeError {
    /// Returns the code to close the connection with.
    pub const fn close_code(self) -> CloseCode {
        match self {
            Self::MustUnderstand => CloseCode::NeedsNewerApp,
            Self::TooLong
            | Self::NotUtf8
            | Self::NotJson
            | Self::DuplicateKey
            | Self::TooDeep
            | Self::NumberTooLarge
            | Self::Envelope
            | Self::Field => CloseCode::ProtocolError,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the frame is longer than 64 KiB",
            Self::NotUtf8 => "the frame is not UTF-8",
            Self::NotJson => "the frame is not one JSON object",
            Self::DuplicateKey => "the frame has a key twice",
            Self::TooDeep => "the frame is nested too deep",
            Self::NumberTooLarge => "the frame has a number of 2^53 or more",
            Self::Envelope => "the frame's envelope is not valid",
            Self::Field => "a field of the frame is not valid",
            Self::MustUnderstand => "the frame is unknown and must be understood",
        })
    }
}

impl std::error::Error for DecodeError {}

/// Why a frame cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodeError {
    /// It would have more than [`FRAME_BYTES_MAX`] bytes.
    TooLong,
    /// It is an [`Unknown`] frame, which only exists as received.
    Unknown,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the frame would be longer than 64 KiB",
            Self::Unknown => "an unknown frame is never written",
        })
    }
}

impl std::error::Error for EncodeError {}

/// A frame of either direction, as the codec writes it.
pub trait Frame: Serialize + sealed::Sealed {}

impl Frame for HubFrame {}
impl Frame for PhoneFrame {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::frame::HubFrame {}
    impl Sealed for crate::frame::PhoneFrame {}
}

/// Writes a frame, `t` first.
///
/// # Errors
/// [`EncodeError`] when the frame is too long or of the kind that is never written.
pub fn encode(frame: &impl Frame) -> Result<String, EncodeError> {
    let text = serde_json::to_string(frame).map_err(|_| EncodeError::Unknown)?;
    if text.len() > FRAME_BYTES_MAX {
        return Err(EncodeError::TooLong);
    }
    Ok(text)
}

/// Reads a frame from the hub.
///
/// # Errors
/// [`DecodeError`], whose `close_code` says how the connection ends.
pub fn decode_hub(bytes: &[u8]) -> Result<HubFrame, DecodeError> {
    let (envelope, text) = open(bytes)?;
    Ok(match &*envelope.t {
        "challenge" => HubFrame::Challenge(read(text)?),
        "welcome" => HubFrame::Welcome(read(text)?),
        "send" => HubFrame::Send(read(text)?),
        "revoke" => HubFrame::Revoke(read(text)?),
        "cancel" => HubFrame::Cancel(read(text)?),
        "void" => HubFrame::Void(read(text)?),
        "config" => HubFrame::Config(read(text)?),
        "ack" => HubFrame::Ack(read(text)?),
        "ping" => HubFrame::Ping(read(text)?),
        "pong" => HubFrame::Pong(read(text)?),
        "bye" => HubFrame::Bye(read(text)?),
        _ => HubFrame::Unknown(unknown(envelope)?),
    })
}

/// Reads a frame from a phone.
///
/// # Errors
/// [`DecodeError`], whose `close_code` says how the connection ends.
pub fn decode_phone(bytes: &[u8]) -> Result<PhoneFrame, DecodeError> {
    let (envelope, text) = open(bytes)?;
    Ok(match &*envelope.t {
        "hello" => PhoneFrame::Hello(read(text)?),
        "event" => PhoneFrame::Event(read(text)?),
        "held" => PhoneFrame::Held(read(text)?),
        "inbound" => PhoneFrame::Inbound(read(text)?),
        "health" => PhoneFrame::Health(read(text)?),
        "ack" => PhoneFrame::Ack(read(text)?),
        "ping" => PhoneFrame::Ping(read(text)?),
        "pong" => PhoneFrame::Pong(read(text)?),
        "bye" => PhoneFrame::Bye(read(text)?),
        _ => PhoneFrame::Unknown(unknown(envelope)?),
    })
}

fn open(bytes: &[u8]) -> Result<(Envelope<'_>, &str), DecodeError> {
    if bytes.len() > FRAME_BYTES_MAX {
        return Err(DecodeError::TooLong);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| DecodeError::NotUtf8)?;
    Ok((strict::scan(text)?, text))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, DecodeError> {
    serde_json::from_str(text).map_err(|_| DecodeError::Field)
}

fn unknown(envelope: Envelope<'_>) -> Result<Unknown, DecodeError> {
    if envelope.crit {
        return Err(DecodeError::MustUnderstand);
    }
    Ok(Unknown {
        t: envelope.t.into_owned(),
        s: envelope.s,
    })
}
