//! Drawing a code: the first step of a pairing.

use crate::failure::NotDone;
use crate::hub::Hub;
use crate::hub_work::HubWork;
use crate::pairing::code::NewCode;
use hub_domain::{Pairing, PairingState};
use hub_store::{StoreError, Tx, devices, pairings, projects};
use postrider_model::{DeviceId, ProjectId, UnixMs};
use thiserror::Error;

/// How long a code lives.
pub const CODE_LIFE_MS: i64 = 10 * 60_000;
/// How long a pairing is kept after its code ran out, so that a phone that missed the operator's
/// word, or comes too late, is told what became of it.
pub const KEPT_MS: i64 = 24 * 3_600_000;

/// Under which name the hub keeps where phones reach it, for codes that other processes draw.
pub const BASE_URL: &str = "base_url";
/// Under which name a hub whose key nobody vouches for keeps what phones know the key by.
pub const OWN_PIN: &str = "own_pin";

/// What a code is for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose {
    /// A new device joins a project.
    Join(ProjectId),
    /// Another phone takes the place of a device, whose Phones keep their ids.
    Replace(DeviceId),
}

/// Why no code was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum OpenRefused {
    /// There is no such project.
    #[error("there is no such project")]
    NoSuchProject,
    /// There is no such device.
    #[error("there is no such device")]
    NoSuchDevice,
}

impl From<OpenRefused> for NotDone<OpenRefused> {
    fn from(reason: OpenRefused) -> Self {
        Self::Refused(reason)
    }
}

/// Draws a code and stores what it is for; `name` is what the device will be called, its own name
/// when empty.
pub fn open(
    work: &mut HubWork<'_, '_>,
    purpose: &Purpose,
    name: &str,
) -> Result<(Pairing, NewCode), NotDone<OpenRefused>> {
    let (hub, now) = (work.hub, work.now);
    let (project_id, device_id) = match purpose {
        Purpose::Join(project_id) => (*project_id, None),
        Purpose::Replace(device_id) => {
            let device = devices::get(work.tx, *device_id)?.ok_or(OpenRefused::NoSuchDevice)?;
            (device.project_id, Some(device.id))
        }
    };
    let project = projects::get(work.tx, project_id)?.ok_or(OpenRefused::NoSuchProject)?;
    let code = draw(hub, work.tx, now.unix)?;
    let pairing = Pairing {
        id: work.id(),
        project_id,
        device_id,
        name: name.to_owned(),
        code_name: code.name.clone(),
        code_hash: code.typed_hash(),
        full_hash: code.full_hash(),
        wrong_tries: 0,
        commitment: None,
        hub_number: None,
        public_key: None,
        key_algorithm: None,
        device_json: None,
        digits: None,
        state: PairingState::Open,
        time_created: now.unix,
        time_expires: now.unix.plus_ms(CODE_LIFE_MS),
    };
    pairings::purge(work.tx, kept_since(now.unix))?;
    pairings::insert(work.tx, &pairing)?;
    work.within::<_, StoreError>(&project, |work| work.note("pairing.open", pairing.id))?;
    Ok((pairing, code))
}

/// Returns the moment after which a code must have run out for its pairing to be kept still.
pub(crate) fn kept_since(now: UnixMs) -> UnixMs {
    now.plus_ms(-KEPT_MS)
}

/// Draws until the name is nobody's: a name stands for one code as long as that is kept.
fn draw(hub: &Hub, tx: &mut Tx<'_>, now: UnixMs) -> Result<NewCode, StoreError> {
    loop {
        let code = NewCode::draw(&hub.random);
        if pairings::by_code_name(tx, &code.name, kept_since(now))?.is_none() {
            return Ok(code);
        }
    }
}
