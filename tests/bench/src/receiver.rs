//! Webhook receivers on loopback, as lean as possible: they record requests, and answer.

use crate::{Failure, clock::now};
use std::{
    net::{Ipv4Addr, TcpListener as Bound},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
};

/// How often [`Receivers::wait`] looks.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How much is read at once.
const READ_BYTES: usize = 16 * 1024;
const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// One recorded request.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    /// When its last byte was read.
    pub(crate) at: Instant,
    /// The header `webhook-id`.
    pub(crate) webhook: String,
    /// The message that it is about.
    pub(crate) message: String,
    /// The message's status.
    pub(crate) status: String,
}

/// Servers on a separate thread, which ends with the program.
pub(crate) struct Receivers {
    /// Where they listen.
    pub(crate) ports: Vec<u16>,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    open: watch::Sender<bool>,
}

impl Receivers {
    /// Starts so many. Each answers `delay` after a request, but nothing before
    /// [`Self::open`].
    pub(crate) fn start(count: usize, delay: Duration) -> Result<Self, Failure> {
        let bound: Vec<Bound> = (0..count)
            .map(|_| Bound::bind((Ipv4Addr::LOCALHOST, 0)))
            .collect::<Result<_, _>>()?;
        let ports = bound.iter().map(|one| Ok(one.local_addr()?.port()));
        let ports = ports.collect::<Result<_, Failure>>()?;
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let open = watch::Sender::new(false);
        let each = Each {
            arrivals: Arc::clone(&arrivals),
            open: open.subscribe(),
            delay,
        };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        thread::spawn(move || runtime.block_on(serve(bound, each)));
        Ok(Self {
            ports,
            arrivals,
            open,
        })
    }

    /// Lets them answer.
    pub(crate) fn open(&self) {
        self.open.send_replace(true);
    }

    /// Returns everything that came so far, in the order of arrival.
    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        lock(&self.arrivals).clone()
    }

    /// Waits until so many requests came.
    pub(crate) async fn wait(&self, count: usize, patience: Duration) -> Result<(), Failure> {
        let until = now() + patience;
        while lock(&self.arrivals).len() < count {
            if now() > until {
                let came = lock(&self.arrivals).len();
                return Err(format!("{came} of {count} webhooks came").into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}

fn lock(arrivals: &Mutex<Vec<Arrival>>) -> MutexGuard<'_, Vec<Arrival>> {
    arrivals.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone)]
struct Each {
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    open: watch::Receiver<bool>,
    delay: Duration,
}

async fn serve(bound: Vec<Bound>, each: Each) {
    for one in bound {
        let each = each.clone();
        tokio::spawn(async move {
            one.set_nonblocking(true)?;
            let listener = TcpListener::from_std(one)?;
            loop {
                let (stream, _) = listener.accept().await?;
                tokio::spawn(answer(stream, each.clone()));
            }
            #[expect(unreachable_code, reason = "says what the questions above return")]
            Ok::<(), std::io::Error>(())
        });
    }
    std::future::pending::<()>().await;
}

/// Answers the requests of one connection until it ends.
async fn answer(mut stream: TcpStream, mut each: Each) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut read = Vec::with_capacity(READ_BYTES);
    loop {
        let length = loop {
            if let Some(length) = whole(&read) {
                break length;
            }
            if stream.read_buf(&mut read).await.ok()? == 0 {
                return None;
            }
        };
        let arrival = arrival(&String::from_utf8_lossy(&read[..length]));
        lock(&each.arrivals).push(arrival);
        read.drain(..length);
        each.open.wait_for(|open| *open).await.ok()?;
        if !each.delay.is_zero() {
            tokio::time::sleep(each.delay).await;
        }
        stream.write_all(ANSWER).await.ok()?;
    }
}

/// Returns the request's length once all of it is there.
fn whole(read: &[u8]) -> Option<usize> {
    let head = read.windows(4).position(|part| part == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&read[..head]).to_lowercase();
    let length: usize = between(&text, "\r\ncontent-length: ", '\r').parse().ok()?;
    (read.len() >= head + length).then_some(head + length)
}

fn arrival(request: &str) -> Arrival {
    Arrival {
        at: now(),
        webhook: between(request, "\r\nwebhook-id: ", '\r').to_owned(),
        message: between(request, "&id=", '&').to_owned(),
        status: between(request, "&status=", '&').to_owned(),
    }
}

fn between<'a>(text: &'a str, before: &str, end: char) -> &'a str {
    let rest = text.split_once(before).map_or("", |(_, rest)| rest);
    rest.split(end).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &str = "POST / HTTP/1.1\r\nContent-Length: 43\r\nwebhook-id: msg_7\r\n\r\n\
                           event=send_status&id=MG1&status=queued&a=bc";

    #[test]
    fn a_request_is_whole_when_its_body_is_there() {
        let bytes = REQUEST.as_bytes();
        assert_eq!(whole(bytes), Some(bytes.len()));
        assert_eq!(whole(&bytes[..bytes.len() - 1]), None);
        assert_eq!(whole(&bytes[..30]), None);
    }

    #[test]
    fn what_it_tells_of_is_noticed() {
        let arrival = arrival(REQUEST);
        assert_eq!(arrival.webhook, "msg_7");
        assert_eq!((&*arrival.message, &*arrival.status), ("MG1", "queued"));
    }
}
