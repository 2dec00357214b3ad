//! A phone uses a code.

use crate::digest::{same, sha256};
use crate::pairing::code::{Form, GivenCode};
use crate::pairing::open::kept_since;
use crate::pairing::request::{DeviceDescription, OpenRequest, PairRequest, Step};
use hub_domain::{Pairing, PairingState};
use hub_store::{StoreError, Tx, pairings};
use postrider_link::frame::InstallId;
use postrider_link::pairing::{CodeUse, Number, Refused};
use postrider_model::UnixMs;
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
    /// It is bound to this phone's key, which the phone tells next.
    Committed {
        /// The hub's number, which the phone is told.
        number: Number,
    },
    /// It is this phone's; the operator has not confirmed yet.
    Pending {
        /// The six digits that both sides show.
        digits: String,
    },
    /// It is this phone's, and the operator has confirmed.
    Confirmed(Box<Pairing>),
    /// There is no such code, or the rest of it is wrong.
    Wrong,
    /// It has been used, or ended by wrong tries, by another key or by the operator.
    UsedUp,
    /// It has expired.
    Expired,
    /// It is good, and stays so, but the phone would be led from https to a link without TLS.
    PlainLink,
}

/// What the hub brings to a claim.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances {
    /// Told to the first phone that binds itself with this code.
    pub fresh: Number,
    /// Whether the answer would name a link without TLS.
    pub is_link_plain: bool,
    /// The time.
    pub now: UnixMs,
}

/// Uses a code for a phone; the same request again comes to the same.
///
/// A wrong try counts against the code that its first four characters name.
pub fn claim(
    tx: &mut Tx<'_>,
    given: &GivenCode,
    request: &PairRequest,
    with: Circumstances,
) -> Result<Claim, StoreError> {
    let Some(pairing) = pairings::by_code_name(tx, given.name(), kept_since(with.now))? else {
        return Ok(Claim::Wrong);
    };
    if !fits(&pairing, given) {
        count_wrong_try(tx, pairing)?;
        return Ok(Claim::Wrong);
    }
    let mut code = code_use(&pairing);
    let claimed = match &request.step {
        Step::Commit(commitment) => code
            .commit(*commitment, with.fresh)
            .map(|number| Claim::Committed { number }),
        Step::Open(opening) => code
            .open(&opening.joiner(&request.code), &opening.number, sha256)
            .map(|digits| Claim::Pending { digits }),
    };
    match claimed {
        Err(Refused) => {
            if code == CodeUse::Ended && pairing.state != PairingState::Ended {
                end(tx, pairing)?;
            }
            Ok(Claim::UsedUp)
        }
        Ok(claim) => accept(tx, pairing, request, with, claim),
    }
}

/// A claim that fits the code: it stands unless the code has expired, or the phone came over https
/// and would be led astray.
fn accept(
    tx: &mut Tx<'_>,
    mut pairing: Pairing,
    request: &PairRequest,
    with: Circumstances,
    claim: Claim,
) -> Result<Claim, StoreError> {
    let is_confirmed = pairing.state == PairingState::Confirmed;
    if !is_confirmed && pairing.time_expires <= with.now {
        return Ok(Claim::Expired);
    }
    if request.is_over_https && with.is_link_plain {
        return Ok(Claim::PlainLink);
    }
    match (&request.step, &claim, pairing.state) {
        (Step::Commit(commitment), Claim::Committed { number }, PairingState::Open) => {
            pairing.commitment = Some(commitment.base64());
            pairing.hub_number = Some(number.base64());
            pairing.state = PairingState::Committed;
            pairings::update(tx, &pairing)?;
            Ok(claim)
        }
        (Step::Open(opening), Claim::Pending { digits }, PairingState::Committed) => {
            take(&mut pairing, opening, digits);
            pairings::update(tx, &pairing)?;
            Ok(claim)
        }
        (Step::Open(_), _, PairingState::Confirmed) => Ok(Claim::Confirmed(Box::new(pairing))),
        _ => Ok(claim),
    }
}

/// Keeps what a phone has told.
fn take(pairing: &mut Pairing, opening: &OpenRequest, digits: &str) {
    let claimant = Claimant {
        install: opening.install.clone(),
        device: opening.device.clone(),
    };
    pairing.public_key = Some(opening.public_key_base64());
    pairing.key_algorithm = Some(opening.key_algorithm.as_str().to_owned());
    pairing.device_json = serde_json::to_string(&claimant).ok();
    pairing.digits = Some(digits.to_owned());
    pairing.state = PairingState::Claimed;
}

/// Returns what a stored code has been used for.
fn code_use(pairing: &Pairing) -> CodeUse {
    let commitment = pairing.commitment.as_deref().and_then(|it| it.parse().ok());
    let number = pairing.hub_number.as_deref().and_then(|it| it.parse().ok());
    match (pairing.state, commitment, number) {
        (PairingState::Open, _, _) => CodeUse::Free,
        (PairingState::Committed, Some(commitment), Some(number)) => {
            CodeUse::Committed { commitment, number }
        }
        (PairingState::Claimed | PairingState::Confirmed, Some(commitment), Some(number)) => {
            CodeUse::Opened { commitment, number }
        }
        (PairingState::Ended, _, _)
        | (PairingState::Committed | PairingState::Claimed | PairingState::Confirmed, _, _) => {
            CodeUse::Ended
        }
    }
}

fn fits(pairing: &Pairing, given: &GivenCode) -> bool {
    let stored = match given.form {
        Form::Typed => &pairing.code_hash,
        Form::Full => &pairing.full_hash,
    };
    same(&given.hash(), stored)
}

/// Only an open code can be guessed: a used one belongs to what its phone is bound to.
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

fn end(tx: &mut Tx<'_>, mut pairing: Pairing) -> Result<(), StoreError> {
    pairing.state = PairingState::Ended;
    pairings::update(tx, &pairing)
}
