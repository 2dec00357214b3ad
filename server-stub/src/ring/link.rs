//! The socket of one connection: bytes as the engine made them, frames as they came.

use super::random;
use super::shared::{Shared, WIRES_MAX};
use crate::engine::{Heard, Wire};
use futures_util::StreamExt;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use postrider_link::codec::DecodeError;
use postrider_link::limits::FRAME_BYTES_MAX;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// How long a phone may take to read what is written to it.
const WRITE_MAX: Duration = Duration::from_secs(60);
/// How long to wait for the other end of a close.
const CLOSE_MAX: Duration = Duration::from_secs(2);
/// What a connection keeps for reading.
const READ_BUFFER_BYTES: usize = 2 * 1024;

/// A dial whose request to open the link was granted.
pub(super) struct Upgrade {
    pub(super) dial: u64,
    pub(super) io: OnUpgrade,
}

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Serves a link until either side ends it.
pub(super) async fn serve(upgrade: Upgrade, shared: Arc<Shared>) {
    let dial = upgrade.dial;
    let (Ok(io), Ok(nonce)) = (upgrade.io.await, random::nonce()) else {
        return shared.with(|engine, now| engine.dial_failed(dial, now));
    };
    let limits = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX));
    let socket = WebSocketStream::from_raw_socket(TokioIo::new(io), Role::Server, Some(limits));
    let mut socket = socket.await;
    let (wires, inbox) = mpsc::channel(WIRES_MAX);
    shared.connect(dial, wires);
    shared.with(|engine, now| engine.opened(dial, nonce, now));
    let code = talk(dial, &mut socket, inbox, &shared).await;
    shared.disconnect(dial);
    shared.with(|engine, now| engine.closed(dial, code, now));
}

/// Returns the phone's close code, if it gave one.
async fn talk(
    dial: u64,
    socket: &mut Socket,
    mut inbox: mpsc::Receiver<Wire>,
    shared: &Shared,
) -> Option<u16> {
    let mut reading = true;
    loop {
        tokio::select! {
            biased;
            wire = inbox.recv() => match wire? {
                Wire::Bytes(bytes) => write(socket, &bytes).await.ok()?,
                Wire::Reading(now) => reading = now,
                Wire::Finish(_) => {
                    let answered = async { while let Some(Ok(_)) = socket.next().await {} };
                    // The other end need not answer: the socket is dropped either way.
                    let _ = timeout(CLOSE_MAX, answered).await;
                    return None;
                }
                Wire::Cut => return None,
            },
            message = socket.next(), if reading => {
                let heard = match message? {
                    Ok(Message::Text(text)) => Heard::Text(text.as_bytes().to_vec()),
                    Ok(Message::Binary(_)) => Heard::Binary,
                    Ok(Message::Close(frame)) => {
                        // Polled once more, the answer to the close goes out.
                        let _ = timeout(CLOSE_MAX, socket.next()).await;
                        return frame.map(|frame| frame.code.into());
                    }
                    Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => continue,
                    Err(Error::Capacity(_)) => Heard::Unreadable(DecodeError::TooLong),
                    Err(Error::Utf8(_)) => Heard::Unreadable(DecodeError::NotUtf8),
                    Err(_) => return None,
                };
                let ends = matches!(heard, Heard::Unreadable(_));
                shared.with(|engine, now| engine.heard(dial, heard, now));
                // Behind such a message the stream cannot be read on.
                reading &= !ends;
            }
        }
    }
}

/// Writes past the WebSocket: a message that is broken on purpose is none of its business.
async fn write(socket: &mut Socket, bytes: &[u8]) -> io::Result<()> {
    let stream = socket.get_mut();
    let writing = async {
        stream.write_all(bytes).await?;
        stream.flush().await
    };
    match timeout(WRITE_MAX, writing).await {
        Ok(written) => written,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}
