//! The JSON of pairing.

use crate::nul;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub_app::pairing::request::{DeviceDescription, KeyAlgorithm, OpenRequest, PairRequest, Step};
use hub_domain::Phone;
use hub_web::{ApiError, ErrorCode};
use postrider_link::frame::InstallId;
use postrider_link::pairing::Number;
use postrider_model::{DeviceId, HubId, PhoneId, PhoneNumber, ProjectId, Secret, SimSlot};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::str::FromStr;

/// Most characters of a name, a maker, a model or a version.
const TEXT_LENGTH_MAX: usize = 100;

/// Longest address that a phone says it dialled.
const URL_LENGTH_MAX: usize = 500;

/// What both requests of a phone have, unchecked.
#[derive(Debug, Deserialize)]
struct Written {
    code: Secret,
    hub_url: Option<String>,
    commitment: Option<String>,
    number: Option<String>,
    public_key: Option<String>,
}

/// What only the second request has, unchecked.
#[derive(Debug, Deserialize)]
struct WrittenOpening {
    public_key: String,
    key_algorithm: String,
    install: InstallId,
    #[serde(default)]
    device: DeviceDescription,
}

/// Reads a request's body.
///
/// # Errors
/// `app_too_old` for a key without a number before it, `invalid_param` for anything else that no
/// agent sends.
pub(crate) fn read(body: &[u8]) -> Result<PairRequest, ApiError> {
    let written: Written = serde_json::from_slice(&nul::replaced(body))
        .map_err(|_| ApiError::invalid_body("the body must be JSON with code and hub_url"))?;
    let step = match (&written.commitment, &written.number) {
        (Some(commitment), _) => Step::Commit(thirty_two_bytes("commitment", commitment)?),
        (None, Some(number)) => {
            let number = thirty_two_bytes("number", number)?;
            Step::Open(Box::new(read_opening(body, number)?))
        }
        (None, None) if written.public_key.is_some() => return Err(too_old()),
        (None, None) => {
            return Err(ApiError::invalid_param("commitment", "is missing"));
        }
    };
    Ok(PairRequest {
        code: written.code,
        is_over_https: is_https(written.hub_url.as_deref())?,
        step,
    })
}

fn read_opening(body: &[u8], number: Number) -> Result<OpenRequest, ApiError> {
    let written: WrittenOpening = serde_json::from_slice(&nul::replaced(body)).map_err(|_| {
        let text = "the body must have public_key, key_algorithm, install and device";
        ApiError::invalid_body(text)
    })?;
    let key_algorithm = KeyAlgorithm::named(&written.key_algorithm)
        .ok_or_else(|| ApiError::invalid_param("key_algorithm", "must be p256 or ed25519"))?;
    let public_key = STANDARD
        .decode(&written.public_key)
        .ok()
        .filter(|key| has_form(key_algorithm, key))
        .ok_or_else(|| {
            let rule = "must be base64 of the 32 bytes of Ed25519 or the 65 of a point of P-256";
            ApiError::invalid_param("public_key", rule)
        })?;
    check_device(&written.device)?;
    Ok(OpenRequest {
        number,
        public_key,
        key_algorithm,
        install: written.install,
        device: written.device,
    })
}

fn has_form(algorithm: KeyAlgorithm, key: &[u8]) -> bool {
    match algorithm {
        KeyAlgorithm::P256 => key.len() == 65 && key.first() == Some(&4),
        KeyAlgorithm::Ed25519 => key.len() == 32,
    }
}

fn too_old() -> ApiError {
    let text = "this app is too old to pair with this hub: update it and try again";
    ApiError::new(ErrorCode::AppTooOld, text)
}

fn thirty_two_bytes<T: FromStr<Err: std::fmt::Display>>(
    param: &str,
    text: &str,
) -> Result<T, ApiError> {
    text.parse()
        .map_err(|rule| ApiError::invalid_param(param, rule))
}

fn is_https(hub_url: Option<&str>) -> Result<bool, ApiError> {
    let url = hub_url.filter(|url| url.len() <= URL_LENGTH_MAX);
    match url.and_then(|url| url.split_once("://")) {
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("https") => Ok(true),
        Some((scheme, _)) if scheme.eq_ignore_ascii_case("http") => Ok(false),
        _ => Err(ApiError::invalid_param(
            "hub_url",
            "must be the http or https address that the phone dialled",
        )),
    }
}

fn check_device(device: &DeviceDescription) -> Result<(), ApiError> {
    let texts = [
        &device.name,
        &device.manufacturer,
        &device.model,
        &device.app_version,
    ];
    let of_sims = device.sims.iter().flat_map(|sim| {
        let number = sim.number.as_ref().map(Secret::as_str);
        let texts = [&sim.carrier, &sim.mccmnc, &sim.country].map(Option::as_deref);
        texts.into_iter().chain([number]).flatten()
    });
    let mut all = texts.into_iter().map(String::as_str).chain(of_sims);
    if all.any(|text| text.chars().count() > TEXT_LENGTH_MAX) {
        let rule = format!("must have texts of at most {TEXT_LENGTH_MAX} characters");
        return Err(ApiError::invalid_param("device", rule));
    }
    let slots: BTreeSet<SimSlot> = device.sims.iter().map(|sim| sim.slot).collect();
    if slots.len() != device.sims.len() {
        return Err(ApiError::invalid_param(
            "device[sims]",
            "must name each slot once",
        ));
    }
    Ok(())
}

/// What the hub answers to a request that it does not refuse.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum PairAnswer {
    /// The code is bound to the phone's key, which the phone tells next.
    Committed {
        /// The hub's number of this pairing.
        number: Number,
    },
    /// The operator has not confirmed yet.
    Pending {
        /// The six digits that both sides show.
        digits: String,
    },
    /// The phone has joined.
    Confirmed {
        /// The six digits that both sides showed.
        digits: String,
        /// The device's id.
        device_id: DeviceId,
        /// The host name that the phone signs in each hello.
        host: String,
        /// The URL of the link.
        link_url: String,
        /// The hub's own id: what the phone keeps is only for this hub and project.
        hub_id: HubId,
        /// The project that it joined.
        project_id: ProjectId,
        /// The device's Phones.
        phones: Vec<PairedPhone>,
    },
}

/// One Phone of a device that joined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PairedPhone {
    /// Its id.
    pub id: PhoneId,
    /// Its SIM slot.
    pub sim: SimSlot,
    /// Its number, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<PhoneNumber>,
}

impl PairedPhone {
    /// Shows a Phone; `None` for one without a SIM slot, which no device has.
    pub fn of(phone: Phone) -> Option<Self> {
        Some(Self {
            id: phone.id,
            sim: phone.sim?,
            phone_number: phone.phone_number,
        })
    }
}
