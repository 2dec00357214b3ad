//! The WebSocket of a phone: frames in, frames out, a close with its code.

use crate::nul;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use futures_util::{SinkExt as _, StreamExt as _};
use postrider_link::close::CloseCode;
use postrider_link::codec::{self, DecodeError, EncodeError};
use postrider_link::frame::{HubFrame, PhoneFrame};
use std::time::Duration;

/// How long a phone may take to read what is written to it; then the connection ends.
const WRITE_MAX: Duration = Duration::from_secs(15);
/// How long to wait for the other end of a close.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// A phone's socket.
pub(crate) struct Socket {
    inner: WebSocket,
    outgoing: Vec<Message>,
    is_stranger: bool,
}

/// What came in.
pub(crate) enum Heard {
    /// A frame.
    Frame(PhoneFrame),
    /// Something that is not a frame.
    Malformed(DecodeError),
    /// The end of the connection.
    Ended,
}

/// The connection takes nothing more.
#[derive(Debug)]
pub(crate) struct Gone;

impl Socket {
    /// Wraps an upgraded socket.
    pub(crate) fn new(inner: WebSocket) -> Self {
        Self {
            inner,
            outgoing: Vec::new(),
            is_stranger: true,
        }
    }

    /// Says that a valid hello came: from now on the socket answers pings of the WebSocket.
    pub(crate) fn greet(&mut self) {
        self.is_stranger = false;
    }

    /// Waits for the next frame; cancelling the wait loses nothing.
    pub(crate) async fn next(&mut self) -> Heard {
        loop {
            return match self.inner.next().await {
                Some(Ok(Message::Text(text))) => decoded(text.as_bytes()),
                Some(Ok(Message::Binary(_))) => Heard::Malformed(DecodeError::NotJson),
                // The library answers a ping with the next read, so a stranger's ping ends the
                // connection.
                Some(Ok(Message::Ping(_))) if self.is_stranger => Heard::Ended,
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Close(_))) | None => Heard::Ended,
                Some(Err(error)) => malformed(&error),
            };
        }
    }

    /// Takes a frame to be written by the next flush.
    ///
    /// # Errors
    /// When the frame has no form on the wire.
    pub(crate) fn write(&mut self, frame: &HubFrame) -> Result<(), EncodeError> {
        let text = codec::encode(frame)?;
        self.outgoing.push(Message::Text(Utf8Bytes::from(text)));
        Ok(())
    }

    /// Writes all frames taken so far.
    ///
    /// # Errors
    /// When the connection is gone, or the phone reads nothing.
    pub(crate) async fn flush(&mut self) -> Result<(), Gone> {
        if self.outgoing.is_empty() {
            return Ok(());
        }
        let frames = std::mem::take(&mut self.outgoing);
        let inner = &mut self.inner;
        let written = async move {
            for frame in frames {
                inner.feed(frame).await?;
            }
            inner.flush().await
        };
        match tokio::time::timeout(WRITE_MAX, written).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Gone),
        }
    }

    /// Writes all frames taken so far, then closes with a code.
    pub(crate) async fn close(&mut self, code: CloseCode) {
        if self.flush().await.is_err() {
            return;
        }
        let frame = CloseFrame {
            code: code.code(),
            reason: code.reason().into(),
        };
        let inner = &mut self.inner;
        let closed = async move {
            if inner.send(Message::Close(Some(frame))).await.is_ok() {
                while let Some(Ok(_)) = inner.next().await {}
            }
        };
        // The other end need not answer: the socket is dropped either way.
        let _ = tokio::time::timeout(CLOSE_MAX, closed).await;
    }
}

fn decoded(bytes: &[u8]) -> Heard {
    match codec::decode_phone(&nul::replaced(bytes)) {
        Ok(frame) => Heard::Frame(frame),
        Err(error) => Heard::Malformed(error),
    }
}

/// A text that is too long or not UTF-8 is the phone's fault, and the phone is told. Any other
/// error ends the connection.
fn malformed(error: &axum::Error) -> Heard {
    let text = error.to_string().to_lowercase();
    if text.contains("utf-8") || text.contains("utf8") {
        Heard::Malformed(DecodeError::NotUtf8)
    } else if text.contains("too long") || text.contains("too big") || text.contains("capacity") {
        Heard::Malformed(DecodeError::TooLong)
    } else {
        Heard::Ended
    }
}
