//! A phone uses a code.

use super::code::{Form, GivenCode};
use super::open::kept_since;
use super::wire::{DeviceDescription, PairRequest};
use crate::digest::same;
use hub_domain::{Pairing, PairingState};
use hub_store::{StoreError, Tx, pairings};
use postrider_link::frame::InstallId;
use postrider_link::signature;
use postrider_model::UnixMs;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

/// Wrong tries that end a code.
pub const WRONG_TRIES_MAX: u32 = 5;

/// What a pairing keeps of the phone that claimed it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Claimant {
    /// Its installation.
    pub install: InstallId,
    /// What it said of itself.
    pub device: DeviceDescription,
}

impl Claimant {
    /// Returns who claimed a pairing; `None` while nobody has.
    pub fn of(pairing: &Pairing) -> Option<Self> {
        serde_json::from_str(pairing.device_json.as_deref()?).ok()
    }
}

/// What using a code comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// It is this phone's; the operator has not confirmed yet.
    Pending {
        /// The six digits that both sides show.
        digits: String,
    },
    /// It is this phone's, and the operator has confirmed.
    Confirmed(Box<Pairing>),
    /// There is no such code, or the rest of it is wrong.
    Wrong,
    /// It has been used, or ended by wrong tries or the operator.
    UsedUp,
    /// It has run out.
    Expired,
}

/// Uses a code for a phone; the same request again comes to the same.
///
/// A wrong try counts against the code that its first four characters name.
///
/// # Errors
/// What the database says.
pub fn claim(
    tx: &mut Tx<'_>,
    given: &GivenCode,
    request: &PairRequest,
    now: UnixMs,
) -> Result<Claim, StoreError> {
    let Some(pairing) = pairings::by_code_name(tx, given.name(), kept_since(now))? else {
        return Ok(Claim::Wrong);
    };
    if !fits(&pairing, given) {
        count_wrong_try(tx, pairing)?;
        return Ok(Claim::Wrong);
    }
    let expired = pairing.time_expires <= now;
    match pairing.state {
        PairingState::Open if expired => Ok(Claim::Expired),
        PairingState::Open => bind(tx, pairing, request),
        PairingState::Ended => Ok(Claim::UsedUp),
        _ if !is_claimant(&pairing, request) => Ok(Claim::UsedUp),
        PairingState::Confirmed => Ok(Claim::Confirmed(Box::new(pairing))),
        PairingState::Claimed if expired => Ok(Claim::Expired),
        PairingState::Claimed => Ok(Claim::Pending {
            digits: pairing.digits.unwrap_or_default(),
        }),
    }
}

fn fits(pairing: &Pairing, given: &GivenCode) -> bool {
    let stored = match given.form {
        Form::Typed => &pairing.code_hash,
        Form::Full => &pairing.full_hash,
    };
    same(&given.hash(), stored)
}

/// Only an open code can be guessed: a used one belongs to its phone's key.
fn count_wrong_try(tx: &mut Tx<'_>, mut pairing: Pairing) -> Result<(), StoreError> {
    if pairing.state != PairingState::Open {
        return Ok(());
    }
    pairing.wrong_tries += 1;
    if pairing.wrong_tries >= WRONG_TRIES_MAX {
        pairing.state = PairingState::Ended;
    }
    pairings::update(tx, &pairing)
}

fn bind(tx: &mut Tx<'_>, mut pairing: Pairing, request: &PairRequest) -> Result<Claim, StoreError> {
    let claimant = Claimant {
        install: request.install.clone(),
        device: request.device.clone(),
    };
    let digits = digits(request);
    pairing.public_key = Some(request.public_key_base64());
    pairing.key_algorithm = Some(request.key_algorithm.as_str().to_owned());
    pairing.device_json = serde_json::to_string(&claimant).ok();
    pairing.digits = Some(digits.clone());
    pairing.state = PairingState::Claimed;
    pairings::update(tx, &pairing)?;
    Ok(Claim::Pending { digits })
}

fn is_claimant(pairing: &Pairing, request: &PairRequest) -> bool {
    let key = pairing.public_key.as_deref() == Some(&request.public_key_base64());
    let algorithm = pairing.key_algorithm.as_deref() == Some(request.key_algorithm.as_str());
    let install = Claimant::of(pairing).is_some_and(|it| it.install == request.install);
    key && algorithm && install
}

/// Returns the six digits that follow from the code as the phone gave it, and the phone's key.
fn digits(request: &PairRequest) -> String {
    let input = signature::pairing_digits_input(request.code.as_str(), &request.public_key);
    let mut start = [0; 8];
    start.copy_from_slice(&digest(&SHA256, &input).as_ref()[..8]);
    signature::pairing_digits(start)
}
