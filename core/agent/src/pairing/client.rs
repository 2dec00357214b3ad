//! The pairing request, repeated until it is settled.

use super::{
    PairedPhone, Pairing,
    wire::{Answer, DeviceDescription, Failure, Request, Status},
};
use crate::{address::HubAddress, identity::Identity, transport::Stream};
use base64::{Engine, engine::general_purpose::STANDARD};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{StatusCode, body::Bytes, client::conn::http1};
use hyper_util::rt::TokioIo;
use postrider_link::{frame::InstallId, signature};
use rustls::ClientConfig;
use std::{io, sync::Arc, time::Duration};
use tokio::time::{sleep, timeout};

/// How often the phone asks whether the operator has confirmed.
const ASK_EVERY: Duration = Duration::from_millis(300);
/// How long one question may take.
const ANSWER_MAX: Duration = Duration::from_secs(20);
/// How long a phone asks at all: longer than a code lives.
const PAIRING_MAX: Duration = Duration::from_secs(15 * 60);
/// The largest answer that is read.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Says why a phone did not join.
#[derive(Debug, thiserror::Error)]
pub enum PairingError {
    /// The hub refused the code; the same code will not do.
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
    /// Nobody confirmed in time.
    #[error("the pairing was not confirmed in time")]
    TimedOut,
}

/// Pairs by a one-time code; `show_digits` is told the six digits once, before anybody confirms.
///
/// A hub that cannot be reached, or fails on its side, is asked again until the time is over.
///
/// # Errors
/// When the hub refuses the code, shows other digits, or nobody confirms.
pub async fn pair(
    hub: &HubAddress,
    tls: &Arc<ClientConfig>,
    code: &str,
    install: &InstallId,
    identity: &dyn Identity,
    device: &DeviceDescription,
    show_digits: impl FnMut(&str),
) -> Result<Pairing, PairingError> {
    let request = Request {
        code: code.trim(),
        public_key: STANDARD.encode(identity.public_key()),
        key_algorithm: identity.algorithm().as_str(),
        install: install.as_str(),
        device,
    };
    let body = serde_json::to_vec(&request)
        .map_err(|_| PairingError::Answer("the request has no JSON form"))?;
    let attempt = Attempt {
        endpoint: hub.below("pair"),
        tls,
        body: Bytes::from(body),
        digits: digits(code, identity.public_key()),
    };
    timeout(PAIRING_MAX, attempt.until_settled(show_digits))
        .await
        .unwrap_or(Err(PairingError::TimedOut))
}

/// Returns the six digits that follow from a code and a key.
pub(crate) fn digits(code: &str, public_key: &[u8]) -> String {
    let input = signature::pairing_digits_input(code, public_key);
    let hash = ring::digest::digest(&ring::digest::SHA256, &input);
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_ref()[..8]);
    signature::pairing_digits(first)
}

struct Attempt<'a> {
    endpoint: HubAddress,
    tls: &'a Arc<ClientConfig>,
    body: Bytes,
    digits: String,
}

impl Attempt<'_> {
    async fn until_settled(
        &self,
        mut show_digits: impl FnMut(&str),
    ) -> Result<Pairing, PairingError> {
        let mut shown = false;
        loop {
            if let Some(answer) = self.ask_once().await? {
                self.check_digits(&answer)?;
                if !shown {
                    show_digits(&self.digits);
                    shown = true;
                }
                if answer.status == Status::Confirmed {
                    return confirmed(answer);
                }
            }
            sleep(ASK_EVERY).await;
        }
    }

    /// Returns the hub's answer, or `None` when there was none worth anything this time.
    async fn ask_once(&self) -> Result<Option<Answer>, PairingError> {
        let Ok(Ok((status, body))) = timeout(ANSWER_MAX, self.post()).await else {
            return Ok(None);
        };
        match status {
            StatusCode::OK => serde_json::from_slice(&body)
                .map(Some)
                .map_err(|_| PairingError::Answer("it has another shape")),
            StatusCode::TOO_MANY_REQUESTS => Ok(None),
            status if status.is_server_error() => Ok(None),
            _ => Err(refused(&body)),
        }
    }

    async fn post(&self) -> io::Result<(StatusCode, Bytes)> {
        let stream = Stream::connect(&self.endpoint, self.tls).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(io::Error::other)?;
        let request = hyper::Request::post(self.endpoint.path())
            .header("host", self.endpoint.authority())
            .header("content-type", "application/json")
            .header("connection", "close")
            .body(Full::new(self.body.clone()))
            .map_err(io::Error::other)?;
        let exchange = async {
            let answer = sender.send_request(request).await;
            let (head, body) = answer.map_err(io::Error::other)?.into_parts();
            let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
            Ok((head.status, body.map_err(io::Error::other)?.to_bytes()))
        };
        tokio::pin!(exchange, connection);
        tokio::select! {
            answer = &mut exchange => answer,
            // The connection may be done before its answer is read to the end.
            _ = &mut connection => exchange.await,
        }
    }

    fn check_digits(&self, answer: &Answer) -> Result<(), PairingError> {
        match &answer.digits {
            Some(digits) if *digits != self.digits => Err(PairingError::OtherDigits),
            _ => Ok(()),
        }
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

fn confirmed(answer: Answer) -> Result<Pairing, PairingError> {
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
    let pairing = Pairing {
        device_id,
        host,
        link_url,
        hub_id: answer.hub_id,
        project_id: answer.project_id,
        phones: phones.collect(),
        pins: Vec::new(),
    };
    match pairing.link() {
        Ok(_) => Ok(pairing),
        Err(_) => Err(PairingError::Answer("its link is not an address")),
    }
}
