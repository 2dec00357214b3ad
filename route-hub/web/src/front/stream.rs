//! A connection's bytes, noted on their way.

use crate::front::cut::Cut;
use crate::front::deadline::{Progress, Watch};
use crate::front::places::Place;
use postrider_model::BootMs;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What one connection holds from its acceptance to its end, a WebSocket's time included.
#[derive(Debug)]
pub struct Visit {
    /// Its place, where the connection itself counts.
    pub place: Arc<Place>,
    /// What it did last.
    pub progress: Arc<Progress>,
    /// Ends it.
    pub cut: Arc<Cut>,
    /// Who keeps its deadlines.
    pub watch: Arc<Watch>,
    /// When it was accepted.
    pub accepted_at: BootMs,
    /// Whether a request came on it.
    pub has_asked: AtomicBool,
}

/// A stream that belongs to a visit: it notes progress, and fails once the visit is cut.
#[derive(Debug)]
pub struct Noted<S> {
    inner: S,
    visit: Arc<Visit>,
}

impl<S> Noted<S> {
    /// Wraps a stream.
    pub fn new(inner: S, visit: Arc<Visit>) -> Self {
        Self { inner, visit }
    }

    fn check(&self) -> io::Result<()> {
        if self.visit.cut.is_cut() {
            Err(io::Error::new(io::ErrorKind::TimedOut, "ended by the hub"))
        } else {
            Ok(())
        }
    }

    /// Notes what a write came to.
    fn wrote(
        &self,
        context: &Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match &polled {
            Poll::Ready(Ok(bytes)) => {
                self.visit.progress.wrote(*bytes, self.visit.watch.now_s());
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => {
                self.visit.progress.blocked();
                self.visit.cut.wake_writer(context);
                self.check()?;
            }
        }
        polled
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Noted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check()?;
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        match polled {
            Poll::Ready(Ok(())) if buffer.filled().len() > before => {
                self.visit.progress.read(self.visit.watch.now_s());
            }
            Poll::Ready(_) => {}
            Poll::Pending => {
                self.visit.cut.wake_reader(context);
                self.check()?;
            }
        }
        polled
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Noted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        let polled = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.wrote(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        let polled = Pin::new(&mut self.inner).poll_write_vectored(context, slices);
        self.wrote(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check()?;
        let polled = Pin::new(&mut self.inner).poll_flush(context);
        match polled {
            Poll::Ready(_) => self.visit.progress.flushed(),
            Poll::Pending => {
                self.visit.progress.blocked();
                self.visit.cut.wake_writer(context);
                self.check()?;
            }
        }
        polled
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::places::{Limits, Places};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    fn visit() -> Arc<Visit> {
        let places = Places::new(Limits {
            connections: 1,
            per_address: 1,
            per_project: 1,
        });
        let (watch, cut) = (Arc::new(Watch::default()), Arc::new(Cut::default()));
        Arc::new(Visit {
            place: Arc::new(places.connection(None, &cut).unwrap()),
            progress: watch.add(&cut),
            cut,
            watch,
            accepted_at: BootMs(0),
            has_asked: AtomicBool::new(false),
        })
    }

    #[tokio::test]
    async fn a_cut_ends_whoever_waits() {
        let visit = visit();
        let (ours, mut theirs) = tokio::io::duplex(8);
        let (mut reader, mut writer) = tokio::io::split(Noted::new(ours, Arc::clone(&visit)));
        let reads = tokio::spawn(async move { reader.read_u8().await.is_err() });
        let writes = tokio::spawn(async move { writer.write_all(&[0; 64]).await.is_err() });
        let mut first = [0; 8];
        theirs.read_exact(&mut first).await.unwrap();
        visit.cut.cut();
        assert!(reads.await.unwrap() && writes.await.unwrap());
    }

    #[tokio::test]
    async fn bytes_go_both_ways() {
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut noted = Noted::new(ours, visit());
        noted.write_all(b"abc").await.unwrap();
        noted.flush().await.unwrap();
        let mut got = [0; 3];
        theirs.read_exact(&mut got).await.unwrap();
        theirs.write_all(&got).await.unwrap();
        assert_eq!(noted.read_u8().await.unwrap(), b'a');
    }
}
