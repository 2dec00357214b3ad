//! The two pairing requests, each repeated until it is answered.

use super::{
    PairedPhone, Pairing,
    wire::{Answer, Commit, Committed, DeviceDescription, Failure, Open, Status},
};
use crate::{
    address::HubAddress,
    identity::Identity,
    random::{self, RandomError},
    transport::{Certificate, Stream},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{StatusCode, body::Bytes, client::conn::http1};
use hyper_util::rt::TokioIo;
use postrider_link::{
    frame::InstallId,
    pairing::{Joiner, Number, Opening, PhoneSide},
};
use rustls::ClientConfig;
use serde::{Serialize, de::DeserializeOwned};
use std::{io, sync::Arc, time::Duration};
use tokio::time::{sleep, timeout};

/// How often the phone asks whether the operator has confirmed.
const ASK_EVERY: Duration = Duration::from_millis(300);
/// How long one request may take.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// How long a phone asks in total: longer than a code is valid.
const PAIRING_MAX: Duration = Duration::from_secs(15 * 60);
/// The largest answer that is accepted.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Says why a phone did not join.
#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    /// The hub refused the code; trying it again is useless.
    #[error("the hub refused to pair: {message} ({code})")]
    Refused {
        /// The hub's error code.
        code: String,
        /// What the hub says about it.
        message: String,
    },
    /// The hub shows other digits than the phone: somebody may be in between.
    #[error("the hub shows other digits than this phone: do not confirm")]
    OtherDigits,
    /// The answer is not one of a hub.
    #[error("the answer is not one of a route hub: {0}")]
    Answer(&'static str),
    /// The phone paired over https, and the hub names a link that is not encrypted, or that its
    /// certificate does not cover.
    #[error("the hub paired over https and names a link that its certificate does not cover")]
    UnsafeLink,
    /// Nobody confirmed in time.
    #[error("the pairing was not confirmed in time")]
    TimedOut,
    /// The system has no random numbers.
    #[error(transparent)]
    Random(#[from] RandomError),
}

/// Pairs by a one-time code; `show_digits` gets the six digits once, before anybody confirms.
///
/// The phone first commits to its key and a random number, gets the hub's number, and only then
/// reveals its own. So neither side, nor anybody in between, can choose the digits. A new attempt
/// draws another number, and needs another code.
///
/// A hub that cannot be reached, or fails on its side, is asked again until the time is over.
pub async fn pair(
    hub: &HubAddress,
    tls: &Arc<ClientConfig>,
    code: &str,
    install: &InstallId,
    identity: &dyn Identity,
    device: &DeviceDescription,
    show_digits: impl FnMut(&str),
) -> Result<Pairing, PairingError> {
    let joiner = Joiner {
        code: code.trim(),
        key_algorithm: identity.algorithm().as_str(),
        public_key: identity.public_key(),
        install,
    };
    let attempt = Attempt {
        hub,
        url: hub.to_string(),
        endpoint: hub.below("pair"),
        tls,
        joiner,
        algorithm: identity.algorithm().as_str(),
        device,
    };
    let number = Number(random::seed()?);
    timeout(PAIRING_MAX, attempt.until_joined(number, show_digits))
        .await
        .unwrap_or(Err(PairingError::TimedOut))
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, bytes).as_ref());
    hash
}

struct Attempt<'a> {
    hub: &'a HubAddress,
    url: String,
    endpoint: HubAddress,
    tls: &'a Arc<ClientConfig>,
    joiner: Joiner<'a>,
    algorithm: &'static str,
    device: &'a DeviceDescription,
}

/// An answer, and the certificate that came with it.
struct Exchanged {
    status: StatusCode,
    body: Bytes,
    certificate: Option<Certificate>,
}

impl Attempt<'_> {
    async fn until_joined(
        &self,
        number: Number,
        show_digits: impl FnMut(&str),
    ) -> Result<Pairing, PairingError> {
        let side = PhoneSide::new(&self.joiner, number, sha256);
        let request = body(&Commit {
            code: self.joiner.code,
            hub_url: &self.url,
            commitment: side.commitment(),
        })?;
        let committed: Committed = loop {
            if let Some((answer, _)) = self.ask_once(&request).await? {
                break answer;
            }
            sleep(ASK_EVERY).await;
        };
        let opening = side.told(&self.joiner, &committed.number, sha256);
        self.until_confirmed(&opening, show_digits).await
    }

    async fn until_confirmed(
        &self,
        opening: &Opening,
        mut show_digits: impl FnMut(&str),
    ) -> Result<Pairing, PairingError> {
        let request = body(&Open {
            code: self.joiner.code,
            hub_url: &self.url,
            number: opening.number,
            public_key: STANDARD.encode(self.joiner.public_key),
            key_algorithm: self.algorithm,
            install: self.joiner.install.as_str(),
            device: self.device,
        })?;
        let mut shown = false;
        loop {
            if let Some((answer, certificate)) = self.ask_once::<Answer>(&request).await? {
                check_digits(&answer, opening)?;
                if !shown {
                    show_digits(&opening.digits);
                    shown = true;
                }
                if answer.status == Status::Confirmed {
                    return self.confirmed(answer, certificate.as_ref());
                }
            }
            sleep(ASK_EVERY).await;
        }
    }

    /// Returns the hub's answer, or `None` when this try brought none.
    async fn ask_once<A: DeserializeOwned>(
        &self,
        request: &Bytes,
    ) -> Result<Option<(A, Option<Certificate>)>, PairingError> {
        let Ok(Ok(exchanged)) = timeout(ANSWER_MAX, self.post(request)).await else {
            return Ok(None);
        };
        match exchanged.status {
            StatusCode::OK => serde_json::from_slice(&exchanged.body)
                .map(|answer| Some((answer, exchanged.certificate)))
                .map_err(|_| PairingError::Answer("it has another shape")),
            StatusCode::TOO_MANY_REQUESTS => Ok(None),
            status if status.is_server_error() => Ok(None),
            _ => Err(refused(&exchanged.body)),
        }
    }

    async fn post(&self, request: &Bytes) -> io::Result<Exchanged> {
        let stream = Stream::connect(&self.endpoint, self.tls).await?;
        let certificate = stream.certificate();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(io::Error::other)?;
        let request = hyper::Request::post(self.endpoint.path())
            .header("host", self.endpoint.authority())
            .header("content-type", "application/json")
            .header("connection", "close")
            .body(Full::new(request.clone()))
            .map_err(io::Error::other)?;
        let exchange = async {
            let answer = sender.send_request(request).await;
            let (head, body) = answer.map_err(io::Error::other)?.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
            Ok(Exchanged {
                status: head.status,
                body: body.map_err(io::Error::other)?.to_bytes(),
                certificate,
            })
        };
        tokio::pin!(exchange, connection);
        tokio::select! {
            answer = &mut exchange => answer,
            // The connection may end before its answer is read completely.
            _ = &mut connection => exchange.await,
        }
    }

    fn confirmed(
        &self,
        answer: Answer,
        certificate: Option<&Certificate>,
    ) -> Result<Pairing, PairingError> {
        let pairing = recorded(answer)?;
        let link = pairing.link();
        let link = link.map_err(|_| PairingError::Answer("its link is not an address"))?;
        if is_safe(self.hub, &link, certificate) {
            Ok(pairing)
        } else {
            Err(PairingError::UnsafeLink)
        }
    }
}

/// Tells whether a phone that paired with `hub` may dial `link`.
///
/// Over https the certificate says who the hub is, and vouches for nobody else: a link that is
/// not encrypted, or leads to a name that this certificate does not cover, could be anybody's.
fn is_safe(hub: &HubAddress, link: &HubAddress, certificate: Option<&Certificate>) -> bool {
    if !hub.is_secure() {
        return true;
    }
    let covers = |certificate: &Certificate| certificate.covers(link.host());
    link.is_secure() && (link.host() == hub.host() || certificate.is_some_and(covers))
}

fn body(request: &impl Serialize) -> Result<Bytes, PairingError> {
    let bytes = serde_json::to_vec(request);
    let bytes = bytes.map_err(|_| PairingError::Answer("the request has no JSON form"))?;
    Ok(Bytes::from(bytes))
}

fn check_digits(answer: &Answer, opening: &Opening) -> Result<(), PairingError> {
    match &answer.digits {
        Some(digits) if *digits != opening.digits => Err(PairingError::OtherDigits),
        _ => Ok(()),
    }
}

fn refused(body: &[u8]) -> PairingError {
    match serde_json::from_slice::<Failure>(body) {
        Ok(Failure { error }) => PairingError::Refused {
            code: error.code,
            message: error.message,
        },
        Err(_) => PairingError::Answer("it is an error without a code"),
    }
}

fn recorded(answer: Answer) -> Result<Pairing, PairingError> {
    let missing = PairingError::Answer("a confirmed pairing lacks its device, host or link");
    let (Some(device_id), Some(host), Some(link_url)) =
        (answer.device_id, answer.host, answer.link_url)
    else {
        return Err(missing);
    };
    let phones = answer.phones.into_iter().map(|phone| PairedPhone {
        id: phone.id,
        sim: phone.sim,
        phone_number: phone.phone_number,
    });
    Ok(Pairing {
        device_id,
        host,
        link_url,
        hub_id: answer.hub_id,
        project_id: answer.project_id,
        phones: phones.collect(),
        pins: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::generate_simple_self_signed;

    fn address(text: &str) -> HubAddress {
        text.parse().unwrap()
    }

    #[test]
    fn a_phone_that_paired_over_https_dials_only_what_the_certificate_covers() {
        let names = [
            "hub.example.org".to_owned(),
            "*.links.example.org".to_owned(),
        ];
        let made = generate_simple_self_signed(names).unwrap();
        let certificate = Certificate::new(made.cert.der().clone());
        let hub = address("https://hub.example.org");
        for (link, safe) in [
            ("wss://hub.example.org/link", true),
            ("wss://hub.example.org:8443/link", true),
            ("wss://a.links.example.org/link", true),
            ("ws://hub.example.org/link", false),
            ("ws://127.0.0.1/link", false),
            ("wss://other.example.org/link", false),
            ("wss://192.0.2.7/link", false),
        ] {
            let link = address(link);
            assert_eq!(is_safe(&hub, &link, Some(&certificate)), safe, "{link}");
        }
        let by_address = address("https://192.0.2.7");
        for (link, safe) in [
            ("wss://192.0.2.7/link", true),
            ("wss://hub.example.org/link", true),
            ("wss://192.0.2.8/link", false),
        ] {
            let link = address(link);
            assert_eq!(
                is_safe(&by_address, &link, Some(&certificate)),
                safe,
                "{link}"
            );
        }
        assert!(is_safe(
            &address("http://127.0.0.1"),
            &address("ws://127.0.0.1/link"),
            None
        ));
    }
}
