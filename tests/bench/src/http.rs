//! One HTTP/1.1 connection, as lean as possible: hand-written requests, hardly parsed answers.

use crate::Failure;
use std::{io::Write, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// How much is read at once.
const READ_BYTES: usize = 16 * 1024;

/// A keep-alive connection with one request at a time.
pub(crate) struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
    written: Vec<u8>,
}

/// What a request needs besides its path and body.
#[derive(Clone)]
pub(crate) struct Caller {
    /// Where the hub listens.
    pub(crate) address: SocketAddr,
    /// The value of `Authorization`.
    pub(crate) authorization: String,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(caller: &Caller) -> Result<Self, Failure> {
        let stream = TcpStream::connect(caller.address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            read: Vec::with_capacity(READ_BYTES),
            written: Vec::with_capacity(1024),
        })
    }

    /// Sends one request and returns the body of an answer that says yes.
    pub(crate) async fn exchange(
        &mut self,
        caller: &Caller,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> Result<&[u8], Failure> {
        let headers = match method {
            "POST" => &format!("{headers}Content-Type: application/json\r\n"),
            _ => headers,
        };
        self.write(caller, method, path, headers, body).await?;
        self.answer(b"HTTP/1.1 2").await
    }

    /// Posts a body of another type than JSON and returns the body of an answer that says yes.
    pub(crate) async fn post(
        &mut self,
        caller: &Caller,
        path: &str,
        content_type: &str,
        body: &[u8],
    ) -> Result<&[u8], Failure> {
        let headers = format!("Content-Type: {content_type}\r\n");
        self.write(caller, "POST", path, &headers, body).await?;
        self.answer(b"HTTP/1.1 2").await
    }

    /// Asks for what must lead elsewhere.
    pub(crate) async fn be_led_on(&mut self, caller: &Caller, path: &str) -> Result<(), Failure> {
        self.write(caller, "GET", path, "", b"").await?;
        self.answer(b"HTTP/1.1 302").await.map(drop)
    }

    async fn write(
        &mut self,
        caller: &Caller,
        method: &str,
        path: &str,
        headers: &str,
        body: &[u8],
    ) -> Result<(), Failure> {
        self.written.clear();
        let address = caller.address;
        write!(
            self.written,
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {}\r\n{headers}",
            caller.authorization
        )?;
        if method == "POST" {
            let length = body.len();
            write!(self.written, "Content-Length: {length}\r\n")?;
        }
        self.written.extend_from_slice(b"\r\n");
        self.written.extend_from_slice(body);
        Ok(self.stream.write_all(&self.written).await?)
    }

    /// Returns the body of an answer that begins in this way.
    async fn answer(&mut self, wanted: &[u8]) -> Result<&[u8], Failure> {
        self.read.clear();
        let head_end = loop {
            if let Some(end) = find(&self.read, b"\r\n\r\n") {
                break end + 4;
            }
            self.read_more().await?;
        };
        let head = &self.read[..head_end];
        let ok = head.starts_with(wanted);
        match content_length(head)? {
            Some(length) => {
                while self.read.len() < head_end + length {
                    self.read_more().await?;
                }
            }
            // In chunks, of which the last one is empty. Nobody looks into such an answer.
            None => {
                while !self.read[head_end..].ends_with(b"0\r\n\r\n") {
                    self.read_more().await?;
                }
            }
        }
        let body = &self.read[head_end..];
        if ok {
            Ok(body)
        } else {
            let answer = String::from_utf8_lossy(&self.read[..self.read.len().min(600)]);
            Err(format!("the hub answered: {answer}").into())
        }
    }

    async fn read_more(&mut self) -> Result<(), Failure> {
        if self.read.capacity() - self.read.len() < READ_BYTES {
            self.read.reserve(READ_BYTES);
        }
        match self.stream.read_buf(&mut self.read).await? {
            0 => Err("the hub closed the connection".into()),
            _ => Ok(()),
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|part| part == wanted)
}

/// Returns how long the body is; `None` where it comes in chunks.
fn content_length(head: &[u8]) -> Result<Option<usize>, Failure> {
    let value = |name: &[u8]| {
        let mut lines = head.split(|byte| *byte == b'\n');
        let named = |line: &&[u8]| {
            line.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        lines.find(named).map(|line| &line[name.len()..])
    };
    if let Some(length) = value(b"content-length:") {
        return Ok(Some(std::str::from_utf8(length)?.trim().parse()?));
    }
    match value(b"transfer-encoding:") {
        Some(coding) if coding.trim_ascii().eq_ignore_ascii_case(b"chunked") => Ok(None),
        _ => Err("the answer has no Content-Length".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_found_whatever_its_case() {
        let head = b"HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 17\r\n\r\n";
        assert_eq!(content_length(head).unwrap(), Some(17));
        assert_eq!(
            content_length(b"HTTP/1.1 200 OK\r\ncontent-length:3\r\n\r\n").unwrap(),
            Some(3)
        );
        let chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(content_length(chunks).unwrap(), None);
        assert!(content_length(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
