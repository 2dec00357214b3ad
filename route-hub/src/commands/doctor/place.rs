//! A request of the doctor's own: one connection, one answer, and the certificate that was shown.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::crypto::{verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

/// How long a connection, or an answer's next bytes, may take.
const WAIT: Duration = Duration::from_secs(5);
/// Most bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// Where a hub is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) is_tls: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// What stands before each path.
    prefix: String,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: String,
    /// The certificates that the server showed.
    pub(super) chain: Vec<CertificateDer<'static>>,
}

impl Place {
    /// Reads a URL of http or https.
    pub(super) fn read(url: &str) -> Option<Self> {
        let uri: http::Uri = url.parse().ok()?;
        let is_tls = match uri.scheme_str()? {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        let default = if is_tls { 443 } else { 80 };
        Some(Self {
            is_tls,
            host: uri.host()?.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(default),
            prefix: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Returns the place of a listener on this machine.
    pub(super) fn listening(address: SocketAddr, is_tls: bool) -> Self {
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        Self {
            is_tls,
            host: ip.to_string(),
            port: address.port(),
            prefix: String::new(),
        }
    }

    /// Asks for a path, with further lines of a head.
    ///
    /// # Errors
    /// When there is no answer, in words.
    pub(super) fn ask(&self, method: &str, path: &str, head: &[&str]) -> io::Result<Answer> {
        let stream = self.connect()?;
        let (host, prefix) = (self.authority(), &self.prefix);
        let mut request = format!("{method} {prefix}{path} HTTP/1.1\r\nhost: {host}\r\n");
        for line in head {
            request.push_str(line);
            request.push_str("\r\n");
        }
        if !head.iter().any(|line| line.starts_with("connection:")) {
            request.push_str("connection: close\r\n");
        }
        request.push_str("\r\n");
        if !self.is_tls {
            let (status, body) = exchange(stream, &request)?;
            return Ok(Answer {
                status,
                body,
                chain: Vec::new(),
            });
        }
        let mut stream = self.with_tls(stream)?;
        let (status, body) = exchange(&mut stream, &request)?;
        let chain = stream.conn.peer_certificates().unwrap_or_default().to_vec();
        Ok(Answer {
            status,
            body,
            chain,
        })
    }

    /// Returns what the header `Host` says.
    fn authority(&self) -> String {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        match (self.is_tls, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut failed = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in (self.host.as_str(), self.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, WAIT) {
                Ok(stream) => {
                    stream.set_read_timeout(Some(WAIT))?;
                    stream.set_write_timeout(Some(WAIT))?;
                    return Ok(stream);
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Takes whatever certificate is shown: who asks judges it.
    fn with_tls(&self, stream: TcpStream) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
        let other = |error: &dyn std::error::Error| io::Error::other(error.to_string());
        let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| other(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(TakesAny))
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let name = ServerName::try_from(self.host.clone()).map_err(|error| other(&error))?;
        let connection =
            ClientConnection::new(Arc::new(config), name).map_err(|error| other(&error))?;
        Ok(StreamOwned::new(connection, stream))
    }
}

/// Sends a request and reads its answer: until the server closes, or is done.
fn exchange(mut stream: impl Read + Write, request: &str) -> io::Result<(u16, String)> {
    stream.write_all(request.as_bytes())?;
    stream.flush()?;
    let mut answer = Vec::new();
    let mut part = [0; 4_096];
    loop {
        if let Some(done) = read(&answer, false) {
            return Ok(done);
        }
        match stream.read(&mut part) {
            // Not every server says goodbye in TLS.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
            Err(error) => return Err(error),
            Ok(0) => break,
            Ok(length) => answer.extend_from_slice(&part[..length]),
        }
        if answer.len() as u64 > ANSWER_BYTES_MAX {
            break;
        }
    }
    let no_answer = || io::Error::new(io::ErrorKind::InvalidData, "it does not answer in HTTP");
    read(&answer, true).ok_or_else(no_answer)
}

/// Reads the status and the body of an answer, once it is whole.
fn read(answer: &[u8], is_over: bool) -> Option<(u16, String)> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&answer[..end]);
    let status: u16 = head.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()?;
    let body = &answer[end + 4..];
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length
            .then(|| value.trim().parse::<usize>().ok())
            .flatten()
    });
    let is_whole = match length {
        _ if status == 101 => true,
        Some(length) => body.len() >= length,
        None => is_over,
    };
    (is_whole || is_over).then(|| (status, String::from_utf8_lossy(body).into_owned()))
}

/// Believes every certificate, and still wants the handshake signed by its key.
#[derive(Debug)]
struct TakesAny;

impl ServerCertVerifier for TakesAny {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = default_provider().signature_verification_algorithms;
        verify_tls12_signature(message, cert, signed, &known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = default_provider().signature_verification_algorithms;
        verify_tls13_signature(message, cert, signed, &known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let known = default_provider().signature_verification_algorithms;
        known.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_and_a_listener_are_places() {
        let place = Place::read("https://gateway.example.org/hub/").unwrap();
        assert_eq!((place.is_tls, place.port), (true, 443));
        assert_eq!(
            (place.host.as_str(), place.prefix.as_str()),
            ("gateway.example.org", "/hub")
        );
        let six = Place::read("http://[2001:db8::1]:81").unwrap();
        assert_eq!(
            (six.is_tls, six.host.as_str(), six.port),
            (false, "2001:db8::1", 81)
        );
        for wrong in ["", "gateway.example.org", "ftp://a.example", "https://"] {
            assert_eq!(Place::read(wrong), None, "{wrong}");
        }
        let anywhere = |text: &str| Place::listening(text.parse().unwrap(), false).host;
        assert_eq!(anywhere("0.0.0.0:80"), "127.0.0.1");
        assert_eq!(anywhere("[::]:80"), "::1");
        assert_eq!(anywhere("192.0.2.1:80"), "192.0.2.1");
    }

    #[test]
    fn an_answer_is_read_when_it_is_whole() {
        let whole = |text: &str| read(text.as_bytes(), false);
        let plain = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        assert_eq!(whole(plain), Some((200, "ok".to_owned())));
        assert_eq!(whole(&plain[..plain.len() - 1]), None);
        let upgraded = "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n";
        assert_eq!(whole(upgraded), Some((101, String::new())));
        let until_closed = "HTTP/1.0 502 Bad Gateway\r\n\r\nno";
        assert_eq!(whole(until_closed), None);
        assert_eq!(
            read(until_closed.as_bytes(), true),
            Some((502, "no".to_owned()))
        );
        assert_eq!(read(b"SSH-2.0-x\r\n", true), None);
    }
}
