//! The WebSocket that carries the link.

use crate::{address::HubAddress, transport::Stream};
use futures_util::{FutureExt, SinkExt, StreamExt};
use postrider_link::{
    close::CloseCode,
    limits::{FRAME_BYTES_MAX, SUB_PROTOCOL},
};
use rustls::ClientConfig;
use std::{
    collections::VecDeque,
    future::poll_fn,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::time::{Sleep, sleep, timeout};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        self, ClientRequestBuilder, Message, Utf8Bytes,
        protocol::{CloseFrame, WebSocketConfig},
    },
};

/// Read buffer of a connection: small, because a process may hold thousands.
const READ_BUFFER_BYTES: usize = 2 * 1024;
/// Write buffer for a slow hub; when it is full, frames wait outside of it.
const WRITE_BUFFER_BYTES_MAX: usize = 4 * FRAME_BYTES_MAX;
/// Frames that may wait for a slow hub: more than credit allows, so a full queue means a stall.
const OUTGOING_MAX: usize = 4_096;
/// How long a write may stall before the connection is given up.
const STALL_MAX: Duration = Duration::from_secs(15);
/// How long the hub may take to answer the upgrade.
const UPGRADE_MAX: Duration = Duration::from_secs(15);
/// How long the close may take.
const CLOSE_MAX: Duration = Duration::from_secs(1);

/// Says why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The hub could not be reached, or the stream broke.
    #[error("the hub cannot be reached: {0}")]
    Stream(#[from] io::Error),
    /// The phone has no network.
    #[error("there is no network")]
    NoNetwork,
    /// The hub answered the upgrade with another HTTP status.
    #[error("the hub answered {0} instead of opening a link")]
    Upgrade(u16),
    /// The hub did not answer or take bytes in time.
    #[error("the hub does not answer")]
    TimedOut,
    /// The hub broke the rules of WebSocket.
    #[error("the hub does not speak WebSocket as it should: {0}")]
    Protocol(String),
}

impl From<tungstenite::Error> for SocketError {
    fn from(error: tungstenite::Error) -> Self {
        match error {
            tungstenite::Error::Io(error) => Self::Stream(error),
            tungstenite::Error::Http(answer) => Self::Upgrade(answer.status().as_u16()),
            tungstenite::Error::ConnectionClosed | tungstenite::Error::AlreadyClosed => {
                Self::Stream(io::ErrorKind::ConnectionAborted.into())
            }
            error => Self::Protocol(error.to_string()),
        }
    }
}

/// What the socket received.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A frame's text, not decoded yet.
    Text(Utf8Bytes),
    /// A binary message, which the link does not have.
    Binary,
    /// The end, with the hub's close code if it gave one.
    Closed(Option<CloseCode>),
}

/// One open connection.
///
/// Frames are queued and written while somebody waits in [`Socket::next`], so that a slow hub never
/// keeps the phone from its radio.
pub(crate) struct Socket {
    stream: WebSocketStream<Stream>,
    outgoing: VecDeque<String>,
    is_flushed: bool,
    stall: Option<Pin<Box<Sleep>>>,
}

impl Socket {
    /// Dials and upgrades.
    pub(crate) async fn connect(
        link: HubAddress,
        tls: Arc<ClientConfig>,
    ) -> Result<Self, SocketError> {
        let stream = Stream::connect(&link, &tls).await?;
        let uri = link
            .web_socket_url()
            .parse()
            .map_err(|_| SocketError::Protocol("the link's address is not one".to_owned()))?;
        let request = ClientRequestBuilder::new(uri).with_sub_protocol(SUB_PROTOCOL);
        let upgrading = client_async_with_config(request, stream, Some(limits()));
        let (stream, _) = timeout(UPGRADE_MAX, upgrading)
            .await
            .map_err(|_| SocketError::TimedOut)??;
        Ok(Self {
            stream,
            outgoing: VecDeque::new(),
            is_flushed: true,
            stall: None,
        })
    }

    /// Queues a frame.
    pub(crate) fn write(&mut self, frame: String) {
        self.outgoing.push_back(frame);
    }

    /// Writes what is queued and waits for the next frame; dropping it loses none.
    pub(crate) async fn next(&mut self) -> Incoming {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    /// Writes what is queued, for a ring that does not wait for the next frame.
    #[cfg(debug_assertions)]
    pub(crate) async fn flush(&mut self) -> Result<(), SocketError> {
        poll_fn(|cx| match self.poll_flush(cx) {
            Ok(flushed) => flushed.map(Ok),
            Err(error) => Poll::Ready(Err(error)),
        })
        .await
    }

    /// Returns a frame that is there already.
    pub(crate) fn next_ready(&mut self) -> Option<Incoming> {
        self.next().now_or_never()
    }

    /// Writes what is queued and closes, whether or not the hub accepts it.
    pub(crate) async fn close(mut self, close: CloseCode) {
        let frame = CloseFrame {
            code: close.code().into(),
            reason: Utf8Bytes::from_static(close.reason()),
        };
        let goodbye = async {
            for frame in self.outgoing.drain(..) {
                self.stream.feed(Message::text(frame)).await?;
            }
            self.stream.close(Some(frame)).await?;
            while self.stream.next().await.is_some_and(|read| read.is_ok()) {}
            Ok::<_, tungstenite::Error>(())
        };
        // The stream is dropped in any case.
        let _unheard = timeout(CLOSE_MAX, goodbye).await;
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Incoming> {
        if self.poll_write(cx).is_err() {
            return Poll::Ready(Incoming::Closed(None));
        }
        loop {
            return match self.stream.poll_next_unpin(cx) {
                Poll::Pending => Poll::Pending,
                Poll::Ready(Some(Ok(message))) => match message {
                    Message::Text(text) => Poll::Ready(Incoming::Text(text)),
                    Message::Binary(_) => Poll::Ready(Incoming::Binary),
                    Message::Close(frame) => {
                        let code = frame.and_then(|frame| CloseCode::from_code(frame.code.into()));
                        Poll::Ready(Incoming::Closed(code))
                    }
                    Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => continue,
                },
                Poll::Ready(Some(Err(_)) | None) => Poll::Ready(Incoming::Closed(None)),
            };
        }
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Result<(), SocketError> {
        match self.poll_flush(cx)? {
            Poll::Ready(()) => self.stall = None,
            Poll::Pending => {
                let stall = self.stall.get_or_insert_with(|| Box::pin(sleep(STALL_MAX)));
                let stalled = stall.as_mut().poll(cx).is_ready();
                if stalled || self.outgoing.len() > OUTGOING_MAX {
                    return Err(SocketError::TimedOut);
                }
            }
        }
        Ok(())
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Result<Poll<()>, SocketError> {
        while !self.outgoing.is_empty() {
            match self.stream.poll_ready_unpin(cx)? {
                Poll::Pending => return Ok(Poll::Pending),
                Poll::Ready(()) => {}
            }
            if let Some(frame) = self.outgoing.pop_front() {
                self.stream.start_send_unpin(Message::text(frame))?;
                self.is_flushed = false;
            }
        }
        if !self.is_flushed {
            match self.stream.poll_flush_unpin(cx)? {
                Poll::Pending => return Ok(Poll::Pending),
                Poll::Ready(()) => self.is_flushed = true,
            }
        }
        Ok(Poll::Ready(()))
    }
}

/// The frames of a turn are flushed together, so nothing is buffered between turns.
fn limits() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(READ_BUFFER_BYTES)
        .max_write_buffer_size(WRITE_BUFFER_BYTES_MAX)
        .max_message_size(Some(FRAME_BYTES_MAX))
        .max_frame_size(Some(FRAME_BYTES_MAX))
}
